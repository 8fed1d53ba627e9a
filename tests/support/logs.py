"""Builders for log tests: sources, runs, queries, and one call that goes all the way through the tool."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogSourceKind, LogTopic, RawLogs
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.port import CallContext
from superbiz_cli.harness.tool.redact import Redactor

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def a_run(deadline_s: float = 60.0) -> Run:
    return Run.start(session_id="s", deadline_s=deadline_s, limits=BudgetLimits())


def a_source(*paths: Path, kind: LogSourceKind = LogSourceKind.FILES, **fields: Any) -> LogSource:
    return LogSource(
        name=fields.pop("name", "app"),
        topic=fields.pop("topic", LogTopic.APPLICATION),
        kind=kind,
        paths=tuple(str(path) for path in paths),
        **fields,
    )


def search(query: LogQuery, *sources: LogSource, run: Run | None = None) -> RawLogs:
    """Search without the tool around it."""
    return ConfiguredLogs(sources).search(query, run=run or a_run())


def a_tool(*sources: LogSource) -> LogTool:
    return LogTool(ConfiguredLogs(sources), redactor=Redactor())


def call(
    tool: LogTool,
    query: str,
    *,
    until: datetime = NOON,
    since: datetime | None = None,
    timezone: str = "UTC",
    topic: LogTopic = LogTopic.APPLICATION,
    **payload: Any,
) -> dict[str, Any]:
    """Return the agent result of one query_logs call; it is also read again, strictly."""
    incident = IncidentWindow(until=until, since=since, timezone=timezone)
    request = tool.parse({"topic": topic.value, "query": query, **payload}, incident=incident)
    raw = tool.fetch(request, CallContext(a_run(), incident))
    projection = tool.project(request, raw, tool_call_id="ev-1")
    read = tool.read(projection.agent_result, tool_call_id="ev-1")
    result: dict[str, Any] = json.loads(projection.agent_result)
    assert read.control.evidence_status is projection.evidence_status
    return result


def ask(*sources: LogSource, query: str = "", **options: Any) -> dict[str, Any]:
    """Return the agent result of one query_logs call over these sources; see `call` for the options."""
    return call(a_tool(*sources), query, **options)
