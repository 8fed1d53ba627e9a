"""Plays one hostile case against the program as a process: signals, exit codes and pipes are real."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.flow_world import AT, Flow, World
from tests.support.hostile_cases import Case
from tests.support.hostile_play import (
    HTTP_ATTEMPT_S,
    HTTP_TOTAL_S,
    KEY,
    KEY_NAME,
    Interruption,
    Played,
    configure,
    exit_ms,
    use_endpoint,
    with_other_run,
)
from tests.support.hostile_server import ScriptServer
from tests.support.run_cli import PYTHON, REPOSITORY, Completed

PATIENCE_S = 90.0
POLL_S = 0.01


def play_as_process(case: Case, world: World) -> Played:
    """Play the case in a process of its own over HTTP."""
    case = with_other_run(case, world)
    interruption = Interruption(case, target=0)
    case_file, tally = world.folder / "case.json", world.folder / "tally"
    case_file.write_text(json.dumps(case.raw), "utf-8")
    tally.touch()
    with ScriptServer(case.raw, interruption.on_model) as server:
        configure(case, world, attempt_s=HTTP_ATTEMPT_S, total_s=HTTP_TOTAL_S)
        use_endpoint(world, server.url)
        process = launch(case, world, case_file, tally)
        interruption.target = process.pid
        with watching(tally, interruption):
            completed = until_end(process)
        ended = time.monotonic()
    sent = [(request.role, request.text) for request in server.requests]
    counts = Counter(tally.read_text().split())
    return Played(case, Flow(completed, world), sent, counts, exit_ms(interruption, ended))


def launch(case: Case, world: World, case_file: Path, tally: Path) -> subprocess.Popen[bytes]:
    """Start the program. A closed stdout has no reader from the beginning."""
    program = [PYTHON, "-m", "tests.support.hostile_process", str(case_file), str(tally)]
    question = ["diagnose", case.query, "--at", AT, "--config", str(world.config), "--json"]
    process = subprocess.Popen(
        [*program, *question],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=REPOSITORY,
        env={**os.environ, KEY_NAME: KEY},
    )
    if case.stdout_is_closed and process.stdout is not None:
        process.stdout.close()
        process.stdout = None
    return process


def until_end(process: subprocess.Popen[bytes]) -> Completed:
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Completed(process.returncode, (out or b"").decode("utf-8"), err.decode("utf-8"))


@contextmanager
def watching(tally: Path, interruption: Interruption) -> Iterator[None]:
    """Tell the interruption of every call that reaches a back end."""
    over = threading.Event()

    def watch() -> None:
        seen = 0
        while not over.wait(POLL_S):
            calls = tally.read_text().split()
            for number, tool in enumerate(calls[seen:], seen + 1):
                interruption.on_tool(tool, number)
            seen = len(calls)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
