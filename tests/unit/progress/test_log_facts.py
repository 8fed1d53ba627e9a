"""Facts of a log search: errors and what is new first, each pattern once, noise only if there is no other."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from superbiz_cli.harness.contract.evidence import LogPattern, ObservedFact
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName
from superbiz_cli.harness.progress.log_facts import (
    MAX_NEWS,
    MAX_PATTERN_FACTS,
    log_patterns,
    log_search,
    telling_facts,
    weight,
    with_patterns,
)

AT = datetime.fromisoformat("2026-11-30T10:02:11+08:00")
SCOPE: dict[str, Any] = {
    "topic": "APPLICATION",
    "query": "",
    "start": "2026-11-30T09:45:00+08:00",
    "end": "2026-11-30T10:15:00+08:00",
}
PLAIN = ObservedFact(
    tool_call_id="ev-1",
    tool_name=ToolName.QUERY_LOGS,
    source_type=SourceType.LOGS,
    evidence_status=EvidenceStatus.EVIDENCE_FOUND,
    source="APPLICATION logs (files)",
    scope="",
    summary="",
)


def pattern(message: str = "served", *, level: str | None = None, count: int = 1, **rest: Any) -> LogPattern:
    return LogPattern(count=count, first=AT, last=AT, message=message, level=level, **rest)


def told(*patterns: LogPattern) -> list[str]:
    return [fact.pattern.message for fact in telling_facts(with_patterns(PLAIN, patterns)) if fact.pattern]


def test_a_search_is_read_with_its_times() -> None:
    search = log_search({"scope": SCOPE})
    assert search is not None
    assert (search.topic, search.query, (search.end - search.start).total_seconds()) == (
        "APPLICATION",
        "",
        1800,
    )


@pytest.mark.parametrize("payload", [{}, {"scope": "all"}, {"scope": {"sql": "SELECT 1"}}])
def test_the_result_of_another_tool_is_no_search(payload: dict[str, Any]) -> None:
    assert log_search(payload) is None


def test_patterns_are_read_without_the_header_of_their_line() -> None:
    entry: dict[str, Any] = {
        "count": 3,
        "first_seen": AT.isoformat(),
        "last_seen": AT.isoformat(),
        "level": "ERROR",
        "service": "pay",
        "example": "ERROR [main] c.a.Pay : card refused",
        "is_new": True,
    }
    assert log_patterns({"patterns": [entry]}) == [
        pattern("card refused", level="ERROR", service="pay", count=3, is_new=True)
    ]
    assert log_patterns({}) == []


def test_news_come_before_what_was_there_and_errors_before_warnings() -> None:
    order = [
        pattern("disk broken", level="FATAL", is_new=True),
        pattern("pool low", level="WARN", is_new=True),
        pattern("old error", level="ERROR", count=900, is_new=False),
        pattern("upstream timed out", count=4),
        pattern("batch started", level="INFO", is_new=True),
    ]
    assert told(*reversed(order)) == [one.message for one in order]
    assert [weight(one) for one in order] == [0, 1, 2, 3, 4]


def test_the_more_frequent_of_two_equals_comes_first() -> None:
    assert told(pattern("rare", level="ERROR"), pattern("frequent", level="ERROR", count=9)) == [
        "frequent",
        "rare",
    ]


def test_noise_is_told_only_if_there_is_nothing_else() -> None:
    noise = [pattern("GET ok", level="INFO", count=3000), pattern("tick", level="DEBUG", count=9000)]
    assert told(*noise, pattern("refused", level="ERROR")) == ["refused"]
    assert told(*noise) == ["tick"]
    assert told() == []


def test_frequent_traffic_is_no_news_even_if_it_is_new() -> None:
    assert weight(pattern("GET ok", is_new=True, count=4000)) == weight(pattern("GET ok", count=4000))


def test_a_request_that_a_server_failed_is_an_error_and_a_figure_with_the_same_digits_is_none() -> None:
    served, failed = '"GET /a HTTP/1.1" 200 12 0.502', '"GET /b HTTP/1.1" 502 12 0.200'
    assert weight(pattern(failed)) == weight(pattern("boom", level="ERROR"))
    assert weight(pattern(served)) == weight(pattern("served", level="INFO"))
    assert told(pattern(served, count=900), pattern(failed)) == [failed]


def test_debug_lines_about_failures_are_noise() -> None:
    assert weight(pattern("retry failed", level="DEBUG")) == weight(pattern("served", level="INFO"))


def test_a_pattern_that_two_searches_show_is_told_by_the_one_that_shows_more() -> None:
    few = with_patterns(PLAIN, [pattern("card 12 refused", level="ERROR", count=2)])
    many = [
        ObservedFact(**{**fact_fields(fact), "tool_call_id": "ev-2"})
        for fact in with_patterns(PLAIN, [pattern("card 99 refused", level="ERROR", count=5)])
    ]
    for facts in ([*few, *many], [*many, *few]):
        assert [fact.tool_call_id for fact in telling_facts(facts)] == ["ev-2"]


def fact_fields(fact: ObservedFact) -> dict[str, Any]:
    return {name: getattr(fact, name) for name in fact.__slots__}


def test_the_number_of_facts_is_bounded() -> None:
    errors = [pattern(f"broken {letter} thing", level="ERROR") for letter in "abcdefghijkl"]
    news = [pattern(f"started {letter} thing", is_new=True) for letter in "abcdefgh"]
    assert len(told(*errors, *news)) == MAX_PATTERN_FACTS + MAX_NEWS


def test_a_search_without_patterns_and_facts_of_other_tools_are_left_as_they_are() -> None:
    assert with_patterns(PLAIN, []) == [PLAIN]
    assert telling_facts([PLAIN]) == []
