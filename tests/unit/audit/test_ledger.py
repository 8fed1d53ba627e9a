"""The ledger: one numbered, chained stream that no subscriber can stop."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace

import pytest

from superbiz_cli.harness.audit.chain import ChainIntact, LedgerTotals, StoredEvent, stored_form, verify_chain
from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    RecordedEvent,
    ToolInvocationRecord,
    TraceEvent,
    TraceType,
)
from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.sink import EventListener
from superbiz_cli.harness.contract.model import ModelRole
from tests.support.audit import invocation, model_call
from tests.support.clock import FakeClock

STEP = AgentStepRecord(1, "TOOL_REQUEST", "query_logs", 1, 150, 20)
LOCKED = AuditUnavailable(AuditFault.LOCKED, where="audit.db", sentence="audit.db is locked.", remedy="wait")


@dataclass
class KeepingSink:
    """Keeps what it is told; raises `error` once it is set. Row ids count up from `first_id`."""

    name: str = "kept trace"
    first_id: int | None = None
    error: Exception | None = None
    events: list[RecordedEvent] = field(default_factory=list)
    records: list[object] = field(default_factory=list)

    def event(self, recorded: RecordedEvent) -> None:
        self._check()
        self.events.append(recorded)

    def model_call(self, run_id: str, record: ModelCallRecord) -> int | None:
        return self._keep(record)

    def agent_step(self, run_id: str, record: AgentStepRecord) -> int | None:
        return self._keep(record)

    def tool_invocation(self, run_id: str, record: ToolInvocationRecord) -> int | None:
        return self._keep(record)

    def reasoning(self, run_id: str, record: ReasoningRecord) -> None:
        self._keep(record)

    def stored(self) -> list[StoredEvent]:
        return [stored_form(event) for event in self.events]

    def _keep(self, record: object) -> int | None:
        self._check()
        self.records.append(record)
        return None if self.first_id is None else self.first_id + len(self.records) - 1

    def _check(self) -> None:
        if self.error:
            raise self.error


def started(**attributes: str | int | float | None) -> TraceEvent:
    return TraceEvent(TraceType.RUN_STARTED, attributes)


def test_events_are_numbered_from_one_and_timed_from_the_start() -> None:
    clock, sink = FakeClock(), KeepingSink()
    clock.advance(100)
    ledger = Ledger("run1", clock, [sink])
    ledger.emit(started())
    clock.advance(0.8)
    ledger.emit(TraceEvent(TraceType.ROUTING_DECISION))
    assert [(event.run_id, event.sequence_no, event.at_ms) for event in sink.events] == [
        ("run1", 1, 0),
        ("run1", 2, 800),
    ]


def test_every_subscriber_hears_the_same_chained_events() -> None:
    kept, heard = KeepingSink(), list[RecordedEvent]()
    ledger = Ledger("run1", FakeClock(), [kept, EventListener("live view", heard.append)])
    for number in range(5):
        ledger.emit(started(number=number))
    assert heard == kept.events
    assert verify_chain(kept.stored()) == ChainIntact(5, sealed=False)
    assert ledger.totals.head == kept.events[-1].digest


def test_detail_rows_return_the_id_of_the_sink_that_keeps_rows() -> None:
    listener, rows = EventListener("live view", lambda _event: None), KeepingSink(first_id=41)
    ledger = Ledger("run1", FakeClock(), [listener, rows])
    assert ledger.model_call(model_call()) == 41
    assert ledger.agent_step(STEP) == 42
    assert ledger.tool_invocation(invocation()) == 43
    ledger.reasoning(ReasoningRecord(1, ModelRole.AGENT, "text"))
    assert rows.records == [
        model_call(),
        STEP,
        invocation(),
        ReasoningRecord(1, ModelRole.AGENT, "text"),
    ]


def test_without_a_sink_that_keeps_rows_there_are_no_ids() -> None:
    ledger = Ledger("run1", FakeClock(), [NoArchive().trace_sink(run_id="run1", session_id="s1")])
    ledger.emit(started())
    ledger.reasoning(ReasoningRecord(1, ModelRole.AGENT, "text"))
    assert ledger.model_call(model_call()) is None
    assert ledger.agent_step(STEP) is None
    assert ledger.tool_invocation(invocation()) is None


def test_totals_count_what_was_recorded_even_if_it_was_lost() -> None:
    ledger = Ledger("run1", FakeClock(), [KeepingSink(error=LOCKED)], warn=lambda _sentence: None)
    ledger.emit(started())
    ledger.model_call(model_call())
    ledger.model_call(model_call())
    ledger.agent_step(STEP)
    ledger.tool_invocation(invocation())
    assert replace(ledger.totals, head="") == LedgerTotals(
        events=1, model_calls=2, agent_steps=1, tool_invocations=1, head=""
    )


def test_a_failing_sink_is_dropped_with_one_warning_and_the_others_go_on() -> None:
    warnings: list[str] = []
    failing, healthy = KeepingSink(name="audit database", error=LOCKED), KeepingSink()
    ledger = Ledger("run1", FakeClock(), [failing, healthy], warn=warnings.append)
    ledger.emit(started())
    failing.error = None
    ledger.emit(started())
    ledger.model_call(model_call())
    assert warnings == ["The audit database gets nothing more of this run: audit.db is locked."]
    assert (failing.events, failing.records) == ([], [])
    assert len(healthy.events) == 2


def test_a_warning_never_repeats_the_text_of_a_foreign_exception() -> None:
    warnings: list[str] = []
    failing = KeepingSink(name="live view", error=ValueError("password=hunter2"))
    Ledger("run1", FakeClock(), [failing], warn=warnings.append).emit(started())
    assert warnings == ["The live view gets nothing more of this run: ValueError"]


def test_warnings_go_to_the_log_by_default(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Ledger("run1", FakeClock(), [KeepingSink(error=LOCKED)]).emit(started())
    assert [record.message for record in caplog.records] == [
        "The kept trace gets nothing more of this run: audit.db is locked."
    ]


def test_what_looks_like_data_is_withheld_before_any_sink_sees_it() -> None:
    sink = KeepingSink()
    ledger = Ledger("run1", FakeClock(), [sink])
    ledger.emit(
        TraceEvent(
            TraceType.TOOL_INVOCATION,
            {"scope": "query_logs#a91f0312", "text": "SELECT secret FROM t", "ratio": float("nan")},
            {"query": "payment timeout"},
        )
    )
    ledger.model_call(model_call(model="gpt says hi", finish_reason="because: reasons"))
    ledger.agent_step(replace(STEP, tool_name="drop table users"))
    event = sink.events[0].event
    assert event.attributes == {"scope": "query_logs#a91f0312", "text": "[withheld]", "ratio": None}
    assert event.display == {"query": "payment timeout"}
    assert sink.records == [
        model_call(model="[withheld]", finish_reason="[withheld]"),
        replace(STEP, tool_name="[withheld]"),
    ]
