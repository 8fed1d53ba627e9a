"""What a question yields for a search, in both languages."""

from __future__ import annotations

import pytest

from superbiz_cli.adapters.offline.query_terms import as_term, read_query


@pytest.mark.parametrize(
    ("query", "service"),
    [
        ("payment service times out since 10:00", "payment"),
        ("payment-service times out", "payment-service"),
        ("PaymentService is slow", "PaymentService"),
        ("the checkout api returns 502", "checkout"),
        ("order_worker is stuck", "order_worker"),
        ("why is the service down", ""),
        ("everything is slow on-call", ""),
        ("支付服务超时", "pay"),
        ("order-service 报错", "order-service"),
        ("gateway 服务报错", "gateway"),
        ("库存扣减失败", "inventory"),
        ("数据库很慢", ""),
    ],
)
def test_the_service(query: str, service: str) -> None:
    assert read_query(query).service == service


@pytest.mark.parametrize(
    ("query", "identifier"),
    [
        ("what happened to order ORD-778812?", "ORD-778812"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736 failed", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("订单 20261130001 支付失败", "20261130001"),
        ("request 7f3a1c9e-1b2c-4d5e-8f90-123456789abc hangs", "7f3a1c9e-1b2c-4d5e-8f90-123456789abc"),
        ("payments time out since 10:00 on 2026-11-30", ""),
        ("latency rose to 300 ms", ""),
    ],
)
def test_the_identifier(query: str, identifier: str) -> None:
    assert read_query(query).identifier == identifier


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("orders fail with ORA-00942", "ORA-00942"),
        ("we see a NullPointerException in billing", "NullPointerException"),
        ("checkout answers http 503", "503"),
        ("mysql error 1040 since noon", "1040"),
        ("gateway returns 502", "502"),
        ("ECONNREFUSED in worker", "ECONNREFUSED"),
        ("payments are slow", ""),
    ],
)
def test_the_error_code(query: str, code: str) -> None:
    assert read_query(query).error_code == code


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ('we see "connection reset by peer" often', "connection reset by peer"),
        ("日志里有“连接被重置”的报错", "连接被重置"),
        ("payments are slow", ""),
    ],
)
def test_the_quoted_text(query: str, text: str) -> None:
    assert read_query(query).text == text


@pytest.mark.parametrize(
    ("query", "symptom"),
    [
        ("payment times out", "timed out"),
        ("支付超时", "timed out"),
        ("orders hit a deadlock", "deadlock"),
        ("磁盘满了", "No space left"),
        ("pods die with OOM", "OutOfMemory"),
        ("something is odd", ""),
    ],
)
def test_the_symptom(query: str, symptom: str) -> None:
    assert read_query(query).symptom == symptom


def test_a_term_of_several_words_is_quoted_and_loses_its_own_quotes() -> None:
    assert as_term('connection "reset" by') == '"connection reset by"'
    assert as_term("timeout") == "timeout"
