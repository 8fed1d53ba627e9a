"""The pure parts of query_logs: what it accepts, how it names a scope, and what it believes of a result."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import canonical_json
from superbiz_cli.harness.tool.logs.contract import (
    LogQuery,
    LogTopic,
    RawEvent,
    RawLogs,
    RawPattern,
    TimeWindow,
    from_us,
)
from superbiz_cli.harness.tool.logs.project import choose_events, choose_patterns, project_logs
from superbiz_cli.harness.tool.logs.reread import read_logs
from superbiz_cli.harness.tool.logs.terms import parse_terms
from superbiz_cli.harness.tool.port import ProjectionFailed, ToolRejected
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.logs import NOON, a_source, a_tool, ask

INCIDENT = IncidentWindow(until=NOON)


def parse(**payload: Any) -> LogQuery:
    return a_tool(a_source(Path("/logs"))).parse(payload, incident=INCIDENT)


@pytest.mark.parametrize(
    ("payload", "category"),
    [
        ({"topic": "APPLICATION", "query": "", "limit": 5}, "unknown_field"),
        ({"query": "x"}, "unknown_topic"),
        ({"topic": "application", "query": "x"}, "unknown_topic"),
        ({"topic": "SYSTEM_EVENTS", "query": "x"}, "topic_not_configured"),
        ({"topic": "APPLICATION"}, "query_missing"),
        ({"topic": "APPLICATION", "query": 7}, "query_missing"),
        ({"topic": "APPLICATION", "query": "x" * 513}, "query_too_long"),
        ({"topic": "APPLICATION", "query": " ".join(str(n) for n in range(17))}, "query_too_long"),
        ({"topic": "APPLICATION", "query": "", "lookback_minutes": 0}, "lookback_out_of_range"),
        ({"topic": "APPLICATION", "query": "", "lookback_minutes": 1441}, "lookback_out_of_range"),
        ({"topic": "APPLICATION", "query": "", "lookback_minutes": True}, "lookback_not_an_integer"),
        ({"topic": "APPLICATION", "query": "", "lookback_minutes": "30"}, "lookback_not_an_integer"),
        ({"topic": "APPLICATION", "query": "", "lookback_minutes": 30.0}, "lookback_not_an_integer"),
    ],
)
def test_a_request_that_is_not_one_is_refused_with_its_category(
    payload: dict[str, Any], category: str
) -> None:
    with pytest.raises(ToolRejected) as refusal:
        parse(**payload)
    assert refusal.value.category == category


@pytest.mark.parametrize(
    ("options", "minutes"), [({}, 30), ({"lookback_minutes": 1}, 1), ({"lookback_minutes": 1440}, 1440)]
)
def test_the_window_is_half_an_hour_before_the_incident_unless_told_otherwise(
    options: dict[str, Any], minutes: int
) -> None:
    window = parse(topic="APPLICATION", query="", **options).window
    assert from_us(window.end_us) == NOON
    assert from_us(window.start_us) == NOON - timedelta(minutes=minutes)


def test_the_beginning_that_the_user_named_is_used_unless_the_model_asks_for_another() -> None:
    incident = IncidentWindow(until=NOON, since=NOON - timedelta(hours=3))
    tool = a_tool(a_source(Path("/logs")))
    named = tool.parse({"topic": "APPLICATION", "query": ""}, incident=incident)
    other = tool.parse({"topic": "APPLICATION", "query": "", "lookback_minutes": 5}, incident=incident)
    assert from_us(named.window.start_us) == NOON - timedelta(hours=3)
    assert from_us(other.window.start_us) == NOON - timedelta(minutes=5)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("", ()),
        ("  a   B ", ("a", "b")),
        ('"connect timed out" pay', ("connect timed out", "pay")),
        ('say "unclosed phrase', ("say", '"unclosed', "phrase")),
        ('key="v"', ('key="v"',)),
        ("“超时 重试”　支付", ("超时 重试", "支付")),
        ("a A a", ("a",)),
        ('""', ('""',)),
    ],
)
def test_a_query_is_split_into_literal_terms(query: str, terms: tuple[str, ...]) -> None:
    assert parse_terms(query) == terms


def test_queries_that_mean_the_same_have_one_scope_and_others_have_not() -> None:
    tool = a_tool(a_source(Path("/logs")))
    same = [parse(topic="APPLICATION", query=query) for query in ("a b", "B  A", "a b a", ' "a" b')]
    others = [
        parse(topic="APPLICATION", query="a"),
        parse(topic="APPLICATION", query='"a b"'),
        parse(topic="APPLICATION", query="a b", lookback_minutes=31),
    ]
    assert len({tool.scope_key(query) for query in same}) == 1
    assert len({tool.scope_key(query) for query in (same[0], *others)}) == 4


def test_what_is_shown_of_a_request_is_short_and_redacted() -> None:
    tool = a_tool(a_source(Path("/logs")))
    shown = tool.scope_display(parse(topic="APPLICATION", query="10.0.0.7 password=hunter22 " + "x" * 200))
    assert len(shown) <= 120
    assert "10.0.0.7" not in shown
    assert "hunter22" not in shown
    assert tool.scope_display(parse(topic="APPLICATION", query="")) == "APPLICATION · all events · 30 min"


def test_the_model_is_offered_only_topics_that_have_a_source() -> None:
    tool = a_tool(a_source(Path("/logs"), name="shop"))
    assert tool.input_schema["properties"]["topic"]["enum"] == ["APPLICATION"]
    assert "APPLICATION: shop (files)" in tool.description


def a_result(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "app.log"
    path.write_text("".join(f"2026-11-30 11:{n:02d}:00 ERROR pool exhausted {n}\n" for n in range(40, 60)))
    return ask(a_source(path))


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "another id": lambda result: result.update(tool_call_id="ev-2"),
    "another status": lambda result: result.update(evidence_status="NO_EVIDENCE"),
    "fewer matches than events": lambda result: result.update(match_count=3),
    "a wrong number of events": lambda result: result.update(returned_count=5),
    "a hidden truncation": lambda result: result.update(match_count=900),
    "an unknown field": lambda result: result.update(extra=1),
    "no limitations": lambda result: result.pop("limitations"),
    "an unknown topic": lambda result: result["scope"].update(topic="METRICS"),
    "a time that is none": lambda result: result["events"][0].update(timestamp="yesterday"),
    "an event outside it": lambda result: result["events"][0].update(timestamp="2026-11-30T09:00:00Z"),
    "events out of order": lambda result: result["events"].reverse(),
    "an unknown level": lambda result: result["events"][0].update(level="LOUD"),
    "more in a pattern than matches": lambda result: result["patterns"][0].update(count=99),
    "a peak above the count": lambda result: result["patterns"][0].update(peak_count=99),
    "a count of the wrong type": lambda result: result.update(match_count="20"),
    "no patterns": lambda result: result.update(patterns=[], events=[], returned_count=0, truncated=True),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_result_that_was_tampered_with_is_not_believed(tmp_path: Path, change: str) -> None:
    result = a_result(tmp_path)
    read_logs(canonical_json(result), tool_call_id="ev-1")
    CHANGES[change](result)
    with pytest.raises(ProjectionFailed):
        read_logs(canonical_json(result), tool_call_id="ev-1")


def test_a_result_in_another_spelling_is_not_believed(tmp_path: Path) -> None:
    result = a_result(tmp_path)
    for text in (json.dumps(result), canonical_json(result) + " ", "", "[]", "null"):
        with pytest.raises(ProjectionFailed):
            read_logs(text, tool_call_id="ev-1")


def test_a_result_is_read_again_in_words(tmp_path: Path) -> None:
    read = read_logs(canonical_json(a_result(tmp_path)), tool_call_id="ev-1")
    assert read.source == "APPLICATION logs (files)"
    assert read.scope == "APPLICATION logs, 2026-11-30T11:30:00+00:00 to 2026-11-30T12:00:00+00:00"
    assert read.summary == "20 matching events; most frequent (20): ERROR app: pool exhausted 40"
    assert read.excerpt == "pool exhausted 40"
    assert read.control.evidence_status is EvidenceStatus.EVIDENCE_FOUND


def a_pattern(
    count: int, level: str | None = "INFO", *, is_new: bool = False, example: str = "x"
) -> RawPattern:
    time = NOON.isoformat()
    return RawPattern(
        count=count, first_seen=time, last_seen=time, level=level, service=None, example=example,
        is_new=is_new, peak_minute=time, peak_count=1,
    )  # fmt: skip


def an_event(minute: int, pattern: int = 0, message: str = "x") -> RawEvent:
    at = (NOON - timedelta(minutes=30) + timedelta(minutes=minute)).isoformat()
    return RawEvent(timestamp=at, level=None, service=None, message=message, pattern=pattern)


def test_patterns_are_shown_by_count_and_errors_first_at_equal_count() -> None:
    patterns = [a_pattern(3), a_pattern(9), a_pattern(3, "ERROR"), a_pattern(3, "WARN")]
    assert choose_patterns(patterns) == [1, 2, 3, 0]


def test_a_rare_error_is_not_crowded_out_by_frequent_patterns() -> None:
    patterns = [*(a_pattern(100 - number) for number in range(20)), a_pattern(1, "ERROR", is_new=True)]
    chosen = choose_patterns(patterns)
    assert len(chosen) == 12
    assert chosen[:11] == list(range(11))
    assert chosen[11] == 20


@given(st.integers(0, 40), st.lists(st.integers(0, 5), max_size=60))
def test_events_are_chosen_in_time_with_one_for_each_pattern(count: int, patterns: list[int]) -> None:
    events = [an_event(minute, pattern) for minute, pattern in enumerate(patterns)]
    shown = sorted(set(patterns))
    chosen = choose_events(events, shown, count)
    times = [event.timestamp for event in chosen]
    assert len(chosen) <= min(count, len(events))
    assert times == sorted(set(times))
    if count >= len(shown):
        assert {event.pattern for event in chosen} == set(shown)


def query_for(text: str = "") -> LogQuery:
    window = TimeWindow.between(NOON - timedelta(minutes=30), NOON)
    return LogQuery(LogTopic.APPLICATION, text, parse_terms(text), window)


@given(st.lists(st.text(max_size=3_000), min_size=1, max_size=40))
def test_a_projection_always_fits_and_is_always_readable(messages: list[str]) -> None:
    raw = RawLogs(
        source_kind="files",
        match_count=len(messages),
        patterns=tuple(a_pattern(1, example=message) for message in messages),
        events=tuple(an_event(number % 30, number, message) for number, message in enumerate(messages)),
    )
    raw = raw.model_copy(update={"events": tuple(sorted(raw.events, key=lambda event: event.timestamp))})
    projection = project_logs(query_for(), raw, tool_call_id="ev-1", redactor=Redactor())
    assert len(projection.agent_result.encode("utf-8", "surrogatepass")) <= 16_384
    read_logs(projection.agent_result, tool_call_id="ev-1")


def test_control_characters_of_a_message_are_visible_in_the_result() -> None:
    raw = RawLogs(
        source_kind="files",
        match_count=1,
        patterns=(a_pattern(1, example="\x1b[31mred\u202e"),),
        events=(an_event(1, 0, "\x1b[31mred\u202e"),),
    )
    result = json.loads(project_logs(query_for(), raw, tool_call_id="ev-1", redactor=Redactor()).agent_result)
    assert result["events"][0]["message"] == "\\x1b[31mred\\u202e"
    assert result["patterns"][0]["example"] == "\\x1b[31mred\\u202e"


def test_a_raw_answer_that_is_none_is_a_projection_error() -> None:
    tool = a_tool(a_source(Path("/logs")))
    for raw in ("", "{}", "[]", '{"source_kind":"files"}'):
        with pytest.raises(ProjectionFailed):
            tool.project(query_for(), raw, tool_call_id="ev-1")
