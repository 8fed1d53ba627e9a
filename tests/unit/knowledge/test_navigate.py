"""L0: a query understood before anything is searched."""

from __future__ import annotations

import pytest

from superbiz_cli.knowledge.navigate import MAX_QUERY_CHARS, MAX_TERMS, Domain, QueryView, understand
from superbiz_cli.knowledge.vocabulary import Vocabulary

VOCABULARY = Vocabulary({"leader": 3, "pool": 50, "redis": 9, "etcd": 4}, 100)


def view(query: str, **options: object) -> QueryView:
    return understand(query, vocabulary=VOCABULARY, **options)  # type: ignore[arg-type]


def test_alerts_error_codes_identifiers_and_services_are_recognised() -> None:
    seen = view("KubePodCrashLooping in payment-service: ERR_TOO_BIG, ORA-01555, vm_memory.high 0x80070005")
    assert seen.alerts == ("KubePodCrashLooping",)
    assert seen.services == ("payment-service",)
    assert set(seen.error_codes) >= {"ERR_TOO_BIG", "ORA-01555", "0x80070005"}
    assert "vm_memory.high" in seen.identifiers


@pytest.mark.parametrize("query", ["error 1205", "status=503", "错误码 1040", "errno: 28"])
def test_labelled_numbers_are_error_codes(query: str) -> None:
    assert len(view(query).error_codes) == 1


def test_a_mistyped_word_is_corrected_at_a_lower_weight() -> None:
    seen = view("etcd no ledaer")
    assert seen.corrections == {"ledaer": "leader"}
    assert seen.terms["leader"] < VOCABULARY.idf("leader")
    assert "ledaer" not in seen.terms


def test_a_correction_does_not_lower_a_word_that_is_there_already() -> None:
    seen = view("leader ledaer")
    assert seen.terms["leader"] == VOCABULARY.idf("leader")
    assert seen.corrections == {}


def test_a_domain_hints_and_narrows() -> None:
    domains = (Domain("messaging", ("kafka", "消息队列"), ("mq",)), Domain("cache", ("redis",)))
    seen = view("消息队列积压, redis is fine", domains=domains)
    assert (seen.domains, seen.categories) == (("messaging", "cache"), ("mq",))


def test_a_word_inside_another_hints_at_nothing() -> None:
    assert view("credisability", domains=(Domain("cache", ("redis",)),)).domains == ()


@pytest.mark.parametrize(
    "query", ["category:redis it is slow", "it is slow 分类：redis", 'Category = "Redis" it is slow']
)
def test_a_category_of_the_collection_narrows_when_it_is_asked_for(query: str) -> None:
    seen = view(query, categories=("redis", "etcd"))
    assert seen.categories == ("redis",)
    assert seen.text == "it is slow"


def test_a_category_that_merely_occurs_only_explains() -> None:
    seen = view("redis is slow", categories=("redis", "etcd"))
    assert (seen.categories, seen.named_categories) == ((), ("redis",))


def test_an_unknown_category_narrows_nothing() -> None:
    assert view("category:nowhere it is slow", categories=("redis",)).categories == ()


def test_a_query_of_stop_words_has_no_terms() -> None:
    assert view("what is the").terms == {}


def test_an_endless_query_is_shortened_to_its_rarest_terms() -> None:
    seen = view("pool " + " ".join(f"word{number}x" for number in range(3000)))
    assert seen.is_shortened
    assert len(seen.text) == MAX_QUERY_CHARS
    assert len(seen.terms) == MAX_TERMS
    assert "pool" not in seen.terms
    assert not view("pool").is_shortened
