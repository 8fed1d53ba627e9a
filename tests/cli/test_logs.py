"""`superbiz logs`: the tool's own answers, how files are understood, and the configured sources."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.bootstrap.one_call import TOOL_CALL_ID
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.port import CallContext
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.flow_world import AT, SECRET, TIMEOUTS, World
from tests.support.run_cli import Completed, run_cli


@pytest.fixture
def world(tmp_path: Path, superbiz_home: Path) -> World:
    return World(tmp_path / "world", superbiz_home)


def logs(world: World, *arguments: str) -> Completed:
    return run_cli("logs", *arguments, "--config", str(world.config))


def test_a_search_returns_exactly_what_the_tool_returns(world: World) -> None:
    done = logs(world, "search", "timed", "out", "--since", "10:00", "--at", AT, "--json")
    assert (done.code, done.err) == (0, "")
    source = LogSource(
        name="app",
        topic=LogTopic.APPLICATION,
        kind=LogSourceKind.FILES,
        paths=(str(world.logs),),
        timezone="Asia/Shanghai",
    )
    tool = LogTool(ConfiguredLogs([source]), redactor=Redactor())
    run = Run.start(session_id="s", deadline_s=60, limits=BudgetLimits())
    until = datetime.fromisoformat(AT)
    window = IncidentWindow(until=until, since=until.replace(minute=0), timezone="Asia/Shanghai")
    request = tool.parse({"topic": "APPLICATION", "query": "timed out"}, incident=window)
    raw = tool.fetch(request, CallContext(run, window))
    expected = tool.project(request, raw, tool_call_id=TOOL_CALL_ID).agent_result
    assert done.json() == json.loads(expected)
    assert done.json()["match_count"] == TIMEOUTS


def test_a_search_for_people_shows_counts_patterns_and_events(world: World) -> None:
    done = logs(world, "search", "timed out", "--at", AT)
    assert done.code == 0
    assert done.out.startswith(f"{TIMEOUTS} matching events  APPLICATION  2026-11-30T09:45:00+08:00 to\n")
    assert f"{TIMEOUTS}x ERROR" in done.out
    assert "\nEvents\n" in done.out


def test_counts_of_a_sample_are_shown_as_lower_bounds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Sampled(EventTally):
        def __init__(self, window: TimeWindow) -> None:
            super().__init__(window)
            self.is_sampled = True

    monkeypatch.setattr("superbiz_cli.adapters.log_backend.EventTally", Sampled)
    assert f">={TIMEOUTS}x ERROR" in logs(world, "search", "timed out", "--at", AT).out


def test_a_search_redacts_and_honours_a_phrase(world: World) -> None:
    done = logs(world, "search", '"login failed"', "--at", AT, "--json")
    assert done.json()["match_count"] == 1
    assert SECRET not in done.out
    assert logs(world, "search", '"failed login"', "--at", AT, "--json").json()["match_count"] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", "x", "--topic", "NOTHING"], "unknown_topic"),
        (["search", "x", "--topic", "SYSTEM_EVENTS"], "topic_not_configured"),
        (["search", "x" * 5000], "query_too_long"),
        (["search", "x", "--at", "soon"], "is not a time"),
    ],
)
def test_a_request_that_the_tool_refuses_says_why(world: World, arguments: list[str], says: str) -> None:
    done = logs(world, *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_search_without_any_source_says_what_to_do(world: World) -> None:
    world.with_logs = False
    done = logs(world, "search", "x")
    assert done.code == 2
    assert "no log source is configured" in done.err
    assert "[[logs.sources]]" in done.err


def test_a_search_of_sources_that_cannot_answer_ends_with_4(world: World) -> None:
    (world.logs / "app.log").unlink()
    world.logs.rmdir()
    done = logs(world, "search", "x", "--json")
    assert done.code == 4
    assert done.json()["error"]["code"] == "SOURCE_UNAVAILABLE"


def test_a_file_is_inspected_without_being_configured(world: World) -> None:
    world.with_logs = False
    [report] = logs(world, "inspect", str(world.logs / "app.log"), "--json").json()
    assert report == {
        "file": str(world.logs / "app.log"),
        "events": 14 + TIMEOUTS + 1,
        "first_ts": "2026-11-30T09:46:00",
        "last_ts": "2026-11-30T10:10:00",
        "levels": {"INFO": 14, "WARN": 1, "ERROR": TIMEOUTS},
        "multiline": False,
        "shapes": report["shapes"],
        "skipped": 0,
    }
    assert report["shapes"]


def test_a_folder_is_inspected_log_by_log(world: World) -> None:
    (world.logs / "other.log").write_text("Nov 30 10:00:00 host app: hello\n  more\n")
    done = logs(world, "inspect", str(world.logs), "--at", "2024-12-31", "--ndjson")
    reports = {Path(report["file"]).name: report for report in done.ndjson()}
    assert set(reports) == {"app.log", "other.log"}
    assert reports["other.log"]["first_ts"] == "2024-11-30T10:00:00"
    assert reports["other.log"]["multiline"] is True
    rows = logs(world, "inspect", str(world.logs)).out.splitlines()
    assert rows[0].split()[:5] == ["FILE", "EVENTS", "FIRST", "LAST", "SKIPPED"]
    assert len(rows) == 3


def test_what_cannot_be_read_is_reported_and_ends_with_4_if_nothing_else_was(world: World) -> None:
    absent = str(world.folder / "absent.log")
    alone = logs(world, "inspect", absent, "--json")
    assert alone.code == 4
    assert "does not exist" in alone.json()[0]["problem"]
    both = logs(world, "inspect", absent, str(world.logs), "--json")
    assert both.code == 0
    assert len(both.json()) == 2


def test_sources_are_listed_with_their_newest_event(world: World) -> None:
    [source] = logs(world, "sources", "--json").json()
    assert (source["name"], source["topic"], source["kind"]) == ("app", "APPLICATION", "files")
    newest = datetime.fromisoformat(source["newest"]).replace(tzinfo=None)
    assert (source["files"], newest) == (1, datetime(2026, 11, 30, 10, 10))
    assert source["problems"] == []
    assert "2026-11-30 10:10:00" in logs(world, "sources").out


def test_a_source_with_nothing_there_says_so(world: World) -> None:
    (world.logs / "app.log").unlink()
    [source] = logs(world, "sources", "--json").json()
    assert (source["files"], source["newest"], source["problems"]) == (0, None, ["nothing is there"])


def test_an_abbreviated_zone_means_what_the_source_says(world: World) -> None:
    (world.logs / "app.log").write_text("2026-11-30 10:10:00 CST INFO up\n")
    world.with_logs = False
    base = {"name": "app", "topic": "APPLICATION", "paths": [str(world.logs)]}
    times = []
    for offset in ("+08:00", "-06:00"):
        world.settings = {"[logs.sources]": base, "logs.sources.zones": {"CST": offset}}
        [source] = logs(world, "sources", "--json").json()
        times.append(datetime.fromisoformat(source["newest"]).astimezone(UTC).hour)
    assert times == [2, 16]


def test_no_source_is_an_empty_list(world: World) -> None:
    world.with_logs = False
    done = logs(world, "sources", "--json")
    assert (done.code, done.json()) == (0, [])
