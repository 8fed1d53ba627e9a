"""The one port that every stage writes to. A recorder never raises: auditing must not stop a Run."""

from __future__ import annotations

from typing import Protocol

from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    ToolInvocationRecord,
    TraceEvent,
)


class Recorder(Protocol):
    """Receives what happens in one Run. Detail methods return the row's id, or None if it was lost."""

    def emit(self, event: TraceEvent) -> None:
        """Number the event and pass it to every subscriber."""
        ...

    def model_call(self, record: ModelCallRecord) -> int | None:
        """Write one physical model request to the token ledger."""
        ...

    def agent_step(self, record: AgentStepRecord) -> int | None:
        """Write one turn of the agent."""
        ...

    def tool_invocation(self, record: ToolInvocationRecord) -> int | None:
        """Write the metadata of one tool call."""
        ...

    def reasoning(self, record: ReasoningRecord) -> None:
        """Write restricted model text, if the recorder keeps any."""
        ...


class NullRecorder:
    """Keeps nothing."""

    def emit(self, event: TraceEvent) -> None:
        """Forget the event."""

    def model_call(self, record: ModelCallRecord) -> int | None:
        """Forget the call."""
        return None

    def agent_step(self, record: AgentStepRecord) -> int | None:
        """Forget the step."""
        return None

    def tool_invocation(self, record: ToolInvocationRecord) -> int | None:
        """Forget the invocation."""
        return None

    def reasoning(self, record: ReasoningRecord) -> None:
        """Forget the text."""
