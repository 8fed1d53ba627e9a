"""A footnote quotes the line that shows what is said of it."""

from __future__ import annotations

from dataclasses import replace

from superbiz_cli.harness.release.quoting import quote_for
from tests.support.claims import evidence

POOL = "HikariPool-1 - Connection is not available, request timed out after 30004ms"
CALL = "call to payment-service failed: Read timed out after 5000 ms"
LONG = f"{CALL} and then {POOL} and much more that nobody spoke of, from another part of the same log"
CITED = replace(evidence(), excerpt=POOL, quotable=(POOL, LONG, CALL))


def test_the_line_that_is_spoken_of_is_quoted() -> None:
    statement = (
        'order-service logged 97 times: "call to payment-service failed: Read timed out after 5000 ms"'
    )
    assert quote_for([statement], CITED) == CALL


def test_the_most_telling_line_is_quoted_where_none_fits_better() -> None:
    assert quote_for(["Something is slow."], CITED) == POOL
    assert quote_for([], CITED) == POOL


def test_the_first_statement_counts_most() -> None:
    first, second = f'It logged "{CALL}".', f'It logged "{POOL}".'
    assert quote_for([first, second], CITED) == CALL
    assert quote_for([second, first], CITED) == POOL


def test_chinese_is_compared_by_its_characters() -> None:
    rows = replace(CITED, quotable=("连接池耗尽", "证书过期"))
    assert quote_for(["网关的证书已经过期"], rows) == "证书过期"
