"""Questions and options that cannot be used: one clear sentence, exit 2, nothing spent, nothing kept."""

from __future__ import annotations

import pytest

from superbiz_cli.errors import ErrorCode
from tests.support.flow_turns import diagnosis
from tests.support.flow_world import QUESTION, World
from tests.support.run_cli import Completed, run_cli

BAD_QUESTIONS = {
    "empty": "",
    "blank": " \t\n ",
    "17 KB": "x" * 17_000,
    "17 KB of Chinese": "支" * 5_700,
    "bytes that are no UTF-8": b"payment \xff\xfe".decode("utf-8", "surrogateescape"),
    "a lone surrogate": "payment \ud800",
    "a NUL byte": "payment \0 times out",
}


@pytest.mark.parametrize("kind", BAD_QUESTIONS)
def test_a_question_that_cannot_be_asked_is_refused(world: World, kind: str) -> None:
    flow = world.ask(diagnosis(), query=BAD_QUESTIONS[kind])
    refused(flow.completed, world)
    refused_in_json(world.ask(diagnosis(), "--json", query=BAD_QUESTIONS[kind]).completed, "QUERY_INVALID")


@pytest.mark.parametrize(
    "stdin", [b"", b"  \n", b"x" * 17_000, b"payment \xff\xfe", b"\xed\xa0\x80", b"a\0b"]
)
def test_the_same_holds_for_what_comes_through_stdin(world: World, stdin: bytes) -> None:
    refused(world.ask(diagnosis(), query="-", stdin=stdin).completed, world)


def test_a_question_of_exactly_the_limit_is_asked(world: World) -> None:
    limit = 16_384
    question = QUESTION + " " + "x" * (limit - len(QUESTION) - 1)
    assert world.ask(diagnosis(), query=question).code == 0
    assert world.ask(diagnosis(), query=question + "x").code == 2


def test_a_question_from_stdin_is_asked(world: World) -> None:
    flow = world.ask(diagnosis(), "--json", query="-", stdin="支付服务超时\n".encode())
    assert flow.code == 0
    assert flow.document["query"] == "支付服务超时"


@pytest.mark.parametrize("flag", ["--json", "--ndjson"])
def test_a_secret_in_the_question_is_not_echoed(world: World, flag: str) -> None:
    flow = world.ask(diagnosis(), flag, query=f"{QUESTION}; I logged in with password=hunter2-Xk9")
    assert flow.code == 0
    assert "hunter2" not in flow.out + flow.err
    assert "[REDACTED_PASSWORD" in flow.out


@pytest.mark.parametrize("session", ["", "-x", ".x", "a b", "a/b", "a\n", "支付", "x" * 65, "a:b"])
def test_a_session_with_unknown_characters_is_refused(world: World, session: str) -> None:
    flow = world.ask(diagnosis(), f"--session={session}")
    refused(flow.completed, world)
    assert "session" in flow.err


def test_a_session_of_all_allowed_characters_is_used(world: World) -> None:
    session = "A9._-" + "x" * 59
    flow = world.ask(diagnosis(), "--json", "--session", session)
    assert flow.document["session_id"] == session


@pytest.mark.parametrize(
    "flags",
    [
        ("--at", "yesterdayish"),
        ("--since", "25:99"),
        ("--timeout", "0"),
        ("--timeout", "-3"),
        ("--timeout", "soon"),
        ("--since", "2026-11-30T10:20:00+08:00"),
        ("--format", "yaml"),
        ("--session", "s1", "--continue"),
        ("--skill", "no-such-skill"),
        ("--frobnicate",),
    ],
)
def test_a_flag_that_makes_no_sense_is_refused(world: World, flags: tuple[str, ...]) -> None:
    refused(world.ask(diagnosis(), *flags).completed, world)


def test_a_model_script_that_does_not_exist_is_refused(world: World) -> None:
    flow = world.ask(None, "--model", f"scripted:{world.folder}/none.json")
    refused(flow.completed, world)


def test_a_model_script_that_is_no_json_is_refused(world: World) -> None:
    broken = world.folder / "broken.json"
    broken.write_text("{")
    refused(world.ask(None, "--model", f"scripted:{broken}").completed, world)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[run]\ndeadline = 3\n", "run.deadline"),
        ("[rum]\ndeadline_s = 3\n", "rum"),
        ("[run]\ndeadline_s = 'soon'\n", "run.deadline_s"),
        ("[run]\nmax_model_calls = 0\n", "run.max_model_calls"),
        ("[[logs.sources]]\nname = 'a'\ntopic = 'APPLICATION'\n", "logs.sources"),
        ("[canonical]\nbackend = 'redis'\n", "canonical"),
        ("[model.agent]\napi_key = 'sk-123'\n", "api_key"),
        ("[run\n", "config.toml"),
    ],
)
def test_a_configuration_that_is_wrong_is_refused_by_key_and_file(
    world: World, text: str, named: str
) -> None:
    config = world.folder / "bad" / "config.toml"
    config.parent.mkdir()
    config.write_text(text)
    completed = run_cli("diagnose", QUESTION, "--config", str(config))
    refused(completed, world)
    assert named in completed.err
    assert str(config) in completed.err
    assert "sk-123" not in completed.err


def test_continuing_without_an_earlier_session_is_refused(world: World) -> None:
    flow = world.ask(diagnosis(), "--continue")
    assert flow.code == 2
    assert "no earlier session" in flow.err


def refused(completed: Completed, world: World) -> None:
    """One sentence and perhaps a hint, and no Run."""
    assert completed.code == 2
    assert completed.out == ""
    told = [line for line in completed.err.splitlines() if line and not line.startswith("superbiz  starting")]
    assert 1 <= len(told) <= 4, told
    assert "Traceback" not in completed.err
    assert world.runs() == 0


def refused_in_json(completed: Completed, code: str) -> None:
    assert completed.code == 2
    error = completed.json()["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == ErrorCode(code)
    assert error["message"]
