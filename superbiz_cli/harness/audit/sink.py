"""Where the ledger's stream goes: the database, the live view, the event stream of `--ndjson`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    RecordedEvent,
    ToolInvocationRecord,
)


class Sink(Protocol):
    """One subscriber. It may raise: the ledger then drops it, and the Run goes on.

    Detail methods return the id of the row they wrote, or None if the sink keeps no rows.
    """

    @property
    def name(self) -> str:
        """What a warning calls the sink, for example "trace database"."""
        ...

    def event(self, recorded: RecordedEvent) -> None:
        """Take one numbered event."""
        ...

    def model_call(self, run_id: str, record: ModelCallRecord) -> int | None:
        """Take one physical model request."""
        ...

    def agent_step(self, run_id: str, record: AgentStepRecord) -> int | None:
        """Take one turn of the agent."""
        ...

    def tool_invocation(self, run_id: str, record: ToolInvocationRecord) -> int | None:
        """Take the metadata of one tool call."""
        ...

    def reasoning(self, run_id: str, record: ReasoningRecord) -> None:
        """Take restricted model text."""
        ...


class EventListener:
    """A sink that only hears events: `listen` is called for each, on the Run's thread.

    An exception of `listen` ends the subscription, not the Run; a listener that wants the Run to
    end (a closed pipe) cancels it itself.
    """

    def __init__(self, name: str, listen: Callable[[RecordedEvent], None]) -> None:
        self._name = name
        self._listen = listen

    @property
    def name(self) -> str:
        """What a warning calls the listener."""
        return self._name

    def event(self, recorded: RecordedEvent) -> None:
        """Pass the event on."""
        self._listen(recorded)

    def model_call(self, run_id: str, record: ModelCallRecord) -> int | None:
        """Keep nothing."""
        return None

    def agent_step(self, run_id: str, record: AgentStepRecord) -> int | None:
        """Keep nothing."""
        return None

    def tool_invocation(self, run_id: str, record: ToolInvocationRecord) -> int | None:
        """Keep nothing."""
        return None

    def reasoning(self, run_id: str, record: ReasoningRecord) -> None:
        """Keep nothing."""
