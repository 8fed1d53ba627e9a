"""Long-term memory: which confirmed cases are like this question, as hints for the agent.

A case is text that reached us from outside. It is redacted and bounded again, it stays inside one
JSON value, and it has no id that the evidence guard could accept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from superbiz_cli.harness.application.similarity import THRESHOLD
from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.audit.case_library import CaseLibrary
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.contract.limits import utf8_size
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.tool.sanitize import sanitize

MAX_HINTS = 3
MAX_HINT_BYTES = 6_144  # all hints together, as JSON
USE = "hint from an earlier incident; not evidence; prove it again with this run's tools or leave it out"

_SYMPTOM_CHARS = 240
_MAX_SYMPTOMS = 3
_CAUSE_CHARS = 400
_SOLUTION_CHARS = 300


@dataclass(frozen=True, slots=True)
class Recalled:
    """The cases that go into one agent's input, best first, and how they are written there."""

    cases: tuple[Case, ...] = ()
    hints: tuple[JsonValue, ...] = ()

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The ids of the cases."""
        return tuple(case.case_id for case in self.cases)

    def __len__(self) -> int:
        return len(self.cases)


NOTHING = Recalled()


def recall(
    query: str,
    library: CaseLibrary,
    *,
    redact: Callable[[str], str],
    max_bytes: int = MAX_HINT_BYTES,
) -> Recalled:
    """Return up to three cases that are similar enough to `query`; what exceeds `max_bytes` is left out.

    Raises AuditUnavailable.
    """
    found = library.most_similar(terms_of(query), limit=MAX_HINTS, threshold=THRESHOLD)
    cases = [_short(scored.case, redact) for scored in found]
    fitting = _fitting(cases, max_bytes)
    return Recalled(tuple(fitting), tuple(map(hint_of, fitting)))


def hint_of(case: Case) -> JsonValue:
    """Return the case as the agent's input holds it."""
    return {
        "case": case.case_id,
        "use": USE,
        "symptoms": list(case.symptoms),
        "root_cause": case.root_cause,
        "solution": case.solution,
        "services": list(case.services),
        "documents": list(case.documents),
        "confirmed": case.created_at.date().isoformat(),
    }


def _fitting(cases: Sequence[Case], max_bytes: int) -> list[Case]:
    fitting: list[Case] = []
    left = max_bytes
    for case in cases:
        left -= utf8_size(canonical_json(hint_of(case)))
        if left < 0:
            break
        fitting.append(case)
    return fitting


def _short(case: Case, redact: Callable[[str], str]) -> Case:
    """Return the part of a case that a hint needs: whatever it was kept as, clean and short now."""

    def clean(text: str) -> str:
        return sanitize(redact(text))

    bounded = case.bounded(clean)
    return replace(
        bounded,
        symptoms=tuple(_cut(text, _SYMPTOM_CHARS) for text in bounded.symptoms[:_MAX_SYMPTOMS]),
        root_cause=_cut(bounded.root_cause, _CAUSE_CHARS),
        solution=_cut(bounded.solution, _SOLUTION_CHARS),
        note="",
    )


def _cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"
