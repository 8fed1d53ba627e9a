"""The canonical invocation: the whole truth about one tool call, and the port that keeps it.

A record is immutable and cannot be constructed in an illegal combination. It lives for a short
time in the store and never leaves the harness.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName

_LEGAL: dict[InvocationStatus, set[EvidenceStatus | None]] = {
    InvocationStatus.PROJECTING: {None},
    InvocationStatus.READY: {EvidenceStatus.EVIDENCE_FOUND, EvidenceStatus.NO_EVIDENCE},
    InvocationStatus.ERROR: {EvidenceStatus.ERROR},
}


@dataclass(frozen=True, slots=True)
class CanonicalInvocation:
    """One tool call. Times are ISO 8601 in UTC; texts are JSON.

    Raises ValueError for an illegal combination of fields.
    """

    run_id: str
    tool_call_id: str
    tool_name: ToolName
    request: str
    status: InvocationStatus
    started_at: str
    evidence_status: EvidenceStatus | None = None
    raw_response: str | None = None
    agent_result: str | None = None
    error_code: ToolErrorCode | None = None
    completed_at: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could not have happened."""
        if self.evidence_status not in _LEGAL[self.status]:
            raise ValueError("evidence status does not fit the invocation status")
        is_ready = self.status is InvocationStatus.READY
        if is_ready != (self.agent_result is not None):
            raise ValueError("a READY record, and only that, has an agent result")
        if is_ready and self.raw_response is None:
            raise ValueError("a READY record has a raw response")
        if (self.status is InvocationStatus.ERROR) != (self.error_code is not None):
            raise ValueError("an ERROR record, and only that, has an error code")
        if (self.status is InvocationStatus.PROJECTING) != (self.completed_at is None):
            raise ValueError("a record has a completion time when it is complete, and only then")

    def as_begun(self) -> CanonicalInvocation:
        """Return the PROJECTING record that this one began as: the only record it may replace."""
        return CanonicalInvocation(
            run_id=self.run_id,
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            request=self.request,
            status=InvocationStatus.PROJECTING,
            started_at=self.started_at,
        )

    def is_referencable_by(self, run_id: str) -> bool:
        """Whether a draft of `run_id` may cite this call."""
        return (
            self.status is InvocationStatus.READY
            and self.run_id == run_id
            and bool(self.agent_result and self.agent_result.strip())
        )


class StoreFault(StrEnum):
    """Why the canonical store refused or failed."""

    UNAVAILABLE = "UNAVAILABLE"
    DUPLICATE = "DUPLICATE"
    ABSENT = "ABSENT"
    ILLEGAL_TRANSITION = "ILLEGAL_TRANSITION"
    TOO_LARGE = "TOO_LARGE"
    CORRUPT = "CORRUPT"


class StoreError(Exception):
    """The canonical store could not do what was asked. Carries no text of a library."""

    def __init__(self, fault: StoreFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


class InvocationStore(Protocol):
    """Keeps canonical invocations for a TTL that starts at `begin` and is never extended."""

    def begin(self, record: CanonicalInvocation) -> None:
        """Create a PROJECTING record.

        Raises StoreError: DUPLICATE, TOO_LARGE, UNAVAILABLE, ILLEGAL_TRANSITION for a record that is
        complete already or whose key has an illegal shape.
        """
        ...

    def complete(self, record: CanonicalInvocation) -> None:
        """Replace the PROJECTING record of the same key by a READY or ERROR one, atomically.

        Raises StoreError: ABSENT (or expired), ILLEGAL_TRANSITION (already complete, or another
        identity), TOO_LARGE, CORRUPT, UNAVAILABLE.
        """
        ...

    def find(self, run_id: str, tool_call_id: str) -> CanonicalInvocation | None:
        """Return the record of this exact key, or None. Raises StoreError: CORRUPT, UNAVAILABLE."""
        ...

    def close(self) -> None:
        """Release connections and files."""
        ...
