"""SQLite as a data source: read-only thrice over."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from superbiz_cli.adapters.sqlite_source import SqliteSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.mysql.contract import DataSource, RawTable
from superbiz_cli.harness.tool.mysql.schema import schema_skeleton
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.sql_shop import SOURCE, plan
from tests.support.sql_store import create_sqlite


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store ?#.db"  # a name that needs quoting in a URI
    create_sqlite(path)
    return path


def ask(path: Path, sql: str, *values: object, source: DataSource = SOURCE) -> RawTable:
    run = Run.start(session_id="s", deadline_s=30, limits=BudgetLimits())
    return SqliteSource(path).run(plan(sql, *values, source=source), run=run)


def fault(path: Path, sql: str, *values: object, source: DataSource = SOURCE) -> str | None:
    with pytest.raises(ToolExecutionFailed) as caught:
        ask(path, sql, *values, source=source)
    assert caught.value.__cause__ is None
    return caught.value.category


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


def test_the_file_is_read_and_left_as_it_is(store: Path) -> None:
    before = store.read_bytes()

    assert ask(store, "SELECT COUNT(*) FROM tickets WHERE state LIKE ?", "N%").rows == ((2,),)
    assert store.read_bytes() == before


def test_an_absent_or_foreign_file_is_unavailable(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no database, but long enough to be one " * 50)

    assert fault(tmp_path / "absent.db", "SELECT id FROM tickets") == "data_source_unavailable"
    assert fault(text, "SELECT id FROM tickets") == "data_source_unavailable"
    with pytest.raises(ToolExecutionFailed):
        SqliteSource(text).schema_columns()
    assert not (tmp_path / "absent.db").exists()


def test_a_view_does_not_open_what_is_behind_it(store: Path) -> None:
    execute(store, "CREATE VIEW entries AS SELECT id, id AS ticket_id, name AS total FROM secrets")
    source = DataSource("x", "store", {"store": {"entries": ("id", "ticket_id", "total")}})

    assert fault(store, "SELECT total FROM entries", source=source) == "access_denied"


def test_a_column_that_is_gone_is_a_mismatch(store: Path) -> None:
    execute(store, "ALTER TABLE tickets DROP COLUMN price")

    assert fault(store, "SELECT price FROM tickets") == "schema_mismatch"


def test_what_sqlite_cannot_count_is_said(store: Path) -> None:
    assert fault(store, "SELECT COUNT(DISTINCT id, state) FROM tickets") == "not_supported_by_source"


def test_a_number_that_sqlite_cannot_hold_fails_cleanly(store: Path) -> None:
    assert fault(store, "SELECT id FROM tickets WHERE id = ?", 2**64 - 1) == "value_not_convertible"


def test_a_locked_file_is_unavailable(store: Path) -> None:
    with closing(sqlite3.connect(store)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert fault(store, "SELECT id FROM tickets") == "data_source_unavailable"


def test_bytes_and_texts_arrive_without_loss(store: Path) -> None:
    execute(store, "INSERT INTO people VALUES (9, x'00ff', 1.5, NULL)")

    assert ask(store, "SELECT name, `rank` FROM people WHERE id = ?", 9).rows == (("AP8=", 1.5),)


def test_the_skeleton_lists_the_tables_of_the_file(store: Path) -> None:
    text = schema_skeleton(SqliteSource(store).schema_columns())

    assert "[mysql.data_sources.allowed.main]" in text
    assert 'people = ["id", "name", "rank"]' in text
    assert "# people: left out password_hash" in text
