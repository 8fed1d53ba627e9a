"""How similar a question is to cases: shared terms, weighted by how much each one tells.

The score is the share of the question's weight that a case covers, as in BM25 with the rarity of a
term in the library (IDF) and a penalty for long cases, but normalised by the question: 1 is
"everything that was asked is in the case", so that one threshold holds for a library of any size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.contract.case import Case

THRESHOLD = 0.45
_MIN_SHARED = 1.2  # a shared vague symptom alone ("times out") makes no two incidents similar
_INDIRECT = 0.7  # of a term that a case has only in what was seen later or in its cause
_USUAL_WEIGHT = 30.0


@dataclass(frozen=True, slots=True)
class IndexedTerms:
    """The terms of a case: `direct` ones are in what was reported or name its services."""

    direct: frozenset[str]
    indirect: frozenset[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Occurrences:
    """In which cases (by number) a term occurs."""

    direct: Iterable[int]
    indirect: Iterable[int]
    count: int


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
    terms: Mapping[str, float], occurrences: Mapping[str, Occurrences], *, total: int
) -> dict[int, float]:
    """Return for each case number how much of the question it covers, from 0 to 1.

    `total` is the number of cases. What shares too little to mean anything is left out.
    """
    rarity = {term: _rarity(occurrences.get(term), total) for term in terms}
    whole = sum(weight * rarity[term] for term, weight in terms.items())
    gained: dict[int, float] = {}
    shared: dict[int, float] = {}
    for term, found in occurrences.items():
        weight = terms[term]
        for numbers, factor in ((found.direct, 1.0), (found.indirect, _INDIRECT)):
            said = weight * factor
            gain = said * rarity[term]
            for number in numbers:
                gained[number] = gained.get(number, 0.0) + gain
                shared[number] = shared.get(number, 0.0) + said
    return {number: gain / whole for number, gain in gained.items() if shared[number] >= _MIN_SHARED}


def penalised(score: float, *, case_weight: float) -> float:
    """Return the score of a case whose terms weigh `case_weight`: one that says everything says little."""
    return score * min(1.0, _USUAL_WEIGHT / max(case_weight, 1.0))


def _rarity(found: Occurrences | None, total: int) -> float:
    """Return the IDF of a term, scaled to (0, 1]: 1 for a term of one case or of none."""
    count = max(1, found.count if found else 0)
    everything = max(total, count)  # occurrences of removed cases are counted, too
    return math.log1p(everything / count) / math.log1p(everything)
