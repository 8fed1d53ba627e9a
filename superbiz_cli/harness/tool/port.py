"""What an evidence tool must offer to the fact boundary, the guards and the progress projector.

A tool is a pure part (parse, scope, project, read) around one back-end call (`fetch`). The boundary
owns everything else: identity, budget, bytes, storage, errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from superbiz_cli.harness.contract.evidence import IncidentWindow, ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName
from superbiz_cli.harness.core.run import Run


class ToolRejected(Exception):
    """The model's input is not a request that this tool accepts (INVALID_REQUEST).

    `category` is one word of the tool's closed list that helps the model to retry.
    """

    def __init__(self, category: str) -> None:
        super().__init__(category)
        self.category = category


class ToolExecutionFailed(Exception):
    """The back end failed (TOOL_EXECUTION_ERROR, or RESULT_TOO_LARGE when it says so)."""

    def __init__(
        self, category: str | None = None, *, code: ToolErrorCode = ToolErrorCode.TOOL_EXECUTION_ERROR
    ) -> None:
        super().__init__(category or code.value)
        self.category = category
        self.code = code


class ProjectionFailed(Exception):
    """A raw response cannot be projected, or an agent result cannot be read again (PROJECTION_ERROR)."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a back end may use: the Run (call `check_active`, register `cancellation.on_cancel`)."""

    run: Run
    incident: IncidentWindow


@dataclass(frozen=True, slots=True)
class Projection:
    """The agent result (canonical JSON; redacted and bounded) and its declared evidence status."""

    agent_result: str
    evidence_status: EvidenceStatus


RequestT = TypeVar("RequestT")


class EvidenceTool(Protocol[RequestT]):
    """One of the three read-only tools over its configured back end."""

    @property
    def name(self) -> ToolName:
        """The name that the model calls."""
        ...

    @property
    def description(self) -> str:
        """What the model reads about the tool, its sources and its input."""
        ...

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON schema of `input` in the envelope."""
        ...

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> RequestT:
        """Read the model's `input` into the effective request (defaults filled). Raises ToolRejected."""
        ...

    def request_json(self, request: RequestT) -> str:
        """Return the effective request as canonical JSON, for the canonical record."""
        ...

    def scope_key(self, request: RequestT) -> str:
        """Return the normalized scope: equal for requests between which the back end sees no difference."""
        ...

    def scope_display(self, request: RequestT) -> str:
        """Return what the live view shows of the request, redacted, <= 120 characters."""
        ...

    def fetch(self, request: RequestT, context: CallContext) -> str:
        """Ask the back end; return the raw response as JSON text.

        Raises ToolExecutionFailed, or RunAborted within 1 s of a cancel or the deadline.
        """
        ...

    def project(self, request: RequestT, raw_response: str, *, tool_call_id: str) -> Projection:
        """Turn the raw response into what the model may see. Raises ProjectionFailed."""
        ...

    def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
        """Read an agent result again, strictly: ids, status, counts and columns must agree.

        Raises ProjectionFailed for anything that this tool would not have written.
        """
        ...
