"""What a logged message says on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.tool.logs.headline import MAX_HEADLINE_CHARS, headline, telling_line


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("served", "served"),
        (
            "ERROR [REDACTED_PID] --- [nio-8080-exec-8] c.a.claims.web.ErrorAdvice   : card 12 refused",
            "card 12 refused",
        ),
        (
            "[payment-service] HikariPool-1 - Connection is not available",
            "HikariPool-1 - Connection is not available",
        ),
        ("[http-nio-1] ERROR com.acme.Pay - card refused", "card refused"),
        (
            "[error] [REDACTED_PID]#31: *1416 connect() failed (111: refused)",
            "connect() failed (111: refused)",
        ),
        ("[error] 31#31: *1416 connect() failed", "connect() failed"),
        ("[ERROR] [订单中心] 扣减库存超时", "扣减库存超时"),
        ("ERROR:root:disk is full", "root:disk is full"),
        ("Error while paying", "Error while paying"),
        ("ERROR", "ERROR"),
        ("[REDACTED_IP] - - [x] GET /", "[REDACTED_IP] - - [x] GET /"),
        ("java.lang.OutOfMemoryError: Java heap space", "java.lang.OutOfMemoryError: Java heap space"),
        (
            "refused\njava.io.IOException: pipe\nCaused by: java.net.SocketException: reset",
            "refused | java.net.SocketException: reset",
        ),
        ("refused\nby the bank\n\nof today", "refused | by the bank | of today"),
        ('ts= level=error msg="tile failed" err="open x: too many" z=3', "tile failed | open x: too many"),
        ("level=error msg=failed z=3", "failed | z=3"),
        ('level=error msg="" z=3', 'level=error msg="" z=3'),
        ("host=[REDACTED_HOST] kernel: [830.12] Out of memory", "Out of memory"),
        ("host=[REDACTED_HOST] sshd[812]: refused", "refused"),
        ("refused\njava.io.IOException: pipe", "refused | java.io.IOException: pipe"),
        ("fetch failed\ncaller=a.go:4 error=x509: expired attempt=3", "fetch failed | x509: expired"),
        (
            "refused by java.io.IOException: pipe\njava.io.IOException: pipe",
            "refused by java.io.IOException: pipe",
        ),
    ],
)
def test_the_header_is_taken_off_and_the_cause_put_behind(message: str, said: str) -> None:
    assert headline(message) == said


@given(st.text(max_size=400))
def test_a_headline_is_one_bounded_line(message: str) -> None:
    said = headline(message)
    assert "\n" not in said
    assert len(said) <= MAX_HEADLINE_CHARS


def test_a_long_message_is_cut_visibly() -> None:
    assert headline("a" * 300, limit=10) == "a" * 9 + "…"


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("ERROR [main] c.a.Pay : card  refused\nby the bank", "card  refused"),
        ("refused\nCaused by: a.B: late\nCaused by: a.C: x  broke", "a.C: x  broke"),
        ("", ""),
    ],
)
def test_the_telling_line_is_a_piece_of_the_message_as_it_stands(message: str, line: str) -> None:
    assert telling_line(message) == line
    assert line in message
