"""Routing: what does the user want? One guarded model call, answered by exactly {"intent": ...}."""

from __future__ import annotations

from collections.abc import Sequence

from superbiz_cli.harness.audit.events import TraceEvent, TraceType
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.audit.rows import RoutingEntry
from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.contract.status import Intent
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, parse_strict_object
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted


class RoutingUnavailable(Exception):
    """The router gave no valid intent within its attempts. `hint` is our own sentence for the user."""

    def __init__(self, failure: RetryFailure, *, hint: str | None = None) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.hint = hint


def route(query: str, *, recent: Sequence[RoutingEntry], call: GuardCall, recorder: Recorder) -> Intent:
    """Return the intent of `query`.

    Raises RoutingUnavailable when every attempt failed; RunAborted and BudgetExceeded pass through.
    """

    def record_attempt(attempt: int, failure: RetryFailure | None) -> None:
        recorder.emit(
            TraceEvent(
                TraceType.ROUTING_ATTEMPT,
                {"attempt": attempt, "failure": failure.value if failure else None},
            )
        )

    recent_json: list[JsonValue] = [{"intent": turn.intent.value, "query": turn.query} for turn in recent]
    try:
        intent = call.ask(
            {"task": "route", "query": query, "recent": recent_json}, parse_intent, record_attempt
        )
    except AttemptsExhausted as error:
        raise RoutingUnavailable(error.failure, hint=error.hint) from error
    recorder.emit(TraceEvent(TraceType.ROUTING_DECISION, {"intent": intent.value}))
    return intent


def parse_intent(text: str) -> Intent:
    """Read exactly {"intent": <Intent>}. Raises AttemptFailed PARSE_ERROR or SCHEMA_INVALID."""
    try:
        answer = parse_strict_object(text)
    except StrictJsonError as error:
        raise AttemptFailed(RetryFailure.PARSE_ERROR) from error
    if set(answer) != {"intent"}:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    try:
        return Intent(str(answer["intent"]))
    except ValueError as error:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID) from error
