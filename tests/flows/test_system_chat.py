"""SYSTEM_CHAT: about the tool itself; one model call, no evidence, exit 0."""

from __future__ import annotations

import pytest

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import routes, script
from tests.support.flow_world import World


@pytest.mark.parametrize(
    ("question", "start"), [("what can you do?", "I diagnose incidents"), ("你能做什么", "我用来诊断")]
)
def test_a_question_about_the_tool_is_answered_by_code(world: World, question: str, start: str) -> None:
    flow = world.ask(script(router=[routes("SYSTEM_CHAT")]), "--json", query=question)
    assert flow.code == 0
    published = balanced(flow)
    same_as_stored(flow)
    assert published["content_type"] == "answer"
    assert published["intent"] == "SYSTEM_CHAT"
    assert published["answer"]["statements"][0]["text"].startswith(start)
    assert published["evidence"] == []
    assert published["usage"]["model_calls"] == 1


def test_a_chat_is_told_what_is_configured(world: World) -> None:
    flow = world.ask(script(router=[routes("SYSTEM_CHAT")]), query="what can you do?")
    assert "logs" in flow.out
    assert "scripted:" in flow.out
