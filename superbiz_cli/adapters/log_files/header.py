"""Where a line states its time: the scanner that knows nothing, and the matcher that knows the file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from superbiz_cli.adapters.log_files.stamps import SHAPES, Lacks, Shape, Stamp, Zones

SCANNED_BYTES = 320
NO_ZONES: dict[str, int] = {}

_ANYWHERE = [(shape, re.compile(shape.source)) for shape in SHAPES if not shape.at_start_only]
_START = rb"[\[(<\"']{0,2}"
_AT_START = [(shape, re.compile(_START + shape.source)) for shape in SHAPES if shape.at_start_only]


@dataclass(frozen=True, slots=True)
class Header:
    """A time found in a line, from byte `start` to byte `end`."""

    shape: Shape
    stamp: Stamp
    start: int
    end: int


def find_header(line: bytes, zones: Zones = NO_ZONES) -> Header | None:
    """Return the time that heads `line`.

    A date goes before a bare time and before a far-off number, of equals the leftmost.
    """
    head = line[:SCANNED_BYTES]
    best: Header | None = None
    for shape, pattern in _ANYWHERE:
        match = pattern.search(head)
        if match is None:
            continue
        header = _header(shape, match, zones)
        if header is not None and (best is None or _rank(header) < _rank(best)):
            best = header
    if best is not None and best.start <= 3:
        return best
    for shape, pattern in _AT_START:
        match = pattern.match(head)
        header = _header(shape, match, zones) if match else None
        if header is not None and (best is None or _rank(header) < _rank(best)):
            best = header
    return best


def _header(shape: Shape, match: re.Match[bytes], zones: Zones) -> Header | None:
    stamp = shape.read(match, zones)
    return None if stamp is None else Header(shape, stamp, match.start(), end_of_time(match, stamp))


def end_of_time(match: re.Match[bytes], stamp: Stamp, group: str | int = 0) -> int:
    """Return where the time ends in a line; what looks like a zone but is none (a level) is no part of it."""
    if stamp.offset_s is None and "z" in match.re.groupindex and match["z"]:
        return match.start("z")
    return match.end(group)


def _rank(header: Header) -> tuple[int, int, int]:
    is_number = header.shape.name == "epoch"
    return (
        int(header.stamp.lacks is Lacks.DATE) + int(is_number and header.start > 40),
        header.start,
        -header.end,
    )
