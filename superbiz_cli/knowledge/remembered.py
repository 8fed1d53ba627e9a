"""An embedder that remembers some passages: those that ship with the product need no model to be embedded.

The same file holds the model's usual mean of each language, for collections that are too small to have
a mean of their own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.ports import Embedder
from superbiz_cli.knowledge.records import EmbedderIdentity, LanguageMean, Vector


@dataclass(frozen=True, slots=True)
class ShippedVectors:
    """Vectors by the digest of their text, and the mean of each language, all of one model."""

    vectors: Mapping[str, Vector] = field(default_factory=dict)
    means: Mapping[str, LanguageMean] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RememberingEmbedder:
    """`embedder`, asked only for what is not in `shipped`."""

    embedder: Embedder
    shipped: ShippedVectors

    @property
    def identity(self) -> EmbedderIdentity:
        """See `Embedder.identity`."""
        return self.embedder.identity

    @property
    def batch_size(self) -> int:
        """See `Embedder.batch_size`."""
        return self.embedder.batch_size

    @property
    def usual_means(self) -> Mapping[str, LanguageMean]:
        """See `Embedder.usual_means`."""
        return self.shipped.means or self.embedder.usual_means

    def count_tokens(self, text: str) -> int:
        """See `Embedder.count_tokens`."""
        return self.embedder.count_tokens(text)

    def passages(self, texts: Sequence[str], *, run: Run) -> list[Vector]:
        """See `Embedder.passages`."""
        known = self.shipped.vectors
        missing = [text for text in texts if digest(text) not in known]
        fresh = dict(zip(missing, self.embedder.passages(missing, run=run), strict=True)) if missing else {}
        return [fresh[text] if text in fresh else known[digest(text)] for text in texts]

    def query(self, text: str, *, run: Run) -> Vector:
        """See `Embedder.query`."""
        return self.embedder.query(text, run=run)

    def close(self) -> None:
        """See `Embedder.close`."""
        self.embedder.close()


def digest(text: str) -> str:
    """Return the name under which a text's vector is remembered."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def read_vectors(path: Path, *, model: str) -> ShippedVectors:
    """Return what is in a file, if `model` made it; nothing if it did not or the file cannot be read."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["model"] != model:
            return ShippedVectors()
        return ShippedVectors(
            vectors={name: unpacked(text) for name, text in stored["vectors"].items()},
            means={
                language: LanguageMean(unpacked(mean["vector"]), int(mean["sample"]))
                for language, mean in stored["means"].items()
            },
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error):
        return ShippedVectors()


def write_vectors(path: Path, shipped: ShippedVectors, *, model: str) -> None:
    """Write a file for `read_vectors`. Raises OSError."""
    stored = {
        "model": model,
        "means": {
            language: {"sample": mean.sample, "vector": packed(mean.vector)}
            for language, mean in sorted(shipped.means.items())
        },
        "vectors": {name: packed(vector) for name, vector in sorted(shipped.vectors.items())},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(stored, indent=0) + "\n", encoding="utf-8")


def packed(vector: Vector) -> str:
    """Return a vector as text: 16-bit floats, which keep three digits."""
    return base64.b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode("ascii")


def unpacked(text: str) -> tuple[float, ...]:
    """Return the vector of `packed`."""
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // 2}e", raw)
