"""Evidence repair: one model call that may change references and nothing that a reader can see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from superbiz_cli.harness.agent.draft_parser import DraftRefused, parse_draft
from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.audit.events import TraceEvent, TraceType
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import EvidenceSnapshot
from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.violation import Violation, ViolationCode
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted

REFERENCE_FIELDS = frozenset({"analysis_id", "tool_call_ids", "based_on_analysis_ids"})
# A reference cannot mend what is missing from the text itself: asking would only cost money.
BEYOND_REPAIR = frozenset(
    {
        ViolationCode.DRAFT_MISSING,
        ViolationCode.ANALYSIS_EMPTY,
        ViolationCode.ANALYSIS_KIND_MISSING,
        ViolationCode.ANALYSIS_TEXT_MISSING,
        ViolationCode.REPORT_TEXT_MISSING,
        ViolationCode.LIMITATIONS_MISSING,
        ViolationCode.INSTRUCTIONS_DISCLOSED,
    }
)


def can_be_repaired(violations: Sequence[Violation]) -> bool:
    """Whether other references alone could make the draft valid."""
    return not any(violation.code in BEYOND_REPAIR for violation in violations)


def repair(
    draft: Draft, violations: Sequence[Violation], snapshot: EvidenceSnapshot, *, call: GuardCall
) -> Draft | None:
    """Ask once for other references; return the repaired draft, or None if it is refused.

    Refused is every reply that is no draft, or differs from `draft` in anything but `analysis_id`,
    `tool_call_ids` and `based_on_analysis_ids`. RunAborted and BudgetExceeded pass through.
    """

    def parse(text: str) -> Draft:
        try:
            repaired = parse_draft(text, max_bytes=call.max_output_bytes)
        except DraftRefused as refused:
            raise AttemptFailed(_FAILURE_OF[refused.fault]) from refused
        if for_the_reader(repaired) != for_the_reader(draft):
            raise AttemptFailed(RetryFailure.BUSINESS_REJECTION)
        return repaired

    def record_attempt(attempt: int, failure: RetryFailure | None) -> None:
        attributes = {"attempt": attempt, "failure": failure.value if failure else None}
        call.gate.recorder.emit(TraceEvent(TraceType.EVIDENCE_REPAIR_ATTEMPT, attributes))

    try:
        return call.ask(_question(draft, violations, snapshot), parse, record_attempt)
    except AttemptsExhausted:
        return None


_FAILURE_OF = {
    DraftFault.EMPTY_DRAFT: RetryFailure.SCHEMA_INVALID,
    DraftFault.INVALID_JSON: RetryFailure.PARSE_ERROR,
    DraftFault.SCHEMA_INVALID: RetryFailure.SCHEMA_INVALID,
}


def for_the_reader(draft: Draft) -> Any:
    """Return all of `draft` but its references, in the shape of JSON."""
    return _without_references(draft.model_dump(mode="json"))


def _without_references(value: Any) -> Any:
    match value:
        case dict():
            return {
                key: _without_references(part) for key, part in value.items() if key not in REFERENCE_FIELDS
            }
        case list():
            return [_without_references(part) for part in value]
        case _:
            return value


def _question(
    draft: Draft, violations: Sequence[Violation], snapshot: EvidenceSnapshot
) -> dict[str, JsonValue]:
    return {
        "task": "repair",
        "violations": [{"code": found.code.value, "target": found.target} for found in violations],
        "draft": draft.model_dump(mode="json"),
        "available": [
            {
                "tool_call_id": fact.tool_call_id,
                "tool_name": fact.tool_name.value,
                "evidence_status": fact.evidence_status.value,
                "scope": fact.scope,
                "summary": fact.summary,
            }
            for fact in snapshot.calls or snapshot.facts
        ],
    }
