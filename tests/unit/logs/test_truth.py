"""Real log files with known content: how many events, from when to when, which levels, what a query finds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.log_files.inspect import LogReport, inspect_logs
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogTopic, TimeWindow
from superbiz_cli.harness.tool.logs.terms import parse_terms
from tests.support.logs import a_run, a_source, search
from tests.support.shared_data import shared_data, shared_lines

TRUTH = shared_lines("logs", "truth.jsonl")
pytestmark = pytest.mark.skipif(not TRUTH, reason="no shared log files")


def entries(asserting: str = "file") -> list[Any]:
    """The entries that say something about `asserting`."""
    return [pytest.param(entry, id=entry["file"]) for entry in TRUTH if entry.get(asserting) is not None]


def path_of(entry: dict[str, Any]) -> Path:
    return shared_data("logs") / "files" / str(entry["file"])


def inspected(entry: dict[str, Any]) -> LogReport:
    return report_on(path_of(entry), entry.get("assume_year"))


@cache
def report_on(path: Path, year: int | None) -> LogReport:
    at = datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC) if year else None
    reports = inspect_logs([str(path)], a_source(path), at=at)
    assert len(reports) == 1
    return reports[0]


def moment(text: str) -> datetime:
    """A time of the truth, cut to microseconds; without a zone it is a wall clock."""
    return datetime.fromisoformat(re.sub(r"\.(\d{1,6})\d*", r".\1", text))


@pytest.mark.parametrize("entry", entries())
def test_the_events_of_a_real_file_are_counted(entry: dict[str, Any]) -> None:
    assert inspected(entry).events in {entry["events"], entry.get("alt_events", entry["events"])}


@pytest.mark.parametrize("entry", entries())
def test_the_first_and_the_last_time_of_a_real_file_are_right(entry: dict[str, Any]) -> None:
    report = inspected(entry)
    for key, found in (("first_ts", report.first_ts), ("last_ts", report.last_ts)):
        if entry[key] is not None:
            assert found is not None
            assert moment(found) == moment(entry[key])


@pytest.mark.parametrize("entry", entries("levels"))
def test_the_levels_of_a_real_file_are_counted(entry: dict[str, Any]) -> None:
    assert inspected(entry).levels == entry["levels"]


@pytest.mark.parametrize("entry", entries())
def test_a_file_with_continuation_lines_is_known_for_it(entry: dict[str, Any]) -> None:
    assert inspected(entry).multiline is entry["multiline"]


@pytest.mark.parametrize("entry", entries("match_count"))
def test_a_query_over_a_real_file_finds_what_is_there(entry: dict[str, Any]) -> None:
    window = TimeWindow.between(datetime(1990, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC))
    query = LogQuery(LogTopic.APPLICATION, entry["query"], parse_terms(entry["query"]), window)
    assert search(query, a_source(path_of(entry)), run=a_run()).match_count == entry["match_count"]
