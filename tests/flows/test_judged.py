"""SEMANTIC_UNSUPPORTED and SEMANTIC_UNAVAILABLE: the references hold, the judge does not agree or is away."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import CONCLUSION, LIMITATIONS, asks_logs, diagnosis, draft, judges, says
from tests.support.flow_world import Flow, World


def test_an_unsupported_draft_is_withheld_and_its_facts_are_published(world: World) -> None:
    flow = world.ask(diagnosis(semantic=[judges("UNSUPPORTED", "the cause is a guess")]), "--json")
    fallback = withheld(flow, "SEMANTIC_UNSUPPORTED")
    assert [fact["ref"] for fact in fallback["observed_facts"]] == [1]
    assert "a guess" not in flow.out
    [decision] = flow.events("SEMANTIC_GUARD_DECISION")
    assert decision["verdict"] == "UNSUPPORTED"


def test_an_unsupported_verdict_is_final_and_not_asked_for_again(world: World) -> None:
    flow = world.ask(diagnosis(semantic=[judges("UNSUPPORTED"), judges()]))
    assert flow.types.count("SEMANTIC_ATTEMPT") == 1
    assert flow.code == 3


ODD_ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    ("prose", says("SUPPORTED because the numbers match"), "PARSE_ERROR"),
    ("two documents", says('{"verdict":"SUPPORTED","reason":"a"}{"verdict":"SUPPORTED"}'), "PARSE_ERROR"),
    (
        "a key twice",
        says('{"verdict":"UNSUPPORTED","verdict":"SUPPORTED","reason":"a"}'),
        "PARSE_ERROR",
    ),
    ("a further key", says({"verdict": "SUPPORTED", "reason": "a", "score": 1}), "SCHEMA_INVALID"),
    ("another case", says({"verdict": "supported", "reason": "a"}), "SCHEMA_INVALID"),
    ("another verdict", says({"verdict": "PARTIALLY_SUPPORTED", "reason": "a"}), "SCHEMA_INVALID"),
    ("a boolean", says({"verdict": True, "reason": "a"}), "SCHEMA_INVALID"),
    ("a blank reason", says({"verdict": "SUPPORTED", "reason": " "}), "SCHEMA_INVALID"),
    ("no reason", says({"verdict": "SUPPORTED"}), "SCHEMA_INVALID"),
    ("nothing", says(""), "SCHEMA_INVALID"),
    ("a tool call", asks_logs(), "SCHEMA_INVALID"),
    ("too much", says({"verdict": "SUPPORTED", "reason": "a" * 10_001}), "SCHEMA_INVALID"),
    ("cut off", judges() | {"finish_reason": "length"}, "INVALID_OUTPUT"),
    ("filtered", judges() | {"finish_reason": "content_filter"}, "INVALID_OUTPUT"),
    ("a time-out", {"error": "TIMEOUT"}, "TIMEOUT"),
    ("a reset", {"error": "TRANSPORT"}, "TRANSPORT"),
    ("a server error", {"error": "TRANSPORT", "status": 500}, "TRANSPORT"),
    ("a page", {"error": "BODY", "body": "<html>"}, "INVALID_OUTPUT"),
]


@pytest.mark.parametrize(("answer", "failure"), [pytest.param(*odd[1:], id=odd[0]) for odd in ODD_ANSWERS])
def test_without_a_verdict_in_two_attempts_nothing_is_released(
    world: World, answer: dict[str, Any], failure: str
) -> None:
    flow = world.ask(diagnosis(semantic=[answer, answer, judges()]), "--json")
    withheld(flow, "SEMANTIC_UNAVAILABLE")
    assert [attempt["failure"] for attempt in flow.events("SEMANTIC_ATTEMPT")] == [failure, failure]
    [unavailable] = flow.events("SEMANTIC_UNAVAILABLE")
    assert unavailable["failure"] == failure


def test_a_judge_that_refuses_the_request_is_not_asked_again(world: World) -> None:
    flow = world.ask(diagnosis(semantic=[{"error": "HTTP", "status": 401}, judges()]), "--json")
    withheld(flow, "SEMANTIC_UNAVAILABLE")
    assert flow.types.count("SEMANTIC_ATTEMPT") == 1


def test_an_unsupported_draft_still_tells_what_is_missing(world: World) -> None:
    limits = LIMITATIONS | {"missing_info": ["the slow query log", CONCLUSION]}
    flow = world.ask(diagnosis(draft(limitations=limits), semantic=[judges("UNSUPPORTED")]), "--json")
    assert withheld(flow, "SEMANTIC_UNSUPPORTED")["missing_info"] == ["the slow query log"]


def withheld(flow: Flow, kind: str) -> Any:
    """The published fallback of a draft that the judge did not let through."""
    assert flow.code == 3
    published = balanced(flow)
    if flow.out.startswith("{"):
        same_as_stored(flow)
    assert published["run_state"] == "SUCCESS"
    fallback = published["fallback"]
    assert fallback["type"] == kind
    assert fallback["failure_stage"] == "SEMANTIC_VALIDATION"
    assert fallback["validation_issues"] == []
    assert CONCLUSION not in flow.out
    return fallback
