"""One evidence tool call: names, stable error codes, and the results of the fact boundary."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from superbiz_cli.harness.contract.status import EvidenceStatus, RelevanceLevel

TOOL_CALL_ID_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,128}")


class ToolName(StrEnum):
    """The three read-only evidence tools."""

    LOOKUP_KNOWLEDGE = "lookup_knowledge"
    QUERY_LOGS = "query_logs"
    QUERY_MYSQL = "query_mysql"


class SourceType(StrEnum):
    """What kind of source a tool reads, as reports name it."""

    KNOWLEDGE = "knowledge"
    LOGS = "logs"
    MYSQL = "mysql"


SOURCE_TYPE_OF: dict[ToolName, SourceType] = {
    ToolName.LOOKUP_KNOWLEDGE: SourceType.KNOWLEDGE,
    ToolName.QUERY_LOGS: SourceType.LOGS,
    ToolName.QUERY_MYSQL: SourceType.MYSQL,
}


class ToolErrorCode(StrEnum):
    """All that leaves the fact boundary when a call fails. Never a vendor's message."""

    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_TOOL_CALL_ID = "INVALID_TOOL_CALL_ID"
    RUN_MISMATCH = "RUN_MISMATCH"
    UNAUTHORIZED = "UNAUTHORIZED"
    NOT_READ_ONLY = "NOT_READ_ONLY"
    DUPLICATE_TOOL_CALL = "DUPLICATE_TOOL_CALL"
    RUN_INACTIVE = "RUN_INACTIVE"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    TOOL_EXECUTION_ERROR = "TOOL_EXECUTION_ERROR"
    PROJECTION_ERROR = "PROJECTION_ERROR"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"
    STORE_ERROR = "STORE_ERROR"


@dataclass(frozen=True, slots=True)
class ControlView:
    """The few fields of a result that the harness reads. `returned_count` never reaches the model.

    `match_count` is how much matched in all, where the source counts more than it returns.
    """

    evidence_status: EvidenceStatus
    relevance_level: RelevanceLevel | None = None
    returned_count: int = 0
    truncated: bool = False
    match_count: int | None = None


@dataclass(frozen=True, slots=True)
class ToolReady:
    """A call that came back: the bounded, redacted agent result and its control view."""

    tool_call_id: str
    tool_name: ToolName
    agent_result: str
    control: ControlView


@dataclass(frozen=True, slots=True)
class ToolFailed:
    """A call that did not: a stable code, and a short category that helps the model to retry.

    `category` is one of the tool's own closed words (for example "literal_not_allowed").
    """

    tool_call_id: str
    tool_name: ToolName
    code: ToolErrorCode
    category: str | None = None


ToolOutcome: TypeAlias = ToolReady | ToolFailed
