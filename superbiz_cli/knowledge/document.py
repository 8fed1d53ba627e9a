"""A document as text: what extraction gives to ingestion."""

from __future__ import annotations

from dataclasses import dataclass


class DocumentRefused(Exception):
    """A file cannot become a document. The message is our own, without the file's name."""

    def __init__(self, reason: str, *, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Document:
    """Text of a document as Markdown. `title`, `category` and `scope` are "" where it states none.

    `warning` says what was lost on the way ("" if nothing).
    """

    text: str
    title: str = ""
    category: str = ""
    scope: str = ""
    warning: str = ""
