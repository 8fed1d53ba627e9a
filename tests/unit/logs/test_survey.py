"""A quick look at sources: files, shapes, newest event, problems."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.adapters.log_files.survey import survey_files
from superbiz_cli.harness.tool.logs.contract import LogSourceKind
from tests.support.logs import a_source

BEGIN = datetime(2026, 11, 30, tzinfo=UTC)


def line(second: int) -> str:
    return f"{(BEGIN + timedelta(seconds=second)).strftime('%Y-%m-%d %H:%M:%S')} INFO tick {'x' * 60}\n"


def test_the_newest_event_of_a_large_file_is_found_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text("".join(line(second) for second in range(20_000)))
    survey = survey_files(a_source(tmp_path))
    assert survey.files == 1
    assert survey.newest == BEGIN + timedelta(seconds=19_999)
    assert survey.shapes == ["iso"]
    assert survey.problems == []
    assert survey.as_json()["newest_event"] == "2026-11-30T05:33:19+00:00"


def test_of_a_rotated_set_the_newest_file_is_looked_at_and_all_are_counted(tmp_path: Path) -> None:
    (tmp_path / "app.log.1.gz").write_bytes(gzip.compress(line(1).encode()))
    (tmp_path / "app.log").write_text(line(2))
    survey = survey_files(a_source(tmp_path))
    assert survey.files == 2
    assert survey.newest == BEGIN + timedelta(seconds=2)


def test_what_cannot_be_read_is_a_problem_and_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "prog").write_bytes(bytes(range(1, 9)) * 100)
    survey = survey_files(a_source(tmp_path, tmp_path / "gone"))
    assert survey.newest is None
    assert survey.problems == ["gone: does not exist", "prog: binary file"]


def test_a_source_that_is_not_made_of_files_is_named() -> None:
    logs = ConfiguredLogs([a_source(kind=LogSourceKind.LOKI, name="far", endpoint="http://127.0.0.1:1")])
    survey = logs.survey()[0]
    assert (survey.name, survey.kind, survey.files) == ("far", "loki", 0)


def test_thousands_of_files_are_searched_within_one_source(tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"worker-{number:04d}.log").write_text(line(number))
    survey = survey_files(a_source(tmp_path))
    assert survey.files == 2_000
    assert survey.newest is not None
