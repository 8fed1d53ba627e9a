"""The bundled incident on disk: relative times, agreeing numbers, noise that was there before."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from superbiz_cli.demo.incident import DemoIncident, create_incident
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic

NOW = datetime.fromisoformat("2026-11-30T10:24:31+08:00")


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> DemoIncident:
    return create_incident(tmp_path_factory.mktemp("incident"), now=NOW)


def times(path: Path) -> list[datetime]:
    stamps = re.findall(
        r'(?m)^(?:time=|\{"time": ")?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:\d\d))',
        path.read_text(),
    )
    return [datetime.fromisoformat(stamp.replace("Z", "+00:00")) for stamp in stamps]


def test_the_question_names_the_minute_in_which_it_began(incident: DemoIncident) -> None:
    assert incident.question == "payment service times out since 10:02"
    assert "10:02" in incident.question_zh
    assert incident.since == datetime.fromisoformat("2026-11-30T10:02:00+08:00")
    assert incident.until <= NOW


def test_no_event_lies_in_the_future_and_the_logs_go_back_for_hours(incident: DemoIncident) -> None:
    for source in incident.log_sources:
        if source.topic == "APPLICATION":
            stamps = times(source.path)
            assert len(stamps) > 500
            assert stamps == sorted(stamps)
            assert max(stamps) <= NOW
            assert min(stamps) < NOW - timedelta(hours=3)


def test_every_source_is_one_that_the_log_tool_knows(incident: DemoIncident) -> None:
    for source in incident.log_sources:
        assert source.topic in set(LogTopic)
        assert source.kind in set(LogSourceKind)
        assert source.path.is_file()


def test_the_files_agree_with_the_ground_truth(incident: DemoIncident) -> None:
    truth = json.loads(incident.ground_truth.read_text())
    payment = incident.decisive_log.read_text()
    assert truth["decisive_log"] == incident.decisive_log.name
    assert payment.count("request timed out after") == truth["signals"]["refused_connections"]
    slow = next(one.path for one in incident.log_sources if one.topic == "DATABASE_SLOW_QUERY").read_text()
    searches = [block for block in slow.split("# Time: ") if "LIKE" in block]
    assert len(searches) == truth["signals"]["slow_statements"]
    slowest = max(float(re.findall(r"Query_time: ([\d.]+)", block)[0]) for block in searches)
    assert slowest == pytest.approx(truth["signals"]["slowest_s"])


def test_the_errors_begin_inside_the_incident_and_the_noise_before_it(incident: DemoIncident) -> None:
    lines = incident.decisive_log.read_text().splitlines()
    first_refusal = next(line for line in lines if "Connection is not available" in line)
    assert datetime.fromisoformat(first_refusal.split()[0]) >= incident.since
    gateway = next(one.path for one in incident.log_sources if one.name == "channel-gateway")
    noise = [line for line in gateway.read_text().splitlines() if "signature mismatch" in line]
    stamps = [datetime.fromisoformat(line.split()[0].removeprefix("time=")) for line in noise]
    assert sum(stamp < incident.since for stamp in stamps) > 50


def test_the_snapshot_holds_the_allowed_columns_and_the_pool_is_full(incident: DemoIncident) -> None:
    with closing(sqlite3.connect(incident.database)) as connection:
        for table, columns in incident.allowed_columns.items():
            present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            assert set(columns) <= present
        last = connection.execute(
            "SELECT active, max_size FROM pool_status ORDER BY captured_at DESC LIMIT 1"
        ).fetchone()
        waiting = connection.execute("SELECT COUNT(*) FROM payments WHERE status = 'PENDING'").fetchone()
    assert last[0] == last[1]
    assert waiting[0] > 5
    assert "memo" not in incident.allowed_columns["payments"]


def test_making_it_again_replaces_it(tmp_path: Path) -> None:
    first = create_incident(tmp_path, now=NOW)
    before = first.decisive_log.read_bytes()
    again = create_incident(tmp_path, now=NOW)
    assert again.decisive_log.read_bytes() == before
    later = create_incident(tmp_path, now=NOW + timedelta(days=1))
    assert later.since == first.since + timedelta(days=1)
    assert later.decisive_log.read_bytes() != before


def test_a_naive_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="aware"):
        create_incident(tmp_path, now=NOW.replace(tzinfo=None))


def test_a_log_is_as_old_as_its_last_event(incident: DemoIncident) -> None:
    modified = datetime.fromtimestamp(incident.decisive_log.stat().st_mtime, UTC)
    assert modified == incident.until.astimezone(UTC)
