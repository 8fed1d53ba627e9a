"""PDF and DOCX, with the optional packages of `pip install superbiz[documents]`."""

from __future__ import annotations

import io
import logging
from typing import Any

from superbiz_cli.adapters.document_text.html import read_html
from superbiz_cli.knowledge.document import Document, DocumentRefused

_HINT = "pip install 'superbiz[documents]'"


def read_pdf(raw: bytes) -> Document:
    """Return the text of a PDF, a section for each page. Raises DocumentRefused."""
    try:
        import pypdf
    except ImportError:
        raise DocumentRefused("is a PDF, and pypdf is not installed", hint=_HINT) from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentRefused("is a PDF that needs a password")
        pages = [page.extract_text() or "" for page in reader.pages]
        title = str((reader.metadata and reader.metadata.title) or "")
    except DocumentRefused:
        raise
    except Exception as error:
        raise DocumentRefused("is not a readable PDF") from error
    sections = [f"## Page {number}\n\n{text}" for number, text in enumerate(pages, start=1) if text.strip()]
    if not sections:
        raise DocumentRefused("holds no text (a scanned PDF?)", hint="run text recognition on it first")
    return Document("\n\n".join(sections), title=" ".join(title.split())[:200])


def read_docx(raw: bytes) -> Document:
    """Return the text of a DOCX file. Raises DocumentRefused."""
    try:
        import mammoth  # type: ignore[import-untyped]
    except ImportError:
        raise DocumentRefused("is a DOCX file, and mammoth is not installed", hint=_HINT) from None
    try:
        converted: Any = mammoth.convert_to_html(
            io.BytesIO(raw), convert_image=mammoth.images.img_element(_no_image)
        )
    except Exception as error:
        raise DocumentRefused("is not a readable DOCX file") from error
    _, text = read_html(converted.value)
    return Document(text)


def _no_image(_image: Any) -> dict[str, str]:
    return {}
