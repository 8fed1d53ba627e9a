"""Read an agent result of query_logs again, strictly: only what `project` could have written passes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pydantic import ValidationError

from superbiz_cli.harness.contract.evidence import ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import (
    StrictJsonError,
    StrictModel,
    canonical_json,
    parse_strict_object,
)
from superbiz_cli.harness.contract.tool_call import ControlView
from superbiz_cli.harness.tool.logs.contract import Level, LogTopic
from superbiz_cli.harness.tool.logs.headline import headline
from superbiz_cli.harness.tool.logs.http_status import is_server_failure
from superbiz_cli.harness.tool.logs.project import MAX_EVENTS, MAX_PATTERNS, MAX_RESULT_BYTES
from superbiz_cli.harness.tool.port import ProjectionFailed

MAX_SHORT_CHARS = 320


class _Scope(StrictModel):
    topic: str
    query: str
    start: str
    end: str


class _Pattern(StrictModel):
    count: int
    first_seen: str
    last_seen: str
    level: str | None
    service: str | None
    example: str
    peak_minute: str
    peak_count: int
    is_new: bool | None = None
    is_sampled: bool = False


class _Event(StrictModel):
    timestamp: str
    level: str | None
    service: str | None
    message: str


class _Result(StrictModel):
    tool_call_id: str
    scope: _Scope
    source_kind: str
    evidence_status: str
    match_count: int
    returned_count: int
    patterns: tuple[_Pattern, ...]
    events: tuple[_Event, ...]
    truncated: bool
    limitations: tuple[str, ...]


def read_logs(agent_result: str, *, tool_call_id: str) -> ReadResult:
    """Return the result in words and its control view. Raises ProjectionFailed if anything disagrees."""
    try:
        payload = parse_strict_object(agent_result, max_bytes=MAX_RESULT_BYTES)
        result = _Result.model_validate_json(agent_result)
        _check(result, tool_call_id)
    except (StrictJsonError, ValidationError, ValueError) as error:
        raise ProjectionFailed("not a result of query_logs") from error
    if canonical_json(payload) != agent_result:
        raise ProjectionFailed("not in canonical form")
    return ReadResult(
        tool_call_id=tool_call_id,
        source=f"{result.scope.topic} logs ({result.source_kind})"[:160],
        scope=_scope_in_words(result.scope),
        summary=_summary(result),
        excerpt=_excerpt(result),
        control=ControlView(
            evidence_status=EvidenceStatus(result.evidence_status),
            returned_count=result.returned_count,
            truncated=result.truncated,
            match_count=result.match_count,
        ),
        payload=payload,
        quotable=tuple(_quotable(result)),
    )


def _check(result: _Result, tool_call_id: str) -> None:
    """Raise ValueError unless ids, counts, status and times agree with each other."""
    LogTopic(result.scope.topic)
    found = result.match_count > 0
    status = EvidenceStatus.EVIDENCE_FOUND if found else EvidenceStatus.NO_EVIDENCE
    start, end = datetime.fromisoformat(result.scope.start), datetime.fromisoformat(result.scope.end)
    times = [datetime.fromisoformat(event.timestamp) for event in result.events]
    levels = [*(pattern.level for pattern in result.patterns), *(event.level for event in result.events)]
    agrees = (
        result.tool_call_id == tool_call_id
        and result.evidence_status == status
        and result.match_count >= 0
        and result.returned_count == len(result.events) <= min(MAX_EVENTS, result.match_count)
        and len(result.patterns) <= MAX_PATTERNS
        and found == bool(result.patterns or result.events)
        and result.truncated == (result.match_count > result.returned_count)
        and start <= end
        and all(start <= moment <= end for moment in times)
        and times == sorted(times)
        and all(pattern.count >= pattern.peak_count >= 1 for pattern in result.patterns)
        and sum(pattern.count for pattern in result.patterns) <= result.match_count
    )
    for level in levels:
        if level is not None:
            Level(level)
    if not agrees:
        raise ValueError("the parts of the result disagree")


def _scope_in_words(scope: _Scope) -> str:
    terms = f" with {scope.query}" if scope.query else ""
    return _short(f"{scope.topic} logs{terms}, {scope.start} to {scope.end}")


def _summary(result: _Result) -> str:
    if not result.match_count:
        skipped = f"; {result.limitations[0]}" if result.limitations else ""
        return _short(f"No event matched in this scope{skipped}")
    events = "event" if result.match_count == 1 else "events"
    head = f"{result.match_count} matching {events}"
    if not result.patterns:
        return head
    top = result.patterns[0]
    who = " ".join(word for word in (top.level, top.service) if word)
    count = "in a sample" if top.is_sampled else top.count
    return _short(f"{head}; most frequent ({count}): {who + ': ' if who else ''}{headline(top.example)}")


def _excerpt(result: _Result) -> str:
    """Quote the most telling line: of the most frequent error, else of the most frequent pattern."""
    if not result.patterns:
        return _short(result.events[0].message) if result.events else ""
    errors = [
        pattern
        for pattern in result.patterns
        if pattern.level in {Level.ERROR, Level.FATAL} or is_server_failure(pattern.example)
    ]
    return headline((errors or list(result.patterns))[0].example, limit=MAX_SHORT_CHARS)


def _quotable(result: _Result) -> Iterator[str]:
    for message in (*(one.example for one in result.patterns), *(one.message for one in result.events)):
        yield headline(message, limit=MAX_SHORT_CHARS)


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHORT_CHARS else text[: MAX_SHORT_CHARS - 1] + "…"
