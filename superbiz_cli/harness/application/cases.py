"""From a Run that a person found helpful to a case: what was reported, seen, found and done."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterable
from datetime import datetime

from superbiz_cli.harness.application.memory import documents_of
from superbiz_cli.harness.contract.case import MAX_SYMPTOMS, Case
from superbiz_cli.harness.contract.report import Report, RunResult
from superbiz_cli.harness.contract.status import AnalysisKind, Intent, ReleaseOutcome

_KINDS = "service|svc|api|gateway|server|worker|web|app|job|consumer|producer|proxy|scheduler"
_NAMED = re.compile(rf"(?<![\w.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:{_KINDS})(?![\w-])")
_SPOKEN = re.compile(rf"\b([a-z][a-z0-9]{{2,}}) (?:{_KINDS})\b", re.IGNORECASE)
_SPOKEN_ZH = re.compile(r"([一-鿿]{2,4})(?:服务|网关|系统)")
_NO_NAME = frozenset(
    {"the", "this", "that", "our", "your", "each", "every", "some", "any", "and", "for", "upstream"}
)


def can_become_case(result: RunResult) -> bool:
    """Whether `result` is a released diagnosis: only of those cases are made."""
    return (
        result.release_outcome is ReleaseOutcome.SUCCESS
        and result.intent is Intent.DIAGNOSIS
        and result.report is not None
    )


def case_from(
    result: RunResult,
    *,
    case_id: str,
    confirmed_at: datetime,
    root_cause: str = "",
    solution: str = "",
    note: str = "",
) -> Case | None:
    """Return the case of a released diagnosis, or None if `result` is none.

    What the person says of cause and solution takes the place of what was published. The caller
    redacts and bounds it by keeping it.
    """
    report = result.report
    if report is None or not can_become_case(result):
        return None
    seen = [item.text for item in report.analysis if item.kind is AnalysisKind.NORMAL]
    return Case(
        case_id=case_id,
        symptoms=(result.query, *seen[: MAX_SYMPTOMS - 1]),
        root_cause=root_cause.strip() or report.conclusion.text,
        solution=solution.strip() or _published_solution(report),
        services=services_in([result.query, report.conclusion.text, *seen]),
        documents=tuple(documents_of(result)),
        note=note,
        run_id=result.run_id,
        created_at=confirmed_at,
    )


def services_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the services that the texts name, in the order of their first mention."""
    found: dict[str, None] = {}
    for text in texts:
        for match in _NAMED.finditer(text.lower()):
            found.setdefault(match.group())
        for match in _SPOKEN.finditer(text):
            if match.group(1).lower() not in _NO_NAME:
                found.setdefault(match.group().lower().replace(" ", "-"))
        for match in _SPOKEN_ZH.finditer(text):
            found.setdefault(match.group())
    return tuple(found)


def _published_solution(report: Report) -> str:
    steps = [step.action for step in report.action_plan]
    return "; ".join([*steps, *(advice.text for advice in report.recommendations)])


def new_case_id() -> str:
    """Return an id that no other case has: "case-" and eight letters and digits."""
    return f"case-{base64.b32encode(secrets.token_bytes(5)).decode('ascii').lower()}"
