"""A second question in the same session: it knows the last released diagnosis, bounded, and nothing else."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.flow_turns import CONCLUSION, diagnosis
from tests.support.flow_world import QUESTION, SECRET, World
from tests.support.run_cli import PYTHON, run_cli
from tests.support.session_server import Investigator

SECOND = "and what about the orders?"


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Investigator]:
    verdicts = getattr(request, "param", ("SUPPORTED",))
    with Investigator(*verdicts) as running:
        yield running


@pytest.fixture(scope="module")
def imported() -> None:
    """The model library, so that its slow import takes nothing of a router's time."""
    from superbiz_cli.adapters.litellm_setup import import_litellm

    import_litellm()


@pytest.fixture
def online(world: World, server: Investigator, imported: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """The world with the server as its model."""
    monkeypatch.setenv("MODEL_KEY", "sk-local")
    monkeypatch.setenv("LOGNAME", "ann")
    world.settings["model.agent"] = {
        "name": "openai/served",
        "api_base": f"{server.url}/v1",
        "api_key_env": "MODEL_KEY",
    }
    return world


def test_the_second_question_knows_the_bounded_first_turn_and_nothing_else_of_it(
    online: World, server: Investigator
) -> None:
    first = online.ask(None, "-s", "shop", "--json", query=f"{QUESTION} password={SECRET}")
    assert first.code == 0, first.err
    [evidence] = first.document["evidence"]
    server.forget()
    second = online.ask(None, "-c", "--json", query=SECOND)
    assert second.document["session_id"] == "shop"
    [asked] = server.asked(None)
    turn = asked["previous_turn"]
    assert set(turn) == {"query", "conclusion", "checked_scope", "limitations", "knowledge_documents"}
    assert turn["conclusion"] == CONCLUSION
    assert turn["query"].startswith(QUESTION)
    assert asked["query"] == SECOND
    opening = next(text for text in server.texts(None) if '"tool"' not in text.split('"tools"')[0])
    assert [m["role"] for m in json.loads(opening)["messages"]] == ["system", "user"]
    for hidden in (evidence["tool_call_id"], evidence["excerpt"], first.document["run_id"], SECRET):
        assert hidden not in "".join(server.texts(None))[: len(opening)]


def test_the_router_hears_the_last_questions_and_the_judge_hears_none(
    online: World, server: Investigator
) -> None:
    online.ask(None, "-s", "shop")
    server.forget()
    online.ask(None, "-s", "shop", query=SECOND)
    [routed] = server.asked("route")
    assert routed["recent"] == [{"intent": "DIAGNOSIS", "query": QUESTION}]
    [judged] = server.texts("judge")
    assert QUESTION not in judged


@pytest.mark.parametrize("server", [("UNSUPPORTED", "SUPPORTED")], indirect=True)
def test_after_a_fallback_the_second_question_knows_no_previous_turn(
    online: World, server: Investigator
) -> None:
    assert online.ask(None, "-s", "shop").code == 3
    server.forget()
    assert online.ask(None, "-c", query=SECOND).code == 0
    [asked] = server.asked(None)
    assert asked["previous_turn"] is None
    assert CONCLUSION not in server.texts(None)[0]


@pytest.mark.parametrize("server", [("SUPPORTED", "UNSUPPORTED", "SUPPORTED")], indirect=True)
def test_a_fallback_in_between_does_not_hide_the_last_released_diagnosis(
    online: World, server: Investigator
) -> None:
    for question, code in ((QUESTION, 0), (SECOND, 3)):
        assert online.ask(None, "-s", "shop", query=question).code == code
    server.forget()
    online.ask(None, "-s", "shop", query="third")
    [asked] = server.asked(None)
    assert asked["previous_turn"]["query"] == QUESTION


def test_another_session_and_another_person_know_nothing(
    online: World, server: Investigator, monkeypatch: pytest.MonkeyPatch
) -> None:
    online.ask(None, "-s", "shop")
    server.forget()
    online.ask(None, "-s", "billing", query=SECOND)
    assert server.asked(None)[0]["previous_turn"] is None
    monkeypatch.setenv("LOGNAME", "bob")
    flow = online.ask(None, "-c", query=SECOND)
    assert flow.code == 2
    assert "no earlier session" in flow.err


def test_continue_goes_on_with_the_session_that_was_used_last(online: World, server: Investigator) -> None:
    for session in ("alpha", "beta", "alpha"):
        online.ask(None, "-s", session)
    assert online.ask(None, "-c", "--json").document["session_id"] == "alpha"


def test_without_memory_the_second_question_stands_alone(online: World, server: Investigator) -> None:
    online.ask(None, "-s", "shop")
    server.forget()
    online.ask(None, "-c", "--no-memory", query=SECOND)
    assert server.asked(None)[0]["previous_turn"] is None
    assert server.asked("route")[0]["recent"] == []


def test_three_questions_at_once_in_one_session_all_end_and_are_all_kept(world: World) -> None:
    """They run in processes of their own, as in three terminals."""
    commands = [world.arguments(diagnosis(), "-s", "shop", "--json", query=f"{QUESTION} {n}") for n in "abc"]
    processes = [
        subprocess.Popen(
            [PYTHON, "-m", "superbiz_cli", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for command in commands
    ]
    outputs = [process.communicate(timeout=100) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    assert not any(b"not recorded" in err for _, err in outputs)
    shown = run_cli("session", "show", "shop", "--json").json()
    assert shown["session"]["runs"] == 3
    assert {run["run_id"] for run in shown["runs"]} == {json.loads(out)["run_id"] for out, _ in outputs}
    assert run_cli("trace", "verify").code == 0


@pytest.mark.parametrize("bad", ["", "-x", "a b", "a/../b", "x" * 65, "会话", "a\nb"])
def test_a_bad_session_id_is_refused_before_anything_is_spent(world: World, bad: str) -> None:
    flow = world.ask(None, f"--session={bad}", "--json")
    assert flow.code == 2
    assert json.loads(flow.out)["error"]["code"] == "SESSION_INVALID"
    assert not world.audit_file.exists()


def test_session_and_continue_exclude_each_other(world: World) -> None:
    flow = world.ask(None, "-s", "shop", "-c")
    assert flow.code == 2
    assert "exclude each other" in flow.err
