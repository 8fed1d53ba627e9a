"""How collections are laid out in Milvus, the same for the embedded engine and for a server.

A VARCHAR's limit counts characters in the embedded engine and bytes on a server: every limit here is in
bytes, and `rows` cuts to it.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import Any

from superbiz_cli.adapters.milvus_store.options import MilvusOptions

DENSE, SPARSE = "dense", "sparse"
METRIC = "IP"  # of vectors of length 1: the cosine

KEY_BYTES = 128
DOC_ID_BYTES = 1_024
LABEL_BYTES = 256
TITLE_BYTES = 1_024
SECTION_BYTES = 2_048
CONTENT_BYTES = 65_535
BODY_BYTES = 65_535

CHUNK_FIELDS = (
    "doc_id",
    "revision",
    "position",
    "scope",
    "category",
    "language",
    "title",
    "section",
    "content",
    "spread",
    SPARSE,
)


def alias_of(options: MilvusOptions) -> str:
    """Return the name under which the current collection is found; only letters that Milvus accepts."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", options.collection)
    return name if re.match(r"[A-Za-z_]", name) else f"_{name}"


def new_collection_name(alias: str) -> str:
    """Return a name for a new collection behind `alias`, later ones sorting after earlier ones."""
    return f"{alias}_{datetime.now(UTC):%Y%m%d%H%M%S}_{secrets.token_hex(2)}"


def catalog_name(alias: str) -> str:
    """Return the collection that keeps profiles, documents and vocabularies."""
    return f"{alias}_catalog"


def create_chunks(client: Any, name: str, *, dimension: int, options: MilvusOptions) -> None:
    """Make an empty chunk collection with its indexes, and load it. Without a dimension it has no vectors."""
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.VARCHAR, max_length=KEY_BYTES, is_primary=True)
    schema.add_field("document", DataType.VARCHAR, max_length=KEY_BYTES)
    schema.add_field("doc_id", DataType.VARCHAR, max_length=DOC_ID_BYTES)
    schema.add_field("revision", DataType.VARCHAR, max_length=KEY_BYTES)
    schema.add_field("position", DataType.INT64)
    schema.add_field(
        "scope", DataType.VARCHAR, max_length=LABEL_BYTES, is_partition_key=options.partition_by_scope
    )
    schema.add_field("category", DataType.VARCHAR, max_length=LABEL_BYTES)
    schema.add_field("language", DataType.VARCHAR, max_length=16)
    schema.add_field("title", DataType.VARCHAR, max_length=TITLE_BYTES)
    schema.add_field("section", DataType.VARCHAR, max_length=SECTION_BYTES)
    schema.add_field("content", DataType.VARCHAR, max_length=CONTENT_BYTES)
    schema.add_field("spread", DataType.FLOAT)
    schema.add_field(SPARSE, DataType.SPARSE_FLOAT_VECTOR)
    if dimension:
        schema.add_field(DENSE, DataType.FLOAT_VECTOR, dim=dimension)
    client.create_collection(
        name,
        schema=schema,
        index_params=_chunk_indexes(client, dimension, options),
        num_shards=options.shards,
        consistency_level=options.consistency,
        timeout=options.timeout_s,
    )
    load(client, name, options)


def create_catalog(client: Any, name: str, options: MilvusOptions) -> None:
    """Make the catalogue: rows of JSON under a key. Milvus wants a vector in every collection."""
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.VARCHAR, max_length=LABEL_BYTES, is_primary=True)
    schema.add_field("owner", DataType.VARCHAR, max_length=LABEL_BYTES)
    schema.add_field("kind", DataType.VARCHAR, max_length=32)
    schema.add_field("body", DataType.VARCHAR, max_length=BODY_BYTES)
    schema.add_field("place", DataType.FLOAT_VECTOR, dim=2)
    indexes = client.prepare_index_params()
    indexes.add_index("place", index_type="FLAT", metric_type="L2", params={})
    client.create_collection(
        name,
        schema=schema,
        index_params=indexes,
        num_shards=1,
        consistency_level="Strong",
        timeout=options.timeout_s,
    )
    load(client, name, options)


def load(client: Any, name: str, options: MilvusOptions) -> None:
    """Make a collection searchable; nothing happens if it is already."""
    replicas = {"replica_number": options.replicas} if options.replicas > 1 else {}
    client.load_collection(name, timeout=options.timeout_s, **replicas)


def _chunk_indexes(client: Any, dimension: int, options: MilvusOptions) -> Any:
    index = options.index
    indexes = client.prepare_index_params()
    indexes.add_index(SPARSE, index_type="SPARSE_INVERTED_INDEX", metric_type=METRIC, params={})
    if dimension and index.dense == "HNSW":
        params = {"M": index.hnsw_m, "efConstruction": index.hnsw_ef_construction}
        indexes.add_index(DENSE, index_type="HNSW", metric_type=METRIC, params=params)
    elif dimension:
        indexes.add_index(DENSE, index_type="FLAT", metric_type=METRIC, params={})
    return indexes


def dense_search_params(options: MilvusOptions) -> dict[str, Any]:
    """Return the parameters of a dense search."""
    params = {"ef": options.index.hnsw_ef} if options.index.dense == "HNSW" else {}
    return {"metric_type": METRIC, "params": params}


def sparse_search_params(options: MilvusOptions) -> dict[str, Any]:
    """Return the parameters of a sparse search."""
    ratio = options.index.sparse_drop_ratio
    return {"metric_type": METRIC, "params": {"drop_ratio_search": ratio} if ratio else {}}
