"""A script is played from the messages alone."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.script_macros import (
    Script,
    ScriptError,
    ShownIds,
    chat_messages,
    expand,
    read_script,
    render_turn,
)
from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.model import (
    Message,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
    ModelUnavailable,
    RetryFailure,
)
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.cancellation import Cancellation

LOGS_CALL = {"id": "first", "name": "query_logs", "arguments": '{"previous_observation":null,"input":{}}'}
DRAFT = {
    "$draft": {
        "analyses": [
            {"analysis_id": "A1", "kind": "NORMAL", "text": "seen", "tool_call_ids": ["{{id:first}}"]}
        ],
        "conclusion": None,
        "action_plan": [],
        "recommendations": [],
        "limitations": {"missing_info": [], "notes": ["short window"]},
    }
}


def model(**roles: list[dict[str, Any]]) -> ScriptedModel:
    return ScriptedModel(read_script(json.dumps({"script": roles})))


def ask(
    scripted: ScriptedModel,
    *messages: Message,
    role: ModelRole = ModelRole.AGENT,
    timeout_s: float = 5.0,
    cancel: Cancellation | None = None,
) -> ModelReply:
    request = ModelRequest(role=role, messages=messages or (Message("user", "{}"),))
    return scripted.complete(request, timeout_s=timeout_s, cancel=cancel or Cancellation())


def failure_of(scripted: ScriptedModel, **options: Any) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        ask(scripted, **options)
    return caught.value


def called(*ids: str) -> Message:
    return Message("assistant", "", tool_calls=tuple(ModelToolCall(i, "query_logs", "{}") for i in ids))


def shown(call_id: str, **observation: Any) -> Message:
    return Message("tool", json.dumps(observation), tool_call_id=call_id)


def test_each_role_plays_its_own_turns_in_order() -> None:
    scripted = model(
        router=[{"content": "r1"}, {"content": "r2"}],
        agent=[{"content": "a"}],
        semantic=[{"content": "s"}],
        repair=[{"content": "p"}],
        answer=[{"content": "k"}],
    )

    assert [ask(scripted, role=ModelRole.ROUTER).content for _ in range(2)] == ["r1", "r2"]
    assert ask(scripted).content == "a"
    assert ask(scripted, role=ModelRole.JUDGE).content == "s"
    assert ask(scripted, role=ModelRole.REPAIR).content == "p"
    assert ask(scripted, role=ModelRole.ANSWER).content == "k"


def test_a_citation_becomes_the_id_that_the_program_showed() -> None:
    scripted = model(agent=[{"tool_calls": [LOGS_CALL]}, {"content": DRAFT}])
    ask(scripted)

    reply = ask(scripted, called("ev-x-1"), shown("ev-x-1", observation="RESULT", tool_call_id="ev-x-1"))

    draft = Draft.model_validate_json(reply.content)
    assert draft.analysis is not None
    assert draft.analysis[0].tool_call_ids == ("ev-x-1",)
    assert draft.limitations is not None
    assert draft.limitations.caveats == ("short window",)
    assert draft.limitations.checked_scope != ""


def test_a_call_that_was_not_run_has_no_id_and_a_repeated_name_means_its_newest_id() -> None:
    turn = {"tool_calls": [LOGS_CALL]}
    scripted = model(agent=[turn, turn, {"content": "{{id:first}} {{id:never}}"}])
    ask(scripted)
    history = [called("a"), shown("a", observation="REPAIR", tool_call_id=None)]
    ask(scripted, *history)
    history += [called("b"), shown("b", observation="RESULT", tool_call_id="ev-2")]

    assert ask(scripted, *history).content == "ev-2 never"


def test_only_the_first_of_several_calls_is_shown_an_id() -> None:
    scripted = model(
        agent=[
            {"tool_calls": [LOGS_CALL, {**LOGS_CALL, "id": "second"}]},
            {"content": "{{id:first}}/{{id:second}}"},
        ]
    )
    ask(scripted)

    reply = ask(
        scripted,
        called("x", "y"),
        shown("x", observation="RESULT", tool_call_id="ev-1"),
        shown("y", observation="NOT_RUN", tool_call_id=None),
    )

    assert reply.content == "ev-1/second"


def test_a_duplicate_call_is_cited_by_the_id_of_the_first() -> None:
    scripted = model(agent=[{"tool_calls": [LOGS_CALL]}, {"content": "{{id:first}}"}])
    ask(scripted)

    reply = ask(scripted, called("x"), shown("x", observation="DUPLICATE", tool_call_id=None, same_as="ev-1"))

    assert reply.content == "ev-1"


def test_the_repair_role_knows_the_ids_that_the_agent_was_shown() -> None:
    scripted = model(
        agent=[{"tool_calls": [LOGS_CALL]}, {"content": "draft"}], repair=[{"content": "{{id:first}}"}]
    )
    ask(scripted)
    ask(scripted, called("x"), shown("x", tool_call_id="ev-1"))

    assert ask(scripted, role=ModelRole.REPAIR).content == "ev-1"


def test_observations_that_are_no_json_teach_nothing() -> None:
    ids = ShownIds()
    ids.played({"tool_calls": [LOGS_CALL, {"id": None}, {"id": 7}]})
    ids.observe(
        [called("x", "y", "z"), Message("tool", "plain", tool_call_id="x"), shown("nobody", tool_call_id="e")]
    )
    ids.observe([called("x"), Message("tool", "[1]", tool_call_id="x")])

    assert ids.macros() == {}


def test_odd_tool_calls_become_text_like_those_of_a_provider() -> None:
    calls = [
        {"id": 7, "name": None, "arguments": {"input": {}}},
        {"id": None, "name": "x", "arguments": None},
    ]

    reply = ask(model(agent=[{"tool_calls": calls}]))

    assert reply.tool_calls == (ModelToolCall("7", "", '{"input": {}}'), ModelToolCall("", "x", ""))


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        ({"content": {"$repeat": ["ab", 3]}}, "ababab"),
        ({"content": {"$join": ["<", {"$repeat": ["x", 2]}, ">"]}}, "<xx>"),
        ({"content": {"a": 1}}, '{"a": 1}'),
        ({"content": "x", "wrap": "```json\n%s\n```"}, "```json\nx\n```"),
        ({"content": "0123456789", "truncate": 0.6}, "012345"),
        ({"content": "value 1", "regex": [r"\d", "2"]}, "value 2"),
        ({"content": {"$draft": {"conclusion": "\\ud800"}}, "surrogate": True}, '{"conclusion": "\\ud800"}'),
        ({"content": {"$draft": "no object"}}, '"no object"'),
        ({"content": None}, ""),
        ({}, ""),
    ],
)
def test_a_turn_is_rendered(turn: dict[str, Any], content: str) -> None:
    assert ask(model(agent=[turn])).content == content


def test_further_macros_can_be_supplied() -> None:
    assert expand(["{{other_run_ready_id}}", 3], {"other_run_ready_id": "ev-9"}) == ["ev-9", 3]


@pytest.mark.parametrize("usage", [None, "many", {"prompt_tokens": -1, "completion_tokens": 10**18}])
def test_usage_passes_as_reported(usage: Any) -> None:
    reported = ask(model(agent=[{"content": "x", "usage": usage, "finish_reason": "length"}]))

    expected = (-1, 10**18) if isinstance(usage, dict) else (None, None)
    assert (reported.usage.input_tokens, reported.usage.output_tokens) == expected
    assert reported.finish_reason == "length"


@pytest.mark.parametrize(
    ("turn", "failure", "status"),
    [
        ({"error": "TIMEOUT"}, RetryFailure.TIMEOUT, None),
        ({"error": "TRANSPORT"}, RetryFailure.TRANSPORT, None),
        ({"error": "TRANSPORT", "status": 429}, RetryFailure.TRANSPORT, 429),
        ({"error": "HTTP", "status": 401, "body": "sk-LEAKME"}, RetryFailure.UNKNOWN, 401),
        ({"error": "HTTP", "status": 504}, RetryFailure.TIMEOUT, 504),
        ({"error": "BODY", "status": 200, "body": "<html>"}, RetryFailure.INVALID_OUTPUT, 200),
        ({"error": "PARTIAL"}, RetryFailure.TRANSPORT, None),
        ({"content": "x", "extra_choice": True}, RetryFailure.INVALID_OUTPUT, None),
        ({"hang_ms": 1}, RetryFailure.TRANSPORT, None),
    ],
)
def test_failures_are_played(turn: dict[str, Any], failure: RetryFailure, status: int | None) -> None:
    error = failure_of(model(agent=[turn]))

    assert (error.failure, error.http_status) == (failure, status)
    assert "LEAKME" not in repr(vars(error))


@pytest.mark.parametrize("turn", [{"hang_ms": 60_000}, {"drip": True}, {"delay_ms": 60_000, "content": "x"}])
def test_every_wait_ends_with_the_time_limit_and_with_a_cancel(turn: dict[str, Any]) -> None:
    assert failure_of(model(agent=[turn]), timeout_s=0.02).failure is RetryFailure.TIMEOUT

    cancellation = Cancellation()
    timer = threading.Timer(0.02, cancellation.cancel, [CancelReason.USER_REQUESTED])
    began = time.monotonic()
    timer.start()
    assert failure_of(model(agent=[turn]), cancel=cancellation).failure is RetryFailure.CANCELLED
    assert time.monotonic() - began < 1
    timer.join()


def test_a_short_delay_is_followed_by_the_reply() -> None:
    assert ask(model(agent=[{"delay_ms": 1, "content": "late"}])).content == "late"


def test_after_the_last_turn_the_script_fails_or_repeats() -> None:
    assert failure_of(model(router=[{"content": "x"}])).failure is RetryFailure.TRANSPORT

    repeating = ScriptedModel(Script({"agent": [{"content": "again"}], "router": []}, repeat_last=True))
    assert [ask(repeating).content for _ in range(3)] == ["again"] * 3
    assert failure_of(repeating, role=ModelRole.ROUTER).failure is RetryFailure.TRANSPORT


def test_a_cancelled_run_plays_nothing() -> None:
    cancellation, scripted = Cancellation(), model(agent=[{"content": "x"}])
    cancellation.cancel(CancelReason.USER_REQUESTED)

    assert failure_of(scripted, cancel=cancellation).failure is RetryFailure.CANCELLED
    assert ask(scripted).content == "x"


def test_a_file_may_hold_a_whole_case_or_only_the_roles(tmp_path: Path) -> None:
    whole, bare = tmp_path / "whole.json", tmp_path / "bare.json"
    whole.write_text('\ufeff{"id":"C1","script":{"agent":[{"content":"x"}]},"expect":{}}', encoding="utf-8")
    bare.write_text('{"agent":[{"content":"x"}],"on_exhausted":"repeat_last"}', encoding="utf-8")

    for path in (whole, bare):
        scripted = ScriptedModel.from_file(path)
        assert scripted.name == f"scripted:{path}"
        assert ask(scripted).content == "x"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"not json", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "one JSON object"),
        (b"{}", "at least one of the roles"),
        (b'{"script":[]}', "object of roles"),
        (b'{"agent":{}}', 'turns of "agent"'),
        (b'{"agent":["x"]}', 'turns of "agent"'),
        (b'{"agent":[{}],"on_exhausted":"stop"}', "on_exhausted"),
        (b"\xff\xfe", "not UTF-8"),
        (b" " * 8_000_001, "larger than"),
    ],
)
def test_an_unusable_file_is_explained(content: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(content)

    with pytest.raises(ScriptError, match=complaint) as caught:
        ScriptedModel.from_file(path)
    assert str(path) in str(caught.value)


def test_an_absent_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="cannot be read: No such file"):
        ScriptedModel.from_file(tmp_path / "absent.json")


def test_mistakes_in_a_turn_are_explained() -> None:
    with pytest.raises(ScriptError, match="unknown"):
        ask(model(agent=[{"error": "BOOM"}]))
    with pytest.raises(ScriptError, match=r"\$repeat"):
        ask(model(agent=[{"content": {"$repeat": ["xx", 10**9]}}]))


def test_the_messages_of_a_chat_request_can_be_read() -> None:
    raw: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "function": {"name": "query_logs", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "{}", "tool_call_id": "a"},
    ]

    assert chat_messages(raw) == (
        Message("user", "q"),
        Message("assistant", "", tool_calls=(ModelToolCall("a", "query_logs", "{}"),)),
        Message("tool", "{}", tool_call_id="a"),
    )


def test_every_given_hostile_script_can_be_read_and_rendered() -> None:
    root = Path(os.environ.get("SUPERBIZ_TEST_DATA", Path(__file__).parents[4] / "shared" / "data"))
    path = root / "hostile" / "hostile.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    for line in path.read_text(encoding="utf-8").splitlines():
        script = read_script(line)
        for turns in script.turns.values():
            for turn in turns:
                rendered = render_turn(turn, {}, surrogate=script.surrogate)
                assert rendered["content"] is None or isinstance(rendered["content"], str)
                assert "{{id:" not in json.dumps(rendered)
