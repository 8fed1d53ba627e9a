"""Trace events and detail rows: what is written down about a Run, and nothing of its data.

A trace event carries ids of detail rows, counts, codes and hashes. `display` alone may hold text
(the redacted query of a tool call, for the live view); it is for subscribers in this process and
is never persisted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from superbiz_cli.harness.contract.model import ModelRole, RetryFailure
from superbiz_cli.harness.contract.status import (
    EvidenceStatus,
    Intent,
    InvocationStatus,
    RelevanceLevel,
    RunStatus,
)
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName

Scalar: TypeAlias = str | int | float | bool | None


class TraceStage(StrEnum):
    """Seven stages of a Run."""

    RUN = "RUN"
    ROUTING = "ROUTING"
    AGENT = "AGENT"
    TOOL = "TOOL"
    EVIDENCE = "EVIDENCE"
    SEMANTIC = "SEMANTIC"
    RELEASE = "RELEASE"


class TraceType(StrEnum):
    """Seventeen types of event."""

    RUN_STARTED = "RUN_STARTED"
    ROUTING_ATTEMPT = "ROUTING_ATTEMPT"
    ROUTING_DECISION = "ROUTING_DECISION"
    AGENT_MODEL_STEP = "AGENT_MODEL_STEP"
    TOOL_INVOCATION = "TOOL_INVOCATION"
    TOOL_REQUEST_REJECTED = "TOOL_REQUEST_REJECTED"
    PROGRESS_RECORDED = "PROGRESS_RECORDED"
    COLLECTION_STOPPED = "COLLECTION_STOPPED"
    EVIDENCE_GUARD_INITIAL = "EVIDENCE_GUARD_INITIAL"
    EVIDENCE_REPAIR_ATTEMPT = "EVIDENCE_REPAIR_ATTEMPT"
    EVIDENCE_GUARD_RECHECK = "EVIDENCE_GUARD_RECHECK"
    SEMANTIC_ATTEMPT = "SEMANTIC_ATTEMPT"
    SEMANTIC_GUARD_DECISION = "SEMANTIC_GUARD_DECISION"
    SEMANTIC_UNAVAILABLE = "SEMANTIC_UNAVAILABLE"
    RELEASE_DECISION = "RELEASE_DECISION"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    RUN_FINISHED = "RUN_FINISHED"


STAGE_OF: Mapping[TraceType, TraceStage] = {
    TraceType.RUN_STARTED: TraceStage.RUN,
    TraceType.ROUTING_ATTEMPT: TraceStage.ROUTING,
    TraceType.ROUTING_DECISION: TraceStage.ROUTING,
    TraceType.AGENT_MODEL_STEP: TraceStage.AGENT,
    TraceType.TOOL_INVOCATION: TraceStage.TOOL,
    TraceType.TOOL_REQUEST_REJECTED: TraceStage.TOOL,
    TraceType.PROGRESS_RECORDED: TraceStage.AGENT,
    TraceType.COLLECTION_STOPPED: TraceStage.AGENT,
    TraceType.EVIDENCE_GUARD_INITIAL: TraceStage.EVIDENCE,
    TraceType.EVIDENCE_REPAIR_ATTEMPT: TraceStage.EVIDENCE,
    TraceType.EVIDENCE_GUARD_RECHECK: TraceStage.EVIDENCE,
    TraceType.SEMANTIC_ATTEMPT: TraceStage.SEMANTIC,
    TraceType.SEMANTIC_GUARD_DECISION: TraceStage.SEMANTIC,
    TraceType.SEMANTIC_UNAVAILABLE: TraceStage.SEMANTIC,
    TraceType.RELEASE_DECISION: TraceStage.RELEASE,
    TraceType.BUDGET_EXHAUSTED: TraceStage.RUN,
    TraceType.RUN_FINISHED: TraceStage.RUN,
}


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event. `attributes` are persisted: enum values, counts, hashes, ids of detail rows."""

    type: TraceType
    attributes: Mapping[str, Scalar] = field(default_factory=dict)
    display: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def stage(self) -> TraceStage:
        """The stage that this type belongs to."""
        return STAGE_OF[self.type]


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A trace event as the ledger numbered it. `at_ms` is milliseconds since the Run began.

    `digest` is its link of the hash chain (`audit.chain`).
    """

    run_id: str
    sequence_no: int
    at_ms: int
    event: TraceEvent
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ModelCallRecord:
    """One physical model request. Tokens flagged `estimated` were not credibly reported."""

    role: ModelRole
    model: str
    attempt: int
    request_bytes: int
    reply_bytes: int
    input_tokens: int
    output_tokens: int
    estimated: bool
    duration_ms: int
    failure: RetryFailure | None = None
    finish_reason: str | None = None
    prompt_sha256: str | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class AgentStepRecord:
    """One turn of the agent: a tool request, a draft, or something that was answered for repair."""

    step_no: int
    kind: str
    tool_name: str | None
    model_call_id: int | None
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class ReasoningRecord:
    """Restricted: the model's own text. Recorders may be told to keep none."""

    step_no: int
    role: ModelRole
    text: str


@dataclass(frozen=True, slots=True)
class ToolInvocationRecord:
    """One call through the fact boundary: identity, status, sizes."""

    tool_name: ToolName
    tool_call_id: str
    status: InvocationStatus
    evidence_status: EvidenceStatus
    request_bytes: int
    raw_bytes: int
    agent_result_bytes: int
    duration_ms: int
    truncated: bool
    relevance_level: RelevanceLevel | None = None
    error_code: ToolErrorCode | None = None
    step_id: int | None = None


def run_status_after(event: TraceEvent) -> RunStatus | None:
    """Return the progress status that the user sees from `event` on, or None when it stays."""
    match event.type:
        case TraceType.RUN_STARTED:
            return RunStatus.ROUTING
        case TraceType.ROUTING_DECISION:
            return _BRANCH_STATUS.get(str(event.attributes.get("intent")))
        case TraceType.EVIDENCE_GUARD_INITIAL:
            return RunStatus.SAFETY_VALIDATING
        case TraceType.TOOL_INVOCATION if event.attributes.get("branch") == Intent.KNOWLEDGE_QUERY.value:
            return RunStatus.KNOWLEDGE_ANSWERING
        case _:
            return None


_BRANCH_STATUS: Mapping[str, RunStatus] = {
    Intent.SYSTEM_CHAT.value: RunStatus.SYSTEM_RESPONDING,
    Intent.KNOWLEDGE_QUERY.value: RunStatus.KNOWLEDGE_SEARCHING,
    Intent.DIAGNOSIS.value: RunStatus.DIAGNOSIS_RUNNING,
}
