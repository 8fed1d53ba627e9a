"""`knowledge.ports.ChunkStore` over Milvus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from superbiz_cli.adapters.milvus_store import schema
from superbiz_cli.adapters.milvus_store.catalog import Catalog
from superbiz_cli.adapters.milvus_store.client import Connection
from superbiz_cli.adapters.milvus_store.options import MilvusOptions
from superbiz_cli.adapters.milvus_store.rows import chunk_of, document_key, expression, row_of
from superbiz_cli.knowledge.ports import ChunkStore, StoreUnavailable
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

_WRITE_BATCH = 200
_READ_BATCH = 500
_WRITE_TIMEOUT_S = 120.0


class MilvusStore:
    """One alias of Milvus and the collection behind it."""

    def __init__(self, connection: Connection, *, collection: str | None = None) -> None:
        """Bind to the collection behind the alias, or to `collection` (one that is being rebuilt)."""
        self._connection = connection
        self._options = connection.options
        self._client = connection.client
        self._alias = schema.alias_of(self._options)
        self._collection = collection
        self._dimension: int | None = None
        self._is_borrowed = collection is not None

    @classmethod
    def open(cls, options: MilvusOptions, *, writes: bool = False) -> MilvusStore:
        """Connect. Raises StoreLocked, StoreUnavailable."""
        return cls(Connection(options, writes=writes))

    def profile(self) -> CollectionProfile | None:
        """See `ChunkStore.profile`. Raises StoreUnavailable if the name belongs to something else."""
        with self._connection.errors("read"):
            if self._collection is None:
                self._collection = self._behind_alias()
            if self._collection is None:
                return None
            profile = self._catalog.profile()
        if profile is None:
            raise StoreUnavailable(
                f'The Milvus collection "{self._alias}" was not made by superbiz.',
                hint="set [knowledge] collection to another name",
            )
        self._dimension = profile.embedder.dimension
        return profile

    def create(self, profile: CollectionProfile) -> None:
        """See `ChunkStore.create`. The alias is set last: until then there is no collection."""
        with self._connection.errors("made"):
            self._drop_leftovers()
            self._collection = schema.new_collection_name(self._alias)
            self._make(profile)
            self._client.create_alias(self._collection, self._alias, timeout=self._options.timeout_s)

    def save_profile(self, profile: CollectionProfile) -> None:
        """See `ChunkStore.save_profile`."""
        with self._connection.errors("written"):
            self._catalog.save_profile(profile)

    def documents(self) -> Mapping[str, DocumentRecord]:
        """See `ChunkStore.documents`."""
        with self._connection.errors("read"):
            return self._catalog.documents()

    def publish(self, document: DocumentRecord) -> None:
        """See `ChunkStore.publish`."""
        with self._connection.errors("written"):
            self._catalog.publish(document)

    def withdraw(self, doc_id: str) -> None:
        """See `ChunkStore.withdraw`."""
        with self._connection.errors("written"):
            self._catalog.withdraw(doc_id)

    def put_chunks(self, chunks: Sequence[Chunk]) -> None:
        """See `ChunkStore.put_chunks`. Upserts: a repeated write leaves no second copy."""
        with self._connection.errors("written"):
            for start in range(0, len(chunks), _WRITE_BATCH):
                rows = [row_of(chunk) for chunk in chunks[start : start + _WRITE_BATCH]]
                self._client.upsert(self._name, rows, timeout=_WRITE_TIMEOUT_S)

    def drop_chunks(self, doc_id: str, *, except_revision: str | None = None) -> None:
        """See `ChunkStore.drop_chunks`."""
        condition = f'document == "{document_key(doc_id)}"'
        if except_revision is not None:
            condition += f' and revision != "{except_revision}"'
        with self._connection.errors("written"):
            self._client.delete(self._name, filter=condition, timeout=_WRITE_TIMEOUT_S)

    def chunk_keys(self) -> Iterator[tuple[str, str]]:
        """See `ChunkStore.chunk_keys`."""
        for row in self._rows("", ["doc_id", "revision"]):
            yield row["doc_id"], row["revision"]

    def chunks(self, *, doc_id: str | None = None) -> Iterator[Chunk]:
        """See `ChunkStore.chunks`."""
        condition = "" if doc_id is None else f'document == "{document_key(doc_id)}"'
        for row in self._rows(condition, self._fields):
            yield chunk_of(row)

    def vocabulary(self) -> Mapping[str, int]:
        """See `ChunkStore.vocabulary`."""
        with self._connection.errors("read"):
            return self._catalog.vocabulary()

    def save_vocabulary(self, frequencies: Mapping[str, int]) -> None:
        """See `ChunkStore.save_vocabulary`."""
        with self._connection.errors("written"):
            self._catalog.save_vocabulary(frequencies)

    def writer(self) -> WriterNote | None:
        """See `ChunkStore.writer`."""
        with self._connection.errors("read"):
            return self._catalog.writer()

    def note_writer(self, note: WriterNote | None) -> None:
        """See `ChunkStore.note_writer`."""
        with self._connection.errors("written"):
            self._catalog.note_writer(note)

    def search_dense(self, vector: Vector, *, limit: int, where: Filter) -> list[Hit]:
        """See `ChunkStore.search_dense`."""
        params = schema.dense_search_params(self._options)
        return self._search(list(vector), schema.DENSE, params, limit, where)

    def search_sparse(self, vector: SparseVector, *, limit: int, where: Filter) -> list[Hit]:
        """See `ChunkStore.search_sparse`."""
        params = schema.sparse_search_params(self._options)
        hits = self._search(dict(vector), schema.SPARSE, params, limit, where)
        return [hit for hit in hits if hit.score > 0]

    def settle(self) -> None:
        """See `ChunkStore.settle`."""
        with self._connection.errors("written"):
            self._client.flush(self._name, timeout=_WRITE_TIMEOUT_S)

    def begin_rebuild(self, profile: CollectionProfile) -> ChunkStore:
        """See `ChunkStore.begin_rebuild`. What an interrupted rebuild left behind is dropped first."""
        with self._connection.errors("made"):
            self._drop_leftovers()
            rebuilt = MilvusStore(self._connection, collection=schema.new_collection_name(self._alias))
            rebuilt._make(profile)
        return rebuilt

    def finish_rebuild(self, rebuilt: ChunkStore) -> None:
        """See `ChunkStore.finish_rebuild`."""
        if not isinstance(rebuilt, MilvusStore) or rebuilt._collection is None:
            raise TypeError("not a collection of this store")
        with self._connection.errors("swapped"):
            self._client.alter_alias(rebuilt._collection, self._alias, timeout=self._options.timeout_s)
            self._collection, self._dimension = rebuilt._collection, rebuilt._dimension
            self._drop_leftovers()

    def close(self) -> None:
        """See `ChunkStore.close`."""
        if not self._is_borrowed:
            self._connection.close()

    @property
    def _name(self) -> str:
        if self._collection is None and self.profile() is None:
            raise StoreUnavailable("There is no knowledge collection yet.", hint="superbiz kb ingest PATH")
        return str(self._collection)

    @property
    def _fields(self) -> list[str]:
        return [*schema.CHUNK_FIELDS, schema.DENSE] if self._dimension else list(schema.CHUNK_FIELDS)

    @property
    def _catalog(self) -> Catalog:
        return Catalog(self._client, schema.catalog_name(self._alias), self._name, self._options)

    def _make(self, profile: CollectionProfile) -> None:
        catalog = schema.catalog_name(self._alias)
        if not self._client.has_collection(catalog, timeout=self._options.timeout_s):
            schema.create_catalog(self._client, catalog, self._options)
        self._dimension = profile.embedder.dimension
        schema.create_chunks(self._client, self._name, dimension=self._dimension, options=self._options)
        self._catalog.save_profile(profile)

    def _behind_alias(self) -> str | None:
        """Return the collection that the alias names, loaded; None if there is no such alias."""
        if not self._client.has_collection(self._alias, timeout=self._options.timeout_s):
            return None
        described = self._client.describe_alias(self._alias, timeout=self._options.timeout_s)
        name = str(described["collection_name"])
        schema.load(self._client, name, self._options)
        schema.load(self._client, schema.catalog_name(self._alias), self._options)
        return name

    def _drop_leftovers(self) -> None:
        """Drop collections of an interrupted rebuild: ours by name, and not behind the alias."""
        current = self._behind_alias()
        catalog = schema.catalog_name(self._alias)
        for name in self._client.list_collections(timeout=self._options.timeout_s):
            if name.startswith(f"{self._alias}_2") and name != current:
                Catalog(self._client, catalog, name, self._options).drop_all()
                self._client.drop_collection(name, timeout=_WRITE_TIMEOUT_S)

    def _search(
        self, vector: Any, field: str, params: dict[str, Any], limit: int, where: Filter
    ) -> list[Hit]:
        with self._connection.errors("searched"):
            found = self._client.search(
                self._name,
                [vector],
                anns_field=field,
                filter=expression(where),
                limit=limit,
                output_fields=self._fields,
                search_params=params,
                consistency_level=self._options.consistency,
                timeout=self._options.timeout_s,
            )
            return [Hit(chunk_of(hit["entity"]), float(hit["distance"])) for hit in found[0]]

    def _rows(self, condition: str, fields: list[str]) -> Iterator[dict[str, Any]]:
        with self._connection.errors("read"):
            rows = self._client.query_iterator(
                self._name,
                batch_size=_READ_BATCH,
                filter=condition,
                output_fields=fields,
                consistency_level="Strong",
                timeout=_WRITE_TIMEOUT_S,
            )
            try:
                while batch := rows.next():
                    yield from batch
            finally:
                rows.close()
