"""The port behind which cases and feedback are kept: see `adapters.sql_audit.case_library`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeAlias

from superbiz_cli.harness.contract.case import Case


class Verdict(StrEnum):
    """What a person says of a Run."""

    HELPFUL = "HELPFUL"
    WRONG = "WRONG"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person said of one Run. A later one of the same Run takes its place."""

    run_id: str
    verdict: Verdict
    given_at: datetime
    note: str = ""
    root_cause: str = ""
    solution: str = ""


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """A case with how similar it is to what was asked for, from 0 to 1."""

    case: Case
    score: float


@dataclass(frozen=True, slots=True)
class AmbiguousCase:
    """More than one case begins with the given text; `case_ids` are a few of them."""

    case_ids: tuple[str, ...]


FoundCase: TypeAlias = Case | AmbiguousCase | None


@dataclass(frozen=True, slots=True)
class CasePage:
    """Cases, the newest first; `more` tells that there are older ones: ask `before` the last id."""

    cases: tuple[Case, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class KeptCount:
    """What a keeping of cases changed."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0


class CaseLibrary(Protocol):
    """Keeps cases and feedback. Every method raises AuditUnavailable and nothing else."""

    def keep(self, cases: Sequence[Case]) -> KeptCount:
        """Keep each case, redacted and bounded; one with a known id takes that one's place."""
        ...

    def find(self, case_id: str) -> FoundCase:
        """Return the case of this id, or the only one whose id begins with it."""
        ...

    def case_of_run(self, run_id: str) -> Case | None:
        """Return the case that was made from this Run."""
        ...

    def page(self, *, limit: int = 20, before: str | None = None) -> CasePage:
        """Return up to `limit` cases, newest first, after the case `before` if it is given."""
        ...

    def most_similar(
        self, terms: Mapping[str, float], *, limit: int, threshold: float
    ) -> tuple[ScoredCase, ...]:
        """Return up to `limit` cases that share the weighted `terms`, scored >= `threshold`, best first."""
        ...

    def remove(self, case_id: str) -> bool:
        """Remove the case of exactly this id. False if there is none."""
        ...

    def give_feedback(self, feedback: Feedback) -> None:
        """Keep what was said of a Run, redacted. WRONG removes the case that was made from it."""
        ...

    def feedback_of(self, run_id: str) -> Feedback | None:
        """Return what was said of a Run last."""
        ...


class NoCases:
    """The null object: it keeps nothing and knows nothing."""

    def keep(self, cases: Sequence[Case]) -> KeptCount:
        """Forget the cases."""
        return KeptCount()

    def find(self, case_id: str) -> FoundCase:
        """Return None."""
        return None

    def case_of_run(self, run_id: str) -> Case | None:
        """Return None."""
        return None

    def page(self, *, limit: int = 20, before: str | None = None) -> CasePage:
        """Return no case."""
        return CasePage(())

    def most_similar(
        self, terms: Mapping[str, float], *, limit: int, threshold: float
    ) -> tuple[ScoredCase, ...]:
        """Return nothing."""
        return ()

    def remove(self, case_id: str) -> bool:
        """Return False."""
        return False

    def give_feedback(self, feedback: Feedback) -> None:
        """Forget it."""

    def feedback_of(self, run_id: str) -> Feedback | None:
        """Return None."""
        return None
