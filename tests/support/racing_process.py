"""A process that races another for the same records of one store; run with `-m`, see `race`.

It says "ready", waits for a line, tries every key, and prints what became of each try.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from superbiz_cli.adapters.redis_invocations import RedisInvocationStore
from superbiz_cli.adapters.sqlite_invocations import SqliteInvocationStore
from superbiz_cli.harness.tool.invocation import InvocationStore, StoreError
from tests.support.fakes import ready_record

REPOSITORY = Path(__file__).parents[2]


def race(location: str, *, run_id: str, step: str, keys: list[str], processes: int = 2) -> list[list[str]]:
    """Let `processes` do `step` ("begin" or "complete") on the same keys at once.

    Returns, for each process, "won" or the StoreFault of each key. A completing process n writes
    the request of the begun record and an agent result that names n.
    """
    command = [sys.executable, "-m", "tests.support.racing_process"]
    racers = [
        subprocess.Popen(
            [*command, location, run_id, step, str(number), *keys],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    try:
        for racer in racers:
            assert racer.stdout
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin
            racer.stdin.write("go\n")
            racer.stdin.flush()
        return [json.loads(racer.communicate(timeout=60)[0]) for racer in racers]
    finally:
        for racer in racers:
            racer.kill()
            racer.communicate()


def agent_result_of(number: int) -> str:
    """What process `number` writes as the agent result."""
    return json.dumps({"process": number})


def open_store(location: str) -> InvocationStore:
    """Open `redis:PREFIX URL` or the SQLite file at `location`."""
    if location.startswith("redis:"):
        prefix, url = location.removeprefix("redis:").split(" ")
        return RedisInvocationStore.open(url, key_prefix=prefix, timeout_s=10)
    return SqliteInvocationStore.open(Path(location), lock_timeout_s=10)


def _main(location: str, run_id: str, step: str, number: str, *keys: str) -> None:
    store = open_store(location)
    _say("ready")
    sys.stdin.readline()
    outcomes = []
    for key in keys:
        record = ready_record(run_id, key, agent_result=agent_result_of(int(number)))
        try:
            if step == "begin":
                store.begin(record.as_begun())
            else:
                store.complete(record)
            outcomes.append("won")
        except StoreError as error:
            outcomes.append(error.fault.value)
    store.close()
    _say(json.dumps(outcomes))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _main(*sys.argv[1:])
