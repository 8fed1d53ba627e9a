"""BUDGET_EXHAUSTED: with a fact it is a fallback and exit 3, with none a failure and exit 5."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import CONCLUSION, INVENTED_ID, asks_logs, diagnosis, draft, item, says, script
from tests.support.flow_world import Flow, World

SEARCHES = script(
    asks_logs(),
    asks_logs("call_2", query="HikariPool", rating=("call_1", "GAINED")),
    says("no draft"),
)
# kind -> (setting, a limit that ends the Run before any fact, one that ends it after one)
KINDS: dict[str, tuple[str, int, int]] = {
    "MODEL_CALLS": ("max_model_calls", 1, 2),
    "INPUT_TOKENS": ("max_input_tokens", 1_000, 2_000),
    "OUTPUT_TOKENS": ("max_output_tokens", 100, 200),
    "TOTAL_TOKENS": ("max_total_tokens", 1_000, 2_000),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_that_ends_before_any_fact_is_a_failure(world: World, kind: str) -> None:
    setting, limit, _ = KINDS[kind]
    world.settings["run"] = {setting: limit}
    failed(world.ask(SEARCHES, "--json"), kind=kind, limit=limit)


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_that_ends_after_a_fact_is_a_fallback(world: World, kind: str) -> None:
    setting, _, limit = KINDS[kind]
    world.settings["run"] = {setting: limit}
    fell_back(world.ask(SEARCHES, "--json"), kind=kind, limit=limit)


@pytest.mark.parametrize(
    ("kind", "setting"), [("TOOL_CALLS", "max_tool_calls"), ("CALLS_PER_TOOL", "max_calls_per_tool")]
)
def test_tool_calls_that_run_out_after_a_fact_are_a_fallback(world: World, kind: str, setting: str) -> None:
    world.settings["run"] = {setting: 1}
    flow = world.ask(SEARCHES, "--json")
    fell_back(flow, kind=kind, limit=1)
    assert flow.document["usage"]["tool_calls"] == 1


@pytest.mark.parametrize(
    ("kind", "setting"), [("TOOL_CALLS", "max_tool_calls"), ("CALLS_PER_TOOL", "max_calls_per_tool")]
)
def test_tool_calls_that_run_out_without_a_fact_are_a_failure(world: World, kind: str, setting: str) -> None:
    world.settings["run"] = {setting: 1}
    shutil.rmtree(world.logs)
    flow = world.ask(script(asks_logs(), asks_logs("call_2", query="HikariPool")), "--json")
    failed(flow, kind=kind, limit=1)


def test_bytes_that_run_out_at_once_are_a_failure(world: World) -> None:
    world.settings["run"] = {"max_run_bytes": 100}
    flow = world.ask(diagnosis(), "--json")
    failed(flow, kind="RUN_BYTES", limit=100)
    assert flow.document["usage"]["model_calls"] == 0


def test_bytes_that_run_out_before_the_first_result_are_a_failure(world: World) -> None:
    spent = world.ask(script(says("x"), says("y")), "--json").document["usage"]["run_bytes"]
    world.settings["run"] = {"max_run_bytes": spent + 500}
    failed(world.ask(diagnosis(), "--json"), kind="RUN_BYTES", limit=spent + 500)


def test_bytes_that_run_out_at_the_judge_are_a_fallback(world: World) -> None:
    spent = world.ask(diagnosis(), "--json").document["usage"]["run_bytes"]
    world.settings["run"] = {"max_run_bytes": spent - 200}
    fell_back(world.ask(diagnosis(), "--json"), kind="RUN_BYTES", limit=spent - 200)


def test_a_run_that_cannot_pay_the_judge_publishes_no_cause(world: World) -> None:
    world.settings["run"] = {"max_model_calls": 3}
    flow = world.ask(diagnosis(), "--json")
    fell_back(flow, kind="MODEL_CALLS", limit=3)
    assert "SEMANTIC_GUARD_DECISION" not in flow.types


def test_a_verdict_whose_tokens_exceed_the_budget_does_not_count(world: World) -> None:
    world.settings["run"] = {"max_input_tokens": 3 * 900}
    flow = world.ask(diagnosis(), "--json")
    fell_back(flow, kind="INPUT_TOKENS", limit=2_700)
    assert flow.document["usage"]["model_calls"] == 4


def test_a_run_that_cannot_pay_the_repair_publishes_no_cause(world: World) -> None:
    world.settings["run"] = {"max_model_calls": 3}
    wrong = draft(item(cites=[INVENTED_ID]))
    flow = world.ask(diagnosis(wrong, repair=[says(draft())]), "--json")
    fell_back(flow, kind="MODEL_CALLS", limit=3)
    assert "EVIDENCE_GUARD_RECHECK" not in flow.types


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": 0}, {"prompt_tokens": -5, "completion_tokens": 10**9}]
)
def test_a_provider_that_reports_no_credible_usage_is_charged_by_size(
    world: World, usage: dict[str, int] | None
) -> None:
    world.settings["run"] = {"max_input_tokens": 2_000}
    turns = [turn | {"usage": usage} for turn in SEARCHES["script"]["agent"]]
    flow = world.ask(script(*turns), "--json")
    assert flow.document["run_state"] == "BUDGET_EXHAUSTED"
    assert [call.estimated for call in details_of(flow).model_calls][1:] == [True]
    balanced(flow)


def details_of(flow: Flow) -> Any:
    return flow.replay.details


def failed(flow: Flow, *, kind: str, limit: int) -> None:
    assert flow.code == 5
    published = balanced(flow)
    same_as_stored(flow)
    assert (published["release_outcome"], published["run_state"]) == ("FAILED", "BUDGET_EXHAUSTED")
    assert published["failure"]["code"] == "BUDGET_EXHAUSTED"
    exhausted(flow, kind=kind, limit=limit)


def fell_back(flow: Flow, *, kind: str, limit: int) -> None:
    assert flow.code == 3
    published = balanced(flow)
    same_as_stored(flow)
    assert (published["release_outcome"], published["run_state"]) == ("FALLBACK", "BUDGET_EXHAUSTED")
    fallback = published["fallback"]
    assert fallback["type"] == "INSUFFICIENT_EVIDENCE"
    assert fallback["message"] == "The budget of this run was used up before a cause was proven."
    assert fallback["observed_facts"] != []
    assert CONCLUSION not in flow.out
    exhausted(flow, kind=kind, limit=limit)


def exhausted(flow: Flow, *, kind: str, limit: int) -> None:
    """The trace names the limit, and the total that was tried."""
    [event] = flow.events("BUDGET_EXHAUSTED")
    assert (event["kind"], event["limit"]) == (kind, limit)
    assert event["attempted"] > limit
