"""The offline judge: lexical, and on the safe side."""

from __future__ import annotations

from typing import Any

import pytest

from superbiz_cli.adapters.offline.judge import judge_draft, unsupported_literal

POOL: dict[str, Any] = {
    "ref": 1,
    "source_type": "logs",
    "source": "APPLICATION logs (files)",
    "scope": "APPLICATION logs with pool",
    "evidence_status": "EVIDENCE_FOUND",
    "content": {
        "match_count": 214,
        "patterns": [
            {
                "count": 214,
                "first_seen": "2026-11-30T10:02:11+08:00",
                "last_seen": "2026-11-30T10:14:58+08:00",
                "level": "ERROR",
                "service": "payment-service",
                "example": 'HikariPool-1 - Connection is not available, request timed out after 30000ms "x"',
            }
        ],
    },
}
EMPTY: dict[str, Any] = {
    "ref": 2,
    "source_type": "logs",
    "source": "SYSTEM_EVENTS logs (files)",
    "scope": "SYSTEM_EVENTS logs with oom",
    "evidence_status": "NO_EVIDENCE",
    "content": {"match_count": 0, "patterns": []},
}
ITEM: dict[str, Any] = {
    "kind": "NORMAL",
    "text": 'payment-service logged "Connection is not available" 214 times from 10:02:11.',
    "evidence": [1],
}


def judge(
    conclusion: str | None = "Requests of payment-service fail because no connection is available.",
    *,
    items: list[dict[str, Any]] | None = None,
    based_on: list[int] | None = None,
    query: str = "payment service times out",
) -> str:
    shown: dict[str, Any] = {
        "analysis": [ITEM] if items is None else items,
        "conclusion": conclusion and {"text": conclusion, "analysis": [1] if based_on is None else based_on},
    }
    answer = judge_draft({"task": "judge", "query": query, "draft": shown, "evidence": [POOL, EMPTY]})
    assert set(answer) == {"verdict", "reason"}
    assert 0 < len(str(answer["reason"])) <= 300
    return str(answer["verdict"])


def test_a_draft_that_repeats_its_evidence_is_supported() -> None:
    assert judge() == "SUPPORTED"


@pytest.mark.parametrize(
    "conclusion",
    [
        "Requests of payment-service fail because 50 connections are not available.",
        "Requests of payment-service fail since 10:03:11: connection is not available.",
        "Requests of order-service fail because no connection is available.",
        'payment-service reports "Connection is refused" for its connection.',
        "payment-service fails with SQLTransientConnectionException, connection not available.",
    ],
)
def test_a_number_name_time_or_quotation_without_evidence_is_not_supported(conclusion: str) -> None:
    assert judge(conclusion) == "UNSUPPORTED"


@pytest.mark.parametrize(
    "conclusion",
    [
        "payment-service probably has no connection available.",
        "The connection of payment-service may have timed out.",
        "payment-service 可能获取不到连接。",
    ],
)
def test_a_guess_is_not_supported(conclusion: str) -> None:
    assert judge(conclusion) == "UNSUPPORTED"


def test_a_conclusion_that_rests_on_nothing_is_not_supported() -> None:
    assert judge(based_on=[]) == "UNSUPPORTED"
    assert judge(based_on=[7]) == "UNSUPPORTED"


def test_a_conclusion_that_rests_on_an_empty_search_alone_is_not_supported() -> None:
    item = {"kind": "NEGATIVE_OBSERVATION", "text": "No event matched oom.", "evidence": [2]}
    assert judge("payment-service has no connection, oom is excluded.", items=[item]) == "UNSUPPORTED"


def test_a_missing_conclusion_is_not_supported() -> None:
    assert judge(None) == "UNSUPPORTED"


def test_words_of_another_story_are_not_supported() -> None:
    assert judge("A meteorite destroyed the data centre of Atlantis during lunch.") == "UNSUPPORTED"


def test_an_item_that_its_evidence_does_not_hold_spoils_the_draft() -> None:
    other = {"kind": "NORMAL", "text": 'mail-service logged "queue is full" 9 times.', "evidence": [1]}
    assert judge(items=[ITEM, other]) == "UNSUPPORTED"


def test_evidence_that_an_item_does_not_cite_does_not_count() -> None:
    uncited = {**ITEM, "evidence": [2]}
    assert judge(items=[uncited]) == "UNSUPPORTED"


def test_a_chinese_draft_over_english_logs_is_judged_by_its_names_and_numbers() -> None:
    item = {**ITEM, "text": "payment-service 记录了 214 次“Connection is not available”。"}
    supported = "payment-service 因为获取不到连接而失败（214 次）。"
    assert judge(supported, items=[item], query="支付服务超时") == "SUPPORTED"
    assert judge("payment-service 失败了 241 次。", items=[item], query="支付服务超时") == "UNSUPPORTED"


def test_a_malformed_task_is_not_supported() -> None:
    assert judge_draft({})["verdict"] == "UNSUPPORTED"
    assert judge_draft({"draft": [], "evidence": {}})["verdict"] == "UNSUPPORTED"


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("it took 3,200 ms", None),
        ("it took 3200.0 ms", None),
        ("it took 320 ms", "320"),
        ("at 10:02", None),
        ("at 10:20", "10:20"),
        ('it said "a b c"', None),
        ('it said "a b d"', "a b d"),
        ("order-7 failed", "order-7"),
    ],
)
def test_literals_are_found_whole(text: str, missing: str | None) -> None:
    assert unsupported_literal(text, "2026-11-30T10:02:11 took 3200 ms a b c order-77") == missing


@pytest.mark.parametrize(
    ("text", "missing"),
    [("took 29.5 s", None), ("took 29.55 s", None), ("took 29.6 s", "29.6"), ("took 29 s", "29")],
)
def test_a_number_may_be_rounded_to_its_decimals(text: str, missing: str | None) -> None:
    assert unsupported_literal(text, "query_time=29.548559 version 3.9.1 took s") == missing
