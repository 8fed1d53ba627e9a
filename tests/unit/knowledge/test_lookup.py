"""A lookup as a whole: one order, one rating, one retry, and nothing when nothing is there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from superbiz_cli.harness.contract.status import CancelReason, RelevanceLevel
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.knowledge.explain import explanation
from superbiz_cli.knowledge.index import KnowledgeIndex, WrongCollection
from superbiz_cli.knowledge.lookup import lookup
from superbiz_cli.knowledge.navigate import Domain
from superbiz_cli.knowledge.records import WORDS_ONLY, Filter
from superbiz_cli.knowledge.trace import AttemptKind, FallbackReason
from tests.support.knowledge import (
    SETTINGS,
    WordEmbedder,
    chunk,
    document,
    knowledge_run,
    profile,
    search,
)
from tests.support.memory_chunks import MemoryStore

TEXTS = {
    "pool.md": ("database", "the connection pool of the payment service is exhausted"),
    "slow.md": ("database", "a slow query without an index reads the whole table"),
    "redis.md": ("cache", "redis latency is high because of a big key"),
    "kafka.md": ("mq", "consumer lag of kafka grows while the group rebalances"),
    "连接池.md": ("database", "数据库连接池耗尽，获取不到连接"),
}


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore(profile())
    for doc_id, (category, text) in TEXTS.items():
        made.put_chunks([chunk(doc_id, content=text, category=category, title=doc_id)])
        made.publish(document(doc_id, category=category))
    frequencies: dict[str, int] = {}
    made.save_vocabulary(frequencies)
    return made


def test_the_passage_that_answers_comes_first(store: MemoryStore) -> None:
    result = search(store, "connection pool exhausted")
    assert result.packed.passages[0].chunk.doc_id == "pool.md"
    assert result.relevance is RelevanceLevel.PRECISE
    assert result.is_found


def test_nothing_is_found_when_nothing_answers_but_what_comes_near_is_named(store: MemoryStore) -> None:
    result = search(store, "vacation days of new employees")
    assert result.relevance is None
    assert result.packed.passages == ()
    assert not result.is_found
    assert 0 < len(result.near) <= 3


def test_stop_words_find_nothing(store: MemoryStore) -> None:
    assert not search(store, "what is the").is_found


def test_every_candidate_has_both_measures_whichever_search_found_it(store: MemoryStore) -> None:
    settings = replace(SETTINGS, retrieve_k=1)
    result = search(store, "redis latency of the payment pool", settings=settings)
    assert {rating.dense_rank for rating in result.ratings} | {
        rating.sparse_rank for rating in result.ratings
    } == {1, None} or all(rating.dense_rank and rating.sparse_rank for rating in result.ratings)
    assert all(rating.cosine is not None and rating.coverage > 0 for rating in result.ratings)


def test_a_category_that_merely_occurs_explains_and_does_not_narrow(store: MemoryStore) -> None:
    result = search(store, "database connection pool exhausted")
    assert [attempt.kind for attempt in result.retrieval.attempts] == [AttemptKind.UNFILTERED]
    assert "category database" in result.ratings[0].reasons


def test_a_category_that_is_asked_for_narrows_the_first_attempt(store: MemoryStore) -> None:
    result = search(store, "connection pool exhausted category:database")
    assert [attempt.kind for attempt in result.retrieval.attempts] == [AttemptKind.FILTERED]
    assert result.retrieval.attempts[0].categories == ("database",)
    assert all(where == Filter(categories=("database",)) for where in store.searches)


def test_a_narrowing_that_finds_nothing_good_is_dropped_once(store: MemoryStore) -> None:
    settings = replace(SETTINGS, domains=(Domain("wrong", ("pool",), ("cache",)),))
    result = search(store, "connection pool of the payment service exhausted", settings=settings)
    attempts = result.retrieval.attempts
    assert [attempt.kind for attempt in attempts] == [AttemptKind.FILTERED, AttemptKind.UNFILTERED_RETRY]
    assert result.retrieval.fallback_reason is FallbackReason.FALLBACK_LOW_QUALITY
    assert result.retrieval.selected == 1
    assert result.packed.passages[0].chunk.doc_id == "pool.md"
    assert attempts[0].documents == ("redis.md",)


def test_a_narrowing_to_an_empty_category_says_that_there_was_no_evidence(store: MemoryStore) -> None:
    settings = replace(SETTINGS, domains=(Domain("wrong", ("pool",), ("nowhere",)),))
    result = search(store, "connection pool exhausted", settings=settings)
    assert result.retrieval.fallback_reason is FallbackReason.FALLBACK_NO_EVIDENCE
    assert result.is_found


def test_a_second_bad_result_stands(store: MemoryStore) -> None:
    settings = replace(SETTINGS, domains=(Domain("wrong", ("vacation",), ("cache",)),))
    result = search(store, "vacation days of new employees", settings=settings)
    assert len(result.retrieval.attempts) == 2
    assert not result.is_found


def test_what_the_caller_insists_on_is_never_dropped(store: MemoryStore) -> None:
    result = search(store, "connection pool exhausted", where=Filter(categories=("cache",)))
    assert [attempt.kind for attempt in result.retrieval.attempts] == [AttemptKind.UNFILTERED]
    assert not result.is_found


def test_l0_explains_and_scores_nothing(store: MemoryStore) -> None:
    store.put_chunks([chunk("alert.md", content="PoolExhausted fires")])
    store.publish(document("alert.md"))
    result = search(store, "PoolExhausted")
    first = result.ratings[0]
    assert first.doc_id == "alert.md"
    assert "alert PoolExhausted" in first.reasons
    assert set(first.reasons) >= {"dense", "bm25"}


def test_a_revision_that_is_not_published_is_invisible(store: MemoryStore) -> None:
    store.put_chunks([chunk("pool.md", content="connection pool exhausted: new text", revision="r2")])
    store.put_chunks([chunk("ghost.md", content="connection pool exhausted")])
    result = search(store, "connection pool exhausted")
    assert {rating.doc_id for rating in result.ratings if rating.doc_id == "ghost.md"} == set()
    assert all("new text" not in passage.content for passage in result.packed.passages)


def test_what_another_process_publishes_is_seen_at_the_next_lookup(store: MemoryStore) -> None:
    embedder = WordEmbedder()
    index = KnowledgeIndex.open(store, embedder=embedder.identity)
    assert index is not None
    store.put_chunks([chunk("new.md", content="certificate has expired")])
    store.publish(document("new.md"))
    result = lookup(
        "certificate has expired", index=index, embedder=embedder, settings=SETTINGS, run=knowledge_run()
    )
    assert result.packed.passages[0].chunk.doc_id == "new.md"


def test_a_collection_of_another_model_is_refused_with_the_command_that_rebuilds(store: MemoryStore) -> None:
    with pytest.raises(WrongCollection) as caught:
        KnowledgeIndex.open(store, embedder=WordEmbedder(name="other").identity)
    assert "fake: words" in str(caught.value)
    assert "fake: other" in str(caught.value)
    assert "superbiz kb rebuild" in str(caught.value.hint)


def test_a_collection_of_another_version_is_refused(store: MemoryStore) -> None:
    store.save_profile(profile(schema_version=99))
    with pytest.raises(WrongCollection, match="version 99"):
        KnowledgeIndex.open(store, embedder=WordEmbedder().identity)


def test_words_alone_find_too() -> None:
    made = MemoryStore(profile(embedder=WORDS_ONLY, calibration=None))
    made.put_chunks([chunk("pool.md", content="connection pool exhausted", dense=())])
    made.publish(document("pool.md"))
    index = KnowledgeIndex.open(made, embedder=WORDS_ONLY)
    assert index is not None
    result = lookup(
        "connection pool exhausted", index=index, embedder=None, settings=SETTINGS, run=knowledge_run()
    )
    assert result.relevance is RelevanceLevel.PRECISE
    assert result.ratings[0].cosine is None


def test_a_cancelled_run_searches_nothing(store: MemoryStore) -> None:
    index = KnowledgeIndex.open(store, embedder=WordEmbedder().identity)
    run = knowledge_run()
    run.cancel(CancelReason.USER_REQUESTED)
    assert index is not None
    with pytest.raises(RunAborted):
        lookup("pool", index=index, embedder=WordEmbedder(), settings=SETTINGS, run=run)
    assert store.searches == []


def test_an_explanation_has_every_stage(store: MemoryStore) -> None:
    told = explanation(search(store, "connection pool exhausted category:database"))
    assert set(told) == {"query", "retrieval", "rating", "packing"}
    assert told["retrieval"]["attempts"][0]["kind"] == "FILTERED"
    assert told["rating"][0]["place"] == 1
    assert told["packing"]["budget_chars"] == SETTINGS.pack_chars
