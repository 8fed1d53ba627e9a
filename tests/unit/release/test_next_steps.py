"""Next steps and facts of a fallback: commands to be typed as they are, facts in the reader's language."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from superbiz_cli.harness.contract.evidence import EvidenceSnapshot, LogPattern, LogSearch, ObservedFact
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName
from superbiz_cli.harness.release.facts import checked_in_words, fact_in_words
from superbiz_cli.harness.release.next_steps import search_words, steps_from_facts

START, END = (datetime.fromisoformat(f"2026-11-30T{clock}:00+08:00") for clock in ("09:45", "10:15"))
SEARCH = LogSearch("APPLICATION", "timed out", START, END)
ERROR = LogPattern(
    count=37,
    first=START + timedelta(minutes=17, seconds=11),
    last=END,
    message="card [REDACTED_ACCOUNT] was refused by the bank",
    level="ERROR",
    service="pay",
    is_new=True,
)
FOUND = ObservedFact(
    tool_call_id="ev-1",
    tool_name=ToolName.QUERY_LOGS,
    source_type=SourceType.LOGS,
    evidence_status=EvidenceStatus.EVIDENCE_FOUND,
    source="APPLICATION logs (files)",
    scope="s",
    summary="37 events",
    search=SEARCH,
    pattern=ERROR,
)
EMPTY = replace(FOUND, evidence_status=EvidenceStatus.NO_EVIDENCE, pattern=None, tool_call_id="ev-2")


def steps(*facts: ObservedFact, query: str = "pay fails") -> list[str]:
    return steps_from_facts(EvidenceSnapshot(facts=facts, calls=facts), query=query, language="en")


def test_an_error_leads_to_its_lines_and_to_what_was_before() -> None:
    lines, before = steps(FOUND)
    assert lines.endswith(
        "superbiz logs search '\"was refused by the bank\"' --topic APPLICATION"
        " --since 2026-11-30T10:00 --until 2026-11-30T10:04"
    )
    assert before.endswith(
        "superbiz logs search --topic APPLICATION --since 2026-11-30T09:52 --until 2026-11-30T10:04"
    )


def test_an_error_that_may_be_older_leads_back_in_time() -> None:
    *_, earlier, wider = steps(replace(FOUND, pattern=replace(ERROR, is_new=None)))
    assert "--since 2026-11-29T10:15 --until 2026-11-30T10:15" in earlier
    assert wider.endswith("superbiz diagnose 'pay fails' --since 2026-11-30T08:15 --until 2026-11-30T10:16")


def test_where_a_sampled_error_began_is_not_said_to_be_known() -> None:
    [earlier] = steps(replace(FOUND, pattern=replace(ERROR, is_sampled=True)))
    assert "earlier" in earlier


def test_a_message_without_fixed_words_is_looked_at_by_time_alone() -> None:
    shown = steps(replace(FOUND, pattern=replace(ERROR, message="[REDACTED_IP] 7", is_new=False)))
    assert len(shown) == 3
    assert all("logs search --topic" in step for step in shown[:2])


def test_nothing_found_leads_to_the_sources_and_to_a_longer_time() -> None:
    sources, wider = steps(EMPTY)
    assert "superbiz logs sources" in sources
    assert "--since 2026-11-30T08:15" in wider


def test_without_a_search_of_logs_there_is_nothing_to_type() -> None:
    assert steps(replace(FOUND, search=None, pattern=None)) == []
    assert steps() == []


@pytest.mark.parametrize("query", ["it's 'down'; rm -rf /", "支付超时 $(reboot)"])
def test_a_question_in_a_command_is_one_word_to_the_shell(query: str) -> None:
    command = steps(EMPTY, query=query)[-1].partition(":  ")[2]
    assert shlex.split(command)[:3] == ["superbiz", "diagnose", query]


@pytest.mark.parametrize("query", ["", "x" * 161, "two\nlines", "card [REDACTED_CARD] fails"])
def test_a_question_that_cannot_be_typed_again_is_left_to_the_reader(query: str) -> None:
    assert '-c "..." --since' in steps(EMPTY, query=query)[-1]


@pytest.mark.parametrize(
    ("message", "term"),
    [
        ("refused", "refused"),
        ("扣减库存超时，编号=12", "扣减库存超时"),
        ("a [REDACTED_HOST] 7", ""),
        ("x was refused, the bank said so today", '"the bank said so today"'),
    ],
)
def test_the_longest_fixed_words_are_searched_for(message: str, term: str) -> None:
    assert search_words(message) == term


def test_a_fact_names_level_service_count_and_times_in_the_readers_language() -> None:
    assert fact_in_words(FOUND, "en") == (
        "pay ERROR, 37 times from 10:02:11 to 10:15:00, none in the equally long time before:"
        ' "card [REDACTED_ACCOUNT] was refused by the bank"'
    )
    assert fact_in_words(FOUND, "zh").startswith(
        "pay ERROR：从 10:02:11 到 10:15:00 共 37 次，此前同样长的时间内没有"
    )
    old = replace(FOUND, pattern=replace(ERROR, count=1, is_new=False, service=None, level=None))
    assert fact_in_words(old, "en").startswith(
        "application, once at 10:02:11, also in the equally long time before:"
    )
    sampled = replace(FOUND, pattern=replace(ERROR, count=1, is_sampled=True))
    assert fact_in_words(sampled, "en").startswith(
        "pay ERROR, at least 1 times, in a sample from 10:02:11 to 10:15:00, none"
    )
    assert fact_in_words(sampled, "zh").startswith("pay ERROR：至少 1 次，抽样中从 10:02:11 到 10:15:00")
    unknown = replace(FOUND, pattern=replace(ERROR, is_new=None))
    assert "10:15:00: " in fact_in_words(unknown, "en")


def test_a_fact_over_several_days_names_them() -> None:
    wide = replace(SEARCH, start=START - timedelta(days=2))
    assert "2026-11-30 10:02:11 to 10:15:00" in fact_in_words(replace(FOUND, search=wide), "en")
    early = replace(ERROR, first=START - timedelta(days=1))
    assert "2026-11-29 09:45:00 to 2026-11-30 10:15:00" in fact_in_words(
        replace(FOUND, search=wide, pattern=early), "en"
    )


def test_an_empty_search_says_what_was_looked_for() -> None:
    assert fact_in_words(EMPTY, "en") == (
        "No event of the application logs matched the search for timed out, 2026-11-30 09:45–10:15 +08:00."
    )
    silent = replace(EMPTY, search=replace(SEARCH, query="", topic="OTHER"))
    assert fact_in_words(silent, "en") == "The OTHER logs hold no event, 2026-11-30 09:45–10:15 +08:00."
    assert "没有任何事件" in fact_in_words(silent, "zh")


def test_what_has_no_pattern_is_told_in_the_words_of_its_tool() -> None:
    assert fact_in_words(replace(FOUND, pattern=None), "en") == "37 events"
    assert fact_in_words(replace(FOUND, search=None, summary=""), "zh") == "查询结果：s"


def test_all_that_was_searched_is_named_once() -> None:
    mysql = replace(
        FOUND,
        search=None,
        tool_name=ToolName.QUERY_MYSQL,
        source_type=SourceType.MYSQL,
        source="shop: shop.orders",
    )
    knowledge = replace(mysql, source_type=SourceType.KNOWLEDGE, source="knowledge base")
    night = replace(EMPTY, search=replace(SEARCH, start=START - timedelta(days=1)))
    assert checked_in_words((FOUND, EMPTY, night, mysql, knowledge), "en") == (
        "Nothing but this was searched: application logs 2026-11-30 09:45–10:15 +08:00 (2 times);"
        " application logs 2026-11-29 09:45–2026-11-30 10:15 +08:00; MySQL shop; knowledge base."
    )
    assert "（2 次）" in checked_in_words((FOUND, EMPTY), "zh")
