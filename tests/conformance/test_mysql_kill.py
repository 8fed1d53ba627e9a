"""What ends a query ends it on the server too, within a second, and leaves nothing there."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from superbiz_cli.adapters import mysql_connection as driver
from superbiz_cli.adapters.mysql_address import MysqlAddress
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason, RunState
from superbiz_cli.harness.contract.tool_call import ToolErrorCode
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryLimits
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.mysql_scratch import Scratch, scratch_server
from tests.support.sql_shop import plan
from tests.support.sql_store import ENDLESS, NUMBERS, TABLES

pytestmark = pytest.mark.mariadb


@pytest.fixture(scope="module")
def server() -> Iterator[Scratch]:
    with scratch_server("kill") as scratch:
        yield scratch


def start() -> Run:
    return Run.start(session_id="s", deadline_s=60, limits=BudgetLimits())


@pytest.fixture(scope="module")
def endless(server: Scratch) -> DataSource:
    schema = server.create("endless", *TABLES, NUMBERS)
    server.create_account("worker", f"SELECT ON {schema}.*")
    limits = QueryLimits(timeout_s=60)
    return DataSource("endless", schema, {schema: {"numbers": ("id", "same")}}, limits=limits)


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (CancelReason.USER_REQUESTED, RunState.CANCELLED),
        (CancelReason.DEADLINE_EXCEEDED, RunState.TIMED_OUT),
    ],
)
def test_the_end_of_a_run_kills_the_query_on_the_server(
    server: Scratch, endless: DataSource, reason: CancelReason, state: RunState
) -> None:
    worker, run = server.account("worker"), start()
    ended_at, was_working = [0.0], [False]

    def end_when_working() -> None:
        was_working[0] = server.wait_for_processes(worker.user, working=True)
        ended_at[0] = time.monotonic()
        run.cancel(reason)

    ender = threading.Thread(target=end_when_working)
    ender.start()
    with pytest.raises(RunAborted) as caught:
        MysqlSource(worker).run(plan(ENDLESS, source=endless), run=run)
    took_s = time.monotonic() - ended_at[0]
    ender.join()

    assert (was_working[0], caught.value.state) == (True, state)
    assert took_s < 1
    assert server.wait_for_processes(worker.user, working=False, seconds=1)


@pytest.mark.parametrize("timeout_s", [0.5, 60.0])
def test_nothing_is_left_on_the_server_after_a_deadline(
    server: Scratch, endless: DataSource, timeout_s: float
) -> None:
    """The deadline of the Run with a statement that may take a minute, and the statement's own."""
    worker = server.account("worker")
    source = replace(endless, limits=QueryLimits(timeout_s=timeout_s))
    run = Run.start(session_id="s", deadline_s=0.5 if timeout_s > 1 else 60, limits=BudgetLimits())
    began = time.monotonic()

    with pytest.raises((RunAborted, ToolExecutionFailed)):
        MysqlSource(worker).run(plan(ENDLESS, source=source), run=run)

    assert time.monotonic() - began < 1.5
    assert server.wait_for_processes(worker.user, working=False, seconds=1)


@pytest.fixture(scope="module")
def bulky(server: Scratch) -> DataSource:
    """Forty rows of a million characters: more than a result may make us read."""
    schema = server.create(
        "bulky",
        "CREATE TABLE notes(id INT PRIMARY KEY, note LONGTEXT)",
        "INSERT INTO notes SELECT seq, REPEAT('x', 1000000) FROM seq_1_to_40",
    )
    server.create_account("reader", f"SELECT ON {schema}.*")
    return DataSource("bulky", schema, {schema: {"notes": ("id", "note")}})


@pytest.mark.parametrize("cap", [None, 500_000])
def test_rows_that_nobody_reads_are_ended_on_the_server(
    server: Scratch, bulky: DataSource, cap: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the bytes that were read and dropped, and by one cell alone before it is in memory."""
    reader = server.account("reader")
    if cap is not None:
        monkeypatch.setattr(driver, "MAX_READ_BYTES", cap)

    with pytest.raises(ToolExecutionFailed) as caught:
        MysqlSource(reader).run(plan("SELECT id, note FROM notes", source=bulky), run=start())

    assert (caught.value.category, caught.value.code) == ("result_too_large", ToolErrorCode.RESULT_TOO_LARGE)
    assert server.wait_for_processes(reader.user, working=False, seconds=1)


def test_a_large_cell_is_clipped_as_long_as_it_can_be_read(server: Scratch, bulky: DataSource) -> None:
    made = plan("SELECT note FROM notes WHERE id < ?", 4, source=bulky)
    table = MysqlSource(server.account("reader")).run(made, run=start())

    assert [len(str(row[0])) for row in table.rows] == [2_000] * 3
    assert table.truncated


def test_nothing_is_left_after_a_query(server: Scratch, endless: DataSource) -> None:
    worker = server.account("worker")
    MysqlSource(worker).run(plan("SELECT id FROM numbers", source=endless), run=start())

    assert server.wait_for_processes(worker.user, working=False, seconds=1)


def test_a_server_that_never_answers_does_not_hold_the_run() -> None:
    run = start()
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = MysqlAddress("127.0.0.1", "nobody", port=silent.getsockname()[1])
        timer = threading.Timer(0.1, run.cancel, [CancelReason.USER_REQUESTED])
        began = time.monotonic()
        timer.start()
        with pytest.raises(RunAborted):
            MysqlSource(address).run(plan("SELECT id FROM tickets"), run=run)

        assert time.monotonic() - began < 1
        timer.join()
