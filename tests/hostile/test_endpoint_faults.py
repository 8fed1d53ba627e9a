"""The endpoint of the model fails in every way at every stage: the specified end, and the next run works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import CONCLUSION, Script, Turn, asks_logs, diagnosis, judges, routes, script
from tests.support.flow_world import Flow, World
from tests.support.hostile_play import KEY, KEY_NAME, use_endpoint
from tests.support.hostile_server import ScriptServer

ATTEMPT_S, TOTAL_S = 1.0, 2.5
USUAL_S = 30.0
WITHIN_MS = 12_000
HTML = "<html><body>502 Bad Gateway sk-LEAKME</body></html>"
FAULTS: dict[str, Turn] = {
    "hangs": {"hang_ms": 60_000},
    "trickles": {"drip": True},
    "resets": {"error": "TRANSPORT"},
    "breaks off": {"error": "PARTIAL"},
    "500": {"error": "HTTP", "status": 500},
    "429": {"error": "HTTP", "status": 429},
    "429, later": {"error": "HTTP", "status": 429, "retry_after_s": 3600},
    "401": {"error": "HTTP", "status": 401},
    "HTML": {"error": "HTTP", "status": 200, "body": HTML},
    "HTML and 502": {"error": "HTTP", "status": 502, "body": HTML},
    "redirects": {"error": "HTTP", "status": 302, "body": "", "location": "http://127.0.0.1:9/"},
    "nothing": {"error": "HTTP", "status": 200, "body": ""},
}


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> Iterator[None]:
    from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
    from superbiz_cli.harness.core.cancellation import Cancellation

    runtime = LitellmRuntime()
    assert runtime.wait(timeout_s=100, cancel=Cancellation()) is not None
    yield
    runtime.close()


def ask(
    world: World,
    played: Script,
    monkeypatch: pytest.MonkeyPatch,
    *,
    attempt_s: float = ATTEMPT_S,
    total_s: float = TOTAL_S,
) -> tuple[Flow, int]:
    """Diagnose over HTTP; return the flow and how many requests were made."""
    monkeypatch.setenv(KEY_NAME, KEY)
    for role in ("router", "judge", "repair"):
        world.settings[f"run.attempts.{role}"] = {"attempt_s": attempt_s, "total_s": total_s}
    world.settings["model.agent"] = {"timeout_s": attempt_s}
    with ScriptServer(played) as server:
        use_endpoint(world, server.url)
        flow = world.ask(None, "--json")
    return flow, len(server.requests)


def checked(flow: Flow, requests: int) -> dict[str, Any]:
    published = dict(balanced(flow))
    same_as_stored(flow)
    assert published["duration_ms"] < WITHIN_MS
    assert requests == published["usage"]["model_calls"]
    for text in (flow.out, flow.err):
        assert CONCLUSION not in text
        assert "LEAKME" not in text
        assert "Traceback" not in text
    return published


@pytest.mark.parametrize("fault", FAULTS)
def test_a_router_that_cannot_answer_ends_the_run(
    world: World, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = FAULTS[fault]
    published = checked(*ask(world, diagnosis(router=[turn, turn]), monkeypatch))
    assert (published["release_outcome"], published["failure"]["code"]) == ("FAILED", "ROUTING_UNAVAILABLE")
    assert next_works(world, monkeypatch)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_agent_that_stops_answering_leaves_the_facts(
    world: World, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = checked(*ask(world, script(asks_logs(), FAULTS[fault]), monkeypatch))
    assert published["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    assert published["fallback"]["observed_facts"]
    assert next_works(world, monkeypatch)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_judge_that_cannot_answer_leaves_the_facts(
    world: World, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = FAULTS[fault]
    published = checked(*ask(world, diagnosis(semantic=[turn, turn]), monkeypatch))
    assert published["fallback"]["type"] == "SEMANTIC_UNAVAILABLE"
    assert next_works(world, monkeypatch)


@pytest.mark.parametrize("fault", ["hangs", "resets", "500", "429", "HTML"])
def test_a_fault_that_passes_costs_an_attempt_only(
    world: World, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = FAULTS[fault]
    played = diagnosis(router=[turn, routes()], semantic=[turn, judges()])
    flow, requests = ask(world, played, monkeypatch, total_s=USUAL_S)
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    assert requests == 6


def next_works(world: World, monkeypatch: pytest.MonkeyPatch) -> bool:
    flow, _ = ask(world, diagnosis(), monkeypatch, attempt_s=USUAL_S, total_s=USUAL_S)
    return flow.code == 0
