"""Listings walk an index, so that 100,000 Runs do not slow them down (see benchmarks/audit_lists.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from superbiz_cli.adapters.sql_audit.archive import SqlArchive, open_archive
from superbiz_cli.harness.audit.rows import RunFilter
from tests.support.audit import write_run

QUESTIONS: dict[str, Callable[[SqlArchive], object]] = {
    "newest": lambda archive: archive.recent_runs(),
    "older": lambda archive: archive.recent_runs(before="run1"),
    "by outcome": lambda archive: archive.recent_runs(RunFilter(release_outcome="FAILED")),
    "by intent": lambda archive: archive.recent_runs(RunFilter(intent="DIAGNOSIS")),
    "by session": lambda archive: archive.recent_runs(RunFilter(session_id="s1")),
    "by prefix": lambda archive: archive.find_run("run"),
    "last success": lambda archive: archive.last_success("s1"),
    "routing": lambda archive: archive.routing_history("s1"),
    "sessions": lambda archive: archive.sessions(),
    "latest session": lambda archive: archive.latest_session(),
    "timeline": lambda archive: archive.timeline("run1"),
    "details": lambda archive: archive.details("run1"),
    "counts": lambda archive: archive.row_counts("run1"),
}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[SqlArchive]:
    with closing(open_archive(tmp_path / "audit.db", redact=str)) as opened:
        assert isinstance(opened, SqlArchive)
        write_run(opened, "run1", "s1")
        yield opened


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_listing_reads_or_sorts_a_whole_table(archive: SqlArchive, name: str) -> None:
    plans: list[str] = []

    def explain(
        connection: Connection, _cursor: object, statement: str, parameters: Any, *_rest: object
    ) -> None:
        if statement.startswith("SELECT"):
            cursor = connection.connection.cursor()
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.extend(row[3] for row in cursor.fetchall())

    event.listen(archive.database.engine, "before_cursor_execute", explain)
    QUESTIONS[name](archive)
    assert plans
    whole = [step for step in plans if step.startswith("SCAN") and "USING" not in step]
    sorted_afterwards = [step for step in plans if "TEMP B-TREE" in step]
    assert whole == []
    assert sorted_afterwards == [] or name == "by prefix"  # a prefix leaves few, sorted by time
