"""What holds for any bytes: nothing crashes, no line is lost, nothing outside the window is returned."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz_cli.adapters.log_files.bytes_in import UnreadableLog
from superbiz_cli.adapters.log_files.events import FileReader
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogTopic, TimeWindow, to_us
from superbiz_cli.harness.tool.logs.http_status import failing_status
from superbiz_cli.harness.tool.logs.terms import parse_terms
from tests.support.logs import a_source, search

BEGIN = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
WHOLE = TimeWindow.between(BEGIN - timedelta(days=20_000), BEGIN + timedelta(days=20_000))

header = st.builds(
    lambda second, millis, level, text: (
        f"{(BEGIN + timedelta(seconds=second)).strftime('%Y-%m-%d %H:%M:%S')}.{millis:03d} {level} {text}"
    ),
    st.integers(0, 3600),
    st.integers(0, 999),
    st.sampled_from(["INFO", "WARN", "ERROR"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20),
)
continuation = st.sampled_from(
    ["", "  at com.acme.Pay.run(Pay.java:7)", "Caused by: x", "\tSELECT 1", "plain text"]
)
json_line = st.builds(
    lambda second, text: f'{{"ts":"{(BEGIN + timedelta(seconds=second)).isoformat()}","msg":"{text}"}}',
    st.integers(0, 3600),
    st.sampled_from(["a", "payment b", "c timed out"]),
)


def written(content: bytes) -> Path:
    file = tempfile.NamedTemporaryFile(suffix=".log", delete=False)  # noqa: SIM115
    with file:
        file.write(content)
    return Path(file.name)


def reader_of(path: Path) -> FileReader:
    return FileReader(path, a_source(path), reference=BEGIN, written=BEGIN)


@given(st.binary(max_size=2_000))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read_without_a_crash(content: bytes) -> None:
    path = written(content)
    try:
        reader = reader_of(path)
        for at_us, event in reader.events():
            reader.understand(at_us or 0, event)
    except UnreadableLog:
        pass
    finally:
        path.unlink()


@given(st.lists(st.one_of(header, continuation), max_size=30))
@settings(max_examples=100, deadline=None)
def test_the_lines_of_all_events_are_the_lines_of_the_file(lines: list[str]) -> None:
    path = written(("\n".join(lines) + "\n").encode())
    reader = reader_of(path)
    found = [line.decode() for _, event in reader.events() for line in event.lines]
    path.unlink()
    first = next((number for number, line in enumerate(lines) if line.startswith("20")), len(lines))
    assert found == lines[first:]


@given(
    st.lists(st.one_of(header, continuation), max_size=60),
    st.integers(0, 3600),
    st.integers(0, 1800),
    st.sampled_from(["", "error", "caused x"]),
)
@settings(max_examples=100, deadline=None)
def test_nothing_outside_the_window_is_returned(
    lines: list[str], start: int, length: int, query: str
) -> None:
    path = written(("\n".join(lines) + "\n").encode())
    begin = BEGIN + timedelta(seconds=start)
    window = TimeWindow.between(begin, begin + timedelta(seconds=length))
    answer = search(LogQuery(LogTopic.APPLICATION, query, parse_terms(query), window), a_source(path))
    path.unlink()
    times = [to_us(datetime.fromisoformat(event.timestamp)) for event in answer.events]
    assert all(window.contains(at_us) for at_us in times)
    assert times == sorted(times)
    assert sum(pattern.count for pattern in answer.patterns) == answer.match_count


@given(
    st.one_of(
        st.lists(st.one_of(header, continuation), max_size=80),
        st.lists(json_line, max_size=80),
        st.lists(st.one_of(json_line, json_line, json_line, continuation), max_size=80),
    ),
    st.sampled_from(["", "error", "timed out", "caused by", "payment"]),
)
@settings(max_examples=100, deadline=None)
def test_scanning_by_blocks_finds_what_reading_line_by_line_finds(lines: list[str], query: str) -> None:
    path = written(("\n".join(lines) + "\n").encode())
    request = LogQuery(LogTopic.APPLICATION, query, parse_terms(query), WHOLE)
    by_blocks = search(request, a_source(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("superbiz_cli.adapters.log_files.search.layout_of", lambda _reader: None)
        by_lines = search(request, a_source(path))
    path.unlink()
    assert by_blocks.match_count == by_lines.match_count
    assert [event.timestamp for event in by_blocks.events] == [event.timestamp for event in by_lines.events]


@given(
    st.lists(
        st.tuples(st.integers(0, 3600), st.sampled_from([200, 204, 302, 404, 429, 500, 502, 503])),
        max_size=80,
    )
)
@settings(max_examples=50, deadline=None)
def test_requests_that_a_server_failed_are_counted_apart_both_ways(requests: list[tuple[int, int]]) -> None:
    stamp = [(BEGIN + timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S") for second, _ in requests]
    texts = [
        f'{at} "GET /cart/{second} HTTP/1.1" {status} {second}\n'
        for at, (second, status) in zip(stamp, requests, strict=True)
    ]
    path = written("".join(texts).encode())
    request = LogQuery(LogTopic.APPLICATION, "", (), WHOLE)
    by_blocks = search(request, a_source(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("superbiz_cli.adapters.log_files.search.layout_of", lambda _reader: None)
        by_lines = search(request, a_source(path))
    path.unlink()
    expected = Counter(str(status) if status in (429, 500, 502, 503) else "" for _, status in requests)
    for answer in (by_blocks, by_lines):
        assert {failing_status(one.example): one.count for one in answer.patterns} == expected
