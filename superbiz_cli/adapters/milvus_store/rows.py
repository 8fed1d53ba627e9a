"""Chunks as rows of Milvus and back, and filters as its expressions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from superbiz_cli.adapters.milvus_store.schema import (
    CONTENT_BYTES,
    DENSE,
    DOC_ID_BYTES,
    LABEL_BYTES,
    SECTION_BYTES,
    SPARSE,
    TITLE_BYTES,
)
from superbiz_cli.knowledge.records import Chunk, Filter


def document_key(doc_id: str) -> str:
    """Return the key of a document: safe in an expression, and short however long its name is."""
    return hashlib.blake2b(doc_id.encode("utf-8"), digest_size=16).hexdigest()


def row_of(chunk: Chunk) -> dict[str, Any]:
    """Return the row of a chunk."""
    document = document_key(chunk.doc_id)
    row: dict[str, Any] = {
        "key": f"{document}-{chunk.revision}-{chunk.index}",
        "document": document,
        "doc_id": cut(chunk.doc_id, DOC_ID_BYTES),
        "revision": chunk.revision,
        "position": chunk.index,
        "scope": cut(chunk.scope, LABEL_BYTES),
        "category": cut(chunk.category, LABEL_BYTES),
        "language": chunk.language,
        "title": cut(chunk.title, TITLE_BYTES),
        "section": cut(chunk.section, SECTION_BYTES),
        "content": cut(chunk.content, CONTENT_BYTES),
        "spread": float(chunk.spread),
        SPARSE: dict(chunk.sparse),
    }
    if len(chunk.dense):
        row[DENSE] = list(chunk.dense)
    return row


def chunk_of(row: Mapping[str, Any]) -> Chunk:
    """Return the chunk of a row."""
    return Chunk(
        doc_id=row["doc_id"],
        revision=row["revision"],
        index=int(row["position"]),
        scope=row["scope"],
        category=row["category"],
        language=row["language"],
        title=row["title"],
        section=row["section"],
        content=row["content"],
        sparse=row[SPARSE],
        dense=row.get(DENSE) or (),
        spread=float(row["spread"]),
    )


def expression(where: Filter) -> str:
    """Return the filter as an expression of Milvus, "" for no filter."""
    parts = [_one_of("scope", where.scopes), _one_of("category", where.categories)]
    return " and ".join(part for part in parts if part)


def literal(text: str) -> str:
    """Return a string literal of Milvus' expression language; controls cannot be in a label."""
    kept = "".join(char for char in text if char.isprintable())
    escaped = kept.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def cut(text: str, max_bytes: int) -> str:
    """Return `text` or its head of at most `max_bytes` bytes in UTF-8."""
    raw = text.encode("utf-8", "replace")
    return raw.decode("utf-8") if len(raw) <= max_bytes else raw[:max_bytes].decode("utf-8", "ignore")


def _one_of(field: str, values: Sequence[str]) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return f"{field} == {literal(values[0])}"
    return f"{field} in [{', '.join(literal(value) for value in values)}]"
