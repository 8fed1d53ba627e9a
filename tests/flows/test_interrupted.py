"""CANCELLED and TIMED_OUT: never dressed up as a fallback, whatever had been found by then."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from superbiz_cli.harness.contract.model import ModelRole
from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_doubles import before_call
from tests.support.flow_turns import (
    CONCLUSION,
    INVENTED_ID,
    asks_logs,
    diagnosis,
    draft,
    item,
    routes,
    says,
    script,
)
from tests.support.flow_world import Flow, World

HANG: dict[str, Any] = {"hang_ms": 60_000}
# stage -> (the script that hangs there, the call that hangs)
HANGING: dict[str, tuple[Any, ModelRole, int]] = {
    "routing": (diagnosis(router=[HANG, routes()]), ModelRole.ROUTER, 1),
    "the first turn": (script(HANG), ModelRole.AGENT, 1),
    "after evidence was found": (script(asks_logs(), HANG), ModelRole.AGENT, 2),
    "repair": (diagnosis(draft(item(cites=[INVENTED_ID])), repair=[HANG]), ModelRole.REPAIR, 1),
    "judging": (diagnosis(semantic=[HANG, HANG]), ModelRole.JUDGE, 1),
    "the judge's second attempt": (diagnosis(semantic=[says("?"), HANG]), ModelRole.JUDGE, 2),
}
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


def send(number: signal.Signals) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), number)


@pytest.mark.parametrize("stage", HANGING)
def test_ctrl_c_cancels_at_every_stage(world: World, stage: str) -> None:
    hanging, role, number = HANGING[stage]
    with before_call(role, number, send(signal.SIGINT)):
        flow = world.ask(hanging, "--json")
    cancelled(flow, code=130)


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_each_signal_has_its_exit_code_and_leaves_stdout_empty(
    world: World, number: signal.Signals, code: int
) -> None:
    with before_call(ModelRole.AGENT, 2, send(number)):
        flow = world.ask(script(asks_logs(), HANG))
    assert flow.out == ""
    assert "Traceback" not in flow.err
    cancelled(flow, code=code)


def test_a_cancelled_stream_has_no_done(world: World) -> None:
    with before_call(ModelRole.AGENT, 2, send(signal.SIGINT)):
        flow = world.ask(script(asks_logs(), HANG), "--ndjson")
    events = [line["event"] for line in flow.completed.ndjson()]
    assert events[-1] == "failure"
    assert "done" not in events
    cancelled(flow, code=130)


def test_a_cancel_that_comes_while_the_verdict_arrives_still_cancels(world: World) -> None:
    with before_call(ModelRole.JUDGE, 1, send(signal.SIGINT)):
        flow = world.ask(diagnosis(semantic=[{**says("x"), "delay_ms": 30_000}]), "--json")
    cancelled(flow, code=130)


def test_the_signal_handlers_are_the_callers_again_afterwards(world: World) -> None:
    before = [signal.getsignal(number) for number, _ in SIGNALS]
    world.ask(diagnosis())
    assert [signal.getsignal(number) for number, _ in SIGNALS] == before


@pytest.mark.parametrize("stage", HANGING)
def test_the_deadline_ends_a_run_at_every_stage(world: World, stage: str) -> None:
    flow = world.ask(HANGING[stage][0], "--json", "--timeout", "0.6")
    timed_out(flow)


def test_a_reply_that_drips_past_the_deadline_is_not_waited_for(world: World) -> None:
    flow = world.ask(script(asks_logs(), {"drip": True}), "--timeout", "0.6")
    assert flow.out == ""
    assert "deadline" in flow.err
    timed_out(flow)


def test_an_attempt_that_hangs_is_given_up_and_tried_again(world: World) -> None:
    world.settings["run.attempts.router"] = {"attempt_s": 0.2, "total_s": 5}
    flow = world.ask(diagnosis(router=[HANG, routes()]), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    assert [attempt["failure"] for attempt in flow.events("ROUTING_ATTEMPT")] == ["TIMEOUT", None]


def test_two_attempts_share_one_total(world: World) -> None:
    world.settings["run.attempts.judge"] = {"attempt_s": 0.3, "total_s": 0.4}
    flow = world.ask(diagnosis(semantic=[HANG, HANG]), "--json")
    assert balanced(flow)["fallback"]["type"] == "SEMANTIC_UNAVAILABLE"
    waited = [call.duration_ms for call in flow.replay.details.model_calls if call.role == "judge"]  # type: ignore[union-attr]
    assert len(waited) == 2
    assert waited[1] < waited[0]


def cancelled(flow: Flow, *, code: int) -> None:
    assert flow.code == code
    published = balanced(flow)
    if flow.out.startswith("{\n"):
        same_as_stored(flow)
    assert (published["release_outcome"], published["run_state"]) == ("CANCELLED", "CANCELLED")
    assert published["failure"]["code"] == "RUN_CANCELLED"
    ended_unproven(flow, published)


def timed_out(flow: Flow) -> None:
    assert flow.code == 5
    published = balanced(flow)
    assert (published["release_outcome"], published["run_state"]) == ("FAILED", "TIMED_OUT")
    assert published["failure"]["code"] == "RUN_TIMED_OUT"
    ended_unproven(flow, published)


def ended_unproven(flow: Flow, published: Any) -> None:
    assert published["fallback"] is published["report"] is None
    assert published["evidence"] == []
    assert CONCLUSION not in flow.out
    assert published["duration_ms"] < 5_000
