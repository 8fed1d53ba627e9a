"""The built-in model `offline/playbook`: no network, no key, the same answer for the same messages.

It plays every role by fixed rules and reads nothing but the messages and tools of its requests. It has no
mind to keep what it read, so it keeps each result as it was first sent: later requests may repeat a part.
"""

from __future__ import annotations

from dataclasses import replace

from superbiz_cli.harness.contract.model import (
    CancelSignal,
    Message,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)
from superbiz_cli.harness.contract.strict import (
    JsonValue,
    StrictJsonError,
    canonical_json,
    parse_strict_object,
)

ROUTE = "offline/playbook"
_BYTES_PER_TOKEN = 3
_SHORTENED = '"shortened":true'


class OfflineModel:
    """A deterministic chat model that executes the plans of the active skills.

    Used by one thread at a time; tool call ids are unique, so several Runs may share it.
    """

    def __init__(self) -> None:
        self._first_read: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The route of this model."""
        return ROUTE

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        """Answer at once. Raises ModelUnavailable CANCELLED if the Run has been cancelled already."""
        if cancel.is_cancelled:
            raise ModelUnavailable(RetryFailure.CANCELLED)
        content, calls = _answer(self._with_what_was_read(request))
        reply = ModelReply(content=content, tool_calls=calls, finish_reason="tool_calls" if calls else "stop")
        return ModelReply(
            content=content,
            tool_calls=calls,
            finish_reason=reply.finish_reason,
            usage=_usage(request, reply),
            model=ROUTE,
            cost_usd=0.0,
        )

    def _with_what_was_read(self, request: ModelRequest) -> ModelRequest:
        return replace(request, messages=tuple(map(self._as_first_read, request.messages)))

    def _as_first_read(self, message: Message) -> Message:
        call_id = message.tool_call_id
        if call_id is None:
            return message
        if _SHORTENED not in message.content:
            self._first_read[call_id] = message.content
        return replace(message, content=self._first_read.get(call_id, message.content))


def _answer(request: ModelRequest) -> tuple[str, tuple[ModelToolCall, ...]]:
    from superbiz_cli.adapters.offline.agent import next_turn
    from superbiz_cli.adapters.offline.answer import answer_question
    from superbiz_cli.adapters.offline.judge import judge_draft
    from superbiz_cli.adapters.offline.repair import repair_draft
    from superbiz_cli.adapters.offline.router import route_question

    task = _task(request)
    match task.get("task"):
        case "route":
            return canonical_json(route_question(task)), ()
        case "judge":
            return canonical_json(judge_draft(task)), ()
        case "repair":
            return canonical_json(repair_draft(task)), ()
        case "answer":
            return canonical_json(answer_question(task)), ()
        case _:
            turn = next_turn(request)
            return turn.content, (turn.tool_call,) if turn.tool_call else ()


def _task(request: ModelRequest) -> dict[str, JsonValue]:
    user = next((message.content for message in request.messages if message.role == "user"), "")
    try:
        return parse_strict_object(user)
    except StrictJsonError:
        return {}


def _usage(request: ModelRequest, reply: ModelReply) -> ReportedUsage:
    """Estimate tokens as bytes / 3: nothing is billed, and a budget still bounds the Run."""
    return ReportedUsage(
        input_tokens=max(1, request.size_bytes() // _BYTES_PER_TOKEN),
        output_tokens=max(1, reply.size_bytes() // _BYTES_PER_TOKEN),
    )
