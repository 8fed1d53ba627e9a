"""Whatever shape a tool call or a usage report has, litellm reads the reply and we read the call."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from superbiz_cli.adapters.litellm_replies import read_reply
from superbiz_cli.adapters.litellm_shapes import MAX_SHOWN_DEPTH, Aside, set_aside, shallow
from superbiz_cli.harness.agent.envelope import EnvelopeRefused, parse_envelope
from superbiz_cli.harness.contract.model import ModelToolCall, ReportedUsage

ENVELOPE = '{"previous_observation":null,"input":{"query":"x"}}'
NESTED = "[" * 20_000 + "]" * 20_000
LONG_INTEGER = "9" * 5_000


def openai(**message: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": None, **message}}]}


def function(arguments: Any, **rest: Any) -> dict[str, Any]:
    call = {"name": "query_logs", "arguments": arguments, **rest}
    return {"id": "c1", "type": "function", "function": call}


def aside_of(reply: Any) -> tuple[Any, Aside]:
    body, aside = set_aside(json.dumps(reply).encode())
    return json.loads(body), aside


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([function(ENVELOPE)], ("c1", "query_logs", ENVELOPE)),
        ([function("{oops")], ("c1", "query_logs", "{oops")),
        ([function("")], ("c1", "query_logs", "")),
        ([function(None)], ("c1", "query_logs", "")),
        ([function({"input": {"query": "超时"}})], ("c1", "query_logs", '{"input": {"query": "超时"}}')),
        ([function([1, 2])], ("c1", "query_logs", "[1, 2]")),
        ([function(5)], ("c1", "query_logs", "5")),
        ([function(True)], ("c1", "query_logs", "true")),
        ([function(ENVELOPE, name=None)], ("c1", "", ENVELOPE)),
        ([function(ENVELOPE, name=["query_logs"])], ("c1", '["query_logs"]', ENVELOPE)),
        ([function(ENVELOPE) | {"id": None}], ("", "query_logs", ENVELOPE)),
        ([function(ENVELOPE) | {"id": 7}], ("7", "query_logs", ENVELOPE)),
        ([{"id": "c1", "name": "query_logs", "arguments": ENVELOPE}], ("c1", "query_logs", ENVELOPE)),
        ([{"id": "c1", "function": None}], ("c1", "", "")),
        ([{"type": "custom", "custom": {"name": "query_logs", "input": "raw"}}], ("", "query_logs", "raw")),
        ([None], ("", "", "")),
        (["query_logs"], ("", "", "query_logs")),
        (function(ENVELOPE), ("c1", "query_logs", ENVELOPE)),
        ("query_logs(x)", ("", "", "query_logs(x)")),
    ],
)
def test_a_call_of_any_shape_is_read_as_text(told: Any, expected: tuple[str, str, str]) -> None:
    shown, aside = aside_of(openai(tool_calls=told))
    assert aside.tool_calls == (ModelToolCall(*expected),)
    [placeholder] = shown["choices"][0]["message"]["tool_calls"]
    assert placeholder["function"] == {"name": "call", "arguments": "{}"}


def test_the_legacy_function_call_is_a_call() -> None:
    shown, aside = aside_of(openai(function_call={"name": "query_logs", "arguments": ENVELOPE}))
    assert aside.tool_calls == (ModelToolCall("", "query_logs", ENVELOPE),)
    assert "function_call" not in shown["choices"][0]["message"]


def test_calls_keep_their_order_and_their_names() -> None:
    told = [function("a", name="multi_tool_use.parallel"), function("b", name="query_logs")]
    _, aside = aside_of(openai(tool_calls=told))
    assert [(call.name, call.arguments) for call in aside.tool_calls] == [
        ("multi_tool_use.parallel", "a"),
        ("query_logs", "b"),
    ]


@pytest.mark.parametrize("told", [None, [], {}, ""])
def test_no_call_is_no_call(told: Any) -> None:
    assert aside_of(openai(tool_calls=told))[1] == Aside()


def test_calls_of_anthropic_and_ollama_are_taken_out_too() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "query_logs", "input": "no object"}
    shown, aside = aside_of({"type": "message", "content": [{"type": "text", "text": "hm"}, block]})
    assert aside.tool_calls == (ModelToolCall("t1", "query_logs", "no object"),)
    assert shown["content"][1]["input"] == {}
    shown, aside = aside_of({"message": {"content": "", "tool_calls": [function([1])]}, "done": True})
    assert aside.tool_calls == (ModelToolCall("c1", "query_logs", "[1]"),)
    assert shown["message"]["tool_calls"][0]["function"]["arguments"] == {}


def test_what_python_cannot_parse_still_reaches_the_envelope_parser_which_refuses_it() -> None:
    for value in (NESTED, LONG_INTEGER):
        inner = f'{{"previous_observation":null,"input":{{"query":"x","lookback_minutes":{value}}}}}'
        as_text = json.dumps(openai(tool_calls=[function(inner)]))
        as_value = as_text.replace(json.dumps(inner), inner)
        for body in (as_text, as_value):
            _, aside = set_aside(body.encode())
            [call] = aside.tool_calls
            if value is NESTED or body is as_text:
                with pytest.raises(EnvelopeRefused):
                    parse_envelope(call.arguments)
            else:  # the integer is a text by then, which no tool accepts as a number
                assert parse_envelope(call.arguments).input["lookback_minutes"] == LONG_INTEGER


def test_cutting_off_depth_counts_no_bracket_inside_of_text() -> None:
    text = json.dumps({"a": '[[[{\\"' * 300, "b": [1]})
    assert shallow(text) == text
    cut = json.loads(shallow("[" * 500 + "]" * 500))
    depth = 0
    while cut:
        [cut] = cut
        depth += 1
    assert depth == MAX_SHOWN_DEPTH - 1


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"\xff\xfe\xff", b"[1]", b"null", b'{"choices":[]}', b'{"choices":[null]}'],
)
def test_a_body_of_another_shape_is_left_alone(body: bytes) -> None:
    assert set_aside(body) == (body, Aside())


@pytest.mark.parametrize(
    "reply",
    [
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": "a"}}, {"message": {"tool_calls": [function("{}")]}}]},
        {"choices": "x", "message": "y", "content": "z"},
        openai(content=[{"type": "image"}]),
        openai(content=["a"]),
    ],
)
def test_a_reply_that_is_not_one_answer_is_left_alone(reply: Any) -> None:
    body = json.dumps(reply).encode()
    assert set_aside(body) == (body, Aside())


def test_content_in_text_parts_becomes_one_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    shown, aside = aside_of(openai(content=parts))
    assert shown["choices"][0]["message"]["content"] == "ab"
    assert aside == Aside()


def test_calls_of_an_unknown_format_are_those_that_litellm_read() -> None:
    call = SimpleNamespace(id=None, function=SimpleNamespace(name="query_logs", arguments="{}"))
    message = SimpleNamespace(content=None, tool_calls=[call])
    choice = SimpleNamespace(message=message, finish_reason="tool_calls")
    reply = read_reply(SimpleNamespace(choices=[choice], usage=None, model="m"), Aside(), api_key="no-key")
    assert reply.tool_calls == (ModelToolCall("", "query_logs", "{}"),)


PLAIN: list[Any] = [
    None,
    {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": None}, "cost": 0.5},
]
ODD: list[tuple[Any, tuple[Any, Any]]] = [
    ("many", (None, None)),
    ([], (None, None)),
    ({"prompt_tokens": "7", "completion_tokens": 2}, ("7", 2)),
    ({"prompt_tokens": -7, "completion_tokens": 2}, (-7, 2)),
    ({"prompt_tokens": 1.5, "completion_tokens": True}, (1.5, True)),
    ({"prompt_tokens": 10**18, "completion_tokens": [2]}, (10**18, [2])),
    ({"prompt_tokens": 1, "completion_tokens": 2, "details": ["x"]}, (1, 2)),
    ({"input_tokens": {}, "output_tokens": 2, "cache_tokens": "x"}, ({}, 2)),
]


@pytest.mark.parametrize("usage", PLAIN)
def test_plain_usage_is_left_to_litellm(usage: Any) -> None:
    assert aside_of(openai(content="a") | {"usage": usage})[1] == Aside()


@pytest.mark.parametrize(("usage", "expected"), ODD)
def test_odd_usage_is_reported_as_it_is(usage: Any, expected: tuple[Any, Any]) -> None:
    shown, aside = aside_of(openai(content="a") | {"usage": usage})
    assert aside.usage == ReportedUsage(*expected)
    assert set(shown["usage"].values()) == {0}


def test_odd_counts_of_ollama_are_reported_as_they_are() -> None:
    shown, aside = aside_of({"message": {"content": "a"}, "prompt_eval_count": "x", "eval_count": 4})
    assert aside.usage == ReportedUsage("x", 4)
    assert (shown["prompt_eval_count"], shown["eval_count"]) == (0, 0)
    assert aside_of({"message": {"content": "a"}, "eval_count": 4})[1] == Aside()
