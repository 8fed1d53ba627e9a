"""The ledger of one Run: numbers every event, chains it, and passes it to all subscribers.

A subscriber that fails is dropped with one warning: auditing must never stop a Run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from superbiz_cli.harness.audit.chain import GENESIS, LedgerTotals, digest_of, stored_form
from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    RecordedEvent,
    ToolInvocationRecord,
    TraceEvent,
)
from superbiz_cli.harness.audit.failure import AuditUnavailable
from superbiz_cli.harness.audit.metadata import call_metadata, metadata_only, step_metadata
from superbiz_cli.harness.audit.sink import Sink

_log = logging.getLogger(__name__)

T = TypeVar("T")


class MonotonicClock(Protocol):
    """The part of a clock that the ledger needs."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        ...


class Ledger:
    """A `Recorder` over any number of sinks. Used by the Run's one working thread.

    `warn` receives one sentence for each sink that is dropped.
    """

    def __init__(
        self,
        run_id: str,
        clock: MonotonicClock,
        sinks: Sequence[Sink],
        *,
        warn: Callable[[str], None] = _log.warning,
    ) -> None:
        self._run_id = run_id
        self._clock = clock
        self._began_s = clock.monotonic()
        self._sinks = list(sinks)
        self._warn = warn
        self._totals = LedgerTotals(head=GENESIS)

    @property
    def totals(self) -> LedgerTotals:
        """How much has been recorded so far, and the head of the chain."""
        return self._totals

    def emit(self, event: TraceEvent) -> None:
        """Number and chain the event, and pass it to every subscriber."""
        recorded = self._chained(metadata_only(event))
        self._totals = replace(self._totals, events=recorded.sequence_no, head=recorded.digest)
        self._tell(lambda sink: sink.event(recorded))

    def model_call(self, record: ModelCallRecord) -> int | None:
        """Write one physical model request to the token ledger."""
        self._totals = replace(self._totals, model_calls=self._totals.model_calls + 1)
        checked = call_metadata(record)
        return self._row_id(lambda sink: sink.model_call(self._run_id, checked))

    def agent_step(self, record: AgentStepRecord) -> int | None:
        """Write one turn of the agent."""
        self._totals = replace(self._totals, agent_steps=self._totals.agent_steps + 1)
        checked = step_metadata(record)
        return self._row_id(lambda sink: sink.agent_step(self._run_id, checked))

    def tool_invocation(self, record: ToolInvocationRecord) -> int | None:
        """Write the metadata of one tool call."""
        self._totals = replace(self._totals, tool_invocations=self._totals.tool_invocations + 1)
        return self._row_id(lambda sink: sink.tool_invocation(self._run_id, record))

    def reasoning(self, record: ReasoningRecord) -> None:
        """Pass restricted model text to the sinks; the database's may keep none."""
        self._tell(lambda sink: sink.reasoning(self._run_id, record))

    def _chained(self, event: TraceEvent) -> RecordedEvent:
        unchained = RecordedEvent(
            run_id=self._run_id,
            sequence_no=self._totals.events + 1,
            at_ms=round((self._clock.monotonic() - self._began_s) * 1000),
            event=event,
        )
        return replace(unchained, digest=digest_of(stored_form(unchained), previous=self._totals.head))

    def _row_id(self, call: Callable[[Sink], int | None]) -> int | None:
        return next((row_id for row_id in self._tell(call) if row_id is not None), None)

    def _tell(self, call: Callable[[Sink], T]) -> list[T]:
        answers = []
        for sink in tuple(self._sinks):
            try:
                answers.append(call(sink))
            except Exception as error:  # whatever a subscriber does, the Run goes on
                self._drop(sink, error)
        return answers

    def _drop(self, sink: Sink, error: Exception) -> None:
        self._sinks.remove(sink)
        cause = str(error) if isinstance(error, AuditUnavailable) else type(error).__name__
        self._warn(f"The {sink.name} gets nothing more of this run: {cause}")
