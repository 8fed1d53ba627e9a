"""MISSING_REQUIRED_CONTEXT: nothing was observed, and the model or the set-up says what is missing."""

from __future__ import annotations

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import LIMITATIONS, draft, routes, says, script
from tests.support.flow_world import World

UNKNOWN = draft(
    analysis=[], conclusion=None, limitations=LIMITATIONS | {"missing_info": ["which environment is meant"]}
)


def test_a_model_that_asks_for_what_only_the_user_knows_is_passed_on(world: World) -> None:
    flow = world.ask(script(says(UNKNOWN)), "--json")
    assert flow.code == 3
    published = balanced(flow)
    same_as_stored(flow)
    fallback = published["fallback"]
    assert fallback["type"] == "MISSING_REQUIRED_CONTEXT"
    assert fallback["failure_stage"] == "DIAGNOSIS_INPUT"
    assert fallback["missing_info"] == ["which environment is meant"]
    assert fallback["observed_facts"] == published["evidence"] == []
    assert published["usage"]["tool_calls"] == 0


def test_a_knowledge_question_without_a_knowledge_base_says_so(world: World) -> None:
    flow = world.ask(script(router=[routes("KNOWLEDGE_QUERY")]), "--json", query="how do I rotate the key?")
    assert flow.code == 3
    published = balanced(flow)
    assert published["intent"] == "KNOWLEDGE_QUERY"
    assert published["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    assert "none is configured" in published["fallback"]["message"]
    assert published["usage"]["model_calls"] == 1


def test_a_diagnosis_without_any_source_can_only_say_what_is_missing(world: World) -> None:
    world.with_logs = False
    flow = world.ask(script(says(UNKNOWN)), "--json")
    assert balanced(flow)["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
