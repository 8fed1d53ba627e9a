from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import pytest

from superbiz_cli.harness.agent.loop import MAX_ANSWERED_CALLS, AgentInputTooLarge, AgentUnavailable
from superbiz_cli.harness.agent.outcome import Completed, DraftFault, Stopped
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.limits import AttemptLimits, PayloadLimits, RunLimits, TimeLimits
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)
from superbiz_cli.harness.contract.status import CancelReason, RunState, StopReason
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.collecting import AGENT_INPUT, NONCE, Bench, small_budget
from tests.support.fakes import FakeEvidenceTool, Scripted, failing, found, nothing
from tests.support.scripted import (
    ScriptedChatModel,
    call,
    calls,
    draft,
    observations,
    raw_call,
    says,
)

GAINED_1 = ("{{id:1}}", "GAINED")
LOST = ModelUnavailable(RetryFailure.TRANSPORT, hint="set OPENAI_API_KEY")


def bench(*results: Scripted, limits: RunLimits | None = None) -> Bench:
    tools = [
        FakeEvidenceTool(ToolName.QUERY_LOGS, results or [found()]),
        FakeEvidenceTool(ToolName.QUERY_MYSQL),
    ]
    return Bench(limits=limits or RunLimits(), tools=tools)


# --- the good way


def test_two_searches_and_a_draft_complete_the_collection() -> None:
    parts = bench()
    ending = parts.collect(
        calls(call(query="payment timeout")),
        calls(call("query_mysql", rating=GAINED_1, query="pool")),
        says(draft(cites=["{{id:1}}", "{{id:2}}"], conclusion="the pool is exhausted")),
    )
    assert isinstance(ending, Completed)
    assert ending.draft.analysis is not None
    assert ending.draft.analysis[0].tool_call_ids == (f"ev-{NONCE}-1", f"ev-{NONCE}-2")
    assert parts.fetches == 2
    assert parts.stop_reasons == []


def test_a_draft_may_leave_the_last_result_unrated() -> None:
    ending = bench().collect(calls(call(query="payment")), says(draft(cites=["{{id:1}}"])))
    assert isinstance(ending, Completed)


def test_the_model_reads_its_rules_its_input_and_the_tools() -> None:
    parts = bench()
    parts.collect(says(draft()))
    (request,) = parts.model.requests
    assert request.role is ModelRole.AGENT
    assert [(message.role, message.content) for message in request.messages] == [
        ("system", "You are the investigator."),
        ("user", AGENT_INPUT),
    ]
    assert [spec.name for spec in request.tools] == ["query_logs", "query_mysql"]


def test_provider_ids_are_overwritten_in_what_the_model_reads_back() -> None:
    parts = bench()
    parts.collect(
        calls(call(provider_id="dup", query="a")),
        calls(call("query_mysql", rating=GAINED_1, provider_id="dup", query="b")),
        says(draft()),
    )
    history = parts.model.requests[-1].messages
    assert [one.id for message in history for one in message.tool_calls] == [f"ev-{NONCE}-1", f"ev-{NONCE}-2"]
    assert [message.tool_call_id for message in history if message.role == "tool"] == [
        f"ev-{NONCE}-1",
        f"ev-{NONCE}-2",
    ]


def test_the_model_is_given_its_time_per_attempt() -> None:
    class Stopwatch(ScriptedChatModel):
        def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
            given.append(timeout_s)
            return super().complete(request, timeout_s=timeout_s, cancel=cancel)

    given: list[float] = []
    limits = RunLimits(time=TimeLimits(agent=AttemptLimits(attempt_s=30.0, total_s=20.0)))
    parts = bench(limits=limits)
    parts.make_model = Stopwatch
    parts.collect(says(draft()))
    assert given == [20.0]


# --- text and tool calls


def test_text_beside_a_tool_call_is_never_a_draft() -> None:
    parts = bench()
    ending = parts.collect(
        calls(call(query="a"), content=draft(conclusion="fabricated")),
        says(draft(text="honest")),
    )
    assert isinstance(ending, Completed)
    assert ending.draft.conclusion is None
    assert parts.fetches == 1


def test_of_several_calls_in_a_turn_only_the_first_runs() -> None:
    parts = bench()
    parts.collect(calls(*(call(query=f"q{number}") for number in range(3))), says(draft()))
    seen = observations(parts.model.requests[-1])
    assert [one["observation"] for one in seen] == ["RESULT", "NOT_RUN", "NOT_RUN"]
    assert parts.fetches == 1
    assert parts.tracker.counters.violations == 0
    assert parts.tracker.counters.no_gain == 0


def test_a_flood_of_calls_in_a_turn_is_not_sent_back_whole() -> None:
    parts = bench()
    parts.collect(calls(*(call(query=f"q{number}") for number in range(200))), says(draft()))
    assert len(observations(parts.model.requests[-1])) == MAX_ANSWERED_CALLS
    assert parts.fetches == 1


# --- drafts that are none


def test_an_invalid_draft_is_answered_once_and_can_be_corrected() -> None:
    parts = bench()
    ending = parts.collect(calls(call(query="a")), says("The cause is clear."), says(draft()))
    assert isinstance(ending, Completed)
    *_, told, repair = parts.model.requests[-1].messages
    assert (told.role, told.content) == ("assistant", "The cause is clear.")
    assert repair.role == "user"
    assert json.loads(repair.content)["fault"] == "INVALID_JSON"
    assert parts.model.requests[-1].tools != ()


def test_the_second_invalid_draft_ends_the_collection_with_its_own_fault() -> None:
    parts = bench()
    ending = parts.collect(says("The cause is clear."), says(""))
    assert ending == Stopped(DraftFault.EMPTY_DRAFT)
    assert parts.stop_reasons == ["EMPTY_DRAFT"]
    assert len(parts.model.requests) == 2


def test_an_invalid_draft_is_answered_once_in_a_collection_however_much_lies_between() -> None:
    ending = bench().collect(says("no"), calls(call(query="a")), says("no"))
    assert ending == Stopped(DraftFault.INVALID_JSON)


def test_the_first_offending_path_is_told() -> None:
    parts = bench()
    parts.collect(says(draft(kind="normal")), says(draft()))
    repair = json.loads(parts.model.requests[-1].messages[-1].content)
    assert (repair["fault"], repair["path"]) == ("SCHEMA_INVALID", "analysis[0].kind")


@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_a_draft_that_was_cut_off_is_no_draft(finish_reason: str) -> None:
    cut_off = says(draft(), finish_reason=finish_reason)
    assert bench().collect(cut_off, cut_off) == Stopped(DraftFault.INVALID_JSON)


def test_a_tool_call_in_the_draft_repair_turn_goes_on_with_the_collection() -> None:
    parts = bench()
    ending = parts.collect(says("no"), calls(call(query="a")), says(draft(cites=["{{id:1}}"])))
    assert isinstance(ending, Completed)
    assert parts.fetches == 1


# --- saturation


def test_the_soft_stop_is_delivered_once_and_then_only_a_draft_is_asked_for() -> None:
    parts = bench(nothing())
    ending = parts.collect(calls(call(query="a")), calls(call(query="b")), says(draft()))
    assert isinstance(ending, Completed)
    assert [bool(request.tools) for request in parts.model.requests] == [True, True, False]
    orders = [one for one in observations(parts.model.requests[-1]) if one["stop_required"]]
    assert [order["stop_reason"] for order in orders] == ["INFORMATION_SATURATED"]
    assert parts.stop_reasons == ["INFORMATION_SATURATED"]


def test_a_tool_request_after_the_soft_stop_is_a_hard_stop() -> None:
    parts = bench(nothing())
    ending = parts.collect(*(calls(call(query=f"q{number}")) for number in range(9)))
    assert ending == Stopped(StopReason.INFORMATION_SATURATED)
    assert len(parts.model.requests) == 3
    assert parts.fetches == 2
    assert parts.stop_reasons == ["INFORMATION_SATURATED"]


def test_an_invalid_draft_after_the_soft_stop_is_still_answered_once() -> None:
    parts = bench(nothing())
    ending = parts.collect(calls(call(query="a")), calls(call(query="b")), says("no"), says("no"))
    assert ending == Stopped(DraftFault.INVALID_JSON)
    assert parts.stop_reasons == ["INFORMATION_SATURATED", "INVALID_JSON"]


def test_two_violations_in_a_row_stop_the_collection() -> None:
    parts = bench()
    ending = parts.collect(calls(raw_call("query_logs", "[1,2]")))
    assert ending == Stopped(StopReason.PROGRESS_PROTOCOL_VIOLATED)
    assert len(parts.model.requests) == 3
    assert parts.fetches == 0


def test_an_unknown_tool_for_ever_ends_after_three_turns() -> None:
    parts = bench()
    assert parts.collect(calls(call("WebSearch", q="x"))) == Stopped(StopReason.PROGRESS_PROTOCOL_VIOLATED)
    assert len(parts.model.requests) == 3


def test_repeating_one_search_for_ever_ends_after_four_turns() -> None:
    def again(request: ModelRequest) -> ModelReply:
        seen = observations(request)
        owes = bool(seen) and seen[-1].get("rating_required") is True
        rating = (str(seen[-1]["tool_call_id"]), "GAINED") if owes else None
        return calls(call(rating=rating, query="payment timeout"))

    parts = bench()
    assert parts.collect(again) == Stopped(StopReason.INFORMATION_SATURATED)
    assert len(parts.model.requests) == 4
    assert parts.fetches == 1


def test_alternating_two_searches_with_made_up_ratings_ends_within_five_turns() -> None:
    """A, B, A, B... each rated GAINED, also where nothing is owed: with the router six model calls."""

    def alternate(request: ModelRequest) -> ModelReply:
        seen = observations(request)
        tool = "query_mysql" if len(seen) % 2 else "query_logs"
        rating = (str(seen[-1]["tool_call_id"]), "GAINED") if seen else None
        return calls(call(tool, rating=rating, query="the same"))

    parts = bench()
    ending = parts.collect(alternate)
    assert isinstance(ending, Stopped)
    assert len(parts.model.requests) == 5
    assert parts.fetches == 2


def test_a_failing_call_for_ever_ends_after_four_turns() -> None:
    parts = bench(failing(ToolExecutionFailed()))
    assert parts.collect(calls(call(query="a"))) == Stopped(StopReason.INFORMATION_SATURATED)
    assert len(parts.model.requests) == 4
    assert parts.fetches == 1


def test_ever_new_rejected_inputs_end_after_five_turns() -> None:
    parts = bench()
    turns = [calls(call(query="", n=number)) for number in range(20)]
    assert parts.collect(*turns) == Stopped(StopReason.INFORMATION_SATURATED)
    assert len(parts.model.requests) == 5
    assert parts.run.budget.tool_calls == 0


# --- budget


def creep(request: ModelRequest) -> ModelReply:
    """Always a new search, always rated GAINED."""
    seen = observations(request)
    rating = (str(seen[-1]["tool_call_id"]), "GAINED") if seen else None
    return calls(call(rating=rating, query=f"search {len(seen)}"))


def test_a_model_that_always_gains_ends_with_its_tool_budget() -> None:
    parts = bench()
    assert parts.collect(creep) == Stopped(StopReason.BUDGET_LIMIT_REACHED)
    assert parts.fetches == 8
    assert parts.run.lifecycle.state is RunState.BUDGET_EXHAUSTED
    assert parts.stop_reasons == ["BUDGET_LIMIT_REACHED"]
    assert len(parts.tracker.completed_calls) == 8


@pytest.mark.parametrize(
    "limits",
    [
        {"max_model_calls": 2},
        {"max_tool_calls": 2},
        {"max_input_tokens": 200},
        {"max_output_tokens": 20},
        {"max_total_tokens": 250},
        {"max_run_bytes": 1_000},
    ],
)
def test_every_kind_of_budget_ends_the_collection_the_same_way(limits: dict[str, int]) -> None:
    parts = bench(limits=small_budget(**limits))
    assert parts.collect(creep) == Stopped(StopReason.BUDGET_LIMIT_REACHED)
    assert parts.run.lifecycle.state is RunState.BUDGET_EXHAUSTED


def test_a_model_that_reports_no_usage_still_runs_out_of_tokens() -> None:
    def silent(request: ModelRequest) -> ModelReply:
        reply = creep(request)
        return ModelReply("x" * 20_000, reply.tool_calls, usage=ReportedUsage())

    parts = bench(limits=small_budget(max_output_tokens=20_000))
    assert parts.collect(silent) == Stopped(StopReason.BUDGET_LIMIT_REACHED)
    assert len(parts.model.requests) == 3


def test_a_reply_of_megabytes_is_paid_for_before_it_is_believed() -> None:
    parts = bench()
    ending = parts.collect(calls(call(query="a")), says("x" * 3_000_000))
    assert ending == Stopped(StopReason.BUDGET_LIMIT_REACHED)
    assert len(parts.tracker.completed_calls) == 1


def test_a_long_search_of_large_results_is_not_cut_off_by_repeating_them() -> None:
    def silent(request: ModelRequest) -> ModelReply:
        return replace(creep(request), usage=ReportedUsage())

    parts = bench(found(events=["x" * 300] * 50))
    assert parts.collect(silent) == Stopped(StopReason.BUDGET_LIMIT_REACHED)
    assert parts.fetches == 8  # the limit of calls per tool, not of tokens
    *earlier, before_last, last = observations(parts.model.requests[-1])
    assert all("shortened" in told for told in earlier)
    assert "shortened" not in before_last
    assert "shortened" not in last


def test_small_searches_are_repeated_in_full() -> None:
    parts = bench(found(events=["x" * 300] * 50))
    parts.collect(calls(call(query="a")), calls(call(rating=GAINED_1, query="b")), says(draft()))
    assert not any("shortened" in told for told in observations(parts.model.requests[-1]))


def test_the_budget_also_ends_the_repair_of_a_draft() -> None:
    parts = bench(limits=small_budget(max_model_calls=1))
    assert parts.collect(says("no")) == Stopped(StopReason.BUDGET_LIMIT_REACHED)


def test_input_and_replies_are_paid_from_the_run_bytes() -> None:
    parts = bench()
    reply = says(draft())
    parts.collect(reply)
    assert parts.run.budget.run_bytes == len(AGENT_INPUT.encode()) + reply.size_bytes()


def test_a_run_whose_budget_ended_elsewhere_is_stopped_not_aborted() -> None:
    parts = bench(Scripted(on_fetch=lambda context: _end(context.run.cancel(CancelReason.BUDGET_EXHAUSTED))))
    assert parts.collect(calls(call(query="a"))) == Stopped(StopReason.BUDGET_LIMIT_REACHED)


def test_an_input_over_its_limit_is_refused_before_anything_is_spent() -> None:
    limits = RunLimits(payload=PayloadLimits(agent_input_bytes=len(AGENT_INPUT)))
    assert isinstance(bench(limits=limits).collect(says(draft())), Completed)
    parts = bench(limits=limits)
    with pytest.raises(AgentInputTooLarge):
        parts.collect(says(draft()), agent_input=AGENT_INPUT + " ")
    assert parts.run.budget.run_bytes == 0


# --- cancel, timeout, and a model that is gone


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (CancelReason.USER_REQUESTED, RunState.CANCELLED),
        (CancelReason.DEADLINE_EXCEEDED, RunState.TIMED_OUT),
        (CancelReason.INTERNAL_FAILURE, RunState.FAILED),
    ],
)
def test_an_end_from_outside_passes_through_as_what_it_is(reason: CancelReason, state: RunState) -> None:
    parts = bench(nothing())

    def cancelled(request: ModelRequest) -> ModelReply:
        parts.run.cancel(reason)
        return says(draft())

    with pytest.raises(RunAborted) as caught:
        parts.collect(calls(call(query="a")), calls(call(query="b")), cancelled)
    assert caught.value.state is state


def test_a_deadline_that_passes_between_two_turns_times_out() -> None:
    parts = bench(Scripted(delay_s=400.0))
    with pytest.raises(RunAborted) as caught:
        parts.collect(calls(call(query="a")), says(draft()))
    assert caught.value.state is RunState.TIMED_OUT


def test_a_model_that_gives_no_reply_is_reported_upward_with_what_was_seen_by_then() -> None:
    parts = bench()
    with pytest.raises(AgentUnavailable) as caught:
        parts.collect(calls(call(query="a")), LOST)
    assert caught.value.failure is RetryFailure.TRANSPORT
    assert caught.value.hint == "set OPENAI_API_KEY"
    assert len(parts.tracker.completed_calls) == 1
    assert len(parts.model.requests) == 2


def test_a_model_that_is_gone_before_it_repaired_its_draft_leaves_the_fault() -> None:
    parts = bench()
    assert parts.collect(calls(call(query="a")), says("no"), LOST) == Stopped(DraftFault.INVALID_JSON)


def test_a_model_that_is_gone_after_the_soft_stop_leaves_its_reason() -> None:
    parts = bench(nothing())
    ending = parts.collect(calls(call(query="a")), calls(call(query="b")), LOST)
    assert ending == Stopped(StopReason.INFORMATION_SATURATED)


def test_a_fault_that_the_model_moved_on_from_does_not_explain_a_later_loss() -> None:
    with pytest.raises(AgentUnavailable):
        bench().collect(says("no"), calls(call(query="a")), LOST)


# --- what is written down


def test_every_turn_leaves_one_step_with_its_price() -> None:
    parts = bench()
    parts.collect(calls(call(query="a")), says("no"), says(draft()))
    steps = parts.recorder.agent_steps
    assert [(step.step_no, step.kind, step.tool_name) for step in steps] == [
        (1, "TOOL_REQUEST", "query_logs"),
        (2, "INVALID_DRAFT", None),
        (3, "DRAFT", None),
    ]
    assert [step.model_call_id for step in steps] == [1, 2, 3]
    events = parts.recorder.of(TraceType.AGENT_MODEL_STEP)
    assert [event.attributes["agent_step_id"] for event in events] == [1, 2, 3]


@pytest.mark.parametrize(
    ("last", "failure", "max_input_tokens"),
    [(LOST, "TRANSPORT", 100_000), (says(draft()), "INPUT_TOKENS", 170), (None, "CANCELLED", 170)],
)
def test_steps_budget_and_ledger_agree_also_when_a_turn_fails(
    last: ModelReply | ModelUnavailable | None, failure: str, max_input_tokens: int
) -> None:
    parts = bench(limits=small_budget(max_input_tokens=max_input_tokens))

    def cancelled(request: ModelRequest) -> ModelReply:
        parts.run.cancel(CancelReason.USER_REQUESTED)
        return ModelReply("", usage=ReportedUsage(1, 1))

    with suppress(AgentUnavailable, RunAborted):
        parts.collect(calls(call(query="a")), last or cancelled)
    steps, ledger, budget = parts.recorder.agent_steps, parts.recorder.model_calls, parts.run.budget
    assert sum(step.input_tokens for step in steps) == budget.input_tokens
    assert sum(step.output_tokens for step in steps) == budget.output_tokens
    assert sum(row.input_tokens for row in ledger) == budget.input_tokens
    assert steps[-1].kind == "UNANSWERED"
    assert parts.recorder.of(TraceType.AGENT_MODEL_STEP)[-1].attributes["failure"] == failure


def test_a_call_that_was_never_made_leaves_no_step() -> None:
    parts = bench(limits=small_budget(max_model_calls=1))
    parts.collect(calls(call(query="a")))
    assert [step.kind for step in parts.recorder.agent_steps] == ["TOOL_REQUEST"]


def test_the_models_words_go_to_the_restricted_reasoning_and_nowhere_else() -> None:
    parts = bench()
    parts.collect(
        calls(call(query="hunter2"), content="I think hunter2 is it"),
        says("hunter2 did it"),
        says(draft(text="hunter2")),
    )
    texts = [record.text for record in parts.recorder.reasonings]
    assert texts[0].startswith("I think hunter2 is it\nquery_logs {")
    assert texts[1] == "hunter2 did it"
    written = [event.attributes for event in parts.recorder.events]
    assert "hunter2" not in repr([written, parts.recorder.agent_steps, parts.recorder.tool_invocations])


def test_the_same_script_leaves_the_same_trace() -> None:
    def trace() -> list[tuple[TraceType, dict[str, object]]]:
        parts = bench(found(), nothing())
        parts.collect(
            calls(call(query="a"), call(query="b")),
            calls(call(rating=GAINED_1, query="c")),
            calls(call(query="c")),
            says("no"),
            says(draft()),
        )
        return [(event.type, dict(event.attributes)) for event in parts.recorder.events]

    assert trace() == trace()


def _end(is_first: bool) -> None:
    assert is_first
