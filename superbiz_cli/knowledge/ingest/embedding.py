"""From texts of chunks to stored chunks: embed, centre, weigh."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge import lexical
from superbiz_cli.knowledge.centre import centred
from superbiz_cli.knowledge.ingest.chunking import Piece
from superbiz_cli.knowledge.ingest.reading import Prepared
from superbiz_cli.knowledge.ports import Embedder
from superbiz_cli.knowledge.records import Chunk, CollectionProfile, Vector


@dataclass(slots=True)
class TextEmbedder:
    """Embeds texts, and remembers those that were embedded before their turn. `spent_s` is the model's time.

    Without a model every vector is empty.
    """

    embedder: Embedder | None
    run: Run
    spent_s: float = 0.0
    _early: dict[str, Vector] = field(default_factory=dict)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts`. Raises EmbeddingUnavailable, RunAborted."""
        if self.embedder is None:
            return [()] * len(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in self._early]
        began = time.monotonic()
        fresh = dict(zip(missing, self.embedder.passages(missing, run=self.run), strict=True))
        self.spent_s += time.monotonic() - began
        vectors = [fresh[text] if text in fresh else self._early[text] for text in texts]
        for text in texts:
            self._early.pop(text, None)
        return vectors

    def embed_early(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts that will be asked for again."""
        vectors = self.embed(texts)
        self._early.update(zip(texts, vectors, strict=True))
        return vectors


def chunks_of(
    document: Prepared,
    pieces: Sequence[Piece],
    vectors: Sequence[Vector],
    *,
    revision: str,
    profile: CollectionProfile,
) -> list[Chunk]:
    """Return the chunks of one document as they are stored."""
    chunks = []
    for index, (piece, vector) in enumerate(zip(pieces, vectors, strict=True)):
        dense, spread = centred(vector, piece.language, profile.means) if len(vector) else ((), 1.0)
        chunks.append(
            Chunk(
                doc_id=document.doc_id,
                revision=revision,
                index=index,
                scope=document.scope,
                category=document.category,
                language=piece.language,
                title=document.title,
                section=piece.section,
                content=piece.content,
                sparse=lexical.passage_weights(piece.terms, average_terms=profile.average_terms),
                dense=dense,
                spread=spread,
            )
        )
    return chunks
