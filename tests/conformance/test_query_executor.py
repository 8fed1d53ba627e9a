"""What every executor of query_mysql promises, on a real server and on a file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.adapters.sqlite_source import SqliteSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason, RunState
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.mysql.contract import (
    CellValue,
    DataSource,
    QueryExecutor,
    QueryLimits,
    RawTable,
)
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.mysql_scratch import Scratch, scratch_server
from tests.support.sql_shop import SOURCE, plan
from tests.support.sql_store import ENDLESS, NUMBERS, ROWS, TABLES, create_sqlite

READABLE = {
    **SOURCE.allowed["store"],
    "numbers": ("id", "same"),
    "vanished": ("id",),
}


class Subject:
    """One executor with the data source that fits it."""

    def __init__(self, executor: QueryExecutor, schema: str) -> None:
        self.executor = executor
        self.source = DataSource("store-ro", schema, {schema: READABLE})

    def ask(self, sql: str, *values: object, run: Run | None = None, **limits: float) -> RawTable:
        source = replace(self.source, limits=QueryLimits(**limits))  # type: ignore[arg-type]
        made = plan(sql, *values, source=source)
        return self.executor.run(made, run=run or start())

    def rows(self, sql: str, *values: object) -> list[tuple[CellValue, ...]]:
        return list(self.ask(sql, *values).rows)


def start(*, deadline_s: float = 60.0) -> Run:
    return Run.start(session_id="s", deadline_s=deadline_s, limits=BudgetLimits())


@pytest.fixture(scope="module")
def server() -> Iterator[Scratch]:
    with scratch_server("exec") as scratch:
        store = scratch.create("store", *TABLES, *ROWS, NUMBERS)
        scratch.create_account(
            "ro",
            *(
                f"SELECT ({', '.join(f'`{column}`' for column in columns)}) ON {store}.{table}"
                for table, columns in READABLE.items()
                if table != "vanished"
            ),
        )
        yield scratch


@pytest.fixture(scope="module")
def store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "store.db"
    create_sqlite(path)
    return path


@pytest.fixture(params=["sqlite", pytest.param("mysql", marks=pytest.mark.mariadb)])
def subject(request: pytest.FixtureRequest) -> Subject:
    if request.param == "sqlite":
        return Subject(SqliteSource(request.getfixturevalue("store_file")), "store")
    server: Scratch = request.getfixturevalue("server")
    return Subject(MysqlSource(server.account("ro")), server.name("store"))


@pytest.mark.parametrize(
    ("sql", "values", "rows"),
    [
        ("SELECT id, state FROM tickets WHERE owner_id = ? ORDER BY id", (1,), [(1, "NEW"), (2, "DONE")]),
        ("SELECT name, `rank` FROM people ORDER BY id", (), [("ann", 1), ("用户", 2), (None, None)]),
        ("SELECT state s, COUNT(*) n FROM tickets GROUP BY s HAVING n > ?", (1,), [("NEW", 2)]),
        ("SELECT COUNT(*), SUM(state = ?), MAX(price) FROM tickets", ("NEW",), [(5, 2, 20)]),
        ("SELECT id FROM tickets WHERE state LIKE ? ORDER BY id", ("%\\%",), [(4,)]),
        ("SELECT id FROM tickets WHERE state LIKE ? ORDER BY id", ("50%",), [(4,)]),
        ("SELECT id FROM tickets WHERE id % ? = ? ORDER BY id", (2, 1), [(1,), (3,), (5,)]),
        ("SELECT id DIV owner_id FROM tickets WHERE id = ?", (3,), [(1,)]),
        ("SELECT id / owner_id FROM tickets WHERE id = ?", (3,), [(1.5,)]),
        ("SELECT id FROM tickets WHERE `offset` <=> ? ORDER BY id", (None,), [(2,), (5,)]),
        ("SELECT id FROM tickets WHERE state IN (?, ?) AND NOT id = ?", ("NEW", "x", 1), [(3,)]),
        ("SELECT id FROM tickets WHERE price BETWEEN ? AND ? ORDER BY price DESC", (7, 11), [(1,), (3,)]),
        (
            "SELECT MIN(opened_at) FROM tickets WHERE opened_at > ?",
            ("2026-11-30 10:01:00",),
            [("2026-11-30 10:05:00",)],
        ),
        (
            "SELECT t.id, e.kind FROM tickets t LEFT JOIN events e ON e.ticket_id = t.id "
            "WHERE t.id < ? ORDER BY t.id, e.id",
            (3,),
            [(1, "PAY"), (1, "SHIP"), (2, None)],
        ),
        (
            "SELECT DISTINCT state FROM tickets WHERE state IS NOT NULL ORDER BY state LIMIT ?",
            (2,),
            [("50%",), ("DONE",)],
        ),
        ("SELECT id FROM tickets WHERE state = ?", ("' OR '1'='1",), []),
        ("SELECT id FROM tickets WHERE state = ?", ("%(p0)s ? :p0 \\' 用户",), []),
        ("SELECT id FROM people WHERE name = ?", ("用户",), [(2,)]),
        ("SELECT id FROM tickets WHERE `offset` = ?", (False,), [(1,)]),
        ("SELECT id FROM tickets WHERE price > ? ORDER BY id", (10.25,), [(1,), (2,)]),
        ("SELECT price / `offset` FROM tickets WHERE id = ?", (1,), [(None,)]),
    ],
)
def test_a_query_gives_the_same_rows_everywhere(
    sql: str, values: tuple[object, ...], rows: list[tuple[CellValue, ...]], subject: Subject
) -> None:
    assert subject.rows(sql, *values) == rows


def test_one_row_more_than_may_be_shown_tells_that_there_are_more(subject: Subject) -> None:
    cut = subject.ask("SELECT id FROM numbers ORDER BY id", max_rows=3)
    whole = subject.ask("SELECT id FROM people ORDER BY id", max_rows=3)
    wanted = subject.ask("SELECT id FROM numbers ORDER BY id LIMIT ?", 2, max_rows=3)

    assert (cut.rows, cut.truncated) == (((0,), (1,), (2,)), True)
    assert (len(whole.rows), whole.truncated) == (3, False)
    assert (len(wanted.rows), wanted.truncated) == (2, False)


def test_cells_and_bytes_are_bounded_while_reading(subject: Subject) -> None:
    clipped = subject.ask("SELECT state FROM tickets WHERE id = ?", 2, max_cell_chars=3)
    few = subject.ask("SELECT id FROM numbers ORDER BY id", max_bytes=80)

    assert (clipped.rows, clipped.truncated) == ((("DO…",),), True)
    assert (len(few.rows), few.truncated) == (10, True)


def test_a_table_that_is_gone_is_a_mismatch(subject: Subject) -> None:
    with pytest.raises(ToolExecutionFailed) as caught:
        subject.ask("SELECT id FROM vanished")

    assert caught.value.category in ("schema_mismatch", "access_denied")
    assert caught.value.__cause__ is None


def test_a_query_that_takes_too_long_is_ended(subject: Subject) -> None:
    began = time.monotonic()

    with pytest.raises(ToolExecutionFailed) as caught:
        subject.ask(ENDLESS, timeout_s=0.3)

    assert caught.value.category == "timeout"
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (lambda run: run.cancel(CancelReason.USER_REQUESTED), RunState.CANCELLED),
        (lambda run: run.cancel(CancelReason.DEADLINE_EXCEEDED), RunState.TIMED_OUT),
    ],
)
def test_the_end_of_the_run_ends_the_query_within_a_second(
    end: Callable[[Run], bool], state: RunState, subject: Subject
) -> None:
    run, ended_at = start(), [0.0]

    def stop() -> None:
        ended_at[0] = time.monotonic()
        end(run)

    timer = threading.Timer(0.3, stop)
    timer.start()
    with pytest.raises(RunAborted) as caught:
        subject.ask(ENDLESS, run=run, timeout_s=60)

    assert caught.value.state is state
    assert time.monotonic() - ended_at[0] < 1
    timer.join()


def test_the_deadline_ends_the_query_without_help(subject: Subject) -> None:
    began, run = time.monotonic(), start(deadline_s=0.3)

    with pytest.raises(RunAborted) as caught:
        subject.ask(ENDLESS, run=run, timeout_s=60)

    assert caught.value.state is RunState.TIMED_OUT
    assert time.monotonic() - began < 1.5


def test_an_ended_run_asks_nothing(subject: Subject) -> None:
    run = start()
    run.cancel(CancelReason.USER_REQUESTED)

    with pytest.raises(RunAborted):
        subject.ask("SELECT id FROM people", run=run)
