"""The back ends of a hostile case: scripted results behind the real tools and the real boundary."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from superbiz_cli.harness.contract.evidence import IncidentWindow, ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus, RelevanceLevel
from superbiz_cli.harness.contract.strict import (
    JsonValue,
    StrictJsonError,
    canonical_json,
    parse_strict_object,
)
from superbiz_cli.harness.contract.tool_call import ControlView, ToolName
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import (
    LogQuery,
    LogSourceKind,
    LogTopic,
    RawEvent,
    RawLogs,
    RawPattern,
    SourceTitle,
    from_us,
)
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryPlan, RawTable
from superbiz_cli.harness.tool.mysql.tool import ConnectedSource, MysqlTool
from superbiz_cli.harness.tool.port import (
    CallContext,
    EvidenceTool,
    Projection,
    ProjectionFailed,
    ToolExecutionFailed,
    ToolRejected,
)
from superbiz_cli.harness.tool.redact import Redactor

Result = Mapping[str, Any]
ALLOWED = {"ops": {"pool_status": ("service", "state", "active", "max_size")}}
SAMPLED_EVENTS = 30


class PlayedTool:
    """A real tool whose back end answers call number n (from 0) with `results[n]`; the last repeats.

    `calls` counts what reached the back end. `on_fetch` is told the number of each call (from 1).
    """

    def __init__(
        self,
        inner: EvidenceTool[Any],
        results: Sequence[Result],
        playing: Playing,
        on_fetch: Callable[[str, int], None],
    ) -> None:
        self._inner = inner
        self._playing = playing
        self._results = list(results)
        self._on_fetch = on_fetch
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def fetch(self, request: Any, context: CallContext) -> str:
        self.calls += 1
        result = self._results[min(self.calls, len(self._results)) - 1]
        self._on_fetch(self._inner.name.value, self.calls)
        _wait(float(result.get("delay_ms", 0)) / 1000, context.run)
        if result.get("error"):
            raise ToolExecutionFailed(str(result["error"]))
        if (size := result.get("raw_bytes")) is not None:
            return canonical_json({"padding": "x" * (int(size) - len('{"padding":""}'))})
        self._playing.result = result
        return self._inner.fetch(request, context)


@dataclass
class Playing:
    """The result of the call that is under way: tools run one after the other."""

    result: Result = field(default_factory=dict)


def played_tools(
    scripts: Mapping[str, Sequence[Result]],
    redactor: Redactor,
    *,
    on_fetch: Callable[[str, int], None] = lambda _tool, _number: None,
) -> list[PlayedTool]:
    """Return one tool for each name in `scripts`."""
    playing = Playing()
    connected = ConnectedSource(DataSource("ops", "ops", ALLOWED), PlayedRows(playing))
    tools: Mapping[str, EvidenceTool[Any]] = {
        "query_logs": LogTool(PlayedLogs(playing), redactor=redactor),
        "query_mysql": MysqlTool([connected], redactor=redactor),
        "lookup_knowledge": PlayedKnowledge(playing, redactor),
    }
    return [PlayedTool(tools[name], results, playing, on_fetch) for name, results in scripts.items()]


class PlayedLogs:
    """A `LogBackend` that finds what the script says, whatever is asked."""

    def __init__(self, playing: Playing) -> None:
        self._playing = playing

    @property
    def sources(self) -> Sequence[SourceTitle]:
        return [SourceTitle("app", topic, LogSourceKind.FILES) for topic in LogTopic]

    def search(self, query: LogQuery, *, run: Run) -> RawLogs:
        run.check_active()
        result = self._playing.result
        events = [_event(event, query) for event in result.get("events", ())]
        events.sort(key=lambda event: event.timestamp)
        if result["evidence_status"] == EvidenceStatus.NO_EVIDENCE.value or not events:
            return RawLogs(source_kind="files", match_count=0)
        messages = list(dict.fromkeys(event.message for event in events))
        total = max(int(result.get("match_count", len(events))), len(events))
        patterns = [_pattern(message, events, total - len(messages) + 1) for message in messages[:1]]
        patterns += [_pattern(message, events, 1) for message in messages[1:]]
        numbered = [event.model_copy(update={"pattern": messages.index(event.message)}) for event in events]
        return RawLogs(
            source_kind="files",
            match_count=total,
            patterns=tuple(patterns),
            events=tuple(numbered[:SAMPLED_EVENTS]),
        )


class PlayedRows:
    """A `QueryExecutor` that returns the rows of the script in the columns of the plan."""

    def __init__(self, playing: Playing) -> None:
        self._playing = playing

    def run(self, plan: QueryPlan, *, run: Run) -> RawTable:
        run.check_active()
        result = self._playing.result
        rows = result.get("rows", ()) if result["evidence_status"] == "EVIDENCE_FOUND" else ()
        names = [str(name) for name in result.get("columns", ())]
        keyed = [dict(zip(names, row, strict=False)) if isinstance(row, list) else row for row in rows]
        return RawTable(tuple(tuple(row.get(column.name) for column in plan.columns) for row in keyed), False)


class PlayedKnowledge:
    """lookup_knowledge over scripted passages, with the agent result that the tool's contract names."""

    name = ToolName.LOOKUP_KNOWLEDGE
    description = "Searches the runbooks."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    }

    def __init__(self, playing: Playing, redactor: Redactor) -> None:
        self._playing = playing
        self._redactor = redactor

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> str:
        query = payload.get("query")
        if set(payload) != {"query"} or not isinstance(query, str) or not query.strip():
            raise ToolRejected("query_missing")
        return " ".join(query.split())

    def request_json(self, request: str) -> str:
        return canonical_json({"query": request})

    def scope_key(self, request: str) -> str:
        return canonical_json({"query": request.casefold()})

    def scope_display(self, request: str) -> str:
        return self._redactor.redact(request)[:120]

    def fetch(self, request: str, context: CallContext) -> str:
        context.run.check_active()
        return canonical_json(dict(self._playing.result))

    def project(self, request: str, raw_response: str, *, tool_call_id: str) -> Projection:
        raw = parse_strict_object(raw_response)
        status = EvidenceStatus(str(raw["evidence_status"]))
        listed = raw.get("evidence")
        passages = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        found = status is EvidenceStatus.EVIDENCE_FOUND
        result: dict[str, JsonValue] = {
            "tool_call_id": tool_call_id,
            "scope": {"query": self._redactor.redact(request)},
            "evidence_status": status.value,
            "returned_count": len(passages) if found else 0,
            "evidence": [self._passage(number, item) for number, item in enumerate(passages)]
            if found
            else [],
            "truncated": False,
        }
        if found:
            known = raw.get("relevance_level") in set(RelevanceLevel)
            result["relevance_level"] = raw["relevance_level"] if known else RelevanceLevel.PRECISE.value
        return Projection(canonical_json(result), status)

    def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
        try:
            payload = parse_strict_object(agent_result)
            status = EvidenceStatus(str(payload["evidence_status"]))
            relevance = payload.get("relevance_level")
            passages = payload["evidence"]
        except (StrictJsonError, KeyError, ValueError) as error:
            raise ProjectionFailed from error
        if payload.get("tool_call_id") != tool_call_id or not isinstance(passages, list):
            raise ProjectionFailed
        first = passages[0] if passages else {}
        excerpt = str(first.get("excerpt", "")) if isinstance(first, dict) else ""
        return ReadResult(
            tool_call_id=tool_call_id,
            source="runbooks",
            scope=canonical_json(payload["scope"]),
            summary=f"{len(passages)} passages",
            excerpt=excerpt[:320],
            control=ControlView(
                evidence_status=status,
                relevance_level=RelevanceLevel(str(relevance)) if relevance else None,
                returned_count=len(passages),
            ),
            payload=payload,
        )

    def _passage(self, number: int, item: Mapping[str, JsonValue]) -> JsonValue:
        title = self._redactor.redact(str(item.get("document_id", "")))
        return {
            "doc_id": title,
            "title": title,
            "section": "",
            "chunk_index": number,
            "excerpt": self._redactor.redact(str(item.get("excerpt", ""))),
        }


def _wait(seconds: float, run: Run) -> None:
    if seconds <= 0:
        return
    woken = threading.Event()
    unregister = run.cancellation.on_cancel(woken.set)
    try:
        woken.wait(seconds)
    finally:
        unregister()
    run.check_active()


def _event(event: Result, query: LogQuery) -> RawEvent:
    """Give the event of a script its day: the one of the window, in the user's zone."""
    end = from_us(query.window.end_us).astimezone(ZoneInfo(query.timezone))
    moment = end
    with suppress(ValueError, KeyError):
        clock = datetime.strptime(str(event["ts"]), "%H:%M:%S")
        moment = end.replace(hour=clock.hour, minute=clock.minute, second=clock.second, microsecond=0)
    start = from_us(query.window.start_us)
    moment = min(max(moment.astimezone(UTC), start), end.astimezone(UTC))
    return RawEvent(
        timestamp=moment.isoformat(),
        level=event.get("level", "ERROR"),
        service=event.get("service"),
        message=str(event["message"]),
        pattern=0,
    )


def _pattern(message: str, events: Sequence[RawEvent], count: int) -> RawPattern:
    same = [event for event in events if event.message == message]
    first = datetime.fromisoformat(same[0].timestamp)
    minute = first - timedelta(seconds=first.second, microseconds=first.microsecond)
    return RawPattern(
        count=max(count, len(same)),
        first_seen=same[0].timestamp,
        last_seen=same[-1].timestamp,
        level=same[0].level,
        service=same[0].service,
        example=message,
        is_new=None,
        peak_minute=minute.isoformat(),
        peak_count=1,
    )
