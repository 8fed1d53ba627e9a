"""Reading a sentence: numbers with units, times with zones, identifiers, pairs and quotations."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.guard.claims.moments import moments
from superbiz_cli.harness.guard.claims.names import is_particular, names, squashed
from superbiz_cli.harness.guard.claims.normal import is_mostly_chinese, normal
from superbiz_cli.harness.guard.claims.numerals import chinese_number, english_number
from superbiz_cli.harness.guard.claims.quantities import quantities
from superbiz_cli.harness.guard.claims.scan import scan
from superbiz_cli.harness.guard.claims.units import same_unit, unit_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("three", 3),
        ("twenty-one", 21),
        ("two hundred and five", 205),
        ("three thousand", 3000),
        ("two million five hundred thousand", 2_500_000),
        ("twice", 2),
        ("hundred", 100),
    ],
)
def test_english_number_words_have_their_value(text: str, value: int) -> None:
    assert english_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三", 3), ("十二", 12), ("二十", 20), ("两百零五", 205), ("一千二百", 1200),
        ("两万三千", 23_000), ("一亿", 100_000_000), ("万", 10_000), ("一八", 18), ("三百万", 3_000_000),
    ],
)  # fmt: skip
def test_chinese_numerals_have_their_value(text: str, value: int) -> None:
    assert chinese_number(text) == value


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("took 4788ms", "4788", "ms"),
        ("took 4788 ms", "4788", "ms"),
        ("took 4.8 s", "4.8", "s"),
        ("took 30 seconds", "30", "s"),
        ("a 30-minute window", "30", "m"),
        ("用了 25 秒", "25", "s"),
        ("持续 3 分 43 秒", "223", "s"),
        ("lasted 2 min 41 s", "161", "s"),
        ("lasted 1 h 5 min", "3900", "s"),
        ("one minute and ten seconds", "70", "s"),
        ("两分十秒", "130", "s"),
        ("三个小时", "3", "h"),
        ("半小时", "0.5", "h"),
        ("1个半小时", "1.5", "h"),
        ("个半小时", "1.5", "h"),
        ("half an hour", "0.5", "h"),
        ("a quarter of an hour", "0.25", "h"),
        ("heap 2046MB", "2046", "kb"),
        ("rss 512Mi of memory", "512", "mb"),
        ("占 86.2%", "86.2", "%"),
        ("占百分之八十六", "86", "%"),
        ("占百分之86.5", "86.5", "%"),
        ("by 8 percentage points", "8", "%"),
        ("下降 8 个百分点", "8", "%"),
        ("三分之二", "66.67", "%"),
        ("5 分之 1", "20", "%"),
        ("two thirds of", "66.67", "%"),
        ("a quarter of", "25", "%"),
        ("约九成", "90", "%"),
        ("七成半", "75", "%"),
        ("raised to 120r/s", "120", "per second"),
        ("at 18200 QPS", "18200", "per second"),
        ("共 39.90 元", "39.90", "元"),
        ("4x", "4", "x"),
        ("四倍", "4", "x"),
        ("four times the first value", "4", "x"),
        ("1,920,450 entries", "1920450", ""),
        ("1.82 万", "18200", ""),
        ("192万", "1920000", ""),
        ("1.2 million rows", "1200000", ""),
        ("18.2k", "18200", ""),
        ("five full collections", "5", ""),
        ("四笔", "4", ""),
        ("-Xmx 5M", "5", "M"),
        ("for 5m", "5", "m"),
        ("5 m", "5", ""),
        ("5g", "5", "g"),
        ("20core", "20", "core"),
        ("five qps", "5", "per second"),
        ("twelve foo", "12", ""),
        ("12 foo", "12", ""),
    ],
)  # fmt: skip
def test_a_number_is_read_with_its_unit(text: str, value: str, unit: str) -> None:
    (found,) = quantities(normal(text))
    assert round(found.value, 2) == Decimal(value)
    if unit != "kb":
        assert found.unit.name == unit


@pytest.mark.parametrize(
    "text",
    [
        "T-90412",
        "零分之五",
        "order-v2",
        "5xx",
        "第三次",
        "the first one",
        "一个服务",
        "一次",
        "one thing",
        "三方",
        "十分稳定",
        "1.2.3",
        "no number",
    ],
)
def test_what_is_no_quantity_is_not_read_as_one(text: str) -> None:
    assert [found.text for found in quantities(normal(text))] == []


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("about 97 s", "about"), ("约 97 秒", "about"), ("97 秒左右", "about"), ("~97 s", "about"),
        ("more than 97 s", "over"), ("超过 97 秒", "over"), ("97 秒以上", "over"), ("三十多次", "over"),
        ("nearly 97 s", "under"), ("不到 97 秒", "under"), ("97 s", "none"), ("97 秒以内", "under"),
    ],
)  # fmt: skip
def test_a_hedge_is_understood(text: str, hedge: str) -> None:
    assert quantities(normal(text))[0].hedge == hedge


@pytest.mark.parametrize(
    ("text", "is_count"),
    [
        ("37 requests failed", True), ("37 pool timeouts", True), ("6 times", True), ("20 of the 30", True),
        ("三次", True), ("6 次", True), ("limit 512", False), ("37 ms", False), ("version 1187 is", False),
    ],
)  # fmt: skip
def test_a_thing_counted_makes_a_count(text: str, is_count: bool) -> None:
    assert quantities(normal(text))[0].is_count is is_count


def test_a_list_shares_the_unit_of_its_last_member() -> None:
    assert [found.unit.name for found in quantities(normal("40、80、160 秒"))] == ["s", "s", "s"]
    assert [found.unit.name for found in quantities(normal("took 28–41 s"))] == ["s", "s"]
    assert [found.unit.name for found in quantities(normal("78.9 of 80 GiB"))] == ["gb", "gb"]
    assert [found.unit.name for found in quantities(normal("4 retries, then 80 ms"))] == ["", "ms"]


def test_an_ordinal_is_marked() -> None:
    assert quantities("the 3rd retry")[0].is_ordinal
    assert quantities("第 3 次重试")[0].is_ordinal


def test_units_of_another_kind_do_not_mix() -> None:
    assert same_unit(unit_of("ms"), unit_of("h"))
    assert same_unit(unit_of(None), unit_of("h"))
    assert not same_unit(unit_of("ms"), unit_of("MB"))
    assert not same_unit(unit_of("元"), unit_of("r/s"))
    assert same_unit(unit_of("rps"), unit_of("qps"))
    assert unit_of(" g").name == unit_of(None).name
    assert unit_of("G").name == "G"


NOON = datetime(2026, 11, 29, 10, 4, 22, 640_000, tzinfo=UTC)


TIMES = """
10:04:22 | 10:04 | 10：04：22 | 10:04:22.640 | 10:04:22.6 | 10:04:22,640 | 10点04分 | 10 点 4 分 22 秒
上午 10:04 | 10:04 AM | 10:04 a.m. | 从10点起 | 10点左右 | 10点整 | 10 o'clock | 10 am
2026-11-29 10:04 | 2026-11-29T10:04:22Z | 11月29日 10:04 | 2026年11月29日10时04分 | 11月29日10时
Nov 29 at 10:04 | 29 November 2026 10:04 | November 29, 2026 | 2026-11-29 | 11 月 29 日
10:04 UTC | UTC 10:04 | 10:04 (UTC) | 18:04 Beijing time | 北京时间 18:04:22
6:04:22 PM Beijing time (UTC+8) | 18:04 CST (UTC+8) | 18:04 CST | 04:04 CST | 18:04+08:00 | 18:04 +0800
GMT+8 18:04 | In Shanghai it was 18:04 | 19:04 in Tokyo | 15:34 IST | 13:04 Moscow time
05:04 New York time | 02:04 PST | 11:04 Berlin time | 10:04 London time | 21:04 in Sydney
下午 6:04 北京时间 | 04:04 in Chicago
"""


@pytest.mark.parametrize("text", [part.strip() for part in re.split(r"[|\n]", TIMES.strip())])
def test_a_time_is_read_in_its_zone(text: str) -> None:
    (moment,) = moments(normal(text))
    zones = moment.zones or moment.nearby or (UTC,)
    assert any(moment.is_of(NOON.astimezone(zone)) for zone in zones)


@pytest.mark.parametrize(
    "text",
    [
        "10:04:23",
        "10:05",
        "11:04",
        "10:04:22.7",
        "11月28日 10:04",
        "2025-11-29 10:04",
        "17:04 Beijing time",
        "10:04 PM",
        "10点半",
        "12:04 AM",
    ],
)
def test_another_time_is_not_taken_for_it(text: str) -> None:
    (moment,) = moments(normal(text))
    zones = moment.zones or (UTC,)
    assert not any(moment.is_of(NOON.astimezone(zone)) for zone in zones)


@pytest.mark.parametrize(
    "text", ["3 点建议", "25:00", "1:2", "10:99", "版本 3 时", "2026-13-45", "13/40", "no time", "3 points"]
)
def test_what_is_no_time_is_not_read_as_one(text: str) -> None:
    assert moments(normal(text)) == []


def test_midnight_may_be_written_as_twelve_or_twenty_four() -> None:
    midnight = datetime(2026, 11, 29, 0, 0, tzinfo=UTC)
    for text in ("12:00 AM", "24:00", "00:00"):
        assert moments(text)[0].is_of(midnight)


def test_a_zone_named_in_the_sentence_is_remembered_for_its_other_times() -> None:
    china = (timezone(timedelta(hours=8)),)
    first, second, third = moments(normal("北京时间 18:01 到 18:03 报错。随后 10:05 恢复"))
    assert (first.zones, first.nearby) == (china, china)
    assert (second.zones, second.nearby) == ((), china)
    assert (third.zones, third.nearby) == ((), ())


def test_a_time_is_compared_with_another_written_time() -> None:
    (long,) = moments("2026-11-29 10:04:22 UTC")
    (short,) = moments("10:04")
    (zoned,) = moments("10:04 UTC")
    assert short.is_same_as(long)
    assert zoned.is_same_as(long)
    assert not long.is_same_as(short)
    assert not zoned.is_same_as(short)


IDENTIFIERS = """
T-90412 c41f3e 4A7F19C2 promo_order_log price-rule.yaml promo.stack JwtValidationException OOMKilled TLSv1.2
like-service worker-17 /v1/policy /orders like:cnt:7781 SERVFAIL USD HTTP/2 risk-scoring sms+push1
"""


@pytest.mark.parametrize("word", IDENTIFIERS.split())
def test_the_form_of_an_identifier_gives_it_away(word: str) -> None:
    assert [name.text for name in names(f"the thing {word} failed")] == [word]


ORDINARY = """
The pool was exhausted | a stop-the-world pause | memory-bound work | an end-to-end check | a 30-minute gap
read/write and/or client/server | e.g. this | i.e. that | the 3rd retry | In Monday's log | the I of it
the service's log | 数据库连接数被占满 | 订单的 key 和 timeout 设置 | (Several clients | _ and -
"""


@pytest.mark.parametrize("text", [part.strip() for part in re.split(r"[|\n]", ORDINARY.strip())])
def test_ordinary_words_are_no_names(text: str) -> None:
    assert [name.text for name in names(normal(text)) if name.text not in ("A", "I")] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rejected by Glidepay again", "Glidepay"),
        ("it was kubelet that killed it", "kubelet"),
        ("操作员 dragos 结束了会话", "dragos"),
        ("use 5.14.3 now", "5.14.3"),
    ],
)
def test_the_place_of_a_word_can_make_it_a_name(text: str, name: str) -> None:
    assert [found.text for found in names(normal(text))] == [name]


def test_a_plain_word_is_nothing_particular_by_its_form() -> None:
    assert is_particular("stop-2nd-thing")
    assert not is_particular("plain")


def test_separators_and_case_do_not_make_another_name() -> None:
    assert squashed("OOM-Killed") == squashed("oomkilled") == "oomkilled"
    assert squashed("TLSv1.2") == "tlsv1.2" != squashed("TLSv12")
    assert squashed("T-90412") == squashed("t90412")


def test_a_sentence_is_taken_apart_without_reading_anything_twice() -> None:
    found = scan(
        'At 10:01 UTC "iat is 97s ahead" was logged 4 times with jti=c41f33, '
        "wait 30 s; see `x_y` and 《手册》"
    )
    assert found.quotes == ("iat is 97s ahead", "x_y", "手册")
    assert [moment.text for moment in found.moments] == ["10:01"]
    assert [(pair.key, pair.value) for pair in found.pairs] == [("jti", "c41f33")]
    assert [quantity.text for quantity in found.quantities] == ["4", "30 s"]
    assert found.names == ()


def test_a_chinese_sentence_with_latin_names_is_chinese() -> None:
    assert is_mostly_chinese("export-service 反复 Full GC，服务几乎停摆")
    assert not is_mostly_chinese("price-rule is 优惠 in the English sentence that goes on and on")
    assert not is_mostly_chinese("plain")


def test_full_width_forms_are_plain_but_a_full_width_comma_stays_a_list() -> None:
    assert normal("“１２：３０”，388，431…") == '"12:30", 388, 431 …'


@given(text=st.text(max_size=80))
def test_any_text_can_be_taken_apart(text: str) -> None:
    found = scan(text)
    assert all(0 <= quantity.start < quantity.end <= len(found.text) for quantity in found.quantities)


@given(number=st.integers(min_value=0, max_value=10**9))
def test_thousands_separators_do_not_change_a_number(number: int) -> None:
    (plain,) = quantities(f"{number}")
    (grouped,) = quantities(f"{number:,}")
    assert plain.value == grouped.value == number
