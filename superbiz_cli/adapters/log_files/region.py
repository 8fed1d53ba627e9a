"""Enter a sorted file by binary search: only the part that can hold the window is read.

Order is checked, not assumed: headers are probed all over the file, and how far they fall back gives
the margin around the window. A file that falls back further is read whole. Offsets are read with
`pread`, not through a memory map: a file that a rotation truncates while mapped would kill the process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from superbiz_cli.adapters.log_files.blocks import Layout
from superbiz_cli.adapters.log_files.bytes_in import (
    BLOCK_BYTES,
    cleaned,
    compression_of,
    encoding_of,
    is_plain_utf8,
)
from superbiz_cli.adapters.log_files.events import split_lines
from superbiz_cli.adapters.log_files.stamps import SECOND_US
from superbiz_cli.harness.tool.logs.contract import TimeWindow

SMALLEST_BYTES = 4 << 20
_PROBES = 48
_PROBE_BYTES = 4 << 10
_MAX_PROBE_BYTES = 4 << 20
_MAX_DISORDER_US = 600 * SECOND_US
_MARGIN_US = 5 * SECOND_US


@dataclass(frozen=True, slots=True)
class Region:
    """A range of bytes of a file that begins at the beginning of a line."""

    start: int
    end: int


class SortedFile:
    """Random access to the headers of an uncompressed UTF-8 file."""

    def __init__(self, file: int, size: int, layout: Layout, check: Callable[[], None]) -> None:
        self._file = file
        self._size = size
        self._layout = layout
        self._check = check

    def region(self, window: TimeWindow) -> Region | None:
        """Return the part that can hold events of `window`, None if the file is not sorted."""
        disorder = self._disorder_us()
        if disorder is None:
            return None
        margin = _MARGIN_US + 4 * disorder
        start, _ = self._around(window.start_us - margin)
        _, behind = self._around(window.end_us + margin)
        following = self._header_after(behind)
        return Region(start, self._size if following is None else max(start, following[0]))

    def _disorder_us(self) -> int | None:
        """Return how far times fall back at the probed places, None if too far to search."""
        latest = worst = 0
        for probe in range(_PROBES + 1):
            self._check()
            offset = max(0, (self._size - _PROBE_BYTES) * probe // _PROBES)
            for at_us in self._times(offset, _PROBE_BYTES):
                worst = max(worst, latest - at_us)
                latest = max(latest, at_us)
        return worst if latest and worst <= _MAX_DISORDER_US else None

    def _around(self, at_us: int) -> tuple[int, int]:
        """Return (low, high) offsets: headers up to `low` are earlier than `at_us`, behind `high` none is."""
        low, high = 0, self._size
        while high - low > _PROBE_BYTES:
            self._check()
            middle = (low + high) // 2
            found = self._header_after(middle)
            if found is None or found[1] >= at_us:
                high = middle
            else:
                low = found[0]
        return low, high

    def _header_after(self, offset: int) -> tuple[int, int] | None:
        """Return (offset, instant) of the first header line that begins behind `offset`."""
        size = _PROBE_BYTES
        while size <= _MAX_PROBE_BYTES:
            block = os.pread(self._file, size, offset)
            begin = block.find(b"\n") + 1
            while begin:
                end = block.find(b"\n", begin)
                if end < 0:
                    break
                if self._layout.header.match(block, begin):
                    at_us = self._layout.clock.exact(cleaned(block[begin:end]))
                    if at_us is not None:
                        return offset + begin, at_us
                begin = end + 1
            if offset + size >= self._size:
                return None
            size *= 8
        return None

    def _times(self, offset: int, size: int) -> Iterator[int]:
        block = os.pread(self._file, size, offset)
        lines = split_lines(block)
        for line in lines[1 if offset else 0 : -1]:
            if self._layout.header.match(line):
                at_us = self._layout.clock.exact(cleaned(line))
                if at_us is not None:
                    yield at_us


def is_searchable(path: Path, size: int) -> bool:
    """Whether a file is large enough to be worth it, uncompressed and UTF-8 without a mark."""
    if size < SMALLEST_BYTES:
        return False
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return compression_of(head) is None and is_plain_utf8(encoding_of(head), head)


def read_region(file: int, region: Region, check: Callable[[], None]) -> Iterator[bytes]:
    """Yield cleaned blocks of whole lines of a region."""
    offset, carry = region.start, b""
    while offset < region.end:
        check()
        block = os.pread(file, min(BLOCK_BYTES, region.end - offset), offset)
        if not block:
            break  # the file was cut off meanwhile
        offset += len(block)
        cut = block.rfind(b"\n") + 1
        if cut:
            yield cleaned(b"".join((carry, memoryview(block)[:cut])))  # one copy, not two
            carry = block[cut:]
        else:
            carry += block
    if carry:
        yield cleaned(carry)
