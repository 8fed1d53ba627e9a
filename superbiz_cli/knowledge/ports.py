"""What the knowledge domain needs from outside: an embedding model and a store of chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.records import (
    Chunk,
    CollectionProfile,
    DocumentRecord,
    EmbedderIdentity,
    Filter,
    Hit,
    LanguageMean,
    SparseVector,
    Vector,
    WriterNote,
)


class EmbeddingUnavailable(Exception):
    """The embedding model failed. `hint` is our own sentence; nothing of the provider's text is kept."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Embedder(Protocol):
    """A model that turns texts into vectors of length 1."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Provider, model and dimension. May ask the model once to learn its dimension."""
        ...

    @property
    def batch_size(self) -> int:
        """How many passages one call should carry."""
        ...

    @property
    def usual_means(self) -> Mapping[str, LanguageMean]:
        """Return the model's usual mean of each language, if they are known without asking it."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the model `text` is; an upper estimate if the model cannot say."""
        ...

    def passages(self, texts: Sequence[str], *, run: Run) -> list[Vector]:
        """Embed texts to be found. Raises EmbeddingUnavailable, RunAborted."""
        ...

    def query(self, text: str, *, run: Run) -> Vector:
        """Embed what is looked for. Raises EmbeddingUnavailable, RunAborted."""
        ...

    def close(self) -> None:
        """Release what the model holds."""
        ...


class StoreUnavailable(Exception):
    """The store of chunks cannot be used now. `hint` says what to do."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class StoreLocked(StoreUnavailable):
    """Another process holds the embedded store. `pid` is its process id, if that is known."""

    def __init__(self, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(
            f"The knowledge store is locked by {who}.",
            hint="wait until it has finished, or stop it; a Milvus server can be used by many at once",
        )
        self.pid = pid


class ChunkStore(Protocol):
    """One collection: its profile, its published documents, its chunks and its vocabulary.

    Nothing that is written becomes visible to a search until `publish`, which is one atomic step.
    """

    def profile(self) -> CollectionProfile | None:
        """Return what the collection was made with, or None if it does not exist yet."""
        ...

    def create(self, profile: CollectionProfile) -> None:
        """Make an empty collection."""
        ...

    def save_profile(self, profile: CollectionProfile) -> None:
        """Replace the profile of the existing collection."""
        ...

    def documents(self) -> Mapping[str, DocumentRecord]:
        """Return the published documents by doc_id."""
        ...

    def publish(self, document: DocumentRecord) -> None:
        """Make a revision the visible one, atomically."""
        ...

    def withdraw(self, doc_id: str) -> None:
        """Make a document invisible, atomically. Its chunks are dropped by `drop_chunks`."""
        ...

    def put_chunks(self, chunks: Sequence[Chunk]) -> None:
        """Write chunks; returns when they are durable."""
        ...

    def drop_chunks(self, doc_id: str, *, except_revision: str | None = None) -> None:
        """Delete the chunks of a document, but those of `except_revision`."""
        ...

    def chunk_keys(self) -> Iterator[tuple[str, str]]:
        """Yield (doc_id, revision) of every stored chunk, visible or not."""
        ...

    def chunks(self, *, doc_id: str | None = None) -> Iterator[Chunk]:
        """Yield stored chunks with their vectors, visible or not; of one document if it is named."""
        ...

    def vocabulary(self) -> Mapping[str, int]:
        """Return in how many visible chunks each term occurs, as last saved."""
        ...

    def save_vocabulary(self, frequencies: Mapping[str, int]) -> None:
        """Replace the vocabulary as a whole."""
        ...

    def search_dense(self, vector: Vector, *, limit: int, where: Filter) -> list[Hit]:
        """Return the nearest chunks, the nearest first; the score is the cosine."""
        ...

    def search_sparse(self, vector: SparseVector, *, limit: int, where: Filter) -> list[Hit]:
        """Return the chunks with the largest inner product > 0, the largest first."""
        ...

    def writer(self) -> WriterNote | None:
        """Return the note of the session that writes, or died while writing."""
        ...

    def note_writer(self, note: WriterNote | None) -> None:
        """Leave the note of a session, or take it away at its end."""
        ...

    def settle(self) -> None:
        """Make what was written ready for fast searching (flush, index)."""
        ...

    def begin_rebuild(self, profile: CollectionProfile) -> ChunkStore:
        """Make an empty collection beside this one; `finish_rebuild` lets it take the place of this one."""
        ...

    def finish_rebuild(self, rebuilt: ChunkStore) -> None:
        """Swap, atomically for readers, and drop the old collection."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...
