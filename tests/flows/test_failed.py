"""FAILED: nothing may be published. stdout is empty in text mode, the cause is one sentence on stderr."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from superbiz_cli.harness.contract.model import ModelRole
from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_doubles import before_call
from tests.support.flow_turns import (
    CONCLUSION,
    asks_logs,
    calls,
    diagnosis,
    draft,
    routes,
    says,
    script,
)
from tests.support.flow_world import Flow, World

ODD_ROUTES: list[tuple[str, list[dict[str, Any]], list[str]]] = [
    ("unknown intent", [says({"intent": "OTHER"})] * 2, ["SCHEMA_INVALID"] * 2),
    ("another case", [says({"intent": "diagnosis"})] * 2, ["SCHEMA_INVALID"] * 2),
    ("a further key", [says({"intent": "DIAGNOSIS", "why": "x"})] * 2, ["SCHEMA_INVALID"] * 2),
    ("a key twice", [says('{"intent":"SYSTEM_CHAT","intent":"DIAGNOSIS"}')] * 2, ["PARSE_ERROR"] * 2),
    ("prose", [says("DIAGNOSIS")] * 2, ["PARSE_ERROR"] * 2),
    ("a tool call", [asks_logs()] * 2, ["SCHEMA_INVALID"] * 2),
    ("cut off", [routes() | {"finish_reason": "length"}] * 2, ["INVALID_OUTPUT"] * 2),
    ("a reset, then silence", [{"error": "TRANSPORT"}, {"error": "TIMEOUT"}], ["TRANSPORT", "TIMEOUT"]),
    ("server errors", [{"error": "HTTP", "status": 503}] * 2, ["TRANSPORT"] * 2),
    ("no permission", [{"error": "HTTP", "status": 403}], ["UNKNOWN"]),
]


@pytest.mark.parametrize(("router", "failures"), [pytest.param(*odd[1:], id=odd[0]) for odd in ODD_ROUTES])
def test_a_router_without_a_valid_intent_ends_the_run(
    world: World, router: list[dict[str, Any]], failures: list[str]
) -> None:
    flow = world.ask(diagnosis(router=router), "--json")
    published = failed(flow, code=4, failure="ROUTING_UNAVAILABLE")
    assert published["intent"] is None
    attempts = [attempt["failure"] for attempt in flow.events("ROUTING_ATTEMPT")]
    assert len(attempts) == len(failures)
    if failures != ["UNKNOWN"]:
        assert attempts == failures
    assert "TOOL_INVOCATION" not in flow.types


def test_a_draft_that_says_nothing_fails_closed(world: World) -> None:
    flow = world.ask(script(says(draft(analysis=[], conclusion=None))), "--json")
    failed(flow, code=1, failure="DIAGNOSIS_UNAVAILABLE")


def test_a_draft_that_is_missing_twice_fails_closed(world: World) -> None:
    flow = world.ask(script(says(""), says(" ")), "--json")
    failed(flow, code=1, failure="DIAGNOSIS_UNAVAILABLE")
    [stop] = flow.events("COLLECTION_STOPPED")
    assert stop["reason"] == "EMPTY_DRAFT"


def test_a_model_that_only_asks_for_tools_that_do_not_exist_fails_closed(world: World) -> None:
    unknown = calls({"id": "x", "name": "delete_everything", "arguments": "{}"})
    flow = world.ask(script(unknown, repeat_last=True), "--json")
    published = failed(flow, code=1, failure="DIAGNOSIS_UNAVAILABLE")
    assert published["usage"]["tool_calls"] == 0
    assert published["usage"]["model_calls"] <= 6
    assert "broke the protocol" in published["failure"]["message"]
    assert "sources" not in published["failure"]["hint"]


@pytest.mark.parametrize("answer", [{"error": "TRANSPORT"}, {"error": "TIMEOUT"}, {"error": "BODY"}])
def test_a_model_that_is_gone_before_anything_was_found_is_named_as_unavailable(
    world: World, answer: dict[str, Any]
) -> None:
    flow = world.ask(script(answer, says(draft())), "--json")
    published = failed(flow, code=4, failure="DIAGNOSIS_UNAVAILABLE")
    assert published["failure"]["unavailable"] == "model"


def test_a_defect_ends_the_run_as_an_internal_failure_without_its_text(world: World) -> None:
    def explode() -> None:
        raise RuntimeError("sk-LEAKME boom")

    with before_call(ModelRole.AGENT, 2, explode):
        flow = world.ask(diagnosis(), "--json")
    published = failed(flow, code=1, failure="INTERNAL_FAILURE")
    assert "RuntimeError" in published["failure"]["message"]
    assert "LEAKME" not in flow.out + flow.err + str(flow.replay)


def test_an_agent_input_that_cannot_be_bounded_is_an_internal_failure(world: World) -> None:
    world.settings["run.payload"] = {"agent_input_bytes": 10}
    flow = world.ask(diagnosis(), "--json")
    assert flow.code in (1, 4)
    assert balanced(flow)["content_type"] == "failure"


def test_a_store_that_cannot_be_read_is_said_before_money_is_spent_on_the_agent(world: World) -> None:
    from superbiz_cli.adapters.sqlite_invocations import SqliteInvocationStore
    from superbiz_cli.harness.tool.invocation import StoreError, StoreFault

    broken = mock.Mock(side_effect=StoreError(StoreFault.UNAVAILABLE))
    with mock.patch.object(SqliteInvocationStore, "find", broken):
        flow = world.ask(diagnosis(), "--json")
    published = failed(flow, code=4, failure="DIAGNOSIS_UNAVAILABLE")
    assert published["failure"]["unavailable"] == "store"
    assert published["usage"]["model_calls"] == 1


def failed(flow: Flow, *, code: int, failure: str) -> Any:
    """The published failure of a Run."""
    assert flow.code == code
    published = balanced(flow)
    same_as_stored(flow)
    assert published["release_outcome"] == published["run_state"] == "FAILED"
    assert published["content_type"] == "failure"
    assert published["failure"]["code"] == failure
    assert published["failure"]["hint"]
    assert published["evidence"] == []
    assert CONCLUSION not in flow.out
    return published
