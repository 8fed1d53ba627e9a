"""How long it takes from a signal to the prompt: `python benchmarks/cancel_in_flight.py [TRIES]`.

Ctrl-C: the program as a process against an endpoint that never answers; measured from the signal to the
end of the process, whose Run must be CANCELLED in the database and whose socket must be closed. The
others are measured in this process, from the cancel (or the deadline) to the return of the call. Prints
median and worst; one second is the limit, and a try that takes longer makes the exit code 1.
"""

from __future__ import annotations

import gzip
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

LIMIT_S = 1.0
TRIES = 50
HANG = {"hang_ms": 600_000}


def main(tries: int) -> int:
    """Measure everything and print one line each; return the exit code."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, measure in MEASURES.items():
            seconds = measure(folder, tries)
            if seconds is None:
                print(f"{title:44} not measured: no server")
                continue
            worst = max(worst, *seconds)
            print(
                f"{title:44} {len(seconds):3} tries, median {statistics.median(seconds):.3f} s,"
                f" worst {max(seconds):.3f} s",
                flush=True,
            )
    return int(worst > LIMIT_S)


def ctrl_c(folder: Path, tries: int) -> Sequence[float]:
    """Ctrl-C at the agent's second turn, with evidence found."""
    from tests.support.flow_turns import asks_logs, script
    from tests.support.flow_world import AT, QUESTION, World
    from tests.support.hostile_play import KEY, KEY_NAME, use_endpoint
    from tests.support.hostile_server import ScriptServer

    world = World(folder / "world", folder / "home")
    world.settings["run.attempts.router"] = {"attempt_s": 60, "total_s": 90}
    seconds = []
    for _ in range(tries):
        reached = threading.Event()

        def on_request(role: str, number: int, reached: threading.Event = reached) -> None:
            if (role, number) == ("agent", 2):
                reached.set()

        with ScriptServer(script(asks_logs(), HANG), on_request) as server:
            use_endpoint(world, server.url)
            command = [sys.executable, "-m", "superbiz_cli", "diagnose", QUESTION, "--at", AT]
            process = subprocess.Popen(
                [*command, "--config", str(world.config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, KEY_NAME: KEY, "SUPERBIZ_HOME": str(world.home)},
            )
            assert reached.wait(120)
            time.sleep(0.1)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            seconds.append(time.monotonic() - sent)
            assert process.returncode == 130, process.returncode
            assert server.client_left.wait(5), "the socket was not closed"
        with closing(world.archive()) as archive:
            [newest] = archive.recent_runs(limit=1).runs
            assert newest.run_state == "CANCELLED", newest.run_state
    return seconds


def model_call(_folder: Path, tries: int) -> Sequence[float]:
    """A cancel while the adapter waits for a reply."""
    return _timed(tries, _ask_model, after_s=None)


def deadline(_folder: Path, tries: int) -> Sequence[float]:
    """The deadline while the adapter waits for a reply."""
    return _timed(tries, _ask_model, after_s=0.3)


def sqlite_statement(folder: Path, tries: int) -> Sequence[float]:
    """A cancel while SQLite computes."""
    from superbiz_cli.adapters.sqlite_source import SqliteSource
    from tests.support.sql_store import create_sqlite

    path = folder / "store.db"
    create_sqlite(path)
    source = SqliteSource(path)
    return _timed(tries, lambda run, began: _query(source, "store", run, began), after_s=None)


def mysql_statement(_folder: Path, tries: int) -> Sequence[float] | None:
    """A cancel while MariaDB or MySQL computes."""
    import pytest

    from superbiz_cli.adapters.mysql_source import MysqlSource
    from tests.support.mysql_scratch import scratch_server
    from tests.support.sql_store import NUMBERS, ROWS, TABLES

    try:
        with scratch_server("bench") as server:
            store = server.create("store", *TABLES, *ROWS, NUMBERS)
            source = MysqlSource(server.create_account("ro", f"SELECT ON {store}.*"))
            return _timed(tries, lambda run, began: _query(source, store, run, began), after_s=None)
    except pytest.skip.Exception:
        return None


def log_scan(folder: Path, tries: int) -> Sequence[float]:
    """A cancel while a compressed log is read, which cannot be entered in the middle."""
    from superbiz_cli.harness.tool.logs.contract import LogQuery, LogTopic, TimeWindow
    from tests.support.logs import a_source, search

    begin = datetime(2026, 11, 30, tzinfo=UTC)
    lines = [
        f"{(begin + timedelta(seconds=n)).isoformat()} INFO [worker-{n % 9}] order {n} took 12ms {'x' * 60}\n"
        for n in range(2_000)
    ]
    path = folder / "app.log.gz"
    path.write_bytes(gzip.compress("".join(lines).encode() * 1_500, 1))
    query = LogQuery(LogTopic.APPLICATION, "", (), TimeWindow.between(begin, begin + timedelta(days=1)))

    def scan(run: Any, began: threading.Event) -> None:
        began.set()
        search(query, a_source(path), run=run)

    return _timed(tries, scan, after_s=None)


def knowledge_search(_folder: Path, tries: int) -> Sequence[float]:
    """A cancel while the endpoint of the embedding model does not answer."""
    from superbiz_cli.adapters.litellm_embedding import EmbeddingRoute, LitellmEmbedder
    from superbiz_cli.harness.contract.limits import AttemptLimits
    from tests.support.embedding_server import EmbeddingServer
    from tests.support.model_server import Answer

    with EmbeddingServer() as server:
        server.take = lambda _: Answer(mode="hang")  # type: ignore[method-assign]
        route = EmbeddingRoute(name="openai/embed-small", api_base=f"{server.url}/v1", api_key="k")
        model = LitellmEmbedder(route, times=AttemptLimits(attempt_s=60.0, total_s=90.0))

        def search(run: Any, began: threading.Event) -> None:
            server.arrived.clear()
            threading.Thread(target=lambda: server.arrived.wait(60) and began.set(), daemon=True).start()
            model.query("pool", run=run)

        try:
            return _timed(tries, search, after_s=None)
        finally:
            model.close()


MEASURES: dict[str, Callable[[Path, int], Sequence[float] | None]] = {
    "Ctrl-C, endpoint hangs (to the prompt)": ctrl_c,
    "cancel, endpoint hangs": model_call,
    "deadline, endpoint hangs": deadline,
    "cancel, SQL on SQLite": sqlite_statement,
    "cancel, SQL on MariaDB": mysql_statement,
    "cancel, log scan": log_scan,
    "cancel, knowledge search": knowledge_search,
}


def _timed(
    tries: int, call: Callable[[Any, threading.Event], object], *, after_s: float | None
) -> list[float]:
    """Return the seconds from the end of the Run to the return of `call`, for each try.

    The Run ends by a cancel 0.1 s after the call began, or at a deadline `after_s` seconds after it.
    """
    from superbiz_cli.harness.contract.limits import BudgetLimits
    from superbiz_cli.harness.contract.status import CancelReason
    from superbiz_cli.harness.core.run import Run, RunAborted

    seconds = []
    for _ in range(tries):
        began = threading.Event()
        run = Run.start(session_id="bench", deadline_s=after_s or 600.0, limits=BudgetLimits())
        ended: list[float] = []

        def cancel(run: Any = run, began: threading.Event = began, ended: list[float] = ended) -> None:
            assert began.wait(120)
            time.sleep(0.1)
            ended.append(time.monotonic())
            run.cancel(CancelReason.USER_REQUESTED)

        canceller = threading.Thread(target=cancel, daemon=True)
        if after_s is None:
            canceller.start()
        with run.watching_deadline(), suppress(RunAborted):
            call(run, began)
        returned = time.monotonic()
        if after_s is None:
            canceller.join()
        assert run.lifecycle.is_terminal, "the call came back before the run had ended"
        seconds.append(returned - (run.deadline if after_s is not None else ended[0]))
    return seconds


def _query(source: Any, schema: str, run: Any, began: threading.Event) -> None:
    from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryLimits
    from superbiz_cli.harness.tool.mysql.policy import plan_query
    from tests.support.sql_store import ENDLESS

    allowed = {schema: {"numbers": ("id", "same")}}
    plan = plan_query(DataSource("bench", schema, allowed, limits=QueryLimits(timeout_s=60)), ENDLESS)
    threading.Timer(0.1, began.set).start()
    source.run(plan, run=run)


def _ask_model(run: Any, began: threading.Event) -> None:
    from superbiz_cli.adapters.litellm_model import LitellmModel
    from superbiz_cli.harness.audit.recorder import NullRecorder
    from superbiz_cli.harness.contract.model import Message, ModelRequest, ModelRole
    from superbiz_cli.harness.core.model_gate import ModelGate

    with _hanging(began) as url:
        model = LitellmModel("openai/some-model", api_base=url, api_key="sk-bench-0123456789")
        assert model.wait_until_loaded(timeout_s=120, cancel=run.cancellation) or run.lifecycle.is_terminal
        try:
            request = ModelRequest(ModelRole.AGENT, (Message("user", "why?"),))
            ModelGate(model, run, NullRecorder()).call(request, timeout_s=60.0)
        finally:
            threading.Thread(target=model.close, daemon=True).start()


@contextmanager
def _hanging(began: threading.Event) -> Iterator[str]:
    from tests.support.hostile_server import ScriptServer

    played = {"script": {"agent": [HANG]}, "on_exhausted": "repeat_last"}
    server = ScriptServer(played, lambda _role, _number: began.set())
    server.__enter__()
    try:
        yield server.url
    finally:
        threading.Thread(target=server.__exit__, args=(None, None, None), daemon=True).start()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TRIES))
