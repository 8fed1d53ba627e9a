"""What is left of a text when only its meaning counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.application.concepts import CONCEPTS
from superbiz_cli.harness.application.terms import terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("payment service times out since 10:00", {"payment", "timeout"}),
        ("The Payments are timing out!", {"payment", "timeout"}),
        ("支付服务从 10:02 开始超时", {"payment", "timeout"}),
        ("HikariPool-1 - Connection is not available", {"pool", "connection", "unavailable"}),
        ("OutOfMemoryError: Java heap space", {"memory", "jvm"}),
        ("redis 用了大 key，内存满了", {"redis", "big key", "memory", "full"}),
        ("慢SQL", {"slow query"}),
        ("order-service-7d9f on 10.0.0.7 at 2026-11-30T10:00:00Z", {"order"}),
        ("zebra-tariff fails", {"zebra-tariff", "zebra", "tariff"}),
        ("please check the service, there is an error", set()),
        ("[REDACTED_IP#2] deadbeef1234 12345", set()),
        ("帮我看看服务为什么报错", set()),
        ("", set()),
    ],
)
def test_a_text_is_reduced_to_what_it_speaks_about(text: str, terms: set[str]) -> None:
    assert set(terms_of(text)) == terms


def test_unknown_chinese_words_are_taken_in_pairs() -> None:
    assert set(terms_of("量子核算")) == {"量子", "子核", "核算"}


@pytest.mark.parametrize("concept", list(CONCEPTS))
def test_each_wording_names_its_concept(concept: str) -> None:
    _, english, chinese = CONCEPTS[concept]
    for wording in filter(None, (*english.split("|"), *chinese.split("|"))):
        assert concept in terms_of(f"x {wording} x"), wording


@given(st.text())
def test_any_text_has_terms_with_positive_weights(text: str) -> None:
    assert all(term and 0 < weight <= 1.5 for term, weight in terms_of(text).items())


@given(st.text(), st.text())
def test_order_and_repetition_do_not_count(one: str, other: str) -> None:
    assert terms_of(f"{one} 。 {other}") == terms_of(f"{other} 。 {one} 。 {other}")
