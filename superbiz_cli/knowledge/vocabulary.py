"""The indexed vocabulary: how rare each term is, and which known term a mistyped one meant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_MIN_FUZZY_CHARS = 4
_TWO_EDITS_FROM_CHARS = 9


@dataclass(slots=True)
class Vocabulary:
    """In how many of `chunks` chunks each term occurs."""

    frequencies: Mapping[str, int]
    chunks: int
    _by_head: dict[str, list[str]] = field(default_factory=dict)

    def __contains__(self, term: str) -> bool:
        return term in self.frequencies

    def idf(self, term: str) -> float:
        """Return the term's rarity: log(1 + (N - n + 0.5) / (n + 0.5)) >= 0."""
        count = min(self.frequencies.get(term, 0), self.chunks)
        return math.log(1 + (self.chunks - count + 0.5) / (count + 0.5))

    def closest(self, term: str) -> str | None:
        """Return the known term that an unknown one was meant to be, or None.

        One edit (a letter too many, too few, other, or two swapped), two from 9 letters on; the first
        letter must be right. The commonest of the nearest wins.
        """
        if term in self.frequencies or len(term) < _MIN_FUZZY_CHARS or not term.isalpha():
            return None
        limit = 2 if len(term) >= _TWO_EDITS_FROM_CHARS else 1
        best: tuple[int, int, str] | None = None
        for candidate in self._candidates(term, limit):
            edits = edit_distance(term, candidate, limit)
            if edits <= limit:
                rank = (edits, -self.frequencies[candidate], candidate)
                best = min(best, rank) if best else rank
        return best[2] if best else None

    def _candidates(self, term: str, limit: int) -> Iterator[str]:
        if not self._by_head:
            for known in self.frequencies:
                if len(known) >= _MIN_FUZZY_CHARS - 1 and known.isalpha():
                    self._by_head.setdefault(known[0], []).append(known)
        letters = set(term)
        for known in self._by_head.get(term[0], ()):
            if abs(len(known) - len(term)) <= limit and len(letters.symmetric_difference(known)) <= 2 * limit:
                yield known


def count_frequencies(chunks: Iterable[Iterable[str]]) -> dict[str, int]:
    """Return in how many of the chunks, each given by its terms, every term occurs."""
    frequencies: dict[str, int] = {}
    for terms in chunks:
        for term in set(terms):
            frequencies[term] = frequencies.get(term, 0) + 1
    return frequencies


def edit_distance(left: str, right: str, limit: int) -> int:
    """Return the edits (insert, delete, replace, swap neighbours) between two words, at most limit + 1."""
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for i, char in enumerate(left, start=1):
        current = [i]
        for j, other in enumerate(right, start=1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (char != other))
            if i > 1 and j > 1 and char == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, previous = previous, current
    return previous[-1]
