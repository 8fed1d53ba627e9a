"""query_logs as an evidence tool over a log back end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pydantic import ValidationError

from superbiz_cli.harness.contract.evidence import IncidentWindow, ReadResult
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.logs.contract import (
    DEFAULT_LOOKBACK_MINUTES,
    MAX_LOOKBACK_MINUTES,
    LogBackend,
    LogQuery,
    LogTopic,
    LogUnavailable,
    RawLogs,
    SourceTitle,
    TimeWindow,
    from_us,
)
from superbiz_cli.harness.tool.logs.project import project_logs
from superbiz_cli.harness.tool.logs.reread import read_logs
from superbiz_cli.harness.tool.logs.terms import MAX_QUERY_CHARS, MAX_TERMS, parse_terms
from superbiz_cli.harness.tool.port import (
    CallContext,
    Projection,
    ProjectionFailed,
    ToolExecutionFailed,
    ToolRejected,
)
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.sanitize import sanitize

DESCRIPTION = (
    "Searches the logs of a topic in a time window that ends at the incident time. `query` holds terms "
    "separated by spaces: all must occur in an event, case is ignored, a phrase in double quotes is one "
    "term, an empty query means every event. The result counts all matches, groups them into patterns "
    "(with first and last time, whether new in the window, and the peak minute) and shows a sample of "
    "events. A pattern with is_sampled was counted in a sample: there are at least so many, and when they "
    "began is not known. Hidden values are numbered: [REDACTED_IP#2] is the same address everywhere and can "
    "be used as a term. Sources: "
)
_FIELDS = {"topic", "query", "lookback_minutes"}


class LogTool:
    """See `port.EvidenceTool`. One instance for each Run: the redactor numbers values within a Run."""

    name = ToolName.QUERY_LOGS

    def __init__(self, backend: LogBackend, *, redactor: Redactor) -> None:
        self._backend = backend
        self._redactor = redactor

    @property
    def description(self) -> str:
        """What the model reads, with the configured sources of each topic."""
        return DESCRIPTION + describe_sources(self._backend.sources)

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON schema of the input; only configured topics can be asked for."""
        return {
            "type": "object",
            "properties": {
                "topic": {"type": "string", "enum": [topic.value for topic in self._topics()]},
                "query": {"type": "string", "maxLength": MAX_QUERY_CHARS},
                "lookback_minutes": {"type": "integer", "minimum": 1, "maximum": MAX_LOOKBACK_MINUTES},
            },
            "required": ["topic", "query"],
            "additionalProperties": False,
        }

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> LogQuery:
        """Read the input; see `parse_log_query`. Raises ToolRejected, also for a topic without a source."""
        query = parse_log_query(payload, incident=incident)
        if query.topic not in self._topics():
            raise ToolRejected("topic_not_configured")
        return query

    def request_json(self, request: LogQuery) -> str:
        """Return the effective request."""
        return canonical_json(
            {
                "topic": request.topic.value,
                "query": request.query,
                "start": from_us(request.window.start_us).isoformat(),
                "end": from_us(request.window.end_us).isoformat(),
            }
        )

    def scope_key(self, request: LogQuery) -> str:
        """Return the normalized scope: the order, case and repetition of terms make no difference."""
        return canonical_json(
            {
                "topic": request.topic.value,
                "terms": sorted(request.terms),
                "start": request.window.start_us,
                "end": request.window.end_us,
            }
        )

    def scope_display(self, request: LogQuery) -> str:
        """Return topic, terms and minutes, redacted and short."""
        minutes = max(1, round((request.window.end_us - request.window.start_us) / 60_000_000))
        query = sanitize(self._redactor.redact(request.query)) or "all events"
        text = f"{request.topic.value} · {query} · {minutes} min"
        return text if len(text) <= 120 else text[:119] + "…"

    def fetch(self, request: LogQuery, context: CallContext) -> str:
        """Search every source of the topic. Raises ToolExecutionFailed when none could answer."""
        terms = tuple(self._redactor.reveal(term).lower() for term in request.terms)
        try:
            return self._backend.search(replace(request, terms=terms), run=context.run).model_dump_json()
        except LogUnavailable as error:
            raise ToolExecutionFailed(error.category) from error

    def project(self, request: LogQuery, raw_response: str, *, tool_call_id: str) -> Projection:
        """Redact and bound the answer. Raises ProjectionFailed."""
        try:
            raw = RawLogs.model_validate_json(raw_response)
        except ValidationError as error:
            raise ProjectionFailed("not a raw answer of query_logs") from error
        return project_logs(request, raw, tool_call_id=tool_call_id, redactor=self._redactor)

    def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
        """Read a result again; see `reread.read_logs`."""
        return read_logs(agent_result, tool_call_id=tool_call_id)

    def _topics(self) -> list[LogTopic]:
        configured = {source.topic for source in self._backend.sources}
        return [topic for topic in LogTopic if topic in configured]


def parse_log_query(payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> LogQuery:
    """Read `{topic, query, lookback_minutes?}` into the effective request.

    The window ends at the incident time. It begins `lookback_minutes` before; without that, where the
    user said that the incident began, else 30 minutes before. Raises ToolRejected.
    """
    if set(payload) - _FIELDS:
        raise ToolRejected("unknown_field")
    topic, query, lookback = payload.get("topic"), payload.get("query"), payload.get("lookback_minutes")
    if not isinstance(topic, str) or topic not in set(LogTopic):
        raise ToolRejected("unknown_topic")
    if not isinstance(query, str):
        raise ToolRejected("query_missing")
    collapsed = " ".join(query.split())
    terms = parse_terms(query)
    if len(query) > MAX_QUERY_CHARS or len(terms) > MAX_TERMS:
        raise ToolRejected("query_too_long")
    start = incident.until - timedelta(minutes=DEFAULT_LOOKBACK_MINUTES)
    if lookback is not None:
        if isinstance(lookback, bool) or not isinstance(lookback, int):
            raise ToolRejected("lookback_not_an_integer")
        if not 1 <= lookback <= MAX_LOOKBACK_MINUTES:
            raise ToolRejected("lookback_out_of_range")
        start = incident.until - timedelta(minutes=lookback)
    elif incident.since is not None:
        start = min(incident.since, incident.until)
    return LogQuery(
        topic=LogTopic(topic),
        query=collapsed,
        terms=terms,
        window=TimeWindow.between(start, incident.until),
        timezone=incident.timezone,
    )


def describe_sources(sources: Sequence[SourceTitle]) -> str:
    """Return the sources by topic, in words for the model."""
    parts = []
    for topic in LogTopic:
        names = [f"{source.name} ({source.kind.value})" for source in sources if source.topic is topic]
        if names:
            parts.append(f"{topic.value}: {', '.join(names)}")
    return "; ".join(parts) + "."
