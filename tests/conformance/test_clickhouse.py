"""The real engine of ClickHouse as a log source: forms of tables, windows, terms, limits, failures.

Without chdb-core-lite (it exists for Linux and macOS) these tests are skipped with the reason; with CI=true
they fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.harness.tool.logs.contract import LogQuery, LogSourceKind, LogTopic, TimeWindow
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support import clickhouse_tables as tables
from tests.support.clickhouse_server import IS_INSTALLED, ClickHouse, running
from tests.support.logs import NOON, a_source, ask, search
from tests.support.run_cli import run_cli
from tests.support.services import absent


@pytest.fixture(scope="module")
def clickhouse() -> Iterator[ClickHouse]:
    if not IS_INSTALLED:
        absent("chdb-core-lite is not installed")
    with running() as server:
        for statement in tables.STATEMENTS:
            server.execute(statement)
        yield server


def source(server: ClickHouse, table: str, **fields: Any) -> Any:
    login = {"username": "team", "password": "s3cret"}
    return a_source(
        kind=LogSourceKind.CLICKHOUSE, name="far", index=table, **(login | {"endpoint": server.url} | fields)
    )


def counts(result: dict[str, Any]) -> list[int]:
    return [pattern["count"] for pattern in result["patterns"]]


def test_the_table_of_the_opentelemetry_exporter_is_read_with_levels_services_and_what_is_new(
    clickhouse: ClickHouse,
) -> None:
    result = ask(source(clickhouse, "otel_logs"))
    assert result["match_count"] == 130
    assert [
        (pattern["count"], pattern["level"], pattern["service"], pattern["is_new"])
        for pattern in result["patterns"]
    ] == [(90, "INFO", "cart", False), (40, "ERROR", "payment", True)]
    [example] = [pattern["example"] for pattern in result["patterns"] if pattern["service"] == "payment"]
    assert example.startswith("HikariPool-1 - Connection is not available")
    assert not any(name in example for name in ("TimestampTime", "TraceFlags", "SpanId", "ScopeName", "{}"))


def test_days_are_counted_exactly_and_sampled_up_to_the_newest_event(clickhouse: ClickHouse) -> None:
    result = ask(source(clickhouse, "otel_logs"), since=NOON - timedelta(hours=20))
    assert result["match_count"] == 20 * 180 + 40
    assert "match_count is a lower bound" not in result["limitations"]
    assert "far: patterns are from an even sample of 220 of 3640 events" in result["limitations"]
    assert max(pattern["last_seen"] for pattern in result["patterns"]) > "2026-11-30T11:59:44"


@pytest.mark.parametrize("table", ["in_a_zone", "in_millis", "in_seconds", "in_nanos", "by_date", "nullable"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai"])
def test_a_window_holds_its_first_and_its_last_second_in_every_form_of_time(
    clickhouse: ClickHouse, table: str, zone: str
) -> None:
    def between(start: datetime, end: datetime) -> list[str]:
        result = ask(source(clickhouse, table), since=start, until=end, timezone=zone)
        return [
            datetime.fromisoformat(event["timestamp"]).astimezone(UTC).isoformat()
            for event in result["events"]
        ]

    second = timedelta(seconds=1)
    five_to = NOON - timedelta(minutes=5)
    assert between(five_to, NOON) == [f"2026-11-30T11:{minute}:00+00:00" for minute in range(55, 60)] + [
        "2026-11-30T12:00:00+00:00"
    ]
    assert between(five_to + second, NOON - second)[0] == "2026-11-30T11:56:00+00:00"
    assert between(five_to + second, NOON - second)[-1] == "2026-11-30T11:59:00+00:00"
    assert between(NOON + second, NOON + timedelta(seconds=59)) == []


@pytest.mark.parametrize("table", ["in_a_zone", "in_millis", "in_seconds", "in_nanos", "by_date", "nullable"])
def test_level_and_service_are_found_whatever_the_columns_are_called(
    clickhouse: ClickHouse, table: str
) -> None:
    result = ask(source(clickhouse, table), query="refused")
    assert [(pattern["level"], pattern["service"]) for pattern in result["patterns"]] == [("ERROR", "pay")]
    assert result["patterns"][0]["example"].startswith("connect refused")


# Each text is one row's message, and one value of each composite type; each term must find its own row only.
@pytest.mark.parametrize("number", range(len(tables.WORDS)))
@pytest.mark.parametrize("column", ["message", "attributes", "list", "document", "pair", "label"])
def test_a_term_is_literal_and_found_in_columns_of_every_type(
    clickhouse: ClickHouse, number: int, column: str
) -> None:
    word = tables.WORDS[number]
    result = ask(source(clickhouse, f"words_{column}"), query=f'"{word}"' if '"' not in word else word)
    assert result["match_count"] == 1
    assert f"n{number}n" in json.dumps(result["events"])


@pytest.mark.parametrize("term", ["503", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "10.9.8.7", "12.5"])
def test_a_term_is_found_in_numbers_and_identifiers_too(clickhouse: ClickHouse, term: str) -> None:
    assert ask(source(clickhouse, "typed"), query=term)["match_count"] == 1


@pytest.mark.parametrize(
    "term",
    ["%", "_", "' OR 1=1 --", "') OR 1=1 --", "{start:Int64}", "\\' OR 1=1", "`", "';DROP TABLE typed"],
)
def test_a_term_cannot_say_anything_to_the_engine(clickhouse: ClickHouse, term: str) -> None:
    assert ask(source(clickhouse, "typed"), query=f'"{term}"')["match_count"] == 0
    assert ask(source(clickhouse, "typed"))["match_count"] == 2


@pytest.mark.parametrize("table", ["odd.my`table", "odd.a.b", "odd.q'\"\\t"])
def test_names_with_any_characters_are_names(clickhouse: ClickHouse, table: str) -> None:
    assert ask(source(clickhouse, table), query="odd")["match_count"] == 1


def test_the_database_can_be_named_in_the_address(clickhouse: ClickHouse) -> None:
    there = source(clickhouse, "q'\"\\t", endpoint=f"{clickhouse.url}/?database=odd")
    assert ask(there, query="odd")["match_count"] == 1


@pytest.mark.parametrize(
    "table", ["typed` UNION ALL SELECT 1 --", "(SELECT 1)", "numbers(10)", "url('http://127.0.0.1:9/')"]
)
def test_the_name_of_a_table_can_be_nothing_but_a_name(clickhouse: ClickHouse, table: str) -> None:
    with pytest.raises(ToolExecutionFailed):
        ask(source(clickhouse, table))


def test_columns_that_the_table_computes_are_read_and_one_that_is_only_for_inserts_is_not(
    clickhouse: ClickHouse,
) -> None:
    result = ask(source(clickhouse, "computed"), query="boom")
    assert [(pattern["level"], pattern["service"]) for pattern in result["patterns"]] == [("ERROR", "pay")]


def test_long_texts_are_searched_whole_and_fetched_in_part(clickhouse: ClickHouse) -> None:
    result = ask(source(clickhouse, "long"), query="needle")
    assert result["match_count"] == 200
    assert result["limitations"] == []


def test_only_the_parts_of_a_table_that_hold_the_window_are_read(clickhouse: ClickHouse) -> None:
    """The user may read 5,000 rows of the 13,000; the key of the table does not begin with the time."""
    result = ask(source(clickhouse, "otel_logs", username="narrow"))
    assert result["match_count"] == 130


@pytest.mark.parametrize("user", ["reader", "reader2", "limited"])
def test_a_user_who_may_change_no_setting_can_search(clickhouse: ClickHouse, user: str) -> None:
    result = ask(source(clickhouse, "otel_logs", username=user))
    assert result["match_count"] == 130
    assert "match_count is a lower bound" not in result["limitations"]


def test_a_count_that_the_user_s_own_limits_cut_short_is_a_lower_bound_or_refused(
    clickhouse: ClickHouse,
) -> None:
    """`read_overflow_mode = break` ends a query early with a part of the rows and says nothing of it."""
    cut = ask(source(clickhouse, "many", username="breaking_reader"))
    assert 0 < cut["match_count"] < 1_000_000
    assert "match_count is a lower bound" in cut["limitations"]
    with pytest.raises(ToolExecutionFailed):
        ask(source(clickhouse, "many", username="breaking"))
    assert ask(source(clickhouse, "many"))["match_count"] == 1_000_000


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"index": "nowhere"}, "there is no such table (code 60)"),
        ({"index": "nowhere.logs"}, "there is no such database (code 81)"),
        ({"password": "wrong"}, "the store refused the credentials (code 516)"),
        ({"username": "nobody"}, "the store refused the credentials (code 516)"),
        ({"username": "small"}, "the search needed more memory than the store allows (code 241)"),
        ({"username": "tiny"}, "the search would read more rows than this user may (code 158)"),
        ({"time_field": "nowhere"}, "the table has no time or no text column"),
        ({"time_field": "Body"}, "the table has no time or no text column"),
        ({"index": "untimed"}, "the table has no time or no text column"),
        ({"index": "numbered"}, "the column of the time holds numbers that are no times since 1970"),
        ({"index": "slow", "timeout_s": 2.0}, "took longer than the store allows (code 159)"),
    ],
)
def test_a_failure_is_told_in_our_words_with_the_engine_s_code(
    clickhouse: ClickHouse, fields: dict[str, Any], words: str, tmp_path: Path
) -> None:
    (tmp_path / "app.log").write_text(f"{NOON.isoformat()} INFO local\n")
    table = fields.pop("index", "otel_logs")
    result = ask(a_source(tmp_path / "app.log"), source(clickhouse, table, **fields))
    assert result["match_count"] == 1
    assert words in result["limitations"][0]
    assert "Exception" not in json.dumps(result)


def test_an_empty_table_has_nothing_and_says_nothing_new(clickhouse: ClickHouse) -> None:
    for table in ("empty", "empty_millis"):
        result = ask(source(clickhouse, table))
        assert (result["match_count"], result["patterns"]) == (0, [])


def test_nothing_is_new_in_a_table_that_begins_within_the_window(clickhouse: ClickHouse) -> None:
    result = ask(source(clickhouse, "young"))
    assert result["match_count"] == 3
    assert not any(pattern.get("is_new") for pattern in result["patterns"])


@pytest.mark.parametrize("years", [-60, 300, 5000])
def test_a_window_beyond_what_the_engine_can_hold_is_empty(clickhouse: ClickHouse, years: int) -> None:
    start = datetime(2000 + years, 1, 1, tzinfo=UTC)
    window = TimeWindow.between(start, start + timedelta(minutes=30))
    for table in ("otel_logs", "in_a_zone", "in_millis"):
        query = LogQuery(LogTopic.APPLICATION, "", (), window)
        assert search(query, source(clickhouse, table)).match_count == 0


@pytest.fixture
def configured(clickhouse: ClickHouse, superbiz_home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return configuration(clickhouse, superbiz_home, monkeypatch, table="otel_logs")


def configuration(
    server: ClickHouse, home: Path, monkeypatch: pytest.MonkeyPatch, *, table: str
) -> list[str]:
    monkeypatch.setenv("CLICKHOUSE_PASSWORD", "s3cret")
    path = home.parent / "superbiz.toml"
    path.write_text(
        f"""
[ui]
timezone = "UTC"

[[logs.sources]]
name = "otel"
topic = "APPLICATION"
kind = "clickhouse"
url = "{server.url}"
table = "{table}"
username = "reader"
password_env = "CLICKHOUSE_PASSWORD"
"""
    )
    return ["--config", str(path)]


def test_the_command_line_searches_the_store(configured: list[str]) -> None:
    done = run_cli("logs", "search", "/api/pay", "--at", "2026-11-30T12:00:00Z", "--json", *configured)
    assert done.code == 0
    assert done.json()["match_count"] == 40
    assert "s3cret" not in done.out + done.err


def test_a_diagnosis_cites_what_the_store_holds(configured: list[str]) -> None:
    done = run_cli("diagnose", "payment requests time out", "--at", "2026-11-30T12:00:00Z", *configured)
    told = " ".join(done.out.split())
    assert "payment ERROR, 40 times from 11:50:00 to 11:59:45, none in the equally long time before" in told
    assert "HikariPool-1 - Connection is not available" in done.out
    assert "TimestampTime" not in done.out


def test_doctor_and_sources_tell_how_new_the_store_s_newest_event_is(
    clickhouse: ClickHouse, superbiz_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store has an event every two minutes until five hours ago."""
    newest = (datetime.now(UTC) - timedelta(hours=5)).replace(microsecond=0)
    clickhouse.execute(
        f"INSERT INTO beats SELECT toDateTime({int(newest.timestamp())}) - number * 120, 'alive' "
        "FROM numbers(550)"
    )
    configured = configuration(clickhouse, superbiz_home, monkeypatch, table="beats")
    [report] = run_cli("logs", "sources", "--json", *configured).json()
    assert datetime.fromisoformat(report["newest"]) == newest
    done = run_cli("doctor", *configured)
    assert f"newest event {newest.isoformat(' ', 'seconds')}" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("table", "found", "remedy"),
    [
        (
            "empty",
            "no event in the last day",
            "index, table or selector of the source otel is the one that is",
        ),
        ("nowhere", "there is no such table (code 60)", "check url, credential and index, table or selector"),
    ],
)
def test_doctor_says_what_to_check_of_a_store_that_shows_nothing(
    clickhouse: ClickHouse,
    superbiz_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    found: str,
    remedy: str,
) -> None:
    done = run_cli("doctor", *configuration(clickhouse, superbiz_home, monkeypatch, table=table))
    told = " ".join(done.out.split())
    assert found in told
    assert remedy in told
