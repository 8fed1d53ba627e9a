"""A library of cases in memory, for what needs no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.application.similarity import Occurrences, covered, indexed_terms, penalised
from superbiz_cli.harness.audit.case_library import KeptCount, NoCases, ScoredCase
from superbiz_cli.harness.contract.case import Case


@dataclass
class Shelf(NoCases):
    """Keeps cases as they are given: neither redacted nor bounded, as a tampered database might."""

    cases: list[Case] = field(default_factory=list)

    def keep(self, cases: Sequence[Case]) -> KeptCount:
        self.cases.extend(cases)
        return KeptCount(added=len(cases))

    def most_similar(
        self, terms: Mapping[str, float], *, limit: int, threshold: float
    ) -> tuple[ScoredCase, ...]:
        indexed = [indexed_terms(case) for case in self.cases]
        where = {
            term: Occurrences(
                [n for n, one in enumerate(indexed) if term in one.direct],
                [n for n, one in enumerate(indexed) if term in one.indirect],
            )
            for term in terms
        }
        known = {term: found for term, found in where.items() if found.count}
        scores = covered(terms, known, total=len(self.cases), at_least=threshold)
        scored = [
            ScoredCase(self.cases[n], penalised(score, case_weight=indexed[n].weight))
            for n, score in scores.items()
        ]
        enough = [one for one in scored if one.score >= threshold]
        return tuple(sorted(enough, key=lambda one: -one.score)[:limit])
