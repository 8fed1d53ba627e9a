"""INSUFFICIENT_EVIDENCE: something was observed, but no cause could be proven."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import (
    CONCLUSION,
    LIMITATIONS,
    asks_logs,
    calls,
    diagnosis,
    draft,
    item,
    says,
    script,
)
from tests.support.flow_world import Flow, World

NOTHING = draft(conclusion=None, analysis=[])
NO_DRAFT = {"code": "DRAFT_MISSING", "target": "draft"}
BAD_CALL = calls({"id": "bad", "name": "query_logs", "arguments": "not JSON"})


def test_a_draft_without_conclusion_publishes_the_facts(world: World) -> None:
    limits = LIMITATIONS | {"missing_info": ["the slow query log"]}
    flow = world.ask(diagnosis(draft(conclusion=None, limitations=limits)), "--json")
    fallback = insufficient(flow)
    assert fallback["missing_info"] == ["the slow query log"]
    assert [fact["ref"] for fact in fallback["observed_facts"]] == [1]
    assert "37" in fallback["observed_facts"][0]["text"]
    assert "SEMANTIC_ATTEMPT" not in flow.types


def test_an_empty_search_is_a_fact_too_and_proves_nothing(world: World) -> None:
    empty = item("no line matched", kind="NEGATIVE_OBSERVATION")
    flow = world.ask(script(asks_logs(query="nosuchword"), says(draft(empty, conclusion=None))), "--json")
    fallback = insufficient(flow)
    assert fallback["message"] == "Nothing matched in what was searched, so no cause can be shown."
    assert any("nothing matched there" in line for line in fallback["limitations"])


def test_suggested_commands_read_the_same_configuration(world: World) -> None:
    steps = insufficient(world.ask(diagnosis(draft(conclusion=None)), "--json"))["next_steps"]
    commands = [step for step in steps if "superbiz" in step]
    assert commands != []
    assert all(f"superbiz --config {world.folder}/config.toml " in step for step in commands), commands


def test_a_source_that_is_not_there_is_named_among_the_limits(world: World) -> None:
    shutil.rmtree(world.logs)
    flow = world.ask(diagnosis(), "--json")
    assert any(str(world.logs) in line for line in flow.document["fallback"]["limitations"])


def test_two_empty_searches_saturate_and_the_draft_is_still_heard(world: World) -> None:
    flow = world.ask(
        script(asks_logs(query="nosuchword"), asks_logs("call_2", query="nootherword"), says(NOTHING)),
        "--json",
    )
    insufficient(flow)
    assert stops(flow) == [("INFORMATION_SATURATED", True)]


def test_a_model_that_is_told_to_stop_and_asks_again_is_stopped(world: World) -> None:
    flow = world.ask(
        script(
            asks_logs(query="nosuchword"),
            asks_logs("call_2", query="nootherword"),
            asks_logs("call_3", query="timed out"),
            says(draft()),
        ),
        "--json",
    )
    fallback = insufficient(flow)
    assert fallback["message"].startswith("The last searches brought nothing new")
    assert fallback["validation_issues"] == [NO_DRAFT]
    assert stops(flow) == [("INFORMATION_SATURATED", True)]
    assert flow.types.count("TOOL_INVOCATION") == 2


def test_the_same_search_again_and_again_reaches_the_back_end_once(world: World) -> None:
    same = [asks_logs(f"call_{n}", query=query) for n, query in enumerate(["timed out", "OUT  Timed"], 2)]
    rated = asks_logs("call_2", rating=("call_1", "GAINED"))
    flow = world.ask(script(asks_logs(), rated, same[1], same[1], same[1]), "--json")
    insufficient(flow)
    assert flow.types.count("TOOL_INVOCATION") == 1
    assert stops(flow) == [("INFORMATION_SATURATED", True)]
    assert flow.replay.run.summary.usage is not None
    assert flow.replay.run.summary.usage.model_calls <= 6


def test_two_breaches_of_the_protocol_in_a_row_end_the_search(world: World) -> None:
    flow = world.ask(script(asks_logs(), BAD_CALL, BAD_CALL, BAD_CALL, says(draft())), "--json")
    fallback = insufficient(flow)
    assert fallback["message"].startswith("The model did not keep to the rules")
    assert stops(flow) == [("PROGRESS_PROTOCOL_VIOLATED", True)]
    assert flow.types.count("TOOL_INVOCATION") == 1


@pytest.mark.parametrize(
    ("final", "fault"),
    [
        (says("The pool ran out, trust me."), "INVALID_JSON"),
        (says(""), "EMPTY_DRAFT"),
        (says({}), "EMPTY_DRAFT"),
        (says(draft(conclusion=CONCLUSION)), "SCHEMA_INVALID"),
        (says(draft(verdict="SUPPORTED")), "SCHEMA_INVALID"),
        (says(draft(item(kind="normal"))), "SCHEMA_INVALID"),
        (says(draft(), wrap="Here it is: %s"), "INVALID_JSON"),
        (says(draft(), truncate=0.8), "INVALID_JSON"),
        (says(draft(), finish_reason="length"), "INVALID_JSON"),
        (says(draft(), finish_reason="content_filter"), "INVALID_JSON"),
        (says(draft(item("x" * 50_000))), "INVALID_JSON"),
    ],
)
def test_a_final_answer_that_is_no_draft_twice_leaves_only_the_facts(
    world: World, final: dict[str, Any], fault: str
) -> None:
    flow = world.ask(script(asks_logs(), final, final), "--json")
    fallback = insufficient(flow)
    assert fallback["message"].startswith("The model's final answer could not be used")
    assert fallback["validation_issues"] == [NO_DRAFT]
    assert stops(flow) == [(fault, False)]
    assert [step["kind"] for step in flow.events("AGENT_MODEL_STEP")] == [
        "TOOL_REQUEST",
        "INVALID_DRAFT",
        "INVALID_DRAFT",
    ]


@pytest.mark.parametrize("answer", [{"error": "TRANSPORT"}, {"error": "TIMEOUT"}, {"error": "BODY"}])
def test_a_model_that_is_gone_in_mid_search_leaves_the_facts(world: World, answer: dict[str, Any]) -> None:
    flow = world.ask(script(asks_logs(), answer, says(draft())), "--json")
    insufficient(flow)
    assert [step["kind"] for step in flow.events("AGENT_MODEL_STEP")] == ["TOOL_REQUEST", "UNANSWERED"]


def test_a_model_that_is_gone_after_it_was_told_to_stop_leaves_the_facts(world: World) -> None:
    flow = world.ask(
        script(asks_logs(query="nosuchword"), asks_logs("call_2", query="nootherword")), "--json"
    )
    insufficient(flow)


def insufficient(flow: Flow) -> Any:
    """The published fallback of a Run that observed something."""
    assert flow.code == 3
    published = balanced(flow)
    same_as_stored(flow)
    fallback = published["fallback"]
    assert published["run_state"] == "SUCCESS"
    assert fallback["type"] == "INSUFFICIENT_EVIDENCE"
    assert fallback["failure_stage"] == "DIAGNOSIS_COLLECTION"
    assert fallback["observed_facts"] != []
    assert CONCLUSION not in flow.out
    return fallback


def stops(flow: Flow) -> list[tuple[Any, Any]]:
    """Why the collection was stopped, and whether the model was told."""
    return [(stop["reason"], stop["delivered"]) for stop in flow.events("COLLECTION_STOPPED")]
