"""Search terms as bytes, to find the few places of a block where an event can contain them all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

_MAX_CASED = 3  # letters beyond ASCII with two cases, of which each combination is looked for


@dataclass(frozen=True, slots=True)
class Probe:
    """For each term, the ways in which its bytes can be written; the rarest (longest) term first."""

    needles: tuple[tuple[bytes, ...], ...]

    def may_match(self, lowered: bytes, start: int = 0, end: int | None = None) -> bool:
        """Whether each term occurs in one of its ways between `start` and `end`."""
        stop = len(lowered) if end is None else end
        return all(any(lowered.find(way, start, stop) >= 0 for way in ways) for ways in self.needles)

    def next_hit(self, lowered: bytes, start: int) -> int:
        """Return the next place of the rarest term, -1 if there is none."""
        hits = [at for way in self.needles[0] if (at := lowered.find(way, start)) >= 0]
        return min(hits, default=-1)


def probe_for(terms: Sequence[str], *, in_json: bool) -> Probe | None:
    """Return the probe for lower-case terms, None if a term has too many ways to be written."""
    needles = []
    for term in terms:
        ways = _cases(term)
        if ways is None:
            return None
        if in_json:
            ways = {escaped for way in ways for escaped in _json_ways(way)}
        needles.append(tuple(sorted(way.encode("utf-8", "replace") for way in ways)))
    return Probe(tuple(sorted(needles, key=lambda ways: -min(map(len, ways)))))


def _cases(term: str) -> set[str] | None:
    """Return the term in each case of its letters beyond ASCII: lower-casing bytes leaves those alone."""
    cased = [char for char in term if not char.isascii() and char.upper() != char]
    if len(cased) > _MAX_CASED:
        return None
    choices = [(char, char.upper()) if char in cased else (char,) for char in term]
    return {"".join(choice) for choice in product(*choices)}


def _json_ways(text: str) -> set[str]:
    """Return the text as JSON writers put it into a string, lower-cased like the block."""
    ways = {text}
    for ensure_ascii in (True, False):
        written = json.dumps(text, ensure_ascii=ensure_ascii)[1:-1]
        ways |= {written, written.replace("/", "\\/")}
        ways |= {written.replace(char, f"\\u{ord(char):04x}") for char in "<>&'+" if char in written}
    return {"".join(char.lower() if char.isascii() else char for char in way) for way in ways}
