"""Files as documents: `extract` chooses by the name's ending; each format has its module."""

from superbiz_cli.adapters.document_text.extract import SUFFIXES, extract

__all__ = ["SUFFIXES", "extract"]
