"""Choose the reader of a file by its ending, and refuse what is no text."""

from __future__ import annotations

from pathlib import PurePosixPath

from superbiz_cli.adapters.document_text.decode import decode
from superbiz_cli.adapters.document_text.front_matter import read_markdown
from superbiz_cli.knowledge.document import Document, DocumentRefused

MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mkd"})
HTML = frozenset({".html", ".htm", ".xhtml"})
TEXT = frozenset({".txt", ".text", ".rst", ".adoc", ".asciidoc", ".log", ".org"})
OFFICE = frozenset({".pdf", ".docx"})
SUFFIXES = MARKDOWN | HTML | TEXT | OFFICE


def extract(name: str, raw: bytes) -> Document:
    """Return the document in `raw`; the ending of `name` tells its format, an unknown one means text.

    Raises DocumentRefused for an empty, binary or damaged file.
    """
    if not raw.strip():
        raise DocumentRefused("is empty")
    document = _read(PurePosixPath(name).suffix.lower(), raw)
    if not document.text.strip():
        raise DocumentRefused("holds no text")
    return document


def _read(suffix: str, raw: bytes) -> Document:
    if suffix == ".pdf":
        from superbiz_cli.adapters.document_text.office import read_pdf

        return read_pdf(raw)
    if suffix == ".docx":
        from superbiz_cli.adapters.document_text.office import read_docx

        return read_docx(raw)
    text, warning = decode(raw)
    if suffix in HTML:
        from superbiz_cli.adapters.document_text.html import read_html

        title, body = read_html(text)
        return Document(body, title=title, warning=warning)
    if suffix in MARKDOWN:
        return read_markdown(text, warning=warning)
    return Document(text, warning=warning)
