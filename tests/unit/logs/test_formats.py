"""What wraps, splits, encodes or damages a log does not change the events in it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from superbiz_cli.adapters.log_files.inspect import LogReport, inspect_logs
from tests.support.logs import a_source, ask

BODIES = [
    ("2024-03-10 01:59:58.100", "INFO", "started in 5 s", []),
    ("2024-03-10 02:00:00.000", "WARN", "支付服务 slow answer", []),
    (
        "2024-03-10 02:00:00.250",
        "ERROR",
        "payment failed",
        [
            "",
            "java.lang.IllegalStateException: no pool",
            "\tat com.acme.Pay.run(Pay.java:7)",
            "Caused by: java.net.SocketTimeoutException: connect timed out",
            "\t... 12 more",
        ],
    ),
    ("2024-03-10 02:00:01.999", "INFO", "recovered", []),
]


def header(number: int) -> str:
    time, level, text, _ = BODIES[number]
    return f"{time} {level} [main] c.a.Pay - {text}"


def lines() -> list[str]:
    return [line for number, body in enumerate(BODIES) for line in (header(number), *body[3])]


def text(newline: str = "\n") -> str:
    return newline.join(lines()) + newline


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def inspect(path: Path) -> LogReport:
    reports = inspect_logs([str(path)], a_source(path))
    assert len(reports) == 1
    return reports[0]


def assert_all_there(report: LogReport, *, zone: str = "") -> None:
    assert report.events == 4
    assert report.levels == {"INFO": 2, "WARN": 1, "ERROR": 1}
    assert report.first_ts is not None
    assert report.last_ts is not None
    assert report.first_ts.startswith("2024-03-10T01:59:58.1")
    assert report.last_ts.startswith("2024-03-10T02:00:01.999")
    assert report.last_ts.endswith("Z") is (zone == "Z")
    assert report.multiline is True


ENCODERS: dict[str, Callable[[], bytes]] = {
    "plain": lambda: text().encode(),
    "gzip": lambda: gzip.compress(text().encode()),
    "gzip of two members": lambda: (
        gzip.compress(text().encode()[:200]) + gzip.compress(text().encode()[200:])
    ),
    "gzip with padding": lambda: gzip.compress(text().encode()) + b"\x00" * 512,
    "zstd": lambda: zstandard.compress(text().encode()),
    "zstd of two frames": lambda: (
        zstandard.compress(text().encode()[:99]) + zstandard.compress(text().encode()[99:])
    ),
    "xz": lambda: lzma.compress(text().encode()),
    "bzip2": lambda: bz2.compress(text().encode()),
    "CRLF": lambda: text("\r\n").encode(),
    "UTF-8 mark": lambda: b"\xef\xbb\xbf" + text().encode(),
    "UTF-16": lambda: text().encode("utf-16"),
    "UTF-16 without a mark": lambda: text().encode("utf-16-le"),
    "UTF-16 with CRLF": lambda: text("\r\n").encode("utf-16"),
    "GB18030": lambda: text().encode("gb18030"),
    "no newline at the end": lambda: text().rstrip("\n").encode(),
    "hole of NULs": lambda: (
        text().encode().replace(b"2024-03-10 02:00:01", b"\x00" * 4096 + b"2024-03-10 02:00:01")
    ),
    "hole of NULs at the beginning": lambda: b"\x00" * 9000 + text().encode(),
    "terminal colours": lambda: text().replace("ERROR", "\x1b[1;31mERR\x1b[0mOR").encode(),
    "blank lines between": lambda: text().replace("\n2024", "\n\n2024").encode(),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_encoding_and_packing_do_not_matter(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "app.log", ENCODERS[name]())
    assert_all_there(inspect(path))
    until = datetime(2024, 3, 10, 2, 1, tzinfo=UTC)
    assert ask(a_source(path), query="支付服务", until=until)["match_count"] == 1
    assert ask(a_source(path), query="error SocketTimeoutException", until=until)["match_count"] == 1


def test_a_docker_file_is_unwrapped_and_its_split_lines_are_joined(tmp_path: Path) -> None:
    entries = []
    for number, line in enumerate(lines()):
        pieces = [line + "\n"] if number % 2 else [line[:10], line[10:] + "\n"]
        entries += [
            json.dumps({"log": piece, "stream": "stdout", "time": f"2024-03-10T0{at}Z"})
            for piece, at in zip(pieces, ["2:00:01.999000001"] * 2, strict=False)
        ]
    entries[0] = entries[0].replace("2:00:01.999000001", "1:59:58.100000000")
    report = inspect(write(tmp_path / "c-json.log", "\n".join(entries) + "\n"))
    assert_all_there(report, zone="Z")
    assert report.shapes[0] == "docker"


def test_a_cri_file_joins_partial_lines_of_each_stream(tmp_path: Path) -> None:
    out = [
        "2024-03-10T01:59:58.100000000Z stdout F " + header(0),
        "2024-03-10T02:00:00.000000000Z stdout P 2024-03-10 02:00:00.000 WA",
        "2024-03-10T02:00:00.000100000Z stderr F 2024-03-10 02:00:00.250 ERROR payment failed",
        "2024-03-10T02:00:00.000200000Z stderr F Caused by: java.io.IOException: no route",
        "2024-03-10T02:00:00.000300000Z stdout F RN slow",
        "2024-03-10T02:00:01.999000000Z stdout F " + header(3),
    ]
    report = inspect(write(tmp_path / "0.log", "\n".join(out) + "\n"))
    assert_all_there(report, zone="Z")


def test_mixed_compose_services_keep_their_own_continuation_lines(tmp_path: Path) -> None:
    out = [
        f"pay-1    | {header(2)}",
        f"shop-1   | {header(3)}",
        "pay-1    | Caused by: java.net.SocketTimeoutException: connect timed out",
        f"pay-1    | {header(3)}",
    ]
    path = write(tmp_path / "compose.log", "\n".join(out) + "\n")
    assert inspect(path).events == 3
    until = datetime(2024, 3, 10, 2, 1, tzinfo=UTC)
    result = ask(a_source(path), query="failed SocketTimeoutException", until=until)
    assert result["match_count"] == 1
    assert result["patterns"][0]["service"] == "pay"


def test_rotated_files_are_one_log_and_an_event_may_span_two_of_them(tmp_path: Path) -> None:
    everything = lines()
    write(tmp_path / "app.log.2.gz", gzip.compress(("\n".join(everything[:1]) + "\n").encode()))
    write(tmp_path / "app.log.1", "\n".join(everything[1:4]) + "\n")
    write(tmp_path / "app.log", "\n".join(everything[4:]) + "\n")
    report = inspect(tmp_path)
    assert_all_there(report)
    assert report.skipped == 0
    until = datetime(2024, 3, 10, 2, 1, tzinfo=UTC)
    assert ask(a_source(tmp_path), query="failed SocketTimeoutException", until=until)["match_count"] == 1


def test_a_truncated_archive_gives_its_beginning(tmp_path: Path) -> None:
    packed = gzip.compress(text().encode())
    assert inspect(write(tmp_path / "app.log.gz", packed[:-20])).events >= 1


def test_an_event_without_a_newline_before_it_is_an_event(tmp_path: Path) -> None:
    torn = text().replace("slow answer\n", "slow answer")
    assert_all_there(inspect(write(tmp_path / "app.log", torn)))


def test_two_json_objects_on_a_line_are_two_events_and_a_torn_one_is_none(tmp_path: Path) -> None:
    first = '{"ts":"2024-03-10T02:00:00Z","level":"info","msg":"a {b}"}'
    second = '{"ts":"2024-03-10T02:00:01Z","level":"error","msg":"c"}'
    report = inspect(write(tmp_path / "app.json", f"{first}{second}\n{first[:20]}{second}\n{second[:30]}"))
    assert report.events == 3
    assert report.levels == {"INFO": 1, "ERROR": 2}


def test_a_line_of_250_kilobytes_is_one_event(tmp_path: Path) -> None:
    long = text().replace("recovered", "recovered " + "x" * 250_000 + " needle")
    path = write(tmp_path / "app.log", long)
    assert_all_there(inspect(path))
    result = ask(a_source(path), query="needle", until=datetime(2024, 3, 10, 2, 1, tzinfo=UTC))
    assert result["match_count"] == 1
    assert len(result["events"][0]["message"]) == 1000


def test_a_bare_time_takes_its_date_from_the_file_s_name(tmp_path: Path) -> None:
    content = "23:59:58.100 [main] INFO c.a.Pay - before\n00:00:01.250 [main] ERROR c.a.Pay - after\n"
    report = inspect(write(tmp_path / "app-2024-03-10.log", content))
    assert report.first_ts == "2024-03-10T23:59:58.100000"
    assert report.last_ts == "2024-03-11T00:00:01.250000"


def test_a_bare_time_without_a_date_in_the_name_ends_on_the_day_of_the_file(tmp_path: Path) -> None:
    content = "23:59:58.100 [main] INFO c.a.Pay - before\n00:00:01.250 [main] ERROR c.a.Pay - after\n"
    path = write(tmp_path / "app.log", content)
    os.utime(path, (datetime(2024, 3, 12, 9, 0, tzinfo=UTC).timestamp(),) * 2)
    report = inspect(path)
    assert report.first_ts == "2024-03-11T23:59:58.100000"
    assert report.last_ts == "2024-03-12T00:00:01.250000"


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_year_rolls_over_inside_a_file_without_years(tmp_path: Path, newest_first: bool) -> None:
    content = [
        "Dec 30 10:00:00 web app[1]: a",
        "Dec 31 23:59:59 web app[1]: b",
        "Jan  2 00:00:01 web app[1]: c",
    ]
    path = write(tmp_path / "messages", "\n".join(content[:: -1 if newest_first else 1]) + "\n")
    os.utime(path, (datetime(2024, 6, 1, tzinfo=UTC).timestamp(),) * 2)
    report = inspect(path)
    assert report.first_ts == "2023-12-30T10:00:00"
    assert report.last_ts == "2024-01-02T00:00:01"


def test_access_and_error_lines_may_share_a_file(tmp_path: Path) -> None:
    content = (
        '10.0.0.1 - - [10/Mar/2024:02:00:00 +0000] "GET /pay HTTP/1.1" 502 12 "-" "curl/8"\n'
        "2024/03/10 02:00:00 [error] 7#7: *1 upstream timed out, client: 10.0.0.1\n"
        '10.0.0.2 - - [10/Mar/2024:02:00:01 +0000] "GET /pay HTTP/1.1" 200 12 "-" "curl/8"\n'
    )
    report = inspect(write(tmp_path / "nginx.log", content))
    assert report.events == 3
    assert report.levels == {"ERROR": 1}


def test_a_shape_that_begins_after_the_sample_is_learned(tmp_path: Path) -> None:
    old = "".join(f"240310 01:00:{number % 60:02d} [Note] started {number}\n" for number in range(3_000))
    new = "".join(f"2024-03-10 02:00:{number:02d} 0 [ERROR] InnoDB: failed {number}\n" for number in range(5))
    path = write(tmp_path / "error.log", old + new)
    assert inspect(path).events == 3_005
    assert (
        ask(a_source(path), query="InnoDB", until=datetime(2024, 3, 10, 2, 1, tzinfo=UTC))["match_count"] == 5
    )


@pytest.mark.parametrize(
    "content",
    [b"\x7fELF\x02\x01\x01" + bytes(range(1, 9)) * 500, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50],
)
def test_a_binary_file_is_named_as_such(tmp_path: Path, content: bytes) -> None:
    write(tmp_path / "ok.log", text())
    write(tmp_path / "prog", content)
    result = ask(a_source(tmp_path), until=datetime(2024, 3, 10, 2, 1, tzinfo=UTC))
    assert result["match_count"] == 4
    assert result["limitations"] == ["app: prog: binary file"]


def test_an_empty_file_is_no_problem(tmp_path: Path) -> None:
    write(tmp_path / "a.log", b"")
    write(tmp_path / "b.log", text())
    result = ask(a_source(tmp_path), until=datetime(2024, 3, 10, 2, 1, tzinfo=UTC))
    assert result["match_count"] == 4
    assert result["limitations"] == []


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "a.log", text())
    (tmp_path / "logs" / "again").symlink_to(tmp_path / "logs")
    assert ask(a_source(tmp_path / "logs"), until=datetime(2024, 3, 10, 2, 1, tzinfo=UTC))["match_count"] == 4


def test_an_export_of_the_opentelemetry_collector_holds_many_events_on_a_line(tmp_path: Path) -> None:
    def record(nanos: int, level: str, text: str) -> dict[str, object]:
        return {"timeUnixNano": str(nanos), "severityText": level, "body": {"stringValue": text}}

    scope = {
        "logRecords": [
            record(1710035998 * 10**9, "INFO", "a"),
            record(1710036001 * 10**9, "ERROR", "b refused"),
        ]
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "pay"}}]}
    path = write(
        tmp_path / "otel.jsonl",
        json.dumps({"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}) + "\n",
    )
    report = inspect(path)
    assert (report.events, report.levels) == (2, {"INFO": 1, "ERROR": 1})
    assert (report.first_ts, report.last_ts) == ("2024-03-10T01:59:58Z", "2024-03-10T02:00:01Z")
    result = ask(a_source(path), query="refused", until=datetime(2024, 3, 10, 2, 1, tzinfo=UTC))
    assert result["match_count"] == 1
    assert result["patterns"][0]["service"] == "pay"


def test_a_severity_number_is_the_level_where_no_word_says_it(tmp_path: Path) -> None:
    lines = [
        json.dumps(
            {"timestamp": f"2024-03-10T01:59:{second}Z", "body": "x", "severityText": "", name: number}
        )
        for second, (name, number) in enumerate(
            [("severityNumber", 1), ("severity_number", 12), ("SeverityNumber", 17), ("severityNumber", 24)],
            10,
        )
    ]
    report = inspect(write(tmp_path / "otel.jsonl", "\n".join(lines) + "\n"))
    assert report.levels == {"TRACE": 1, "INFO": 1, "ERROR": 1, "FATAL": 1}


def test_a_w3c_log_states_its_dates_apart_and_is_in_utc(tmp_path: Path) -> None:
    path = write(
        tmp_path / "ex.log",
        "#Software: IIS\n#Date: 2024-03-10 01:00:00\n#Fields: time cs-uri\n01:59:58 /a\n02:00:01 /b\n"
        "#Date: 2024-03-11 00:00:00\n#Fields: time cs-uri\n00:00:05 /c\n",
    )
    report = inspect(path)
    assert report.events == 3
    assert report.first_ts == "2024-03-10T01:59:58"
    assert report.last_ts == "2024-03-11T00:00:05"


def test_the_year_that_a_message_tells_is_taken_for_a_header_without_one(tmp_path: Path) -> None:
    content = "Mar 10 02:00:00 lb haproxy[7]: 10.0.0.1:9 [10/Mar/2019:02:00:00.123] fe be/s 200\n"
    assert inspect(write(tmp_path / "haproxy.log", content * 3)).first_ts == "2019-03-10T02:00:00"


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("E0310 02:00:00.250000    1 pay.go:12] refused", "ERROR"),
        ("1:M 10 Mar 2024 02:00:00.250 # refused", "WARN"),
        ("Mar 10, 2024 2:00:00 AM org.acme.Pay run\nSEVERE: refused", "ERROR"),
        ("<11>Mar 10 02:00:00 web app[1]: refused", "ERROR"),
        ("2024-03-10 02:00:00.250 +00:00 [ERR] refused", "ERROR"),
        ("[2024-03-10 02:00:00] production.CRITICAL: refused", "FATAL"),
        ("2024年03月10日 02:00:00 ERROR 拒绝", "ERROR"),
        ("03-10 02:00:00.250  1702  2395 E Pay: refused", "ERROR"),
        ("2024-03-10T02:00:00.250Z 0 [Note] [MY-010051] refused", "INFO"),
    ],
)
def test_each_format_has_its_own_word_for_a_level(tmp_path: Path, line: str, level: str) -> None:
    path = write(tmp_path / "app.log", line + "\n")
    os.utime(path, (datetime(2024, 3, 11, tzinfo=UTC).timestamp(),) * 2)
    report = inspect(path)
    assert report.levels == {level: 1}
    assert report.first_ts is not None
    assert report.first_ts.startswith("2024-03-10T02:00:00")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[GIN] 2024/03/10 - 02:00:01 | 200 | 12ms | GET /", "2024-03-10T02:00:01"),
        ("2024-03-10\t02:00:01\tCDG\t703\tGET\t/cart", "2024-03-10T02:00:01"),
        ('"2024-03-10" "02:00:01" "GET" "/cart"', "2024-03-10T02:00:01"),
        ("20240310.020001,250:WARN:slow", "2024-03-10T02:00:01.250000"),
        ("03/10/2024-02:00:01.250000  [**] [1:2:3] scan [**]", "2024-03-10T02:00:01.250000"),
        ('{"id":"7","requestReceivedTimestamp":"2024-03-10T02:00:01Z"}', "2024-03-10T02:00:01Z"),
        (
            '{"EdgeEndTimestamp":"2024-03-10T02:00:09Z","EdgeStartTimestamp":"2024-03-10T02:00:01Z"}',
            "2024-03-10T02:00:01Z",
        ),
        ('{"started_at":1710036001000,"expires_at":1999999999}', "2024-03-10T02:00:01Z"),
    ],
)  # fmt: skip
def test_a_time_is_read_as_many_programs_write_it(tmp_path: Path, line: str, expected: str) -> None:
    report = inspect(write(tmp_path / "app.log", f"{line}\n{line}\n"))
    assert (report.events, report.first_ts, report.last_ts) == (2, expected, expected)


def test_a_time_that_is_not_of_the_event_is_none(tmp_path: Path) -> None:
    report = inspect(write(tmp_path / "app.log", '{"expires_at":"2024-03-10T02:00:01Z","uptime":71}\n'))
    assert (report.events, report.skipped) == (0, 1)


def test_the_directives_of_a_zeek_log_belong_to_no_event(tmp_path: Path) -> None:
    head = "#separator \\x09\n#fields\tts\tuid\n#open\t2024-03-10-02-00-00\n"
    rows = "1710036001.250000\tC1\n1710036002.500000\tC2\n"
    report = inspect(write(tmp_path / "conn.log", f"{head}{rows}#close\t2024-03-10-02-00-09\n"))
    assert (report.events, report.multiline, report.skipped) == (2, False, 0)


def test_a_slow_log_needs_neither_times_nor_users(tmp_path: Path) -> None:
    stats = "# Query_time: 0.7  Lock_time: 0.0  Rows_sent: 0  Rows_examined: 62951\n"
    bare = f"{stats}# Filesort: No\nSELECT 1;\n" * 3
    named = f"# User: u[u] @ [10.0.0.1]\n# Thread_id: 7\n{stats}SELECT 2;\n" * 2
    assert inspect(write(tmp_path / "bare.log", bare)).events == 3
    assert inspect(write(tmp_path / "named.log", named)).events == 2
