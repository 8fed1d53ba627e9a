"""An OpenAI-compatible embedding endpoint on 127.0.0.1: vectors by words, and failures on request."""

from __future__ import annotations

import json
from typing import Any

from tests.support.knowledge import DIMENSION, vector_of
from tests.support.model_server import Answer, ModelServer, Received, failing, raw


class EmbeddingServer(ModelServer):
    """Use as a context manager. `batches` holds the texts of each request that was answered."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []
        self.answered: list[Any] = []
        self._fails_from: int | None = None

    def __enter__(self) -> EmbeddingServer:
        super().__enter__()
        return self

    def settings(self, **further: str) -> dict[str, str]:
        """The variables that point the program here."""
        fields = {
            "provider": "litellm",
            "name": "openai/embed-small",
            "api_base": f"{self.url}/v1",
            **further,
        }
        return {f"SUPERBIZ_EMBEDDING__{name.upper()}": value for name, value in fields.items()}

    def fail_from(self, batch: int | None) -> None:
        """Answer with 503 once so many batches have been answered; None never."""
        self._fails_from = batch

    def take(self, received: Received) -> Answer:
        self.requests.append(received)
        if self._fails_from is not None and len(self.batches) >= self._fails_from:
            return failing(503)
        texts = received.body.get("input")
        given = [texts] if isinstance(texts, str) else list(texts or ())
        self.batches.append(given)
        return raw(json.dumps(self.reply(given)).encode())

    def reply(self, texts: list[str]) -> dict[str, Any]:
        """The body of a proper answer; rows come back to front, as the protocol allows."""
        rows = [
            {"object": "embedding", "index": index, "embedding": vector_of(text)}
            for index, text in enumerate(texts)
        ]
        return {
            "object": "list",
            "model": "embed-small",
            "data": rows[::-1],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }


__all__ = ["DIMENSION", "EmbeddingServer"]
