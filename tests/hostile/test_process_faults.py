"""The program as a process: every signal at every stage, readers that leave, streams that are closed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from typing import Any

import pytest

from tests.support.flow_books import balanced
from tests.support.flow_turns import CONCLUSION, asks_logs, diagnosis, routes, script
from tests.support.flow_world import Flow, World
from tests.support.run_cli import PYTHON, Completed

HANG: dict[str, Any] = {"hang_ms": 60_000}
# stage -> (a script that hangs there, what stderr says just before)
STAGES = {
    "routing": (diagnosis(router=[HANG, routes()]), "window"),
    "the first turn": (script(HANG), "intent"),
    "drafting": (script(asks_logs(), HANG), "logs"),
    "judging": (diagnosis(semantic=[HANG, HANG]), "evidence"),
}
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
ENDS_S = 5.0
PATIENCE_S = 60.0


def start(world: World, stage: str, *flags: str) -> subprocess.Popen[bytes]:
    """Start a diagnosis that hangs at `stage`."""
    played, _ = STAGES[stage]
    command = [PYTHON, "-m", "superbiz_cli", *world.arguments(played, *flags)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(process: subprocess.Popen[bytes], word: str) -> str:
    """Read stderr until `word` was said."""
    assert process.stderr is not None
    seen, ends = "", time.monotonic() + PATIENCE_S
    while word not in seen:
        assert select.select([process.stderr], [], [], max(0.0, ends - time.monotonic()))[0], seen
        part = os.read(process.stderr.fileno(), 65_536)
        assert part, seen
        seen += part.decode()
    return seen


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("stage", STAGES)
def test_a_signal_ends_the_run_as_cancelled_at_every_stage(
    world: World, stage: str, number: signal.Signals
) -> None:
    with start(world, stage) as process:
        said = wait_for(process, STAGES[stage][1])
        sent = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    took_s = time.monotonic() - sent
    said += err.decode()
    flow = Flow(Completed(process.returncode, out.decode(), said), world)
    assert flow.code == SIGNALS[number], said
    assert took_s < ENDS_S
    published = balanced(flow)
    assert (published["release_outcome"], published["run_state"]) == ("CANCELLED", "CANCELLED")
    assert CONCLUSION not in flow.out + said
    assert "Traceback" not in said
    assert_next_works(world)


@pytest.mark.parametrize("stage", ["the first turn", "judging"])
def test_a_reader_that_leaves_cancels_the_run(world: World, stage: str) -> None:
    with start(world, stage, "--ndjson") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        os.read(process.stdout.fileno(), 100)
        process.stdout.close()
        err = process.stderr.read().decode()
        process.wait(timeout=PATIENCE_S)
    flow = Flow(Completed(process.returncode, "", err), world)
    assert flow.code == 141, err
    assert balanced(flow, pipe_is_closed=True)["release_outcome"] == "CANCELLED"
    assert "Traceback" not in err
    assert_next_works(world)


@pytest.mark.parametrize("closed", ["0<&-", "2>&-", "0<&- 2>&-"])
def test_closed_standard_streams_do_not_stop_a_diagnosis(world: World, closed: str) -> None:
    command = [PYTHON, "-m", "superbiz_cli", *world.arguments(diagnosis(), "--json")]
    ended = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert CONCLUSION in ended.stdout
    assert "Traceback" not in ended.stderr


def assert_next_works(world: World) -> None:
    """No lock, no half-written file and no orphan stands in the way."""
    assert world.ask(diagnosis()).code == 0
