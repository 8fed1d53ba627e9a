"""The evidence tools whose back ends are configured; a tool without one does not exist."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from superbiz_cli.bootstrap.knowledge import knowledge_tool
from superbiz_cli.harness.tool.port import EvidenceTool
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.settings import Settings


def evidence_tools(settings: Settings, redactor: Redactor, stack: ExitStack) -> list[EvidenceTool[Any]]:
    """Return the tools of one Run; what they open is closed by `stack`."""
    tools: list[EvidenceTool[Any]] = []
    if settings.logs.sources:
        tools.append(log_tool(settings, redactor))
    if settings.mysql.data_sources:
        from superbiz_cli.bootstrap.data_sources import mysql_tool

        tools.extend(tool for tool in [mysql_tool(settings, redactor)] if tool is not None)
    tools.extend(tool for tool in [knowledge_tool(settings, redactor, stack)] if tool is not None)
    return tools


def log_tool(settings: Settings, redactor: Redactor) -> EvidenceTool[Any]:
    """Return query_logs over the configured sources."""
    from superbiz_cli.adapters.log_backend import ConfiguredLogs
    from superbiz_cli.bootstrap.sources import log_sources
    from superbiz_cli.harness.tool.logs.tool import LogTool

    return LogTool(ConfiguredLogs(log_sources(settings)), redactor=redactor)
