"""Which events report an HTTP status that tells of a failing or overloaded server."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.tool.logs.http_status import (
    failing_status,
    is_server_failure,
    with_marked_statuses,
)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ('10.0.0.1 - - "GET /api/cart/7 HTTP/1.1" 502 3826 "-" "curl/8"', "502"),
        ("request done method=GET path=/a status=503 rt=0ms", "503"),
        ('handled\n{"statusCode": 500, "path": "/x"}', "500"),
        ("http_status_code=504", "504"),
        ("upstream answered with status code 503", "503"),
        ("HTTP/2 429 too many requests", "429"),
        ("接口返回状态码: 500", "500"),
        ("haproxy[12]: 10.0.0.1:80 fe be/s1 0/0/1/0/1 504 213 - - ----", "504"),
        ('"GET /missing HTTP/1.1" 404 12', ""),
        ('"GET / HTTP/1.1" 200 502', ""),
        ("status=200 took 503 ms", ""),
        ("loaded 500 rows", ""),
        ("exit status 5001", ""),
        ("status=500.25", ""),
        ("x" * 400 + " status=500", ""),
    ],
)
def test_a_status_is_read_where_one_is_reported(message: str, status: str) -> None:
    assert failing_status(message) == status
    assert is_server_failure(message) == status.startswith("5")


def test_marked_lines_differ_without_their_digits() -> None:
    lines = [b'"GET / HTTP/1.1" %d 7' % status for status in (200, 404, 500, 502)]
    kept = [with_marked_statuses(line).translate(None, b"0123456789abcdef") for line in lines]
    assert kept[0] == kept[1]
    assert len(set(kept)) == 3
