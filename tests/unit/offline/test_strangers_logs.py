"""Logs and questions that no skill knows: an honest account of what dominates, and no cause."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from superbiz_cli.harness.contract.status import AnalysisKind
from tests.support.logs import a_source
from tests.support.offline import Investigation, investigate

UNTIL = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def line(minutes_ago: float, text: str) -> str:
    at = UNTIL - timedelta(minutes=minutes_ago)
    return f"{at.isoformat(timespec='milliseconds')} {text}\n"


def ask(folder: Path, query: str, *lines: str, since_minutes: float | None = None) -> Investigation:
    path = folder / "app.log"
    path.write_text("".join(sorted(lines)))
    os.utime(path, (UNTIL.timestamp(), UNTIL.timestamp()))
    since = None if since_minutes is None else UNTIL - timedelta(minutes=since_minutes)
    return investigate(query, [a_source(path)], until=UNTIL, since=since)


def noise() -> list[str]:
    return [line(minute / 3, f"INFO tick {minute}") for minute in range(900)]


def test_the_new_error_comes_before_the_old_one(tmp_path: Path) -> None:
    old = [line(minute, "ERROR thumbnail cache is cold") for minute in range(1, 300, 2)]
    new = [line(minute / 2, f"ERROR ledger entry {minute} rejected by validator") for minute in range(20)]
    found = ask(tmp_path, "the ledger is broken since 20 minutes", *noise(), *old, *new)
    assert found.draft.conclusion is None
    assert "ledger entry" in found.texts[0]
    assert any("thumbnail cache" in text and "It is new" not in text for text in found.texts)
    assert "ledger entry" in (found.draft.recommendations[0].text or "")
    assert found.verified.evidence


def test_counts_and_times_are_those_of_the_log(tmp_path: Path) -> None:
    new = [line(minute, "ERROR quota service answered 507 for tenant blue") for minute in range(1, 12)]
    found = ask(tmp_path, "uploads are rejected", *noise(), *new)
    text = next(text for text in found.texts if "507" in text)
    assert "11 times" in text
    assert "from 11:49:00 to 11:59:00" in text


def test_an_identifier_of_the_question_is_searched_first(tmp_path: Path) -> None:
    new = [line(3, "WARN order ORD-778812 stuck in state CHECKED")]
    found = ask(tmp_path, "what happened to order ORD-778812?", *noise(), *new)
    assert found.searches[0] == "ORD-778812"
    assert any("ORD-778812 stuck in state CHECKED" in text for text in found.texts)


def test_what_was_not_found_is_said_with_its_scope(tmp_path: Path) -> None:
    new = [line(3, "ERROR disk quota exceeded on volume seven")]
    found = ask(tmp_path, "order ORD-990011 vanished", *noise(), *new)
    negative = [item for item in found.draft.analysis or () if item.kind is AnalysisKind.NEGATIVE_OBSERVATION]
    assert negative
    assert negative[0].text == (
        "No application log event from 11:30:00 to 12:00:00 matched the search: ORD-990011"
    )


def test_quiet_logs_yield_no_cause_and_no_invention(tmp_path: Path) -> None:
    found = ask(tmp_path, "payments are failing", *noise())
    assert found.draft.conclusion is None
    assert not found.draft.action_plan
    assert all(item.kind is AnalysisKind.NEGATIVE_OBSERVATION for item in found.draft.analysis or ())


def test_what_is_missing_names_the_new_error(tmp_path: Path) -> None:
    """A fallback shows nothing of the draft but this list."""
    new = [line(minute / 2, f"ERROR ledger entry {minute} rejected by validator") for minute in range(20)]
    limits = ask(tmp_path, "the ledger is broken", *noise(), *new).draft.limitations
    assert limits is not None
    assert any(
        "new since 11:50:30" in text and "rejected by validator" in text for text in limits.missing_info
    )


def test_trouble_without_an_error_word_is_found_among_all_events(tmp_path: Path) -> None:
    new = [line(minute, f"WARN ledger entry {minute} skipped") for minute in range(1, 9)]
    found = ask(tmp_path, "the books do not add up", *noise(), *new)
    assert "" in found.searches
    assert any("skipped" in text for text in found.texts)


def test_an_empty_log_yields_negative_observations_only(tmp_path: Path) -> None:
    found = ask(tmp_path, "payments are failing")
    assert found.draft.conclusion is None
    assert found.draft.limitations is not None
    assert any("the sources hold none" in text for text in found.draft.limitations.missing_info)
    assert {item.kind for item in found.draft.analysis or ()} <= {AnalysisKind.NEGATIVE_OBSERVATION}


def test_errors_without_a_level_word_are_found(tmp_path: Path) -> None:
    new = [line(minute, "upstream refused connection on port of ledger") for minute in range(1, 9)]
    found = ask(tmp_path, "ledger connection refused", *noise(), *new)
    assert any("refused connection" in text for text in found.texts)


def test_events_of_hours_ago_are_found_when_no_time_was_named(tmp_path: Path) -> None:
    old = [line(400 + minute, f"ERROR ledger entry {minute} rejected by validator") for minute in range(20)]
    found = ask(tmp_path, "the ledger is broken", *old)
    assert any("rejected by validator" in text for text in found.texts)


def test_a_writer_named_in_the_line_is_not_said_to_be_missing(tmp_path: Path) -> None:
    new = [line(minute, "[ERROR] ledger-service - entry rejected by validator") for minute in range(1, 9)]
    limits = ask(tmp_path, "ledger service fails", *new).draft.limitations
    assert limits is not None
    assert not any("No line written by" in text for text in limits.missing_info)


def test_chinese_logs_and_question(tmp_path: Path) -> None:
    new = [line(minute, "ERROR 库存扣减失败：版本号冲突") for minute in range(1, 9)]
    found = ask(tmp_path, "库存扣减失败，帮我查一下", *noise(), *new)
    assert any("库存扣减失败" in text for text in found.texts)
    assert found.draft.limitations is not None
    assert "离线模型" in found.draft.limitations.caveats[0]


def test_an_error_older_than_the_reported_beginning_is_background(tmp_path: Path) -> None:
    old = [line(minute, "ERROR thumbnail cache is cold") for minute in range(1, 300, 2)]
    found = ask(tmp_path, "search is broken", *noise(), *old, since_minutes=10)
    about = [text for text in found.texts if "thumbnail" in text]
    assert about
    assert "It is new" not in about[0]
    assert "before" in about[0]


def test_a_chinese_question_is_searched_in_its_own_words_first(tmp_path: Path) -> None:
    new = [line(minute, "[ERROR] [订单中心] 调用库存服务失败：扣减库存超时") for minute in range(1, 12)]
    found = ask(tmp_path, "订单中心下单失败，从20分钟前开始", *noise(), *new, since_minutes=20)
    assert found.searches[0] == "订单 失败"
    assert not any(search.isascii() and "order" in search for search in found.searches)
    assert found.draft.conclusion is None
    assert any("扣减库存超时" in text and "订单中心" in text for text in found.texts)
    assert all("[ERROR]" not in text for text in found.draft.limitations.missing_info)  # type: ignore[union-attr]


def test_own_words_that_are_not_in_the_log_are_translated(tmp_path: Path) -> None:
    new = [line(minute, "ERROR order 4711 failed") for minute in range(1, 12)]
    found = ask(tmp_path, "订单中心下单失败", *noise(), *new)
    assert found.searches[0] == "订单 失败"
    assert any("order 4711 failed" in text for text in found.texts)


def test_the_root_cause_of_a_stack_trace_is_what_is_looked_at(tmp_path: Path) -> None:
    trace = (
        "ERROR [worker-3] c.a.claims.Advice : Unhandled exception for claim {n}\n"
        "org.acme.CannotSettle: could not settle\n"
        "\tat org.acme.Settle.run(Settle.java:12)\n"
        "Caused by: java.sql.SQLException: ledger is locked by another session\n"
        "\tat org.acme.Db.run(Db.java:9)"
    )
    new = [line(minute, trace.format(n=minute)) for minute in range(1, 12)]
    found = ask(tmp_path, "the claims service is broken since 20 minutes", *noise(), *new, since_minutes=20)
    assert found.draft.conclusion is None
    assert "ledger is locked by another session" in (found.draft.recommendations[0].text or "")
    assert any("ledger is locked" in text for text in found.draft.limitations.missing_info)  # type: ignore[union-attr]
    assert not any("written by a service like claims" in text for text in found.texts)


def test_a_warning_is_no_open_question_beside_an_error(tmp_path: Path) -> None:
    new = [line(minute, "ERROR ledger entry rejected") for minute in range(1, 9)]
    mild = [line(minute + 0.5, "WARN sweep was slow") for minute in range(1, 9)]
    found = ask(tmp_path, "the ledger is broken", *noise(), *new, *mild)
    limits = found.draft.limitations
    assert limits is not None
    assert any("ledger entry rejected" in text for text in limits.missing_info)
    assert not any("sweep was slow" in text for text in limits.missing_info)


def test_a_service_that_wrote_nothing_is_named_in_the_words_of_the_question(tmp_path: Path) -> None:
    new = [line(minute, "ERROR ledger entry rejected") for minute in range(1, 9)]
    for question, words in (
        ("支付服务报错", "由类似 支付 的服务写出的日志"),
        ("payment-service 超时", "由类似 payment-service 的服务写出的日志"),
    ):
        limits = ask(tmp_path, question, *noise(), *new).draft.limitations
        assert limits is not None
        assert any(words in text for text in limits.missing_info)
