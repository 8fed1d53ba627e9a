"""A chat model in this process that plays a list of turns, and short ways to write such turns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from superbiz_cli.harness.contract.model import (
    CancelSignal,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ReportedUsage,
)
from superbiz_cli.harness.contract.strict import JsonValue

USAGE = ReportedUsage(input_tokens=90, output_tokens=8)
Turn: TypeAlias = ModelReply | BaseException | Callable[[ModelRequest], ModelReply]

_SHOWN_ID = re.compile(r"\{\{id:(\d+)\}\}")


class ScriptedChatModel:
    """Plays one turn a call: a reply, an exception to raise, or a function of the request.

    After the last turn `on_exhausted` is raised, or with None the last turn is repeated.
    `{{id:n}}` in a reply's texts stands for the id shown in the n-th observation (from 1) that has one.
    """

    def __init__(self, turns: Sequence[Turn], *, on_exhausted: BaseException | None = None) -> None:
        self.turns = list(turns)
        self.on_exhausted = on_exhausted
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return "scripted/test"

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self.turns) and self.on_exhausted is not None:
            raise self.on_exhausted
        turn = self.turns[min(number, len(self.turns) - 1)]
        if isinstance(turn, BaseException):
            raise turn
        return _with_shown_ids(turn if isinstance(turn, ModelReply) else turn(request), request)


def says(content: str, *, finish_reason: str | None = "stop") -> ModelReply:
    """A turn with text only."""
    return ModelReply(content=content, finish_reason=finish_reason, usage=USAGE)


def calls(*tool_calls: ModelToolCall, content: str = "") -> ModelReply:
    """A turn with tool calls."""
    return ModelReply(content=content, tool_calls=tool_calls, finish_reason="tool_calls", usage=USAGE)


def call(
    tool: str = "query_logs",
    rating: tuple[str, str] | None = None,
    *,
    provider_id: str = "call_1",
    **payload: JsonValue,
) -> ModelToolCall:
    """A tool call in a well-formed envelope. `rating` is (tool_call_id, information_gain)."""
    previous = rating and {"tool_call_id": rating[0], "information_gain": rating[1]}
    return raw_call(tool, json.dumps({"previous_observation": previous, "input": payload}), provider_id)


def raw_call(tool: str, arguments: str, provider_id: str = "call_1") -> ModelToolCall:
    """A tool call with arguments as they come."""
    return ModelToolCall(id=provider_id, name=tool, arguments=arguments)


def observations(request: ModelRequest) -> list[dict[str, JsonValue]]:
    """The observations that `request` shows the model, in order."""
    return [json.loads(message.content) for message in request.messages if message.role == "tool"]


def shown_ids(request: ModelRequest) -> list[str]:
    """The ids that the model has been shown for citing, in order."""
    ids = (seen.get("tool_call_id") for seen in observations(request))
    return [shown for shown in ids if isinstance(shown, str)]


def draft(
    *,
    cites: Sequence[str] = (),
    kind: str = "NORMAL",
    text: str = "the pool of payment-service is exhausted",
    conclusion: str | None = None,
    **others: JsonValue,
) -> str:
    """A well-formed draft as the model would write it; `others` replace top-level fields."""
    body: Mapping[str, object] = {
        "analysis": [{"analysis_id": "a1", "kind": kind, "text": text, "tool_call_ids": list(cites)}],
        "conclusion": conclusion and {"text": conclusion, "based_on_analysis_ids": ["a1"]},
        "action_plan": [],
        "recommendations": [],
        "limitations": {"checked_scope": "logs", "missing_info": [], "caveats": []},
        **others,
    }
    return json.dumps(body, ensure_ascii=False)


def _with_shown_ids(reply: ModelReply, request: ModelRequest) -> ModelReply:
    shown = shown_ids(request)

    def fill(text: str) -> str:
        return _SHOWN_ID.sub(lambda match: shown[int(match[1]) - 1], text)

    return ModelReply(
        content=fill(reply.content),
        tool_calls=tuple(ModelToolCall(one.id, one.name, fill(one.arguments)) for one in reply.tool_calls),
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        model=reply.model,
        cost_usd=reply.cost_usd,
    )


def owed_id(request: ModelRequest) -> str | None:
    """The id that waits for a rating, as an attentive model would know it from what it read."""
    owed: str | None = None
    for seen in observations(request):
        if seen["observation"] in {"RESULT", "ERROR", "DUPLICATE"}:
            owed = str(seen["tool_call_id"]) if seen.get("rating_required") else None
        elif seen["observation"] == "REPAIR":
            expected = seen["expected_previous_tool_call_id"]
            owed = None if expected is None else str(expected)
    return owed
