"""The investigator's next turn: one tool call, or the draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.adapters.offline.draft import write_draft
from superbiz_cli.adapters.offline.gain import fruitless_streak, gains
from superbiz_cli.adapters.offline.plan import Planned, Progress, follow, proven_finding
from superbiz_cli.adapters.offline.query_terms import QueryTerms, read_query
from superbiz_cli.adapters.offline.survey import next_search
from superbiz_cli.adapters.offline.transcript import Transcript, read_transcript
from superbiz_cli.harness.contract.model import ModelRequest, ModelToolCall
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json

MAX_CALLS = 12
MAX_CALLS_PER_TOOL = 8
MAX_COLLECTED_TOKENS = 55_000
_BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """What the investigator says: a tool call, or a text that is the draft."""

    content: str = ""
    tool_call: ModelToolCall | None = None


def next_turn(request: ModelRequest) -> Turn:
    """Decide from the messages alone what to do next; the same messages give the same turn."""
    transcript = read_transcript(request)
    terms = read_query(transcript.query)
    progress = [follow(skill, transcript, terms) for skill in transcript.skills if skill.plan]
    rated = gains(transcript.calls, progress)
    may_go_on = not transcript.must_stop and _collected_tokens(request) <= MAX_COLLECTED_TOKENS
    planned = _choose(transcript, terms, progress, fruitless_streak(rated)) if may_go_on else None
    if planned is None:
        return Turn(content=canonical_json(write_draft(transcript, terms, progress).model_dump(mode="json")))
    arguments: dict[str, JsonValue] = {
        "previous_observation": _rating(transcript, rated),
        "input": dict(planned.input),
    }
    return Turn(
        tool_call=ModelToolCall(
            id=f"call-{len(transcript.calls) + 1}", name=planned.tool, arguments=canonical_json(arguments)
        )
    )


def _choose(
    transcript: Transcript, terms: QueryTerms, progress: Sequence[Progress], misses: int
) -> Planned | None:
    """Follow the plans one after the other, then survey; after a miss a broad search comes first.

    A proven finding ends the collection when its own plan has no open step.
    """
    if len(transcript.calls) >= MAX_CALLS:
        return None
    surveyed = next_search(transcript, terms, after_a_miss=misses > 0)
    if misses and surveyed is not None and _within_limits(transcript, surveyed):
        return surveyed
    for plan in progress:
        if plan.next is not None and _within_limits(transcript, plan.next):
            return plan.next
        if proven_finding(plan) is not None:
            return None
    return surveyed if surveyed is not None and _within_limits(transcript, surveyed) else None


def _collected_tokens(request: ModelRequest) -> int:
    """Estimate the input tokens of all turns up to this one: each has sent the whole history again.

    The default budget of a Run is 100,000; the draft and the judge need the other half.
    """
    total = size = 0
    for message in request.messages:
        if message.role == "assistant":
            total += size
        size += len(message.content.encode("utf-8", "replace"))
        size += sum(len(call.arguments.encode("utf-8", "replace")) for call in message.tool_calls)
    return (total + size) // _BYTES_PER_TOKEN


def _within_limits(transcript: Transcript, planned: Planned) -> bool:
    return sum(call.tool == planned.tool for call in transcript.calls) < MAX_CALLS_PER_TOOL


def _rating(transcript: Transcript, rated: Sequence[bool]) -> JsonValue:
    last = transcript.last
    if last is None:
        return None
    wanted = last.tool_call_id if last.rating_required else last.expected_id
    if wanted is None:
        return None
    gained = next(
        (
            gained
            for call, gained in zip(transcript.calls, rated, strict=True)
            if call.observation.tool_call_id == wanted
        ),
        False,
    )
    return {"tool_call_id": wanted, "information_gain": "GAINED" if gained else "NO_GAIN"}
