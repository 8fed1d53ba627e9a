"""Points in time as people type them, and the window that a question states."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.cli.times import MAX_WINDOW, parse_time, stated_window
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.settings.zone import local_zone_name
from tests.support.run_cli import run_cli

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 30, 10, 15, tzinfo=ZONE)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def window(
    query: str = "", *, at: str | None = None, since: str | None = None, until: str | None = None
) -> tuple[datetime | None, datetime, str | None]:
    stated = stated_window(query=query, at=at, since=since, until=until, now=NOW, zone_name="Asia/Shanghai")
    return stated.window.since, stated.window.until, stated.said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-11-30T10:15"),
        ("2h", "2026-11-30T08:15"),
        ("90m", "2026-11-30T08:45"),
        ("1h30m", "2026-11-30T08:45"),
        ("2 hours ago", "2026-11-30T08:15"),
        ("1 day", "2026-11-29T10:15"),
        ("30 分钟", "2026-11-30T09:45"),
        ("10:00", "2026-11-30T10:00"),
        ("09:59:30", "2026-11-30T09:59:30"),
        ("23:50", "2026-11-29T23:50"),
        ("today 08:00", "2026-11-30T08:00"),
        ("yesterday", "2026-11-29T00:00"),
        ("yesterday 10:00", "2026-11-29T10:00"),
        ("Yesterday at 10:00", "2026-11-29T10:00"),
        ("昨天 10:00", "2026-11-29T10:00"),
        ("2026-11-28", "2026-11-28T00:00"),
        ("2026-11-28 07:30", "2026-11-28T07:30"),
        ("2026-11-28T07:30:15", "2026-11-28T07:30:15"),
        ("2026-11-28T07:30Z", "2026-11-28T15:30"),
        ("2026-11-28 07:30 +02:00", "2026-11-28T13:30"),
        ("2026-11-28T07:30+0200", "2026-11-28T13:30"),
        ("20分钟前", "2026-11-30T09:55"),
        ("half an hour ago", "2026-11-30T09:45"),
        ("two hours and a half ago", "2026-11-30T07:45"),
        ("an hour and a half", "2026-11-30T08:45"),
        ("一个半小时", "2026-11-30T08:45"),
        ("2 days ago at 22:00", "2026-11-28T22:00"),
        ("last night", "2026-11-29T18:00"),
        ("last night at 11", "2026-11-29T23:00"),
        ("last night at 2am", "2026-11-30T02:00"),
        ("昨晚11点", "2026-11-29T23:00"),
        ("昨晚1点", "2026-11-30T01:00"),
        ("昨晚12点", "2026-11-30T00:00"),
        ("晚上12点", "2026-11-30T00:00"),
        ("今天凌晨3点半", "2026-11-30T03:30"),
        ("凌晨12点", "2026-11-30T00:00"),
        ("下午三点一刻", "2026-11-29T15:15"),
        ("中午12点", "2026-11-29T12:00"),
        ("中午1点", "2026-11-29T13:00"),
        ("二十三点零五分", "2026-11-29T23:05"),
        ("8点05分30秒", "2026-11-30T08:05:30"),
        ("24:00", "2026-11-30T00:00"),
        ("今早8点整", "2026-11-30T08:00"),
        ("9:30 am", "2026-11-30T09:30"),
        ("3 p.m.", "2026-11-29T15:00"),
        ("9 o'clock", "2026-11-30T09:00"),
        ("noon", "2026-11-29T12:00"),
        ("midnight", "2026-11-30T00:00"),
        ("this morning", "2026-11-30T05:00"),
        ("yesterday evening", "2026-11-29T17:00"),
        ("Monday 08:00", "2026-11-30T08:00"),
        ("last Monday", "2026-11-23T00:00"),
        ("上周五下午3点", "2026-11-27T15:00"),
        ("周日", "2026-11-29T00:00"),
        ("last week", "2026-11-23T00:00"),
        ("this week", "2026-11-30T00:00"),
        ("上周", "2026-11-23T00:00"),
        ("前天22时", "2026-11-28T22:00"),
        ("11月28日 22:30", "2026-11-28T22:30"),
        ("12月1日", "2025-12-01T00:00"),
        ("2026年11月5号", "2026-11-05T00:00"),
        ("28号 9点", "2026-11-28T09:00"),
        ("31号", "2026-10-31T00:00"),
        ("Nov 28 22:30", "2026-11-28T22:30"),
        ("28th of November 2026 at 22:30", "2026-11-28T22:30"),
        ("May 5, 2026 10:00", "2026-05-05T10:00"),
        ("2026/11/28 10:00:00.250", "2026-11-28T10:00:00.250"),
        ("01:00 UTC", "2026-11-30T09:00"),
        ("11/28 22:00", "2026-11-28T22:00"),
        ("28/11/2026 22:00", "2026-11-28T22:00"),
        ("11/11 22:00", "2026-11-11T22:00"),
        ("28.11. 22:00", "2026-11-28T22:00"),
        ("28.11.2026 22:00", "2026-11-28T22:00"),
        ("11-28 22:00", "2026-11-28T22:00"),
        ("half hour", "2026-11-30T09:45"),
        ("a couple of hours ago", "2026-11-30T08:15"),
        ("北京时间9点", "2026-11-30T09:00"),
    ],
)
def test_a_time_is_read_in_the_users_zone(text: str, expected: str) -> None:
    assert parse_time(text, now=NOW, zone=ZONE, what="--since") == at(expected)


@pytest.mark.parametrize(
    "text",
    [
        "99点",
        "零百点",
        "31 Feb 2026",
        "32号",
        "13 pm",
        "10:00 11:00",
        "Nov 28 yesterday",
        "",
        "soon",
        "25:00",
        "10:61",
        "2026-13-01",
        "2026-02-30",
        "h",
        "-2h",
        "10",
        "1e3h",
    ],
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(SuperbizError) as caught:
        parse_time(text, now=NOW, zone=ZONE, what="--since")
    assert caught.value.code is ErrorCode.TIME_INVALID
    assert "--since" in caught.value.message
    assert "yesterday 10:00" in (caught.value.hint or "")


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_is_refused(text: str) -> None:
    try:
        moment = parse_time(text, now=NOW, zone=ZONE, what="--at")
    except SuperbizError:
        return
    assert moment.tzinfo is not None


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1)))
def test_iso_8601_is_read_back_exactly(moment: datetime) -> None:
    assert parse_time(moment.isoformat(), now=NOW, zone=ZONE, what="--at") == moment


@pytest.mark.parametrize(
    ("query", "since", "until", "said"),
    [
        ("payment times out since 10:00", "2026-11-30T10:00", None, '"since 10:00"'),
        ("since yesterday 10:00 it fails", "2026-11-29T10:00", None, '"since yesterday 10:00"'),
        ("slow from 09:00 to 09:30", "2026-11-30T09:00", "2026-11-30T09:30", '"from 09:00 to 09:30"'),
        ("errors in the last 2 hours", "2026-11-30T08:15", None, '"in the last 2 hours"'),
        ("支付超时，从10:00开始", "2026-11-30T10:00", None, '"从10:00开始"'),
        ("昨天 22:00 以来报错", "2026-11-29T22:00", None, '"昨天 22:00 以来"'),
        ("最近30分钟下单失败", "2026-11-30T09:45", None, '"最近30分钟"'),
        ("09:00到09:30之间 502", "2026-11-30T09:00", "2026-11-30T09:30", '"09:00到09:30之间"'),
    ],
)
def test_the_question_names_the_window(query: str, since: str, until: str | None, said: str) -> None:
    assert window(query) == (at(since), at(until) if until else NOW, said)


def test_a_question_may_name_more_than_the_longest_window() -> None:
    stated = stated_window(
        query="since 90 days", at=None, since=None, until=None, now=NOW, zone_name="Asia/Shanghai"
    )
    assert stated.window.since == NOW - MAX_WINDOW
    assert stated.window.notes == (
        "The question names more than 31 days; only the last 31 days are looked at.",
    )


def test_a_time_of_the_question_that_a_flag_contradicts_is_said_not_to_be_used() -> None:
    stated = stated_window(
        query="errors since 10:00", at=None, since=None, until="1h", now=NOW, zone_name="Asia/Shanghai"
    )
    assert (stated.window.since, stated.window.until) == (None, at("2026-11-30T09:15"))
    (note,) = stated.window.notes
    assert note.startswith('Not used as a time: "since 10:00". The window is 2026-11-30 08:45 → 09:15')


@pytest.mark.parametrize(
    "query",
    ["payment times out", "since the deploy", "from order 10 to 12", "code 10:99", "timeout after 30s"],
)
def test_a_question_without_a_time_leaves_the_default_window(query: str) -> None:
    assert window(query) == (None, NOW, None)


def test_flags_win_over_the_question() -> None:
    assert window("since 08:00", since="09:00") == (at("2026-11-30T09:00"), NOW, "--since 09:00")


def test_the_beginning_in_a_question_is_read_relative_to_the_end_of_a_flag() -> None:
    since, until, said = window("since 10:00", at="2026-11-20 10:30")
    assert (since, until) == (at("2026-11-20T10:00"), at("2026-11-20T10:30"))
    assert said == '"since 10:00", --at 2026-11-20 10:30'


def test_a_distance_counts_from_now_or_from_at_and_is_not_moved_by_until() -> None:
    assert window(since="1h", until="10m")[:2] == (at("2026-11-30T09:15"), at("2026-11-30T10:05"))
    assert window(since="1h", at="09:00")[:2] == (at("2026-11-30T08:00"), at("2026-11-30T09:00"))
    assert window("errors in the last 2 hours", at="09:00")[0] == at("2026-11-30T07:00")


def test_a_clock_time_belongs_to_the_day_that_until_names() -> None:
    since, until, _ = window(since="10:00", until="2026-11-20 10:30")
    assert (since, until) == (at("2026-11-20T10:00"), at("2026-11-20T10:30"))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"since": "2026-12-01 10:00"}, "before it begins"),
        ({"since": "2026-12-01 10:00", "until": "2026-12-01 11:00"}, "lies in the future"),
        ({"at": "2027-01-01"}, "lies in the future"),
        ({"since": "3000h"}, "too long"),
        ({"since": "2026-01-01", "at": "2026-11-01"}, "too long"),
        ({"since": "1h", "until": "2h"}, "before it begins"),
        ({"since": "0s"}, "is empty"),
        ({"at": "0001-01-01"}, "outside the years"),
        ({"since": "0001-01-01", "until": "0001-01-01T10:00"}, "outside the years"),
        ({"at": "9999-12-31T23:59"}, "outside the years"),
    ],
)
def test_a_window_that_no_log_can_hold_is_refused(flags: dict[str, str], words: str) -> None:
    with pytest.raises(SuperbizError, match=words) as caught:
        window("", **flags)
    assert caught.value.code is ErrorCode.TIME_INVALID
    assert caught.value.hint


@pytest.mark.parametrize(
    "flags",
    [
        {"since": "2026-11-30 10:00", "until": "09:00"},
        {"since": "2026-11-30 09:01", "at": "2026-11-30 09:00"},
    ],
)
def test_a_window_that_ends_before_it_begins_is_refused(flags: dict[str, str]) -> None:
    with pytest.raises(SuperbizError, match="before it begins"):
        window("", **flags)


def test_two_names_for_the_end_are_refused() -> None:
    with pytest.raises(SuperbizError, match="--at and --until"):
        window(at="10:00", until="10:00")


@pytest.mark.parametrize(
    ("variable", "name"), [("Asia/Shanghai", "Asia/Shanghai"), (":Europe/Berlin", "Europe/Berlin")]
)
def test_the_zone_of_this_machine_is_a_name(variable: str, name: str) -> None:
    assert local_zone_name({"TZ": variable}) == name


def test_a_zone_that_does_not_exist_is_passed_over() -> None:
    ZoneInfo(local_zone_name({"TZ": "Mars/Olympus"}))


def test_every_example_of_the_help_on_times_is_a_time() -> None:
    told = run_cli("help", "times")
    assert told.code == 0
    columns = [line.split("   ")[0] for line in told.out.splitlines()[1:6]]
    examples = [
        example
        for column in columns
        for example in re.split(r",\s+", re.split(r"  (?=\S)", column.strip())[0])
    ]
    assert len(examples) > 10
    for example in examples:
        parse_time(example, now=NOW, zone=ZONE, what="--since")
