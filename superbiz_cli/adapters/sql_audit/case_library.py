"""`CaseLibrary` on SQL: cases are redacted once more, bounded, indexed, and found by shared terms."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sqlalchemy import Connection

from superbiz_cli.adapters.sql_audit import case_index, case_rows
from superbiz_cli.adapters.sql_audit.database import Database
from superbiz_cli.harness.application.similarity import IndexedTerms, covered, indexed_terms, penalised
from superbiz_cli.harness.audit.case_library import (
    CasePage,
    Feedback,
    FoundCase,
    KeptCount,
    ScoredCase,
    Verdict,
)
from superbiz_cli.harness.contract.case import NOTE_CHARS, ROOT_CAUSE_CHARS, SOLUTION_CHARS, Case

_KEPT_AT_ONCE = 100  # so that no other process waits long for the lock
_CANDIDATES = 64
_PREFIX = "case-"


@dataclass(frozen=True, slots=True)
class SqlCaseLibrary:
    """See `CaseLibrary`. `redact` never raises."""

    database: Database
    redact: Callable[[str], str]
    owner: str

    def keep(self, cases: Sequence[Case]) -> KeptCount:
        """Keep each case, some at a time; one with a known id takes that one's place."""
        total = KeptCount()
        for some in _batches(cases):
            prepared = {case.case_id: case for case in (one.bounded(self.redact) for one in some)}
            indexed = {case_id: indexed_terms(case) for case_id, case in prepared.items()}
            with self.database.write() as connection:
                count = self._keep_some(connection, prepared, indexed)
            total = KeptCount(
                added=total.added + count.added,
                replaced=total.replaced + count.replaced,
                unchanged=total.unchanged + count.unchanged,
            )
        return total

    def find(self, case_id: str) -> FoundCase:
        """Return the case of this id, or the only one that begins so; "case-" may be left out."""
        with self.database.read() as connection:
            found = case_rows.find(connection, case_id)
            return found if found is not None else case_rows.find(connection, _PREFIX + case_id)

    def case_of_run(self, run_id: str) -> Case | None:
        """Return the case that was made from this Run."""
        with self.database.read() as connection:
            return case_rows.of_run(connection, run_id)

    def page(self, *, limit: int = 20, before: str | None = None) -> CasePage:
        """Return up to `limit` cases, newest first."""
        with self.database.read() as connection:
            return case_rows.page(connection, limit=limit, before=before)

    def most_similar(
        self, terms: Mapping[str, float], *, limit: int, threshold: float
    ) -> tuple[ScoredCase, ...]:
        """Return up to `limit` cases with at least `threshold`, best first, newer ones before older ones."""
        if not terms:
            return ()
        with self.database.read() as connection:
            total = case_rows.count(connection)
            where = case_index.occurrences_of(connection, terms)
            shares = covered(terms, where, total=total, at_least=threshold)
            nearest = heapq.nlargest(_CANDIDATES, shares.items(), key=lambda item: (item[1], item[0]))
            weights = case_rows.term_weights(connection, [number for number, _ in nearest])
            scores = {
                number: penalised(share, case_weight=weights[number])
                for number, share in nearest
                if number in weights
            }
            best = sorted(scores.items(), key=lambda item: (-item[1], -item[0]))[:limit]
            wanted = [number for number, score in best if score >= threshold]
            cases = case_rows.of_numbers(connection, wanted)
        return tuple(ScoredCase(cases[number], scores[number]) for number in wanted if number in cases)

    def remove(self, case_id: str) -> bool:
        """Remove the case of exactly this id."""
        with self.database.write() as connection:
            return case_rows.delete_ids(connection, [case_id]) > 0

    def give_feedback(self, feedback: Feedback) -> None:
        """Keep what was said of a Run. WRONG removes the case that was made from it."""
        said = replace(
            feedback,
            note=self.redact(feedback.note)[:NOTE_CHARS],
            root_cause=self.redact(feedback.root_cause)[:ROOT_CAUSE_CHARS],
            solution=self.redact(feedback.solution)[:SOLUTION_CHARS],
        )
        with self.database.write() as connection:
            case_rows.write_feedback(connection, said, owner=self.owner)
            if said.verdict is Verdict.WRONG:
                case_rows.delete_of_run(connection, said.run_id)

    def feedback_of(self, run_id: str) -> Feedback | None:
        """Return what was said of a Run last."""
        with self.database.read() as connection:
            return case_rows.read_feedback(connection, run_id)

    def _keep_some(
        self, connection: Connection, cases: Mapping[str, Case], indexed: Mapping[str, IndexedTerms]
    ) -> KeptCount:
        known = case_rows.of_ids(connection, cases)
        same = {
            id_ for id_, old in known.items() if case_rows.values_of(old) == case_rows.values_of(cases[id_])
        }
        changed = [id_ for id_ in known if id_ not in same]
        if changed:
            case_rows.delete_ids(connection, changed)
        numbers: dict[int, IndexedTerms] = {}
        for case_id, case in cases.items():
            if case_id not in same:
                weight = indexed[case_id].weight
                number = case_rows.insert_case(connection, case, owner=self.owner, term_weight=weight)
                numbers[number] = indexed[case_id]
        case_index.append(connection, numbers)
        return KeptCount(added=len(cases) - len(known), replaced=len(changed), unchanged=len(same))


def _batches(cases: Sequence[Case]) -> Iterator[list[Case]]:
    pending = iter(cases)
    while batch := list(islice(pending, _KEPT_AT_ONCE)):
        yield batch
