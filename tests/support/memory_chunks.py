"""A chunk store in memory, exact in every score, for tests of everything above the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from superbiz_cli.knowledge.centre import dot
from superbiz_cli.knowledge.lexical import bm25
from superbiz_cli.knowledge.ports import ChunkStore
from superbiz_cli.knowledge.records import (
    Chunk,
    CollectionProfile,
    DocumentRecord,
    Filter,
    Hit,
    SparseVector,
    Vector,
    WriterNote,
)


@dataclass
class MemoryStore:
    """See `knowledge.ports.ChunkStore`."""

    made_with: CollectionProfile | None = None
    published: dict[str, DocumentRecord] = field(default_factory=dict)
    stored: dict[str, Chunk] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)
    note: WriterNote | None = None
    searches: list[Filter] = field(default_factory=list)

    def profile(self) -> CollectionProfile | None:
        return self.made_with

    def create(self, profile: CollectionProfile) -> None:
        self.made_with = profile

    def save_profile(self, profile: CollectionProfile) -> None:
        self.made_with = profile

    def documents(self) -> Mapping[str, DocumentRecord]:
        return dict(self.published)

    def publish(self, document: DocumentRecord) -> None:
        self.published[document.doc_id] = document

    def withdraw(self, doc_id: str) -> None:
        self.published.pop(doc_id, None)

    def put_chunks(self, chunks: Sequence[Chunk]) -> None:
        self.stored.update((chunk.key, chunk) for chunk in chunks)

    def drop_chunks(self, doc_id: str, *, except_revision: str | None = None) -> None:
        self.stored = {
            key: chunk
            for key, chunk in self.stored.items()
            if chunk.doc_id != doc_id or chunk.revision == except_revision
        }

    def chunk_keys(self) -> Iterator[tuple[str, str]]:
        for chunk in list(self.stored.values()):
            yield chunk.doc_id, chunk.revision

    def chunks(self, *, doc_id: str | None = None) -> Iterator[Chunk]:
        for chunk in list(self.stored.values()):
            if doc_id is None or chunk.doc_id == doc_id:
                yield chunk

    def vocabulary(self) -> Mapping[str, int]:
        return dict(self.terms)

    def save_vocabulary(self, frequencies: Mapping[str, int]) -> None:
        self.terms = dict(frequencies)

    def writer(self) -> WriterNote | None:
        return self.note

    def note_writer(self, note: WriterNote | None) -> None:
        self.note = note

    def search_dense(self, vector: Vector, *, limit: int, where: Filter) -> list[Hit]:
        self.searches.append(where)
        hits = [Hit(chunk, dot(vector, chunk.dense)) for chunk in self._within(where) if len(chunk.dense)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.key))[:limit]

    def search_sparse(self, vector: SparseVector, *, limit: int, where: Filter) -> list[Hit]:
        self.searches.append(where)
        hits = [Hit(chunk, bm25(vector, chunk.sparse)) for chunk in self._within(where)]
        found = [hit for hit in hits if hit.score > 0]
        return sorted(found, key=lambda hit: (-hit.score, hit.chunk.key))[:limit]

    def settle(self) -> None:
        return None

    def begin_rebuild(self, profile: CollectionProfile) -> ChunkStore:
        return MemoryStore(profile)

    def finish_rebuild(self, rebuilt: ChunkStore) -> None:
        assert isinstance(rebuilt, MemoryStore)
        self.made_with, self.published = rebuilt.made_with, rebuilt.published
        self.stored, self.terms, self.note = rebuilt.stored, rebuilt.terms, rebuilt.note

    def close(self) -> None:
        return None

    def _within(self, where: Filter) -> list[Chunk]:
        return [
            chunk
            for chunk in self.stored.values()
            if (not where.scopes or chunk.scope in where.scopes)
            and (not where.categories or chunk.category in where.categories)
        ]
