"""Every tolerance and every derivation of the claim check: what it lets through, and what it does not."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.contract.evidence import LOWER_BOUND, VerifiedEvidence
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.guard.claims.derivations import RULES
from tests.support.claims import evidence, logs, passages, rows, unfounded

GC = logs(
    "10:02:10.660 WARN export-service Full GC pause 3340ms, heap 2033MB -> 1990MB",
    "10:03:13.906 WARN export-service Full GC pause 4788ms, heap 2046MB -> 2037MB",
    "10:04:02.338 INFO export-service Full GC pause 1206ms, heap 2039MB -> 612MB",
)
POOL = logs(
    "10:01:20 WARN crm-service Threads_connected 455 max_connections 500 wait_timeout=28800",
    "10:02:31 ERROR crm-service ERROR 1040 (HY000): Too many connections from member GD730041",
    "10:02:44 ERROR lead-service ERROR 1040 (HY000): Too many connections from member GD730048",
    "10:03:02 ERROR crm-service ERROR 1040 (HY000): Too many connections from member GD730055",
)
GATE = logs(
    "10:05:10 ERROR api-gw timed out route=/v1/quote status=504 rt=30.001 retries=12840",
    "10:05:19 ERROR api-gw refused route=/v1/quote status=502 rt=0.002 took_ms=5012 size_bytes=2097152",
    "10:05:21 ERROR api-gw refused route=/v1/quote status=502 rt=0.002 hit_ratio=0.31 usage=91 TLSv1.2",
)
SEATS = logs(
    "10:01:08 WARN seat-map conflict sku=88213 expected=57 actual=59 seat=14C bookings QW3ZPL QW4AAB",
    "10:03:40 ERROR bms-gw rack R12 inlet 36.2C fan 100%, threshold 35.0C",
)
GATES = logs(
    "10:02:00 INFO gate summary requests=5400 rejected=1296 open=312 max=500",
    "10:03:00 INFO gate summary requests=6120 rejected=2142 open=500 max=500",
    "10:04:10 INFO import done ok=12794 skipped=46",
)

DISK = logs(
    "10:01:00 INFO store bucket=archive used=49.7TB limit=50TB",
    "10:01:30 INFO recorder stored 1840 calls, 12.6 GB, 2 failed",
    "10:02:00 INFO autoscaler scale-up group=large from 6 to 9",
    "10:02:30 INFO pool size 4 -> 12 on taskmanager-3",
    "10:03:00 INFO writer throughput=260.5/s oldest=6m30s rtt=38ms",
    "10:04:00 WARN writer 限流 从 200 到 80 rtt=412ms",
    "10:04:30 INFO billing refunds=3 金额=86.4元 额度=120元 operator=mkurz",
    "10:04:40 ERROR pacer overspend 1284.50 USD limit 1200.00 USD queue=12000 in 2m0s",
    "10:05:00 WARN gateway 温度=11.2℃ 超出上限 8.0℃ from 3.9.1 to 4.0.2",
)
SHOP = logs(
    "10:01:00 INFO shop calls=1480 errors=296",
    "10:02:00 INFO shop 提交=140 失败=119 broker mq-2 took 3.7s",
    "10:03:00 WARN replica replay_lag=00:03:52.4 rows behind",
    "10:05:44 INFO loader copied rows=12650000 in 284s",
    "10:06:00 WARN shop answers after 4820ms (baseline 260ms)",
)


def holds(text: str, *items: VerifiedEvidence, query: str = "") -> bool:
    return unfounded(text, *items, query=query) == []


RULE_CASES = [
    # the number itself: units, rounding, separators, scale words, numerals
    (GC, "The pause took 4788ms.", "The pause took 4878ms."),
    (GC, "The pause took 4.788 s.", "The pause took 47.88 s."),
    (GC, "The pause took about 4.8 s.", "The pause took about 5.3 s."),
    (GC, "停顿约 4.8 秒。", "停顿约 4.5 秒。"),
    (GC, "The heap fell to 0.6 GB.", "The heap fell to 0.8 GB."),
    (GC, "The heap was 2046 MiB.", "The heap was 2064 MiB."),
    (GATE, "There were 12,840 retries.", "There were 12,480 retries."),
    (GATE, "重试 1.28 万次。", "重试 1.82 万次。"),
    (GATE, "There were about 13 thousand retries.", "There were about 15 thousand retries."),
    (GATE, "There were about 12,800 retries.", "There were 12,800 retries."),
    (GATE, "There were more than 12,800 retries.", "There were more than 12,000,000 retries."),
    (GATE, "There were nearly 13,000 retries.", "There were nearly 12,000 retries."),
    (POOL, "At 10:01:20, 455 connections were open.", "At 10:01:20, 445 connections were open."),
    # a bare number takes the unit that its key names
    (GATE, "It took 5012 ms.", "It took 5012 min."),
    (GATE, "It took 5 s.", "It took 6 s."),
    (GATE, "The body had 2 MB.", "The body had 3 MB."),
    (GATE, "The ratio was 31 %.", "The ratio was 13 %."),
    (GATE, "Usage was 91 %.", "Usage was 19 %."),
    (GATE, "The response came after 30 s.", "The response came after 40 s."),
    (POOL, "Sessions live for 8 hours.", "Sessions live for 9 hours."),
    # a count: all matches, a subset by a word, a number, a service, a time
    (POOL, "Error 1040 occurred three times.", "Error 1040 occurred five times."),
    (POOL, "crm-service failed twice with error 1040 between 10:02:31 and 10:03:02.",
     "lead-service failed three times with error 1040."),
    (GATE, "Two requests ended with 502.", "Three requests ended with 502."),
    (POOL, "Two services were affected.", "Five services were affected."),
    (POOL, "The 3rd failure came at 10:03:02.", "The 9th failure came at 10:03:02."),
    (POOL, "日志共 4 条。", "日志共 6 条。"),
    (POOL, "3 events lie between 10:02:31 and 10:03:02.", "5 events lie between 10:02:31 and 10:03:02."),
    (POOL, "The first two failures hit both services.", "The first nine failures hit both services."),
    # a sum, a difference, a share, a factor
    (GC, "The two pauses, 3340ms and 4788ms, make 8128ms together.",
     "The two pauses, 3340ms and 4788ms, make 8182ms together."),
    (GC, "All three pauses took 9334ms in total.", "All three pauses took 9343ms in total."),
    (GC, "It freed 1427MB (2039MB down to 612MB).", "It freed 1472MB (2039MB down to 612MB)."),
    (SEATS, "It was sold twice, to QW3ZPL and QW4AAB.", "It was sold five times, to QW3ZPL and QW4AAB."),
    (SEATS, "The actual version is 2 above the expected.", "The actual version is 3 above the expected."),
    (SEATS, "It was 1.2 degrees above 35.0C.", "It was 1.4 degrees above 35.0C."),
    (GATES, "2142 were rejected, 846 more than before.", "2142 were rejected, 946 more than before."),
    (GATES, "12,840 rows, 12,794 of them imported, 99.6 %.", "12,840 rows, 12,794 of them imported, 96.9 %."),
    (GATES, "Within 1 minute it rose from 312 to 500.", "Within 4 minutes it rose from 312 to 500."),
    (GATE, "Usage was 91 %, so 9 % are left.", "Usage was 91 %, so 7 % are left."),
    (POOL, "With 455 connections 91 % were in use.", "With 455 connections 81 % were in use."),
    (POOL, "455 of 500 connections, 91 %, were in use.", "455 of 500 connections, 81 %, were in use."),
    (POOL, "455 of 500 were in use, so 9 % were free and 91 % not.", "81 % of 500 were in use."),
    (GC, "The heap fell from 2039MB to 612MB, by 70 %.", "The heap fell from 2039MB to 612MB, by 60 %."),
    (GC, "4788ms is 4 times the last pause of 1206ms.", "4788ms is 6 times the last pause of 1206ms."),
    (GC, "From 1206ms to 4788ms it grew by 3x.", "From 1206ms to 4788ms it grew by 7x."),
    # time between stated times, between events with stated numbers, between first and last, neighbours
    (GC, "From 10:02:10 to 10:04:02: 1 min 52 s.", "From 10:02:10 to 10:04:02: 2 min 52 s."),
    (GC, "Between 3340ms and 4788ms 63 s passed.", "Between 3340ms and 4788ms 93 s passed."),
    (GC, "It lasted less than two minutes.", "It lasted less than four minutes."),
    (GC, "At 10:03:13 it came 63 seconds later.", "At 10:03:13 it came 23 seconds later."),
    (GC, "Collections came at an interval of 63 s.", "Collections came at an interval of 29 s."),
    (GC, "Within the 30 minutes searched it came thrice.", "Within the 50 minutes searched it came thrice."),
    # times of day
    (GC, "It began at 10:02:10.", "It began at 10:02:20."),
    (GC, "It began at about 10:03.", "It began at about 10:06."),
    (GC, "北京时间 18:02:10 开始。", "北京时间 17:02:10 开始。"),
    (GC, "Searched from 10:00 to 10:30.", "Searched from 10:00 to 10:40."),
    # names, classes of status, products, phrases
    (POOL, "crm-service met HY000.", "crm-service met HY001."),
    (POOL, "CRM-Service met the limit.", "crmm-service met the limit."),
    (POOL, "MySQL refused connections.", "Kafka refused connections."),
    (POOL, "Member 730041 was refused.", "Member 730042 was refused."),
    (GATE, "The route answered 5xx.", "The route answered 4xx."),
    (GATE, "It answered 502 Bad Gateway.", "It answered 502 Not Found."),
    (GATE, "It spoke TLS 1.2.", "It spoke TLS 1.3."),
    (GATE, "/v1/quote failed.", "/v1/policy failed."),
    (GATE, "api-gw/502 is the state.", "api-gw/503 is the state."),
    (GATE, "It is HTTP-502 again.", "It is HTTP-503 again."),
    (POOL, "The APIs are well.", "The XQZs are well."),
    # what is left, what changed, how much there is a piece, the same once more
    (DISK, "Only 0.3 TB were left.", "Only 0.7 TB were left."),
    (DISK, "只剩 0.3TB（约 300GB）可用。", "只剩 0.3TB（约 500GB）可用。"),
    (DISK, "49.7 TB are used.", "0.3 TB are used."),
    (DISK, "1,840 calls took 12.6 GB, about 7 MB a call.", "1,840 calls took 12.6 GB, about 9 MB a call."),
    (DISK, "1840 个录音共 12.6 GB，平均每个约 7MB。", "1,840 calls took 12.6 GB, about 7 MB altogether."),
    (DISK, "The autoscaler added three nodes.", "The autoscaler added seven nodes."),
    (DISK, "The pool grew by 8.", "The pool grew by 7."),
    (DISK, "限流减少了 120。", "限流减少了 150。"),
    (DISK, "It waited 6m30s, which is 390 seconds.", "It waited 6m30s, which is 380 seconds."),
    (DISK, "It was six and a half minutes old.", "It was four and a half minutes old."),
    (DISK, "已有六分半钟。", "已有三分半钟。"),
    (DISK, "writer wrote 260.5 per second.", "writer wrote 260.5 per minute."),
    (DISK, "The rtt grew almost elevenfold.", "The rtt grew twentyfold."),
    (DISK, "The rtt of 412 ms is an 11-fold rise.", "The rtt of 412 ms is a 20-fold rise."),
    (DISK, "rtt 是之前的十多倍。", "rtt 是之前的三十多倍。"),
    (DISK, "The rtt rose by 984 %.", "The rtt rose by 584 %."),
    (DISK, "温度比上限高 3.2 度。", "温度比上限高 4.2 度。"),
    (DISK, "taskmanager-3 grew.", "taskmanager-4 grew."),
    (DISK, "The round-trip time was 412 ms.", "The round-trips-x time was 412 ms."),
    (DISK, "The load fell by 60 % from 200 to 80.", "The load fell by 40 % from 200 to 80."),
    (DISK, "从 200 到 80，降幅约 60%。", "从 200 到 80，降幅约 40%。"),
    (DISK, "The rtt grew by 374 ms.", "The rtt grew by 364 ms."),
    (DISK, "3 refunds of 86.4 元, 28.8 元 on average.", "3 refunds of 86.4 元, 29.8 元 on average."),
    (DISK, "The operator mkurz resumed it.", "The operator mkunz resumed it."),
    (DISK, "The campaign overspent by 84.50 USD.", "The campaign overspent by 94.50 USD."),
    (DISK, "从 200 涨到 1.2 万，两分钟不到。", "从 200 涨到 1.4 万，两分钟不到。"),
    (SHOP, "The error rate was 20 %.", "The error rate was 25 %."),
    (SHOP, "One call in five failed (296).", "One call in four failed (296)."),
    (SHOP, "失败率升到 85%。", "失败率升到 95%。"),
    (SHOP, "成功率只有 15%。", "成功率只有 25%。"),
    (SHOP, "The replica was 3 min 52 s behind.", "The replica was 3 min 25 s behind."),
    (SHOP, "It copied some 44,500 rows per second.", "It copied some 54,500 rows per second."),
    (SHOP, "The copy began at 10:01:00.", "The copy began at 10:01:30."),
    (SHOP, "It took almost 19 times its baseline.", "It took almost 29 times its baseline."),
    (SHOP, "The broker mq-2 answered.", "The broker mq-7 answered."),
    # quotations and pairs
    (POOL, 'It says "Too many connections".', 'It says "Too few connections".'),
    (POOL, 'It says "Too many … member GD730041".', 'It says "member GD730041 … Too many".'),
    (POOL, 'It says "ERROR crm-service - ERROR 1040".', 'It says "ERROR crm-service - ERROR 1041".'),
    (POOL, "wait_timeout=28800 is set.", "wait_timeout=28000 is set."),
    (POOL, "max_connections=500 is set.", "max_used=500 is set."),
    (GATE, "retries=12,840 is set.", "retries=abc is set."),
    (GATE, "took_ms=5012ms is set.", "took_ms=5012min is set."),
]  # fmt: skip


@pytest.mark.parametrize(("item", "true", "false"), RULE_CASES)
def test_a_rule_lets_the_true_sentence_through_and_stops_the_false_one(
    item: VerifiedEvidence, true: str, false: str
) -> None:
    assert unfounded(true, item) == []
    assert unfounded(false, item) != []


def test_a_count_of_a_sample_is_a_lower_bound_and_its_first_time_no_beginning() -> None:
    pattern: dict[str, JsonValue] = {
        "count": 220,
        "first_seen": "2026-11-29T10:01:00+00:00",
        "last_seen": "2026-11-29T10:09:00+00:00",
        "level": "ERROR",
        "service": "pay",
        "example": "refused",
        "peak_minute": "2026-11-29T10:05:00+00:00",
        "peak_count": 70,
        "is_sampled": True,
    }
    sampled = logs("10:01:00 ERROR pay refused", match_count=2000, patterns=[pattern])
    assert holds("pay refused 2000 times.", sampled)
    assert holds("pay refused at least 220 times.", sampled)
    assert not holds("pay refused 220 times.", sampled)
    assert not holds("pay refused at least 270 times.", sampled)
    assert not holds("It was refused for 8 minutes.", sampled)
    assert not holds("At its peak 70 times a minute.", sampled)
    bounded = logs("10:01:00 ERROR pay refused", match_count=2000, limitations=[LOWER_BOUND])
    assert not holds("pay refused 2000 times.", bounded)
    assert holds("pay refused at least 2000 times.", bounded)


def test_the_rules_have_names() -> None:
    assert [name for name, _ in RULES] == [
        "enumeration",
        "sum",
        "difference",
        "complement",
        "percentage",
        "named rate",
        "factor",
        "quotient",
        "remainder",
        "change",
        "restatement",
        "rate",
        "time at a rate",
        "duration",
        "interval",
        "window",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The limit is 3 failures.",
        "It was scaled from 3 to 9 replicas.",
        "It went from 4 to 3 services.",
        "超过 3 次的上限 7。",
    ],
)
def test_a_limit_or_an_end_of_a_change_is_never_a_count(text: str) -> None:
    assert unfounded(text, POOL) != []


@pytest.mark.parametrize(
    "text",
    [
        "CPU was at 91 %, over a target of 80 %.",
        "The threshold is 81 %, 455 of 500.",
        "455 of 500, the 81 % limit",
    ],
)
def test_a_share_that_is_called_a_limit_is_not_computed(text: str) -> None:
    assert unfounded(text, POOL) != []


def test_a_small_number_is_no_difference_unless_the_sentence_speaks_of_one() -> None:
    assert not holds("455, 500, 45.", POOL)
    assert holds("455 of 500, so 45 are left.", POOL)


def test_a_share_of_a_limit_is_computed() -> None:
    assert holds("455 connections are 91 % of the limit of 500.", POOL)


def test_a_total_may_be_said_to_add_up() -> None:
    assert holds("3340ms and 4788ms add up to 8128ms.", GC)


def test_an_unmeasured_number_takes_any_unit_but_a_count_takes_none() -> None:
    assert holds("The value was 4788.", GC)
    assert not holds("There were 4788 errors.", GC)


def test_a_currency_or_rate_may_stand_at_a_bare_number_but_not_at_another_unit() -> None:
    assert holds("共 500 元。", POOL)
    assert not holds("共 4788 元。", GC)
    assert not holds("It was 5012 %.", GATE)
    assert holds("At 120 rps.", logs("10:00:01 INFO gw limit 120r/s"))
    assert not holds("At 120 qps.", logs("10:00:01 INFO gw sum 120元"))


def test_large_counts_come_from_patterns_when_events_are_only_sampled() -> None:
    item = logs(
        "10:02:11 ERROR pay Connection is not available",
        match_count=214,
        patterns=[
            {
                "count": 200,
                "first_seen": "2026-11-29T10:02:11+00:00",
                "last_seen": "2026-11-29T10:14:58+00:00",
                "level": "ERROR",
                "service": "pay",
                "example": "Connection is not available",
                "peak_minute": "2026-11-29T10:05:00+00:00",
                "peak_count": 31,
            },
            {"count": 14, "level": "WARN", "service": None, "example": "slow call", "first_seen": "?"},
            {"count": 0, "example": "nothing more"},
            "odd",
        ],
        limitations=["2 files were skipped"],
    )
    assert holds("214 events matched, 200 of them with Connection is not available.", item)
    assert holds("The three patterns peaked at 10:05 with 31 a minute.", item)
    assert holds("It lasted 12 min 47 s and 2 files were skipped.", item)
    assert holds("从 10:02 到 10:14，200 次 Connection 错误。", item)
    assert not holds("99 events matched.", item)
    assert not holds("9 events lie between 10:02:11 and 10:14:58, 414 in total.", item)


def test_an_empty_result_supports_its_own_scope_and_a_zero_and_nothing_else() -> None:
    empty = logs(query='"Metadata GC Threshold" crm-service', match_count=0)
    assert holds('Nothing matched "Metadata GC Threshold" for crm-service, 0 events.', empty)
    assert not holds("Nothing matched among the 733 collections.", empty)
    assert not holds("Nothing matched for lead-service.", empty)
    assert not holds("There were 0 errors.", GC)


def test_rows_are_counted_summed_and_read_by_their_columns() -> None:
    table = rows(
        ["STUCK", "alpha_pay", 412, 39870.5, True, None],
        ["STUCK", "betacard", 37, 2210, False, None],
        columns=["status", "channel", "orders", "total", "late", "note"],
        params=["payment-service"],
    )
    assert holds("payment-service has 449 orders in total that are STUCK, 412 of alpha_pay.", table)
    assert holds("Both rows are STUCK, orders=412.", table)
    assert holds("The query returned 2 rows.", table)
    assert not holds("The query returned 3 rows.", table)
    assert not holds("channel=gammacard is STUCK.", table)
    assert not holds("2 rows are all there are.", rows(["a"], columns=["b"], truncated=True))


def test_a_truncated_table_gives_no_totals() -> None:
    cut = rows([5], [7], columns=["orders"], truncated=True)
    assert not holds("12 orders in total.", cut)
    assert holds("12 orders in total.", rows([5], [7], columns=["orders"]))


def test_passages_are_read_with_their_titles_and_ids() -> None:
    found = passages("Raise max.poll.interval.ms above 300000 (5 minutes).", "Another one.")
    assert holds("RB-1 in Pools says 5 minutes, max.poll.interval.ms and 300000.", found)
    assert holds("Two passages were found.", found)
    assert not holds("RB-3 says so.", found)


def test_evidence_of_an_unexpected_shape_supports_nothing() -> None:
    odd = evidence(
        scope="all", events=["x", {"timestamp": "noon", "message": 5}], patterns=None, match_count="many"
    )
    assert holds("5 is there.", odd)
    assert not holds("It came at 10:00, 6 times.", odd)


def test_times_inside_messages_are_times_too() -> None:
    item = logs("10:01:03 ERROR gw certificate expired notAfter=2027-11-29T10:00:59Z at 07:15 local")
    assert holds("It expired at 10:00:59 UTC, noted at 07:15.", item)
    assert not holds("It expired at 10:00:59 Beijing time.", item)
    assert not holds("It expired at 07:15 UTC.", item)


def test_what_the_user_wrote_may_be_repeated_but_not_computed_with() -> None:
    question = "payment service times out since 09:30, 20 pods, order Q-77, 40 % of calls"
    assert holds("Since 09:30 20 pods of payment-service fail for Q-77, 40 % of calls.", GC, query=question)
    assert not holds("Together 60 pods fail since 09:30.", GC, query=question)


def test_times_are_shown_in_the_zone_of_the_evidence() -> None:
    local = logs("18:02:10 ERROR pay boom", offset="+08:00")
    assert holds("At 18:02:10 it failed.", local)
    assert holds("At 10:02:10 UTC it failed.", local)
    assert not holds("At 10:02:10 it failed.", local)


def test_a_name_of_many_parts_is_found_as_it_is_written() -> None:
    item = logs("10:00:01 ERROR api no route to /a/b1/c/d2/e/f3/g/h4 found")
    assert holds("The route /a/b1/c/d2/e/f3/g/h4 is missing.", item)
    assert not holds("The route /a/b1/c/d2/e/f3/g/h5 is missing.", item)


def test_a_date_does_not_disturb_the_time_between_two_times() -> None:
    assert holds("On 29 November it lasted 1 min 52 s, from 10:02:10 to 10:04:02.", GC)
    assert not holds("On 28 November it lasted 1 min 52 s, from 10:02:10 to 10:04:02.", GC)


def test_events_are_counted_between_times_that_the_evidence_has() -> None:
    assert holds("There were 2 events from 10:02:31 to 10:02:44.", POOL)
    assert not holds("There were 7 events from 10:02:31 to 10:09:44.", POOL)


def test_services_are_counted_by_name() -> None:
    sampled = logs("10:00:01 ERROR a x", "10:00:02 ERROR b y", "10:00:03 ERROR b y", match_count=900)
    assert holds("Two services were affected.", sampled)
    assert not holds("Four services were affected.", sampled)


def test_a_single_letter_is_wrong_only_where_another_one_stands() -> None:
    zone = logs("10:00:01 ERROR wms robot lost in zone C")
    assert holds("Robots in zone C are lost.", zone)
    assert not holds("Robots in zone D are lost.", zone)
    assert holds("Robots of class D are lost.", zone)
    assert holds("(C) is lost", zone)


def test_a_quotation_in_any_script_must_be_there() -> None:
    item = logs("10:00:01 ERROR pay-core 扣款失败: соединение закрыто")
    assert holds('It says "扣款失败" and "соединение закрыто".', item)
    assert not holds('It says "соединение открыто".', item)
    assert not holds('It says "扣款成功".', item)
    assert not holds('It says "открыто".', logs("10:00:01 ERROR 付 失败"))


def test_a_lookalike_letter_makes_another_name() -> None:
    assert not holds("crm-servi\u0441e failed.", POOL)
    assert not holds("\u0422-90421 failed.", POOL)


def test_a_statement_without_end_is_refused_as_a_whole() -> None:
    assert len(unfounded("a" * 4_001, GC)) == 1
    assert len(unfounded("4788 " * 200, GC)) == 1


def test_nothing_stated_is_nothing_unfounded() -> None:
    assert holds("The service stood still because its memory was full.", GC)
    assert holds("", GC)
    assert holds("The disk was slow.")
