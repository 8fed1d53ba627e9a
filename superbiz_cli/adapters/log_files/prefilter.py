"""Rule out a whole block of a log at once, by its rarest term in any case of letters.

With the optional package hyperscan (extra `fast-logs`) the block is scanned as it is, by the vector
instructions of the processor; without it a lower-cased copy is searched. Both say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Prefilter: TypeAlias = Callable[[bytes], bool]
"""Whether a block of raw bytes may hold an event that matches. False is certain."""


def prefilter_for(ways: Sequence[bytes]) -> Prefilter:
    """Return the prefilter for a term that is written in one of `ways`, lower-cased in ASCII."""
    return _vectorised(ways) or _plain(ways)


def _plain(ways: Sequence[bytes]) -> Prefilter:
    def may_match(block: bytes) -> bool:
        lowered = block.lower()
        return any(way in lowered for way in ways)

    return may_match


def _vectorised(ways: Sequence[bytes]) -> Prefilter | None:
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database()
    try:
        database.compile(
            expressions=[b"".join(b"\\x%02x" % code for code in way) for way in ways],
            flags=[hyperscan.HS_FLAG_CASELESS | hyperscan.HS_FLAG_SINGLEMATCH] * len(ways),
        )
    except hyperscan.error:
        return None

    def may_match(block: bytes) -> bool:
        hits: list[int] = []

        def found(_id: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            hits.append(end)
            return True  # one is enough: the scan stops

        try:
            database.scan(block, match_event_handler=found)
        except hyperscan.ScanTerminated:
            return True
        return bool(hits)

    return may_match
