from __future__ import annotations

import json

import pytest

from superbiz_cli.harness.agent.history import (
    EMPTY_REPLY,
    MAX_THOUGHT_CHARS,
    UNKNOWN_TOOL_NAME,
    UNREADABLE_ARGUMENTS,
    AnsweredCall,
    History,
)
from superbiz_cli.harness.agent.observation import KEPT_CHARS, KEPT_ITEMS
from superbiz_cli.harness.contract.model import Message, ModelToolCall
from superbiz_cli.harness.contract.strict import canonical_json


def a_history() -> History:
    return History(system_prompt="rules", agent_input="{}")


def answered(call: ModelToolCall, call_id: str = "ev-1") -> AnsweredCall:
    return AnsweredCall(call, call_id, '{"observation":"RESULT"}')


def rewritten(name: str, arguments: str) -> ModelToolCall:
    history = a_history()
    history.add_calls("", [answered(ModelToolCall("provider", name, arguments))])
    (call,) = history.messages[2].tool_calls
    return call


def test_a_conversation_begins_with_the_rules_and_the_input() -> None:
    assert a_history().messages == (Message("system", "rules"), Message("user", "{}"))


def a_result(call_id: str, items: int = 30) -> AnsweredCall:
    events = [{"message": "x" * 900, "n": n} for n in range(items)]
    told = {"observation": "RESULT", "tool_call_id": call_id, "result": {"events": events, "match_count": 7}}
    return AnsweredCall(ModelToolCall("p", "query_logs", "{}"), call_id, canonical_json(told))


def test_earlier_results_are_repeated_in_part_and_the_last_two_in_full() -> None:
    history = a_history()
    for number in range(4):
        history.add_calls("", [a_result(f"ev-{number}")])
    before, size = history.messages, history.size_bytes()
    history.shorten_earlier()
    first, second, third, fourth = (m for m in history.messages if m.role == "tool")
    for message in (first, second):
        told = json.loads(message.content)
        assert told["tool_call_id"] == message.tool_call_id
        assert told["shortened"] is True
        assert told["result"]["match_count"] == 7
        assert [event["n"] for event in told["result"]["events"]] == list(range(KEPT_ITEMS))
        assert all(len(event["message"]) <= KEPT_CHARS for event in told["result"]["events"])
    assert (third, fourth) == tuple(m for m in before if m.role == "tool")[2:]
    assert history.size_bytes() < 0.6 * size
    once = history.messages
    history.shorten_earlier()
    assert history.messages == once


@pytest.mark.parametrize("text", ["no JSON", '{"observation":"ERROR","error":"' + "x" * 4000 + '"}'])
def test_what_is_small_or_no_result_is_not_shortened(text: str) -> None:
    history = a_history()
    for number in range(3):
        call = ModelToolCall("p", "query_logs", "{}")
        history.add_calls("", [AnsweredCall(call, f"ev-{number}", text)])
    before = history.messages
    history.shorten_earlier()
    assert history.messages == before


def test_our_id_replaces_whatever_the_provider_sent() -> None:
    history = a_history()
    calls = [ModelToolCall(provider_id, "query_logs", "{}") for provider_id in ("", "dup", "dup", "x" * 5000)]
    history.add_calls("", [answered(call, f"ev-{n}") for n, call in enumerate(calls)])
    assistant, *answers = history.messages[2:]
    assert [call.id for call in assistant.tool_calls] == ["ev-0", "ev-1", "ev-2", "ev-3"]
    assert [answer.tool_call_id for answer in answers] == ["ev-0", "ev-1", "ev-2", "ev-3"]
    assert {answer.role for answer in answers} == {"tool"}


def test_legal_arguments_go_back_as_the_model_wrote_them() -> None:
    arguments = '{"previous_observation": null,  "input": {"query": "x"}}'
    assert rewritten("query_logs", arguments) == ModelToolCall("ev-1", "query_logs", arguments)


@pytest.mark.parametrize(
    "arguments", ["", "[1]", "{'a': 1}", '{"a": "\ud800"}', '{"a": "' + "x" * 40_000 + '"}']
)
def test_arguments_that_no_adapter_can_read_are_not_sent_back(arguments: str) -> None:
    assert rewritten("query_logs", arguments).arguments == UNREADABLE_ARGUMENTS


@pytest.mark.parametrize(
    "name", ["", "functions.query_logs", "query_logs<|channel|>", "x" * 65, "query\u200b_logs"]
)
def test_a_name_that_providers_refuse_is_not_sent_back(name: str) -> None:
    assert rewritten(name, "{}").name == UNKNOWN_TOOL_NAME


def test_a_portable_unknown_name_stays_as_the_model_wrote_it() -> None:
    assert rewritten("WebSearch", "{}").name == "WebSearch"


def test_a_thought_is_kept_but_bounded_and_encodable() -> None:
    history = a_history()
    history.add_calls("\ud800" + "x" * 20_000, [answered(ModelToolCall("p", "query_logs", "{}"))])
    thought = history.messages[2].content
    assert len(thought) == MAX_THOUGHT_CHARS
    assert thought.encode("utf-8").startswith(b"?x")


def test_a_draft_repair_is_a_message_of_the_user() -> None:
    history = a_history()
    history.add_draft_repair("The cause is clear.", "repair", max_chars=9)
    assert history.messages[2:] == (Message("assistant", "The caus…"), Message("user", "repair"))


def test_an_empty_reply_gets_a_placeholder_because_providers_refuse_empty_messages() -> None:
    history = a_history()
    history.add_draft_repair(" \n", "repair", max_chars=100)
    assert history.messages[2] == Message("assistant", EMPTY_REPLY)
