from __future__ import annotations

import json
import re

import pytest

from superbiz_cli.harness.agent.tool_gate import GateAnswer, ToolGate
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.evidence import ReadResult
from superbiz_cli.harness.contract.model import ModelToolCall
from superbiz_cli.harness.contract.status import (
    CancelReason,
    EvidenceStatus,
    InvocationStatus,
    RunState,
    StopReason,
)
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.progress.tracker import Counters
from superbiz_cli.harness.tool.invocation import StoreFault
from superbiz_cli.harness.tool.port import ProjectionFailed, ToolExecutionFailed
from tests.support.collecting import NONCE, Bench, small_budget
from tests.support.fakes import FakeEvidenceTool, Scripted, failing, found, nothing
from tests.support.scripted import call, raw_call

ID_1 = f"ev-{NONCE}-1"
ID_2 = f"ev-{NONCE}-2"


def bench(*results: Scripted) -> Bench:
    tools = [
        FakeEvidenceTool(ToolName.QUERY_LOGS, results or [found()]),
        FakeEvidenceTool(ToolName.QUERY_MYSQL),
    ]
    return Bench(tools=tools)


def seen(answer: GateAnswer) -> dict[str, object]:
    observation: dict[str, object] = json.loads(answer.observation)
    return observation


def ask(bench: Bench, one: ModelToolCall) -> dict[str, object]:
    return seen(bench.gate.answer(one))


def rejections(bench: Bench) -> list[object]:
    return [event.attributes["reason"] for event in bench.recorder.of(TraceType.TOOL_REQUEST_REJECTED)]


# --- ids


def test_an_accepted_call_gets_an_id_of_the_run_and_is_kept_under_it() -> None:
    parts = bench()
    answer = parts.gate.answer(call(provider_id="call_1", query="payment"))
    assert answer.call_id == ID_1
    assert seen(answer)["tool_call_id"] == ID_1
    record = parts.store.find("run-1", ID_1)
    assert record is not None
    assert record.status is InvocationStatus.READY


def test_no_two_runs_mint_the_same_ids() -> None:
    parts = bench()

    def first_id() -> str:
        gate = ToolGate(
            catalog=parts.catalog, boundary=parts.boundary, tracker=Bench().tracker, recorder=parts.recorder
        )
        return gate.answer(call(query="payment")).call_id

    one, two = first_id(), first_id()
    assert one != two
    assert re.fullmatch(r"ev-[a-z2-7]{8}-1", one)


def test_requests_that_never_ran_get_ids_of_another_shape_that_are_not_shown() -> None:
    parts = bench()
    answers = [parts.gate.answer(raw_call("query_logs", "[]")), parts.gate.decline(call(query="x"))]
    assert [answer.call_id for answer in answers] == [f"no-{NONCE}-1", f"no-{NONCE}-2"]
    assert [seen(answer)["tool_call_id"] for answer in answers] == [None, None]


# --- gate 2: protocol


def test_an_unknown_tool_is_answered_as_such_and_counts_as_a_violation() -> None:
    parts = bench()
    observation = ask(parts, call("kubectl_delete", pod="x"))
    assert observation["violation_type"] == "UNKNOWN_TOOL"
    assert observation["available_tools"] == ["query_logs", "query_mysql"]
    assert parts.tracker.counters == Counters(violations=1)
    assert parts.fetches == 0


@pytest.mark.parametrize(
    "name", ["functions.query_logs", "Query_Logs", "query\u200b_logs", "", "query_logs "]
)
def test_only_the_exact_name_is_a_tool(name: str) -> None:
    parts = bench()
    assert ask(parts, call(name, query="x"))["violation_type"] == "UNKNOWN_TOOL"
    assert parts.fetches == 0


def test_malformed_arguments_are_answered_for_repair_and_never_run() -> None:
    parts = bench()
    observation = ask(parts, raw_call("query_logs", "{'query': 'x'}"))
    assert observation["violation_type"] == "INVALID_ENVELOPE"
    assert observation["repair_required"] is True
    assert parts.fetches == 0
    assert parts.run.budget.tool_calls == 0


def test_a_missing_input_is_named_in_the_repair() -> None:
    observation = ask(bench(), raw_call("query_logs", '{"previous_observation": null}'))
    assert (observation["violation_type"], observation["missing_field"]) == ("MISSING_INPUT", "input")


def test_a_rating_that_nobody_owes_is_refused() -> None:
    parts = bench()
    observation = ask(parts, call(rating=("x", "GAINED"), query="payment"))
    assert observation["violation_type"] == "UNEXPECTED_PREVIOUS_OBSERVATION"
    assert observation["expected_previous_tool_call_id"] is None
    assert parts.fetches == 0


def test_a_due_rating_that_is_missing_is_asked_for_by_id() -> None:
    parts = bench()
    ask(parts, call(query="payment"))
    observation = ask(parts, call(query="pool"))
    assert observation["violation_type"] == "MISSING_PREVIOUS_OBSERVATION"
    assert observation["expected_previous_tool_call_id"] == ID_1
    assert parts.fetches == 1


def test_a_rating_of_another_call_is_refused_and_the_right_one_then_accepted() -> None:
    parts = bench()
    ask(parts, call(query="payment"))
    wrong = ask(parts, call("query_mysql", rating=("call_777", "GAINED"), query="pool"))
    assert wrong["violation_type"] == "OUT_OF_ORDER_PREVIOUS_OBSERVATION"
    right = ask(parts, call("query_mysql", rating=(ID_1, "GAINED"), query="pool"))
    assert (right["observation"], right["tool_call_id"]) == ("RESULT", ID_2)
    assert parts.tracker.counters.violations == 0


def test_the_second_violation_in_a_row_delivers_the_order_to_stop() -> None:
    parts = bench()
    ask(parts, raw_call("query_logs", "[]"))
    observation = ask(parts, call("kubectl_delete"))
    assert observation["stop_required"] is True
    assert observation["stop_reason"] == "PROGRESS_PROTOCOL_VIOLATED"
    assert observation["repair_required"] is False
    assert parts.gate.specs() == ()


def test_a_violation_that_repeats_a_known_search_is_also_without_gain() -> None:
    parts = bench()
    ask(parts, call(query="payment"))
    ask(parts, call(rating=("call_9", "GAINED"), query="payment"))
    assert parts.tracker.counters == Counters(no_gain=1, violations=1)
    assert parts.fetches == 1


# --- ratings that saturate


def test_a_rating_that_saturates_keeps_the_request_it_came_with_from_running() -> None:
    parts = bench()
    ask(parts, call(query="a"))
    ask(parts, call(rating=(ID_1, "NO_GAIN"), query="b"))
    observation = ask(parts, call(rating=(ID_2, "NO_GAIN"), query="c"))
    assert observation["observation"] == "NOT_RUN"
    assert observation["stop_reason"] == "INFORMATION_SATURATED"
    assert parts.fetches == 2


def test_two_empty_results_deliver_the_order_to_stop_with_the_second() -> None:
    parts = bench(nothing())
    assert ask(parts, call(query="a"))["stop_required"] is False
    observation = ask(parts, call(query="b"))
    assert observation["observation"] == "RESULT"
    assert observation["stop_required"] is True


# --- gate 1: told to stop


def test_a_request_after_the_order_to_stop_ends_the_collection() -> None:
    parts = bench(nothing())
    ask(parts, call(query="a"))
    ask(parts, call(query="b"))
    answer = parts.gate.answer(call(query="c"))
    assert answer.ended is StopReason.INFORMATION_SATURATED
    assert seen(answer)["stop_required"] is False
    assert parts.fetches == 2
    assert parts.stop_reasons == ["INFORMATION_SATURATED"]
    assert rejections(parts) == ["COLLECTION_STOPPED"]


def test_no_tool_is_offered_once_the_model_was_told_to_stop() -> None:
    parts = bench(nothing())
    assert [spec.name for spec in parts.gate.specs()] == ["query_logs", "query_mysql"]
    ask(parts, call(query="a"))
    assert parts.gate.specs() != ()
    ask(parts, call(query="b"))
    assert parts.gate.specs() == ()


# --- gate 3: repetition


def test_a_search_that_differs_in_wording_only_is_answered_without_its_back_end() -> None:
    parts = bench()
    ask(parts, call(query="payment timeout"))
    observation = ask(parts, call(rating=(ID_1, "GAINED"), query="  Payment   TIMEOUT "))
    assert (observation["observation"], observation["same_as"]) == ("DUPLICATE", ID_1)
    assert parts.fetches == 1
    assert parts.tracker.counters.no_gain == 1
    assert parts.run.budget.tool_calls == 1


def test_the_second_repetition_saturates() -> None:
    parts = bench()
    ask(parts, call(query="payment"))
    ask(parts, call(rating=(ID_1, "GAINED"), query="payment"))
    observation = ask(parts, call(query="payment"))
    assert observation["observation"] == "DUPLICATE"
    assert observation["stop_reason"] == "INFORMATION_SATURATED"


def test_an_empty_search_is_not_run_again_either() -> None:
    parts = bench(nothing())
    ask(parts, call(query="payment"))
    observation = ask(parts, call(query="PAYMENT"))
    assert observation["same_as"] == ID_1
    assert observation["stop_required"] is True
    assert parts.fetches == 1


def test_a_call_that_failed_is_not_run_again() -> None:
    parts = bench(failing(ToolExecutionFailed("timeout")))
    assert ask(parts, call(query="payment"))["error_code"] == "TOOL_EXECUTION_ERROR"
    assert parts.tracker.counters == Counters(failures=1)
    observation = ask(parts, call(query="payment"))
    assert (observation["observation"], observation["same_as"]) == ("DUPLICATE", ID_1)
    assert "failed before" in str(observation["instruction"])
    assert parts.fetches == 1
    assert parts.tracker.counters.no_gain == 1


# --- inputs that the tool rejects


def test_a_rejected_input_costs_no_tool_budget_and_gets_the_tools_category() -> None:
    parts = bench()
    observation = ask(parts, call(query=""))
    assert (observation["error_code"], observation["category"]) == ("INVALID_REQUEST", "query_missing")
    assert observation["tool_call_id"] is None
    assert parts.run.budget.tool_calls == 0
    assert parts.tracker.counters == Counters(failures=1)


def test_the_same_rejected_input_counts_as_no_gain_and_saturates() -> None:
    parts = bench()
    answers = [ask(parts, call(query="", n=1)) for _ in range(3)]
    assert [answer["stop_required"] for answer in answers] == [False, False, True]
    assert answers[2]["error_code"] == "INVALID_REQUEST"
    assert answers[2]["stop_reason"] == "INFORMATION_SATURATED"


def test_ever_new_rejected_inputs_saturate_as_well() -> None:
    parts = bench()
    answers = [ask(parts, call(query="", n=number)) for number in range(4)]
    assert [answer["stop_required"] for answer in answers] == [False, False, False, True]
    assert parts.fetches == 0


def test_an_input_that_was_corrected_runs() -> None:
    parts = bench()
    ask(parts, call(query="", n=1))
    ask(parts, call(query="", n=2))
    assert ask(parts, call(query="payment"))["observation"] == "RESULT"
    assert parts.tracker.counters == Counters()


def test_a_rating_beside_a_rejected_input_is_applied_all_the_same() -> None:
    parts = bench()
    ask(parts, call(query="payment"))
    ask(parts, call(rating=(ID_1, "GAINED"), query=""))
    assert parts.tracker.pending_id is None


# --- gate 4: the fact boundary


def test_a_result_that_contradicts_its_declared_status_is_an_error_and_no_evidence() -> None:
    parts = bench(Scripted(declared=EvidenceStatus.NO_EVIDENCE))
    observation = ask(parts, call(query="payment"))
    assert observation["error_code"] == "PROJECTION_ERROR"
    assert observation["category"] == "observation_contract_mismatch"
    assert parts.tracker.completed_calls == ()
    assert parts.tracker.pending_id is None


def test_a_result_that_cannot_be_read_a_second_time_is_an_error() -> None:
    class ReadableOnce(FakeEvidenceTool):
        def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
            record = parts.store.find("run-1", tool_call_id)
            if record is not None and record.status is InvocationStatus.READY:
                raise ProjectionFailed
            return super().read(agent_result, tool_call_id=tool_call_id)

    parts = Bench(tools=[ReadableOnce()])
    assert ask(parts, call(query="payment"))["error_code"] == "PROJECTION_ERROR"


def test_failures_without_end_saturate() -> None:
    parts = bench(failing(ToolExecutionFailed("timeout")))
    answers = [ask(parts, call(query=f"search {number}")) for number in range(4)]
    assert [answer["stop_required"] for answer in answers] == [False, False, False, True]
    assert parts.fetches == 4


def test_a_store_that_fails_is_an_error_observation() -> None:
    parts = bench()
    parts.store.faults["begin"] = StoreFault.UNAVAILABLE
    assert ask(parts, call(query="payment"))["error_code"] == "STORE_ERROR"


def test_a_budget_that_ends_in_a_tool_ends_the_collection() -> None:
    parts = Bench(limits=small_budget(max_calls_per_tool=1))
    ask(parts, call(query="a"))
    answer = parts.gate.answer(call(rating=(ID_1, "GAINED"), query="b"))
    assert answer.ended is StopReason.BUDGET_LIMIT_REACHED
    assert seen(answer)["error_code"] == "BUDGET_EXHAUSTED"
    assert parts.run.lifecycle.state is RunState.BUDGET_EXHAUSTED
    assert parts.tracker.completed_calls == ((ID_1, ToolName.QUERY_LOGS),)


def test_a_cancelled_run_passes_through() -> None:
    parts = bench(Scripted(on_fetch=lambda context: _cancel(context.run)))
    with pytest.raises(RunAborted) as caught:
        parts.gate.answer(call(query="payment"))
    assert caught.value.state is RunState.CANCELLED
    assert parts.tracker.completed_calls == ()


# --- gate 5 and what is written down


def test_a_completed_call_waits_for_its_rating() -> None:
    parts = bench()
    observation = ask(parts, call(query="payment"))
    assert observation["rating_required"] is True
    assert parts.tracker.pending_id == ID_1
    assert parts.tracker.completed_calls == ((ID_1, ToolName.QUERY_LOGS),)


def test_a_declined_call_counts_nowhere() -> None:
    parts = bench()
    parts.gate.decline(call(query="payment"))
    assert parts.tracker.counters == Counters()
    assert rejections(parts) == ["ONE_CALL_PER_TURN"]
    assert parts.fetches == 0


def test_the_row_of_a_tool_call_points_at_the_turn_that_asked_for_it() -> None:
    parts = bench()
    parts.gate.answer(call(query="payment"), step_id=17)
    assert parts.recorder.tool_invocations[0].step_id == 17


def test_every_change_of_progress_is_in_the_trace_with_the_counters_after_it() -> None:
    parts = bench(found(), nothing(), failing(ToolExecutionFailed()))
    ask(parts, call(query="a"))
    ask(parts, call(rating=(ID_1, "GAINED"), query="b"))
    ask(parts, call(query="b"))
    rows = [
        (
            event.attributes["cause"],
            event.attributes["information_gain"],
            event.attributes["consecutive_no_gain"],
        )
        for event in parts.recorder.of(TraceType.PROGRESS_RECORDED)
    ]
    assert rows == [
        ("RESULT", None, 0),
        ("RATING", "GAINED", 0),
        ("RESULT", "NO_GAIN", 1),
        ("REPETITION", "NO_GAIN", 2),
    ]
    assert parts.stop_reasons == ["INFORMATION_SATURATED"]


def test_nothing_that_the_model_wrote_is_in_the_trace() -> None:
    parts = bench(failing(ToolExecutionFailed("hunter2 is not a word of the tool")))
    for one in (
        raw_call("hunter2", "{}"),
        call(rating=("hunter2", "GAINED"), query="hunter2"),
        call(query=""),
        raw_call("query_logs", '{"hunter2": 1}'),
    ):
        parts.gate.answer(one)
    assert "hunter2" not in repr([event.attributes for event in parts.recorder.events])


def _cancel(run: Run) -> None:
    run.cancel(CancelReason.USER_REQUESTED)
    run.check_active()
