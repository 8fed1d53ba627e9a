"""The window that a question states, in English and Chinese, and the times that it does not understand."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.cli.question_time import MAX_QUOTED, StatedTime, stated_time
from superbiz_cli.cli.times import stated_window

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 30, 10, 15, tzinfo=ZONE)  # a Monday


def read(query: str, *, now: datetime = NOW) -> StatedTime:
    return stated_time(query, now=now, zone=ZONE)


def at(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=ZONE)


@pytest.mark.parametrize(
    ("query", "since"),
    [
        ("payment times out since 20 minutes", "2026-11-30T09:55"),
        ("errors for the last 20 minutes", "2026-11-30T09:55"),
        ("20 min ago it started", "2026-11-30T09:55"),
        ("it has been failing for 20 minutes", "2026-11-30T09:55"),
        ("in the past hour the queue grows", "2026-11-30T09:15"),
        ("since an hour nothing works", "2026-11-30T09:15"),
        ("支付超时，从20分钟前开始", "2026-11-30T09:55"),
        ("半小时前开始报警", "2026-11-30T09:45"),
        ("近一个小时订单变慢", "2026-11-30T09:15"),
        ("下单失败，20分钟了", "2026-11-30T09:55"),
        ("两小时内大量报错", "2026-11-30T08:15"),
        ("23点05分以后下单失败", "2026-11-29T23:05"),
        ("自昨日22时起", "2026-11-29T22:00"),
        ("周一早上开始报错", "2026-11-30T05:00"),
        ("checkout fails since last night", "2026-11-29T18:00"),
        ("slow since this morning", "2026-11-30T05:00"),
        ("errors after 5pm yesterday", "2026-11-29T17:00"),
        ("it started around 09:45", "2026-11-30T09:45"),
        ("09:45 onwards: 502", "2026-11-30T09:45"),
        ("since the day before yesterday", "2026-11-28T00:00"),
        ("slow for about an hour now", "2026-11-30T09:15"),
        ("over the last half hour", "2026-11-30T09:45"),
        ("最近两天变慢", "2026-11-28T10:15"),
        ("北京时间9点开始", "2026-11-30T09:00"),
        ("今天早上8点多开始变慢", "2026-11-30T08:00"),
        ("checkout is slow today", "2026-11-30T00:00"),
    ],
)
def test_a_beginning_is_read_and_the_window_goes_on_to_now(query: str, since: str) -> None:
    stated = read(query)
    assert (stated.since, stated.until) == (at(since), None)
    assert stated.said is not None
    assert stated.unread == ()


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("errors between 09:00 and 09:30", "2026-11-30T09:00", "2026-11-30T09:30"),
        ("errors between 10:00 and 10:30", "2026-11-30T10:00", "2026-11-30T10:15"),
        ("10:00-10:10 errors", "2026-11-30T10:00", "2026-11-30T10:10"),
        ("between 2 and 3 pm", "2026-11-29T14:00", "2026-11-29T15:00"),
        ("yesterday between 10:00 and 11:00", "2026-11-29T10:00", "2026-11-29T11:00"),
        ("from 10:00 to 11:00 yesterday", "2026-11-29T10:00", "2026-11-29T11:00"),
        ("from 23:00 to today 02:00", "2026-11-29T23:00", "2026-11-30T02:00"),
        ("昨天下午2点到3点接口很慢", "2026-11-29T14:00", "2026-11-29T15:00"),
        ("昨晚11点到凌晨2点", "2026-11-29T23:00", "2026-11-30T02:00"),
        ("21时30分至22时", "2026-11-29T21:30", "2026-11-29T22:00"),
        ("last Friday the import broke", "2026-11-27T00:00", "2026-11-28T00:00"),
        ("it started at 08:00 and ended at 08:30", "2026-11-30T08:00", "2026-11-30T08:30"),
        ("started yesterday evening, stopped at 23:00", "2026-11-29T17:00", "2026-11-29T23:00"),
        ("8点开始报错，8点半恢复", "2026-11-30T08:00", "2026-11-30T08:30"),
        ("昨天为什么超时", "2026-11-29T00:00", "2026-11-30T00:00"),
    ],
)
def test_both_ends_are_read(query: str, since: str, until: str) -> None:
    stated = read(query)
    assert (stated.since, stated.until or NOW) == (at(since), at(until))


@pytest.mark.parametrize(
    ("query", "moment"),
    [
        ("around 08:05 the job died", "2026-11-30T08:05"),
        ("service crashed at 8:41 am", "2026-11-30T08:41"),
        ("service crashed yesterday at 3pm", "2026-11-29T15:00"),
        ("last night at 11 the pods restarted", "2026-11-29T23:00"),
        ("2 days ago at 10:00", "2026-11-28T10:00"),
        ("昨晚11点支付失败", "2026-11-29T23:00"),
        ("今天凌晨3点订单服务崩溃", "2026-11-30T03:00"),
        ("9点10分左右网关502", "2026-11-30T09:10"),
        ("订单服务 9:40 报错", "2026-11-30T09:40"),
    ],
)
def test_an_instant_gets_half_an_hour_to_both_sides(query: str, moment: str) -> None:
    stated, middle = read(query), datetime.fromisoformat(moment).replace(tzinfo=ZONE)
    assert stated.since == middle - timedelta(minutes=30)
    assert (stated.until or NOW) == min(NOW, middle + timedelta(minutes=30))


def test_since_then_goes_on_to_now() -> None:
    stated = read("deployed at 08:30, errors since then")
    assert (stated.since, stated.until, stated.unread) == (at("2026-11-30T08:00"), None, ())


@pytest.mark.parametrize(
    ("query", "until"),
    [
        ("until 09:30 errors", "2026-11-30T09:30"),
        ("9点之前报错", "2026-11-30T09:00"),
        ("before today", "2026-11-30"),
    ],
)
def test_an_end_alone_leaves_the_beginning_to_the_tools(query: str, until: str) -> None:
    stated = read(query)
    assert (stated.since, stated.until) == (None, at(until))


@pytest.mark.parametrize(
    ("query", "unread"),
    [
        ("it fails since the deploy", "since the deploy"),
        ("a few minutes ago it broke", "a few minutes ago"),
        ("before lunch it was fine", "before lunch"),
        ("errors since 3 months", "since 3 months"),
        ("broken over the past few hours", "past few hours"),
        ("slow tonight", "tonight"),
        ("it died overnight", "overnight"),
        ("since 11/10 22:00", "since 11/10"),
        ("slow since 09.30", "since 09.30"),
        ("前两天开始变慢", "前两天"),
        ("2026-11-30T09:00-03:00 crash", "2026-11-30T09:00-03:00"),
        ("几分钟前开始报错", "几分钟前"),
        ("从上线开始报错", "从上线开始"),
        ("上个月开始变慢", "上个月"),
    ],
)
def test_words_that_look_like_a_time_and_are_none_are_named(query: str, unread: str) -> None:
    stated = read(query)
    assert (stated.since, stated.until, stated.said) == (None, None, None)
    assert unread in stated.unread


@pytest.mark.parametrize(
    "query",
    [
        "payment times out",
        "code 10:99",
        "timeout after 30s",
        "from order 10 to 12",
        "between 2 and 3 retries",
        "有3点问题需要排查",
        "requests hang for 5 minutes",
        "10秒内没有响应",
        "connection to 10.0.0.1:0800 failed",
        '"job failed at 03:00" is in the log',
        "what is behind this?\n\n2026-11-28 03:00:00 ERROR died",
        "what is this?\n2026-11-28 03:00:00 ERROR died",
        "刚才一直报错",
        "GET /v1/2026-11-29/report fails",
    ],
)
def test_what_is_no_statement_about_the_incident_is_left_alone(query: str) -> None:
    assert read(query) == StatedTime()


def test_a_second_time_is_named_as_not_used() -> None:
    stated = read("errors since 09:00, it was fine yesterday")
    assert (stated.since, stated.unread) == (at("2026-11-30T09:00"), ("yesterday",))


def test_in_the_small_hours_tonight_is_the_night_that_began_yesterday() -> None:
    now = NOW.replace(hour=2)
    assert read("tonight the batch fails", now=now).since == at("2026-11-29T18:00")
    assert read("since tonight 23:00", now=now).since == at("2026-11-29T23:00")
    assert read("since this morning", now=now).since == at("2026-11-30T00:00")


def test_the_reader_is_told_what_was_not_understood_and_which_window_was_used() -> None:
    for query, words in (
        ("fails since the deploy", 'The time in the question, "since the deploy", was not understood'),
        ("从上线开始报错", "没有看懂问题里的时间 “从上线开始”"),
    ):
        stated = stated_window(
            query=query, at=None, since=None, until=None, now=NOW, zone_name="Asia/Shanghai"
        )
        (note,) = stated.window.notes
        assert note.startswith(words)
        assert "2026-11-30 09:45 → 10:15 +08:00" in note
        assert "--since" in note
        assert stated.unread[0] in str(stated)


@given(st.text(max_size=80))
def test_any_question_is_read_without_an_error(query: str) -> None:
    stated = read(query)
    assert len(stated.unread) <= MAX_QUOTED
    assert stated.since is None or stated.since < NOW


@given(
    st.lists(
        st.sampled_from(
            [
                "since",
                "10:00",
                "yesterday",
                "last night",
                "to",
                "3 pm",
                "ago",
                "2",
                "hours",
                "昨晚",
                "11点",
                "到",
                "开始",
            ]
        ),
        max_size=8,
    )
)
def test_any_mixture_of_time_words_gives_a_window_before_now(words: list[str]) -> None:
    stated = read(" ".join(words))
    assert stated.since is None or stated.since < (stated.until or NOW) <= NOW
