"""From prepared documents to chunks without vectors yet, and from stored chunks back to their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from superbiz_cli.knowledge.chunk.chunks import ChunkLimits, ChunkText, chunk_document
from superbiz_cli.knowledge.enhance import enhanced_text
from superbiz_cli.knowledge.ingest.reading import Prepared
from superbiz_cli.knowledge.language import language_of
from superbiz_cli.knowledge.records import Chunk
from superbiz_cli.knowledge.terms import terms_of


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk of a prepared document: its enhanced text, its terms, its language."""

    section: str
    content: str
    enhanced: str
    terms: tuple[str, ...]
    language: str


def pieces_of(document: Prepared, *, limits: ChunkLimits, count_tokens: Callable[[str], int]) -> list[Piece]:
    """Return the chunks of a document as texts."""

    def enhance(chunk: ChunkText) -> str:
        return enhanced_text(chunk, title=document.title, doc_id=document.doc_id)

    return [
        _piece(chunk, enhance(chunk))
        for chunk in chunk_document(
            document.text, title=document.title, limits=limits, count_tokens=count_tokens, enhance=enhance
        )
    ]


def text_of(chunk: Chunk) -> str:
    """Return the enhanced text of a stored chunk, the same as when it was written."""
    breadcrumb = (chunk.section,) if chunk.section else ()
    return enhanced_text(ChunkText(breadcrumb, chunk.content), title=chunk.title, doc_id=chunk.doc_id)


def _piece(chunk: ChunkText, enhanced: str) -> Piece:
    return Piece(
        section=chunk.section,
        content=chunk.content,
        enhanced=enhanced,
        terms=tuple(terms_of(enhanced)),
        language=language_of(chunk.content),
    )
