"""Replaying a Run from rows alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from superbiz_cli.harness.audit.chain import GENESIS, ChainIntact, LedgerTotals, StoredEvent, digest_of
from superbiz_cli.harness.audit.replay import ReplayDepth, TimeSplit, check_tokens, reconstruct
from superbiz_cli.harness.audit.rows import (
    RowCounts,
    RunDetails,
    RunSummary,
    StoredAgentStep,
    StoredInvocation,
    StoredModelCall,
    StoredReasoning,
    StoredRun,
)
from superbiz_cli.harness.contract.report import Usage
from tests.support.audit import BEGAN


def call(row_id: int, role: str = "agent", *, tokens: int = 170, duration_ms: int = 4100) -> StoredModelCall:
    return StoredModelCall(
        id=row_id,
        role=role,
        model="openai/gpt-5",
        attempt=1,
        request_bytes=600,
        reply_bytes=90,
        input_tokens=tokens - 20,
        output_tokens=20,
        estimated=False,
        duration_ms=duration_ms,
        failure=None,
        finish_reason="stop",
        prompt_sha256=None,
        cost_usd=None,
    )


def step(row_id: int, model_call_id: int | None, *, tokens: int = 170) -> StoredAgentStep:
    return StoredAgentStep(row_id, row_id, "TOOL_REQUEST", "query_logs", model_call_id, tokens - 20, 20)


def tool(duration_ms: int) -> StoredInvocation:
    return StoredInvocation(
        1, "query_logs", "ev-1", None, "READY", "EVIDENCE_FOUND", 1, 1, False, None, duration_ms, True, None
    )


def event(sequence_no: int, previous: str, *, at_ms: int = 0, attributes: str = "{}") -> StoredEvent:
    bare = StoredEvent("run1", sequence_no, at_ms, "RUN", "RUN_STARTED", attributes, "")
    return replace(bare, digest=digest_of(bare, previous=previous))


def run(*, usage: Usage | None = None, duration_ms: int | None = None) -> StoredRun:
    return StoredRun(
        RunSummary("run1", "s1", "q", "m", "RUNNING", BEGAN, usage=usage, duration_ms=duration_ms)
    )


DETAILS = RunDetails(
    model_calls=(
        call(1),
        call(2, "router", duration_ms=800),
        call(3, "judge", duration_ms=2600),
        call(4, "repair", duration_ms=400),
    ),
    agent_steps=(step(1, 1),),
    tool_invocations=(tool(60), tool(40)),
)
SPENT = Usage(input_tokens=600, output_tokens=80)


def test_time_is_split_into_model_tools_and_guards() -> None:
    replay = reconstruct(run(duration_ms=36_100), [], DETAILS, RowCounts())
    assert replay.time == TimeSplit(total_ms=36_100, model_ms=4900, tools_ms=100, guards_ms=3000)


def test_the_time_of_a_run_that_works_ends_at_its_last_event() -> None:
    replay = reconstruct(run(), [event(1, GENESIS, at_ms=700)], RunDetails(), RowCounts())
    assert replay.time.total_ms == 700
    assert reconstruct(run(), [], RunDetails(), RowCounts()).time.total_ms == 0


def test_ledger_budget_and_steps_agree() -> None:
    tokens = check_tokens(run(usage=SPENT), DETAILS)
    assert (tokens.ledger_tokens, tokens.budget_tokens, tokens.step_tokens, tokens.agent_tokens) == (
        680,
        680,
        170,
        170,
    )
    assert tokens.consistent


def test_a_failed_agent_call_without_a_step_is_consistent() -> None:
    failed = replace(call(5), failure="TIMEOUT")
    details = replace(DETAILS, model_calls=(*DETAILS.model_calls, failed))
    assert check_tokens(run(usage=Usage(input_tokens=750, output_tokens=100)), details).consistent


def test_a_run_that_works_cannot_be_checked_yet() -> None:
    assert check_tokens(run(), DETAILS).consistent is None


@pytest.mark.parametrize(
    ("usage", "steps"),
    [
        (Usage(input_tokens=601, output_tokens=80), (step(1, 1),)),
        (SPENT, (step(1, 1, tokens=171),)),
        (SPENT, (step(1, 1), step(2, 1))),
        (SPENT, (step(1, 99),)),
        (SPENT, (step(1, None),)),
    ],
    ids=["budget differs", "step differs", "written twice", "no such call", "no call"],
)
def test_what_does_not_add_up_is_inconsistent(usage: Usage, steps: tuple[StoredAgentStep, ...]) -> None:
    assert check_tokens(run(usage=usage), replace(DETAILS, agent_steps=steps)).consistent is False


def test_counters_show_what_was_recorded_persisted_and_returned() -> None:
    totals = LedgerTotals(events=3, model_calls=5, agent_steps=1, tool_invocations=2)
    events = [event(1, GENESIS)]
    persisted = RowCounts(events=2, model_calls=4, agent_steps=1, tool_invocations=2)
    replay = reconstruct(replace(run(), totals=totals), events, DETAILS, persisted)
    assert [(c.kind, c.recorded, c.persisted, c.returned, c.missing) for c in replay.counts] == [
        ("events", 3, 2, 1, 1),
        ("model_calls", 5, 4, 4, 1),
        ("agent_steps", 1, 1, 1, 0),
        ("tool_invocations", 2, 2, 2, 0),
    ]


def test_a_run_that_works_has_no_known_gaps() -> None:
    replay = reconstruct(run(), [event(1, GENESIS)], RunDetails(), RowCounts(events=1))
    assert {(count.recorded, count.missing) for count in replay.counts} == {(None, 0)}


def test_a_limit_bounds_what_is_returned_but_not_what_is_verified() -> None:
    first = event(1, GENESIS)
    second = event(2, first.digest)
    replay = reconstruct(run(), [first, second], RunDetails(), RowCounts(events=2), limit=1)
    assert [entry.sequence_no for entry in replay.timeline] == [1]
    assert replay.chain == ChainIntact(2, sealed=False)


def test_details_and_reasoning_are_returned_only_when_asked_for() -> None:
    texts = (StoredReasoning(1, "agent", "I look."),)
    shallow = reconstruct(run(), [], DETAILS, RowCounts())
    detailed = reconstruct(run(), [], DETAILS, RowCounts(), depth=ReplayDepth.DETAILS)
    deep = reconstruct(run(), [], DETAILS, RowCounts(), reasoning=texts, depth=ReplayDepth.REASONING)
    assert (shallow.details, shallow.reasoning) == (None, None)
    assert (detailed.details, detailed.reasoning) == (DETAILS, None)
    assert (deep.details, deep.reasoning) == (DETAILS, texts)


def test_an_unreadable_event_is_shown_without_attributes() -> None:
    broken = event(1, GENESIS, attributes="not json")
    replay = reconstruct(run(), [broken, event(2, broken.digest, attributes='{"a":1}')], DETAILS, RowCounts())
    assert [entry.attributes for entry in replay.timeline] == [{}, {"a": 1}]
