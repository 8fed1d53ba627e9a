"""A quick look at sources: files, shapes, newest event, problems."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.adapters.log_files.events import FileReader, RawFileEvent
from superbiz_cli.adapters.log_files.survey import reaches_back, survey_files
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, to_us
from tests.support.logs import a_source, ask

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


def test_a_compressed_file_is_not_read_event_by_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "app.log.gz"
    path.write_bytes(gzip.compress("".join(line(second) for second in range(40_000)).encode()))
    assembled = 0
    assemble = FileReader.assemble

    def counted(lines: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal assembled
        for one in lines:
            assembled += 1
            yield one

    def counting(reader: FileReader, lines: Iterable[bytes]) -> Iterator[tuple[int | None, RawFileEvent]]:
        return assemble(reader, counted(lines))

    monkeypatch.setattr(FileReader, "assemble", counting)
    source = a_source(path)
    assert survey_files(source).newest == BEGIN + timedelta(seconds=39_999)
    assert reaches_back(source, to_us(BEGIN), check=lambda: None)
    assert not reaches_back(source, to_us(BEGIN) - 1, check=lambda: None)
    assert assembled < 20_000


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


def test_of_too_many_files_the_newest_are_opened_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("superbiz_cli.adapters.log_files.search.MAX_OPENED", 5)
    for number in range(12):
        path = tmp_path / f"worker-{number:02d}x.log"
        path.write_text(line(number))
        os.utime(path, (BEGIN.timestamp() + number,) * 2)
    result = ask(a_source(tmp_path), until=BEGIN + timedelta(minutes=1))
    assert result["match_count"] == 5
    assert result["events"][0]["timestamp"] == "2026-11-30T00:00:07+00:00"
    assert result["limitations"] == ["app: 7 of 12 files, last written longest ago, were not opened"]
