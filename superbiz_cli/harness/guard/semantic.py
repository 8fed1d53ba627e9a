"""The semantic guard: an isolated judge that sees the reader's view of the draft and the evidence.

It judges support, not truth. What it answers is one of three things; that it could not answer is
never taken for agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from superbiz_cli.harness.audit.events import TraceEvent, TraceType
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.contract.status import SemanticVerdict
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, parse_strict_object
from superbiz_cli.harness.guard.draft_view import evidence_view
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted

MAX_REASON_CHARS = 500
FEW_EVENTS = 5


@dataclass(frozen=True, slots=True)
class Supported:
    """The judge found every statement supported."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The judge found something that the evidence does not show."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No valid verdict could be had."""

    failure: RetryFailure


Decision: TypeAlias = Supported | Unsupported | Unavailable


@dataclass(frozen=True, slots=True)
class SemanticGuard:
    """The judge behind one guarded call. Trace events go to the recorder of the call's gate."""

    call: GuardCall

    def judge(
        self, view: Mapping[str, JsonValue], evidence: Sequence[VerifiedEvidence], query: str
    ) -> Decision:
        """Ask whether `evidence` supports `view`, the draft as the reader would see it (`draft_view`).

        Evidence that does not fit the call is shown with fewer sampled events: less evidence can
        cost a verdict, never win one. RunAborted and BudgetExceeded pass through.
        """
        payload = _question(view, evidence_view(evidence), query)
        if self.call.request(payload).size_bytes() > self.call.max_input_bytes:
            payload = _question(view, evidence_view(evidence, max_events=FEW_EVENTS), query)
        try:
            decision = self.call.ask(payload, parse_verdict, self._record_attempt)
        except AttemptsExhausted as error:
            self._emit(TraceType.SEMANTIC_UNAVAILABLE, {"failure": error.failure.value})
            return Unavailable(error.failure)
        verdict = (
            SemanticVerdict.SUPPORTED if isinstance(decision, Supported) else SemanticVerdict.UNSUPPORTED
        )
        self._emit(TraceType.SEMANTIC_GUARD_DECISION, {"verdict": verdict.value})
        return decision

    def _record_attempt(self, attempt: int, failure: RetryFailure | None) -> None:
        self._emit(
            TraceType.SEMANTIC_ATTEMPT,
            {"attempt": attempt, "failure": failure.value if failure else None},
        )

    def _emit(self, type_: TraceType, attributes: Mapping[str, str | int | None]) -> None:
        self.call.gate.recorder.emit(TraceEvent(type_, attributes))


def _question(view: Mapping[str, JsonValue], evidence: list[JsonValue], query: str) -> dict[str, JsonValue]:
    return {"task": "judge", "query": query, "draft": dict(view), "evidence": evidence}


def parse_verdict(text: str) -> Supported | Unsupported:
    """Read exactly {"verdict", "reason"}, the reason a text that is not blank.

    Raises AttemptFailed: PARSE_ERROR if it is not one JSON object, else SCHEMA_INVALID.
    """
    try:
        answer = parse_strict_object(text)
    except StrictJsonError as error:
        raise AttemptFailed(RetryFailure.PARSE_ERROR) from error
    reason = answer.get("reason")
    if set(answer) != {"verdict", "reason"} or not isinstance(reason, str) or not reason.strip():
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    shown = reason.strip()[:MAX_REASON_CHARS]
    match answer["verdict"]:
        case SemanticVerdict.SUPPORTED.value:
            return Supported(shown)
        case SemanticVerdict.UNSUPPORTED.value:
            return Unsupported(shown)
        case _:
            raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
