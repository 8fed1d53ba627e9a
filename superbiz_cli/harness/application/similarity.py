"""How similar a question is to cases: shared terms, weighted by how much each one tells.

The score is the share of the question's weight that a case covers, as in BM25 with the rarity of a
term in the library (IDF) and a penalty for long cases, but normalised by the question: 1 is
"everything that was asked is in the case", so that one threshold holds for a library of any size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.contract.case import Case

THRESHOLD = 0.45
_MIN_SHARED = 1.2  # a shared vague symptom alone ("times out") makes no two incidents similar
_INDIRECT = 0.7  # of a term that a case has only in what was seen later or in its cause
_USUAL_WEIGHT = 40.0
_LENGTH_PENALTY = 1.5


@dataclass(frozen=True, slots=True)
class IndexedTerms:
    """The terms of a case: `direct` ones are in what was reported or name its services."""

    direct: frozenset[str]
    indirect: frozenset[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Occurrences:
    """In which cases (by number) a term occurs; in each one either directly or indirectly."""

    direct: Sequence[int]
    indirect: Sequence[int]

    @property
    def count(self) -> int:
        """In how many cases."""
        return len(self.direct) + len(self.indirect)


def indexed_terms(case: Case) -> IndexedTerms:
    """Return what a case can be found by."""
    direct = terms_of(" ".join((*case.symptoms[:1], *case.services)))
    later = terms_of(" ".join((*case.symptoms[1:], case.root_cause)))
    weights = {**later, **direct}
    return IndexedTerms(
        direct=frozenset(direct),
        indirect=frozenset(later) - frozenset(direct),
        weight=sum(weights.values()),
    )


def covered(
    terms: Mapping[str, float], occurrences: Mapping[str, Occurrences], *, total: int, at_least: float
) -> dict[int, float]:
    """Return for each case number how much of the question it covers, from 0 to 1.

    `total` is the number of cases. Left out is what covers less than `at_least`, or shares too little
    to mean anything.
    """
    rarity = {term: _rarity(occurrences.get(term), total) for term in terms}
    whole = sum(weight * rarity[term] for term, weight in terms.items())
    said: list[tuple[float, float]] = []
    shared: dict[int, int] = {}  # a bit for each way of sharing a term: few patterns among many cases
    for term, found in occurrences.items():
        for numbers, factor in ((found.direct, 1.0), (found.indirect, _INDIRECT)):
            bit = 1 << len(said)
            said.append((terms[term] * factor, terms[term] * factor * rarity[term] / whole))
            for number in numbers:
                shared[number] = shared.get(number, 0) | bit
    scores = {pattern: _score(pattern, said) for pattern in set(shared.values())}
    enough = {pattern: score for pattern, score in scores.items() if score > 0 and score >= at_least}
    return {number: enough[pattern] for number, pattern in shared.items() if pattern in enough}


def _score(pattern: int, said: Sequence[tuple[float, float]]) -> float:
    """Return the share of a pattern of bits, 0 if what is shared means too little."""
    parts = [said[bit] for bit in range(len(said)) if pattern >> bit & 1]
    return sum(share for _, share in parts) if sum(weight for weight, _ in parts) >= _MIN_SHARED else 0.0


def penalised(score: float, *, case_weight: float) -> float:
    """Return the score of a case whose terms weigh `case_weight`: one that says everything says little."""
    return score * float(min(1.0, (_USUAL_WEIGHT / max(case_weight, 1.0)) ** _LENGTH_PENALTY))


def _rarity(found: Occurrences | None, total: int) -> float:
    """Return the IDF of a term, scaled to (0, 1]: 1 for a term of one case or of none."""
    count = max(1, found.count if found else 0)
    everything = max(total, count)  # occurrences of removed cases are counted, too
    return math.log1p(everything / count) / math.log1p(everything)
