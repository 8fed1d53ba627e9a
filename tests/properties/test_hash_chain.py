"""The hash chain: intact as written, broken by every change."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from superbiz_cli.harness.audit.chain import (
    GENESIS,
    ChainBroken,
    ChainFault,
    ChainIncomplete,
    ChainIntact,
    ChainVerdict,
    LedgerTotals,
    StoredEvent,
    digest_of,
    seal_of,
    stored_form,
    verify_chain,
)
from superbiz_cli.harness.audit.events import RecordedEvent, TraceEvent, TraceType
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.sink import EventListener
from tests.support.clock import FakeClock

RESULT = '{"run_id":"run1"}'
EVENTS = st.builds(
    TraceEvent,
    type=st.sampled_from(TraceType),
    attributes=st.dictionaries(
        st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.floats() | st.text(), max_size=3
    ),
)


def recorded(events: list[TraceEvent]) -> tuple[list[StoredEvent], LedgerTotals]:
    heard: list[RecordedEvent] = []
    ledger = Ledger("run1", FakeClock(), [EventListener("test", heard.append)])
    for event in events:
        ledger.emit(event)
    return [stored_form(event) for event in heard], ledger.totals


def other_than(event: StoredEvent) -> st.SearchStrategy[StoredEvent]:
    """The event with one field changed."""
    changed = st.one_of(
        st.text().map(lambda text: replace(event, run_id=text)),
        st.text().map(lambda text: replace(event, stage=text)),
        st.text().map(lambda text: replace(event, type=text)),
        st.text().map(lambda text: replace(event, attributes_json=text)),
        st.text().map(lambda text: replace(event, digest=text)),
        st.integers().map(lambda number: replace(event, at_ms=number)),
    )
    return changed.filter(lambda candidate: candidate != event)


def verdict_on(events: list[StoredEvent], totals: LedgerTotals) -> ChainVerdict:
    seal = seal_of(totals, result_json=RESULT)
    return verify_chain(events, totals=totals, result_json=RESULT, seal=seal)


@given(st.lists(EVENTS, max_size=8))
def test_a_chain_is_intact_as_written(events: list[TraceEvent]) -> None:
    stored, totals = recorded(events)
    assert verdict_on(stored, totals) == ChainIntact(len(events), sealed=True)
    assert verify_chain(stored) == ChainIntact(len(events), sealed=False)


@given(st.lists(EVENTS, min_size=1, max_size=8), st.data())
def test_a_changed_event_is_found_where_it_is(events: list[TraceEvent], data: st.DataObject) -> None:
    stored, totals = recorded(events)
    index = data.draw(st.integers(0, len(stored) - 1))
    changed = data.draw(other_than(stored[index]))
    stored[index] = changed
    assert verdict_on(stored, totals) == ChainBroken(index + 1, ChainFault.EVENT_ALTERED)


@given(st.lists(EVENTS, min_size=2, max_size=8), st.data())
def test_a_removed_event_is_found(events: list[TraceEvent], data: st.DataObject) -> None:
    stored, totals = recorded(events)
    index = data.draw(st.integers(0, len(stored) - 1))
    del stored[index]
    if index == len(stored):
        assert verdict_on(stored, totals) == ChainIncomplete(len(stored), recorded=len(events))
    else:
        assert verdict_on(stored, totals) == ChainBroken(index + 1, ChainFault.EVENT_MISSING)


@given(st.lists(EVENTS, min_size=2, max_size=8), st.data())
def test_events_in_another_order_are_found(events: list[TraceEvent], data: st.DataObject) -> None:
    stored, totals = recorded(events)
    shuffled = data.draw(st.permutations(stored))
    assume(shuffled != stored)
    assert isinstance(verdict_on(list(shuffled), totals), ChainBroken)
    renumbered = [replace(event, sequence_no=number) for number, event in enumerate(shuffled, start=1)]
    assert isinstance(verdict_on(renumbered, totals), ChainBroken)


@given(st.lists(EVENTS, min_size=1, max_size=8), EVENTS)
def test_a_chain_that_was_computed_anew_does_not_fit_its_seal(
    events: list[TraceEvent], other: TraceEvent
) -> None:
    stored, totals = recorded(events)
    forged, _ = recorded([*events[:-1], other])
    assume(forged != stored)
    assert verdict_on(forged, totals) == ChainBroken(len(events), ChainFault.HEAD_DIFFERS)


@given(st.lists(EVENTS, max_size=4), EVENTS)
def test_an_event_added_after_the_end_is_found(events: list[TraceEvent], other: TraceEvent) -> None:
    _, totals = recorded(events)
    longer, _ = recorded([*events, other])
    assert verdict_on(longer, totals) == ChainBroken(len(longer), ChainFault.HEAD_DIFFERS)


@given(
    st.builds(LedgerTotals, *[st.integers(0, 9)] * 4, head=st.sampled_from([GENESIS, "f" * 64])),
    st.builds(LedgerTotals, *[st.integers(0, 9)] * 4, head=st.sampled_from([GENESIS, "f" * 64])),
    st.text(),
    st.text(),
)
def test_a_seal_fits_one_set_of_totals_and_one_result(
    totals: LedgerTotals, other: LedgerTotals, result: str, other_result: str
) -> None:
    same = (totals, result) == (other, other_result)
    assert (seal_of(totals, result_json=result) == seal_of(other, result_json=other_result)) == same


def test_the_documented_digest_is_the_one_that_is_computed() -> None:
    event = StoredEvent("run1", 1, 0, "RUN", "RUN_STARTED", "{}", "")
    link = '{"at_ms":0,"attributes":"{}","run_id":"run1","sequence_no":1,"stage":"RUN","type":"RUN_STARTED"}'
    assert digest_of(event, previous=GENESIS) == hashlib.sha256(("0" * 64 + link).encode()).hexdigest()
