"""query_logs over folders of plain text, JSON lines and gzip files, through the whole tool."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.logs import NOON, a_source, a_tool, ask, call


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))
    return path


def at(minutes: float) -> str:
    return (NOON + timedelta(minutes=minutes)).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def test_only_events_of_the_window_are_returned(tmp_path: Path) -> None:
    write(tmp_path / "app.log", "".join(f"{at(minute)} INFO tick\n" for minute in range(-60, 10)))
    result = ask(a_source(tmp_path))
    assert result["match_count"] == 31
    assert result["scope"] == {
        "topic": "APPLICATION",
        "query": "",
        "start": "2026-11-30T11:30:00+00:00",
        "end": "2026-11-30T12:00:00+00:00",
    }
    assert result["events"][0]["timestamp"] == "2026-11-30T11:30:00+00:00"
    assert result["events"][-1]["timestamp"] == "2026-11-30T12:00:00+00:00"


def test_all_terms_must_occur_and_case_is_ignored(tmp_path: Path) -> None:
    write(
        tmp_path / "app.log",
        f"{at(-5)} ERROR Payment timeout for order 7\n"
        f"{at(-4)} ERROR payment refused\n{at(-3)} INFO timeout\n",
    )
    assert ask(a_source(tmp_path), query="PAYMENT timeout")["match_count"] == 1
    assert ask(a_source(tmp_path), query='"payment timeout"')["match_count"] == 1
    assert ask(a_source(tmp_path), query='"timeout payment"')["match_count"] == 0


def test_terms_are_literal(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} ERROR a.b(c)* [x\n{at(-4)} ERROR aXb\n")
    assert ask(a_source(tmp_path), query="a.b(c)* [x")["match_count"] == 1


def test_chinese_terms_match(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} ERROR 支付服务 超时\n{at(-4)} INFO 正常\n")
    assert ask(a_source(tmp_path), query="超时")["match_count"] == 1


def test_a_stack_trace_belongs_to_its_event_and_its_frames_are_not_shown(tmp_path: Path) -> None:
    write(
        tmp_path / "app.log",
        f"{at(-5)} ERROR failed\n"
        "java.lang.IllegalStateException: no pool\n\tat com.acme.Pay.run(Pay.java:7)\n"
        "Caused by: java.net.SocketTimeoutException: connect timed out\n\tat com.acme.Net.open(Net.java:3)\n"
        f"{at(-4)} INFO next\n",
    )
    result = ask(a_source(tmp_path), query="SocketTimeoutException")
    message = result["events"][0]["message"]
    assert result["match_count"] == 1
    assert "Caused by: java.net.SocketTimeoutException: connect timed out" in message
    assert "Pay.java" not in message


def test_json_lines_are_read_field_by_field(tmp_path: Path) -> None:
    line = {
        "time": "2026-11-30T11:50:00Z",
        "level": "error",
        "service": "pay",
        "msg": "\u652f\u4ed8 refused",
        "code": 51,
    }
    write(tmp_path / "app.json", json.dumps(line) + "\n{torn\n")
    result = ask(a_source(tmp_path), query="支付 51")
    assert result["match_count"] == 1
    assert result["patterns"][0]["level"] == "ERROR"
    assert result["patterns"][0]["service"] == "pay"


def test_a_gzip_file_is_recognised_by_its_bytes_not_by_its_name(tmp_path: Path) -> None:
    members = gzip.compress(f"{at(-9)} INFO one\n".encode()) + gzip.compress(f"{at(-8)} INFO two\n".encode())
    write(tmp_path / "app.log", members)
    assert ask(a_source(tmp_path))["match_count"] == 2


def test_a_truncated_gzip_file_gives_what_can_be_had(tmp_path: Path) -> None:
    text = "".join(f"{at(-20 + number / 100)} INFO event {number * 7919}\n" for number in range(1000))
    write(tmp_path / "app.log.gz", gzip.compress(text.encode())[:-400])
    assert 0 < ask(a_source(tmp_path))["match_count"] < 1000


def test_nothing_found_is_no_evidence_and_not_an_error(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} INFO fine\n")
    result = ask(a_source(tmp_path), query="absent")
    assert result["evidence_status"] == "NO_EVIDENCE"
    assert result["events"] == []
    assert result["truncated"] is False


def test_the_folder_that_is_missing_is_named_and_the_other_source_still_answers(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} INFO fine\n")
    result = ask(a_source(tmp_path), a_source(tmp_path / "gone", name="second"))
    assert result["match_count"] == 1
    assert result["limitations"] == ["second: gone: does not exist"]


def test_a_query_to_which_no_source_can_answer_fails(tmp_path: Path) -> None:
    with pytest.raises(ToolExecutionFailed) as failure:
        ask(a_source(tmp_path / "gone"))
    assert failure.value.category == "sources_unavailable"


def test_secrets_do_not_leave_and_the_same_host_keeps_its_number(tmp_path: Path) -> None:
    write(
        tmp_path / "app.log",
        f"{at(-5)} ERROR connect 10.0.0.7:3306 password=hunter22 failed\n{at(-4)} ERROR 10.0.0.7 again\n",
    )
    text = json.dumps(ask(a_source(tmp_path)))
    assert "hunter22" not in text
    assert "10.0.0.7" not in text
    assert text.count("[REDACTED_IP]") >= 2


def test_the_result_stays_within_its_bounds_however_long_the_messages_are(tmp_path: Path) -> None:
    write(
        tmp_path / "app.log",
        "".join(
            f"{at(-20 + number / 50)} ERROR {chr(0x4E00 + number) * 40}{'汉' * 3000}\n"
            for number in range(200)
        ),
    )
    result = ask(a_source(tmp_path))
    assert len(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode()) <= 16_384
    assert result["match_count"] == 200
    assert all(len(event["message"]) <= 1000 for event in result["events"])
    assert len(result["patterns"]) <= 12


def test_events_are_sampled_over_the_whole_range_not_from_its_head(tmp_path: Path) -> None:
    write(tmp_path / "app.log", "".join(f"{at(-30 + number / 100)} INFO tick\n" for number in range(3000)))
    result = ask(a_source(tmp_path))
    times = [datetime.fromisoformat(event["timestamp"]) for event in result["events"]]
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    assert len(times) == 30
    assert times[-1] - times[0] > timedelta(minutes=28)
    assert max(gaps) < 150


def test_each_shown_pattern_has_an_event(tmp_path: Path) -> None:
    lines = [f"{at(-25 + number / 50)} INFO heartbeat {number} ok\n" for number in range(1000)]
    lines.insert(500, f"{at(-15)} FATAL disk is full on volume data\n")
    write(tmp_path / "app.log", "".join(lines))
    result = ask(a_source(tmp_path))
    assert [pattern["count"] for pattern in result["patterns"]] == [1000, 1]
    assert any("disk is full" in event["message"] for event in result["events"])


def test_a_pattern_that_was_not_there_before_is_new_and_tells_its_peak(tmp_path: Path) -> None:
    old = [f"{at(-50 + number)} INFO heartbeat {number}\n" for number in range(48)]
    burst = [f"{at(-10) if number < 3 else at(-5)} ERROR pool exhausted {number}\n" for number in range(20)]
    write(tmp_path / "app.log", "".join(old + burst))
    patterns = {pattern["example"].split()[1]: pattern for pattern in ask(a_source(tmp_path))["patterns"]}
    assert patterns["heartbeat"]["is_new"] is False
    assert patterns["pool"]["is_new"] is True
    assert patterns["pool"]["peak_minute"] == "2026-11-30T11:55:00+00:00"
    assert patterns["pool"]["peak_count"] == 17


@pytest.mark.parametrize("lines_first", ["oldest", "newest"])
@pytest.mark.parametrize(("begins", "known"), [(-50, True), (-40, False), (-20, False)])
def test_nothing_is_called_new_where_the_log_itself_begins_too_late(
    tmp_path: Path, begins: int, known: bool, lines_first: str
) -> None:
    lines = [f"{at(begins + number / 10)} INFO heartbeat {number}\n" for number in range(100)]
    lines += [f"{at(-5)} ERROR pool exhausted {number}\n" for number in range(20)]
    write(tmp_path / "app.log", "".join(lines if lines_first == "oldest" else lines[::-1]))
    [error] = [p for p in ask(a_source(tmp_path))["patterns"] if "pool" in p["example"]]
    assert error.get("is_new") is (True if known else None)


def test_times_without_a_zone_are_read_in_the_source_s_zone_and_shown_in_the_user_s(tmp_path: Path) -> None:
    write(tmp_path / "app.log", "2026-11-30 19:45:00 INFO shanghai\n")
    result = ask(a_source(tmp_path, timezone="Asia/Shanghai"), timezone="Europe/Berlin")
    assert result["events"][0]["timestamp"] == "2026-11-30T12:45:00+01:00"
    assert result["scope"]["end"] == "2026-11-30T13:00:00+01:00"


def test_an_old_day_can_be_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "app.log", "Nov 18 07:39:00 web sshd[1]: refused\n")
    until = datetime(2020, 11, 18, 7, 40, tzinfo=UTC)
    assert ask(a_source(tmp_path), until=until)["events"][0]["timestamp"] == "2020-11-18T07:39:00+00:00"


def test_a_syslog_line_tells_its_program_and_hides_its_host(tmp_path: Path) -> None:
    write(
        tmp_path / "messages",
        "Nov 30 11:45:00 db-prod-03 mysqld[2211]: Aborted connection\n"
        "Nov 30 11:46:00 db-prod-04 mysqld[77]: Aborted connection\n"
        "<11>Nov 30 11:47:00 db-prod-03 kernel: Out of memory\n",
    )
    result = ask(a_source(tmp_path))
    assert [event["service"] for event in result["events"]] == ["mysqld", "mysqld", "kernel"]
    assert result["events"][0]["message"] == "host=[REDACTED_HOST] mysqld[[REDACTED_PID]]: Aborted connection"
    assert "[REDACTED_HOST#2]" in result["events"][1]["message"]
    assert "[REDACTED_HOST] kernel" in result["events"][2]["message"]
    assert result["events"][2]["level"] == "ERROR"


def test_the_service_is_the_one_that_the_line_names(tmp_path: Path) -> None:
    write(
        tmp_path / "all.log",
        f"{at(-5)} ERROR payment-service - refused\n"
        f"{at(-4)} INFO [main] service=shop started\n{at(-3)} INFO x\n",
    )
    events = ask(a_source(tmp_path))["events"]
    assert [event["service"] for event in events] == ["payment-service", "shop", "all"]
    events = ask(a_source(tmp_path, service="configured"))["events"]
    assert {event["service"] for event in events} == {"configured"}


def test_a_log_that_ends_before_the_window_says_where(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-500)} INFO old\n")
    result = ask(a_source(tmp_path), timezone="Asia/Shanghai")
    assert result["evidence_status"] == "NO_EVIDENCE"
    assert result["limitations"] == ["app: its newest event is at 2026-11-30T11:40:00+08:00"]


def test_a_log_without_times_says_so(tmp_path: Path) -> None:
    write(tmp_path / "app.log", "just words\nmore words\n")
    limitations = ask(a_source(tmp_path))["limitations"]
    assert "app: no line states a time that is understood" in limitations


def test_a_window_in_the_future_finds_nothing(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} INFO now\n")
    result = ask(a_source(tmp_path), until=NOON + timedelta(days=365))
    assert result["match_count"] == 0
    assert result["limitations"] == ["app: its newest event is at 2026-11-30T11:55:00+00:00"]


def test_many_problems_are_told_in_a_few_lines(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} INFO now\n")
    for number in range(20):
        write(tmp_path / f"prog{number}.bin", bytes(range(1, 9)) * 100)
    limitations = ask(a_source(tmp_path))["limitations"]
    assert len(limitations) == 8
    assert limitations[-1] == "and 13 more like these"


def test_a_hidden_address_can_be_searched_for_by_its_placeholder(tmp_path: Path) -> None:
    write(tmp_path / "app.log", f"{at(-5)} ERROR refused by 10.0.0.7\n{at(-4)} ERROR refused by 10.0.0.8\n")
    tool = a_tool(a_source(tmp_path))
    first = call(tool, "refused")
    shown = first["events"][1]["message"].rpartition(" ")[2]
    second = call(tool, f"refused {shown}")
    assert shown == "[REDACTED_IP#2]"
    assert second["match_count"] == 1
    assert second["scope"]["query"] == f"refused {shown}"
    assert second["events"][0]["message"].endswith(shown)


def test_half_a_character_in_a_json_line_does_no_harm(tmp_path: Path) -> None:
    time = "2026-11-30T11:50:00Z"
    write(tmp_path / "app.json", f'{{"ts":"{time}","service":"a\\udc00","msg":"x \\ud800 y"}}\n')
    assert ask(a_source(tmp_path), query="x")["events"][0]["message"].startswith("x ? y")
