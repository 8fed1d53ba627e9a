"""Searching for a Run: opened when first asked, interruptible, and never a library's words."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.tool.knowledge.contract import KnowledgeQuery, KnowledgeUnavailable
from superbiz_cli.knowledge.ports import ChunkStore, EmbeddingUnavailable, StoreLocked, StoreUnavailable
from superbiz_cli.knowledge.search import KnowledgeSearch, SearchedKnowledge
from tests.support.knowledge import SETTINGS, WordEmbedder, chunk, document, knowledge_run, profile
from tests.support.memory_chunks import MemoryStore

QUERY = KnowledgeQuery("connection pool exhausted")


def filled() -> MemoryStore:
    store = MemoryStore(profile())
    store.put_chunks([chunk("pool.md", content="connection pool exhausted")])
    store.publish(document("pool.md"))
    return store


def searching(open_store: Callable[[], ChunkStore], embedder: WordEmbedder | None = None) -> KnowledgeSearch:
    model = embedder or WordEmbedder()
    return KnowledgeSearch(open_store=open_store, identity=model.identity, embedder=model, settings=SETTINGS)


def test_the_raw_answer_has_passages_and_traces() -> None:
    raw = SearchedKnowledge(searching(filled)).lookup(QUERY, run=knowledge_run())
    assert raw.relevance_level == "PRECISE"
    assert raw.passages[0].doc_id == "pool.md"
    assert '"attempts"' in raw.retrieval_trace
    assert '"bm25"' in raw.rating_trace


def test_an_empty_knowledge_base_answers_that_nothing_is_there() -> None:
    raw = SearchedKnowledge(searching(MemoryStore)).lookup(QUERY, run=knowledge_run())
    assert (raw.relevance_level, raw.passages) == (None, ())


def test_the_store_is_opened_once_and_at_the_first_lookup() -> None:
    opened: list[MemoryStore] = []

    def open_store() -> MemoryStore:
        opened.append(filled())
        return opened[-1]

    search = searching(open_store)
    assert opened == []
    for _ in range(3):
        assert search.lookup("pool", run=knowledge_run()) is not None
    assert len(opened) == 1


def test_a_store_that_went_away_is_opened_again_once() -> None:
    class Lost(MemoryStore):
        def documents(self) -> dict[str, object]:  # type: ignore[override]
            raise StoreUnavailable("gone")

    stores: list[MemoryStore] = [Lost(profile()), filled()]
    search = searching(lambda: stores.pop(0))
    assert search.lookup("connection pool exhausted", run=knowledge_run()) is not None
    assert stores == []


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (StoreLocked(4711), "knowledge_base_locked"),
        (StoreUnavailable("secret vendor text"), "knowledge_base_unavailable"),
    ],
)
def test_a_store_that_cannot_be_opened_is_one_word(error: Exception, category: str) -> None:
    def open_store() -> ChunkStore:
        raise error

    with pytest.raises(KnowledgeUnavailable) as caught:
        SearchedKnowledge(searching(open_store)).lookup(QUERY, run=knowledge_run())
    assert caught.value.category == category


def test_a_collection_of_another_model_is_one_word() -> None:
    search = searching(filled, WordEmbedder(name="other"))
    with pytest.raises(KnowledgeUnavailable, match="knowledge_base_needs_rebuild"):
        SearchedKnowledge(search).lookup(QUERY, run=knowledge_run())


def test_a_model_that_fails_is_one_word() -> None:
    class Down(WordEmbedder):
        def query(self, text: str, *, run: object) -> list[float]:
            raise EmbeddingUnavailable("down")

    with pytest.raises(KnowledgeUnavailable, match="embedding_unavailable"):
        SearchedKnowledge(searching(filled, Down())).lookup(QUERY, run=knowledge_run())


def test_a_cancel_ends_the_wait_for_a_search_that_hangs() -> None:
    begun, released = threading.Event(), threading.Event()

    def open_store() -> ChunkStore:
        begun.set()
        released.wait(30)
        return filled()

    run = knowledge_run()
    canceller = threading.Thread(target=lambda: begun.wait(10) and run.cancel(CancelReason.USER_REQUESTED))
    canceller.start()
    with pytest.raises(RunAborted):
        SearchedKnowledge(searching(open_store)).lookup(QUERY, run=run)
    released.set()
    canceller.join()
