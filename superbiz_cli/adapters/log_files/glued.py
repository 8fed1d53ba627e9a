"""Two events on one line: a writer died, or two wrote at once, and the newline between is missing."""

# ruff: noqa: E501 - patterns read better unbroken

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_LEVEL = rb"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b"
_CLOCK = rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?"
# A full time in the middle of a line is a second header only where no space or mark is before it and a
# level, a thread or a process is behind it: messages contain times too.
_SECOND = re.compile(
    rb"(?<=[^\s=:\"'(\[/<>,_T|{+-])(?="
    rb"\[?(?:19|20)\d\d[-/]\d\d[-/]\d\d[T ]" + _CLOCK + rb"\]?[ \t]+(?:\[[^\]\n]{1,60}\][ \t]+)?\[?" + _LEVEL +
    rb"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d \S+ [\w./-]+(?:\[\d+\])?: )"
)  # fmt: skip
_decoder = json.JSONDecoder(strict=False)


def has_second_header(text: bytes, behind: int = 0) -> bool:
    """Whether a line of a text log has another header `behind` its own."""
    return _SECOND.search(text, behind) is not None


def may_have_second_object(text: bytes) -> bool:
    """Whether a line of JSON may hold more than one object."""
    return b"}{" in text


def split_text(line: bytes, behind: int) -> list[bytes]:
    """Return the pieces of a line that each begin with a header; the first one's time ends at `behind`."""
    cuts = [match.start() for match in _SECOND.finditer(line, behind)]
    return [line[start:end] for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True)]


def split_json(line: bytes) -> list[bytes]:
    """Return the pieces of a line of several JSON objects; what is torn stays a piece of its own."""
    return [
        piece.encode("utf-8", "surrogateescape") for piece in _pieces(line.decode("utf-8", "surrogateescape"))
    ]


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        try:
            _, end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            following = text.find("{", start + 1)
            while following > 0 and text[following - 1] in ":[, ":
                following = text.find("{", following + 1)
            end = following if following > 0 else len(text)
        yield text[start:end].strip()
        start = end
        while start < len(text) and text[start].isspace():
            start += 1
