"""Points in time as people type them, and the window that a question states."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.cli.times import parse_time, stated_window
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.settings.zone import local_zone_name

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
    ],
)
def test_a_time_is_read_in_the_users_zone(text: str, expected: str) -> None:
    assert parse_time(text, now=NOW, zone=ZONE, what="--since") == at(expected)


@pytest.mark.parametrize(
    "text", ["", "soon", "25:00", "10:61", "2026-13-01", "2026-02-30", "h", "-2h", "10", "1e3h"]
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
        ("09:00到09:30之间 502", "2026-11-30T09:00", "2026-11-30T09:30", '"09:00到09:30"'),
    ],
)
def test_the_question_names_the_window(query: str, since: str, until: str | None, said: str) -> None:
    assert window(query) == (at(since), at(until) if until else NOW, said)


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


def test_a_distance_is_measured_from_the_end_of_the_window() -> None:
    assert window(since="1h", until="09:00")[0] == at("2026-11-30T08:00")


@pytest.mark.parametrize(
    "flags", [{"since": "2026-11-30 10:00", "until": "09:00"}, {"since": "09:00", "at": "09:00"}]
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
