"""The one text of a chunk that feeds both the embedding and the BM25 field."""

from __future__ import annotations

from pathlib import PurePosixPath

from superbiz_cli.knowledge.chunk.chunks import ChunkText
from superbiz_cli.knowledge.identifiers import spelled_out

_PLACE_PARTS = 3
_MAX_TITLE_CHARS = 200
_MAX_BREADCRUMB_CHARS = 300


def enhanced_text(chunk: ChunkText, *, title: str, doc_id: str) -> str:
    """Return title, place, breadcrumb and content, one below the other.

    The place is the end of the path in words: a file "nacos/user/faq.md" says in its text neither
    that it is about Nacos, nor does an alert's runbook always spell the alert's name.
    """
    lines = (
        title[:_MAX_TITLE_CHARS],
        place_in_words(doc_id)[:_MAX_TITLE_CHARS],
        chunk.section[:_MAX_BREADCRUMB_CHARS],
        chunk.content,
    )
    return "\n".join(line for line in lines if line)


def place_in_words(doc_id: str) -> str:
    """Return the last folders and the file stem of a document, identifiers spelled out."""
    path = PurePosixPath(doc_id)
    stem = path.name.partition(".")[0] or path.name
    return " / ".join(spelled_out(part) for part in (*path.parts[:-1], stem)[-_PLACE_PARTS:])
