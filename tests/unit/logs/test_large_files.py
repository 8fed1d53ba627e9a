"""Large files: entered where the window is, read whole when unsorted, left at once on a cancel."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from superbiz_cli.adapters.log_files.region import read_region
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogTopic, TimeWindow
from superbiz_cli.harness.tool.logs.terms import parse_terms
from tests.support.logs import a_run, a_source, search

BEGIN = datetime(2026, 11, 30, tzinfo=UTC)
COUNT = 60_000


def line(number: int, second: float) -> str:
    at = BEGIN + timedelta(seconds=second)
    level = "ERROR" if number % 1_000 == 7 else "INFO"
    stamp = at.isoformat(sep=" ", timespec="milliseconds")[:23]
    return f"{stamp} {level} [worker-{number % 9}] order {number} took 12ms {'x' * 60}\n"


def write_sorted(path: Path, disorder_s: int = 0) -> Path:
    seconds = (number - (disorder_s if number % 500 == 3 else 0) for number in range(COUNT))
    path.write_text("".join(line(number, second) for number, second in enumerate(seconds)))
    return path


def ask_for(query: str, start_s: int, end_s: int) -> LogQuery:
    window = TimeWindow.between(BEGIN + timedelta(seconds=start_s), BEGIN + timedelta(seconds=end_s))
    return LogQuery(LogTopic.APPLICATION, query, parse_terms(query), window)


@pytest.mark.parametrize(("start_s", "end_s"), [(0, 600), (30_000, 31_800), (59_000, 70_000), (-900, -1)])
def test_a_sorted_file_is_entered_where_the_window_is(tmp_path: Path, start_s: int, end_s: int) -> None:
    path = write_sorted(tmp_path / "app.log")
    expected = range(max(0, start_s), min(COUNT, end_s + 1))
    assert search(ask_for("", start_s, end_s), a_source(path)).match_count == len(expected)
    errors = sum(1 for number in expected if number % 1_000 == 7)
    assert search(ask_for("error", start_s, end_s), a_source(path)).match_count == errors


def test_only_the_part_around_the_window_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_sorted(tmp_path / "app.log")
    read = 0

    def counting(blocks: Iterable[bytes]) -> Iterable[bytes]:
        nonlocal read
        for block in blocks:
            read += len(block)
            yield block

    monkeypatch.setattr(
        "superbiz_cli.adapters.log_files.search.read_region", lambda *args: counting(read_region(*args))
    )
    assert search(ask_for("", 30_000, 30_600), a_source(path)).match_count == 601
    assert 0 < read < path.stat().st_size / 20


@pytest.mark.parametrize("disorder_s", [2, 90, 4_000])
def test_events_out_of_order_are_not_lost(tmp_path: Path, disorder_s: int) -> None:
    path = write_sorted(tmp_path / "app.log", disorder_s)
    seconds = [number - (disorder_s if number % 500 == 3 else 0) for number in range(COUNT)]
    expected = sum(1 for second in seconds if 30_000 <= second <= 31_800)
    assert search(ask_for("", 30_000, 31_800), a_source(path)).match_count == expected


def test_a_file_with_the_newest_event_first_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text("".join(line(number, number) for number in reversed(range(COUNT))))
    assert search(ask_for("", 100, 199), a_source(path)).match_count == 100


def test_the_count_is_exact_for_many_matches_and_the_same_through_gzip(tmp_path: Path) -> None:
    plain = write_sorted(tmp_path / "app.log")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(plain.read_bytes(), 1))
    for path in (plain, packed):
        answer = search(ask_for("order", 10_000, 50_000), a_source(path))
        assert answer.match_count == 40_001
        assert sum(pattern.count for pattern in answer.patterns) == 40_001
        assert {pattern.level: pattern.count for pattern in answer.patterns} == {"INFO": 39_961, "ERROR": 40}


def test_a_scan_ends_within_a_second_of_a_cancel(tmp_path: Path) -> None:
    path = tmp_path / "app.log.gz"
    path.write_bytes(gzip.compress(b"".join(line(n, 1).encode() for n in range(2_000)) * 600, 1))
    run = a_run()
    cancelled_at = 0.0

    def cancel() -> None:
        nonlocal cancelled_at
        cancelled_at = time.monotonic()
        run.cancel(CancelReason.USER_REQUESTED)

    timer = threading.Timer(0.1, cancel)
    timer.start()
    with pytest.raises(RunAborted):
        search(ask_for("", -86_400, 86_400), a_source(path), run=run)
    timer.join()
    assert time.monotonic() - cancelled_at < 1.0


def test_a_deadline_that_has_passed_ends_the_scan(tmp_path: Path) -> None:
    path = write_sorted(tmp_path / "app.log")
    with pytest.raises(RunAborted):
        search(ask_for("", 0, 86_400), a_source(path), run=a_run(deadline_s=0.0))
