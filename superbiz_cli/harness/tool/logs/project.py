"""Project a raw answer into what the model may see: redacted, sanitised, bounded, patterns first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from superbiz_cli.harness.contract.evidence import LOWER_BOUND
from superbiz_cli.harness.contract.limits import utf8_size
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.tool.logs.contract import Level, LogQuery, RawEvent, RawLogs, RawPattern, from_us
from superbiz_cli.harness.tool.logs.http_status import is_server_failure
from superbiz_cli.harness.tool.logs.stack import without_frames
from superbiz_cli.harness.tool.port import Projection, ProjectionFailed
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.sanitize import sanitize

MAX_PATTERNS = 12
MAX_EVENTS = 30
MAX_MESSAGE_CHARS = 1_000
MAX_EXAMPLE_CHARS = 400
MAX_RESULT_BYTES = 16_384
MAX_LIMITATIONS = 8
MAX_LIMITATION_CHARS = 200
_RESERVED_FOR_ERRORS = 3
_ELLIPSIS = "…"


def project_logs(query: LogQuery, raw: RawLogs, *, tool_call_id: str, redactor: Redactor) -> Projection:
    """Return the agent result of `raw` within 16,384 bytes.

    Events are dropped first, then patterns. Raises ProjectionFailed when even one pattern of an answer
    that has matches does not fit.
    """
    view = _View(query, raw, tool_call_id, redactor)
    status = EvidenceStatus.EVIDENCE_FOUND if raw.match_count else EvidenceStatus.NO_EVIDENCE
    patterns = choose_patterns(raw.patterns)
    for shown in range(len(patterns), -1, -1):
        most = min(MAX_EVENTS, len(raw.events)) if shown == len(patterns) else 0
        for wanted in range(most, -1, -1):
            text = view.render(patterns[:shown], choose_events(raw.events, patterns[:shown], wanted))
            if utf8_size(text) <= MAX_RESULT_BYTES:
                if raw.match_count and not shown and not wanted:
                    raise ProjectionFailed("nothing of the answer fits")
                return Projection(agent_result=text, evidence_status=status)
    raise ProjectionFailed("the answer does not fit")


def choose_patterns(patterns: Sequence[RawPattern]) -> list[int]:
    """Return the indexes of the <= 12 shown patterns, by descending count, errors first at equal count.

    Up to three places are kept for errors that are too rare for the first twelve: a new error that
    occurred once can be the one that matters.
    """
    order = sorted(
        range(len(patterns)),
        key=lambda index: (-patterns[index].count, -_severity(patterns[index].level), index),
    )
    first, rest = order[:MAX_PATTERNS], order[MAX_PATTERNS:]
    rare_errors = [index for index in rest if _is_error(patterns[index])]
    rare_errors.sort(key=lambda index: (patterns[index].is_new is not True, -patterns[index].count))
    for error in rare_errors[:_RESERVED_FOR_ERRORS]:
        replaceable = [index for index in first[MAX_PATTERNS // 2 :] if not _is_error(patterns[index])]
        if not replaceable:
            break
        first.remove(replaceable[-1])
        first.append(error)
    return sorted(first, key=order.index)


def choose_events(events: Sequence[RawEvent], shown: Sequence[int], count: int) -> list[RawEvent]:
    """Return <= `count` events in time: one for each shown pattern, the others evenly over the range."""
    chosen: set[int] = set()
    for pattern in shown:
        if len(chosen) < count:
            chosen.update(index for index in _first_of(events, pattern))
    others = [index for index in range(len(events)) if index not in chosen]
    missing = count - len(chosen)
    if missing > 0 and others:
        step = max(1.0, (len(others) - 1) / max(1, missing - 1))
        picks = {min(len(others) - 1, round(number * step)) for number in range(missing)}
        chosen.update(others[pick] for pick in picks)
    return [events[index] for index in sorted(chosen)]


def _bounded(limitations: Sequence[str]) -> list[str]:
    if len(limitations) <= MAX_LIMITATIONS:
        return list(limitations)
    shown = limitations[: MAX_LIMITATIONS - 1]
    return [*shown, f"and {len(limitations) - len(shown)} more like these"]


def _first_of(events: Sequence[RawEvent], pattern: int) -> list[int]:
    for index, event in enumerate(events):
        if event.pattern == pattern:
            return [index]
    return []


class _View:
    """Renders one answer; every text is redacted and sanitised once, before it is cut."""

    def __init__(self, query: LogQuery, raw: RawLogs, tool_call_id: str, redactor: Redactor) -> None:
        self._raw = raw
        self._tool_call_id = tool_call_id
        self._redactor = redactor
        self._zone = ZoneInfo(query.timezone)
        self._scope: dict[str, JsonValue] = {
            "topic": query.topic.value,
            "query": self._clean(query.query, MAX_MESSAGE_CHARS),
            "start": self._local(from_us(query.window.start_us)),
            "end": self._local(from_us(query.window.end_us)),
        }
        self._patterns = [self._pattern(pattern) for pattern in raw.patterns]
        self._events = {id(event): self._event(event) for event in raw.events}
        self._limitations = [self._clean(text, MAX_LIMITATION_CHARS) for text in _bounded(raw.limitations)]

    def render(self, patterns: Sequence[int], events: Sequence[RawEvent]) -> str:
        limitations: list[JsonValue] = list(self._limitations)
        if not self._raw.count_is_exact:
            limitations.append(LOWER_BOUND)
        status = EvidenceStatus.EVIDENCE_FOUND if self._raw.match_count else EvidenceStatus.NO_EVIDENCE
        return canonical_json(
            {
                "tool_call_id": self._tool_call_id,
                "scope": self._scope,
                "source_kind": self._raw.source_kind,
                "evidence_status": status.value,
                "match_count": self._raw.match_count,
                "returned_count": len(events),
                "patterns": [self._patterns[index] for index in patterns],
                "events": [self._events[id(event)] for event in events],
                "truncated": self._raw.match_count > len(events),
                "limitations": limitations,
            }
        )

    def _pattern(self, pattern: RawPattern) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {
            "count": pattern.count,
            "first_seen": self._local(datetime.fromisoformat(pattern.first_seen)),
            "last_seen": self._local(datetime.fromisoformat(pattern.last_seen)),
            "level": pattern.level,
            "service": self._clean_service(pattern.service),
            "example": self._clean(pattern.example, MAX_EXAMPLE_CHARS),
            "peak_minute": self._local(datetime.fromisoformat(pattern.peak_minute)),
            "peak_count": pattern.peak_count,
        }
        if pattern.is_new is not None:
            shown["is_new"] = pattern.is_new
        if pattern.is_sampled:
            shown["is_sampled"] = True
        return shown

    def _event(self, event: RawEvent) -> dict[str, JsonValue]:
        return {
            "timestamp": self._local(datetime.fromisoformat(event.timestamp)),
            "level": event.level,
            "service": self._clean_service(event.service),
            "message": self._clean(event.message, MAX_MESSAGE_CHARS),
        }

    def _clean(self, text: str, limit: int) -> str:
        cleaned = sanitize(self._redactor.redact(without_frames(text)))
        return cleaned if len(cleaned) <= limit else cleaned[: limit - 1] + _ELLIPSIS

    def _clean_service(self, service: str | None) -> str | None:
        return None if service is None else self._clean(service, 80)

    def _local(self, moment: datetime) -> str:
        return moment.astimezone(self._zone).isoformat(
            timespec="milliseconds" if moment.microsecond else "seconds"
        )


def _severity(level: str | None) -> int:
    return -1 if level is None else list(Level).index(Level(level))


def _is_error(pattern: RawPattern) -> bool:
    return pattern.level in {Level.ERROR, Level.FATAL} or is_server_failure(pattern.example)
