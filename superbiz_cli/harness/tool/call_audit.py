"""What is written down of a tool call: one metadata row and one event, after it and before the model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from superbiz_cli.harness.audit.events import Scalar, ToolInvocationRecord, TraceEvent, TraceType
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.status import Intent, InvocationStatus
from superbiz_cli.harness.contract.tool_call import (
    TOOL_CALL_ID_PATTERN,
    ControlView,
    ToolErrorCode,
    ToolName,
)
from superbiz_cli.harness.tool.port import EvidenceTool

RequestT = TypeVar("RequestT")


@dataclass(frozen=True, slots=True)
class CallFacts:
    """Identity, status and sizes of one admitted call. Sizes in UTF-8 bytes."""

    tool_call_id: str
    status: InvocationStatus
    control: ControlView
    error_code: ToolErrorCode | None
    request_bytes: int
    raw_bytes: int
    agent_result_bytes: int
    duration_ms: int
    step_id: int | None


@dataclass(frozen=True, slots=True)
class CallAudit:
    """Writes tool calls to the ledger. `branch`, if given, is named in every event."""

    recorder: Recorder
    branch: Intent | None = None

    def rejected(self, tool: ToolName, tool_call_id: str, code: ToolErrorCode) -> None:
        """Write that a call was refused before it left a record."""
        is_well_formed = TOOL_CALL_ID_PATTERN.fullmatch(tool_call_id) is not None
        attributes: dict[str, Scalar] = {
            "tool": tool.value,
            "tool_call_id": tool_call_id if is_well_formed else None,
            "error_code": code.value,
        }
        self._emit(TraceType.TOOL_REQUEST_REJECTED, attributes, {})

    def completed(self, tool: EvidenceTool[RequestT], request: RequestT, facts: CallFacts) -> None:
        """Write the row of a call that came to an end, good or bad, and the event that points at it."""
        attributes: dict[str, Scalar] = {
            "tool": tool.name.value,
            "tool_call_id": facts.tool_call_id,
            "status": facts.status.value,
            "evidence_status": facts.control.evidence_status.value,
            "error_code": facts.error_code.value if facts.error_code else None,
            "raw_bytes": facts.raw_bytes,
            "agent_result_bytes": facts.agent_result_bytes,
            "duration_ms": facts.duration_ms,
            "scope": scope_reference(tool, request),
            "tool_invocation_id": self.recorder.tool_invocation(_row(tool.name, facts)),
        }
        relevance, matched = facts.control.relevance_level, facts.control.match_count
        display: dict[str, Scalar] = {
            "scope": tool.scope_display(request),
            "count": facts.control.returned_count if matched is None else matched,
            "relevance": relevance.value if relevance else None,
            "truncated": facts.control.truncated,
        }
        self._emit(TraceType.TOOL_INVOCATION, attributes, display)

    def _emit(self, kind: TraceType, attributes: dict[str, Scalar], display: Mapping[str, Scalar]) -> None:
        if self.branch is not None:
            attributes["branch"] = self.branch.value
        self.recorder.emit(TraceEvent(kind, attributes, display))


def scope_reference(tool: EvidenceTool[RequestT], request: RequestT) -> str:
    """Return `tool#hash` (8 hex digits of SHA-256 of the normalized scope): all that is kept of it."""
    digest = hashlib.sha256(tool.scope_key(request).encode("utf-8", "replace")).hexdigest()
    return f"{tool.name.value}#{digest[:8]}"


def _row(tool: ToolName, facts: CallFacts) -> ToolInvocationRecord:
    return ToolInvocationRecord(
        tool_name=tool,
        tool_call_id=facts.tool_call_id,
        status=facts.status,
        evidence_status=facts.control.evidence_status,
        request_bytes=facts.request_bytes,
        raw_bytes=facts.raw_bytes,
        agent_result_bytes=facts.agent_result_bytes,
        duration_ms=facts.duration_ms,
        truncated=facts.control.truncated,
        relevance_level=facts.control.relevance_level,
        error_code=facts.error_code,
        step_id=facts.step_id,
    )
