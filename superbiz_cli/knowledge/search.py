"""A knowledge base opened for searching, when it is first asked, and closed at the end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass

from superbiz_cli.harness.contract.strict import canonical_json
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.knowledge.contract import (
    KnowledgeQuery,
    KnowledgeUnavailable,
    NearDocument,
    RawKnowledge,
    RawPassage,
)
from superbiz_cli.knowledge.index import KnowledgeIndex, WrongCollection
from superbiz_cli.knowledge.lookup import LookupResult, LookupSettings, lookup
from superbiz_cli.knowledge.ports import (
    ChunkStore,
    Embedder,
    EmbeddingUnavailable,
    StoreLocked,
    StoreUnavailable,
)
from superbiz_cli.knowledge.records import EVERYWHERE, EmbedderIdentity, Filter
from superbiz_cli.knowledge.trace import plain_json

_POLL_S = 0.5


@dataclass(slots=True)
class KnowledgeSearch:
    """Answers lookups. The store is opened at the first one, on the thread that asks.

    `open_store` may be asked twice: an engine that was shared by another process can go away.
    """

    open_store: Callable[[], ChunkStore]
    identity: EmbedderIdentity
    embedder: Embedder | None
    settings: LookupSettings
    _index: KnowledgeIndex | None = None
    _store: ChunkStore | None = None

    def lookup(self, query: str, *, run: Run, where: Filter = EVERYWHERE) -> LookupResult | None:
        """Return the result, None if nothing was ever ingested.

        Raises StoreUnavailable, EmbeddingUnavailable and RunAborted.
        """
        try:
            return self._lookup(query, run, where)
        except (StoreLocked, WrongCollection):
            raise
        except StoreUnavailable:
            run.check_active()
            self.close()
            return self._lookup(query, run, where)

    def index(self) -> KnowledgeIndex | None:
        """Return the opened collection, None if nothing was ever ingested. Raises StoreUnavailable."""
        if self._store is None:
            self._store = self.open_store()
        if self._index is None:
            self._index = KnowledgeIndex.open(self._store, embedder=self.identity)
        return self._index

    def close(self) -> None:
        """Close the store; the next lookup opens it again."""
        store, self._store, self._index = self._store, None, None
        if store is not None:
            store.close()

    def _lookup(self, query: str, run: Run, where: Filter) -> LookupResult | None:
        index = self.index()
        if index is None:
            return None
        return lookup(
            query, index=index, embedder=self.embedder, settings=self.settings, run=run, where=where
        )


@dataclass(slots=True)
class SearchedKnowledge:
    """`harness.tool.knowledge.KnowledgeBackend` over a `KnowledgeSearch`.

    A search runs on a thread of its own, so that a cancel or the deadline ends the wait at once; an
    abandoned search reads a little more and costs nothing.
    """

    search: KnowledgeSearch
    describes: str = ""
    where: Filter = EVERYWHERE

    def lookup(self, query: KnowledgeQuery, *, run: Run) -> RawKnowledge:
        """See `KnowledgeBackend.lookup`."""
        try:
            result = _wait_for(lambda: self.search.lookup(query.query, run=run, where=self.where), run)
        except StoreLocked as error:
            raise KnowledgeUnavailable("knowledge_base_locked") from error
        except WrongCollection as error:
            raise KnowledgeUnavailable("knowledge_base_needs_rebuild") from error
        except StoreUnavailable as error:
            raise KnowledgeUnavailable("knowledge_base_unavailable") from error
        except EmbeddingUnavailable as error:
            raise KnowledgeUnavailable("embedding_unavailable") from error
        return RawKnowledge(relevance_level=None) if result is None else raw_knowledge(result)


def raw_knowledge(result: LookupResult) -> RawKnowledge:
    """Return the internal result as the raw response that the canonical store keeps."""
    return RawKnowledge(
        relevance_level=result.relevance.value if result.relevance else None,
        passages=tuple(
            RawPassage(
                doc_id=passage.chunk.doc_id,
                title=passage.chunk.title,
                section=passage.chunk.section,
                chunk_index=passage.chunk.index,
                content=passage.content,
                is_cut=passage.is_cut,
                quality=round(passage.quality, 4),
            )
            for passage in result.packed.passages
        ),
        near=tuple(NearDocument(doc_id=near.doc_id, title=near.title) for near in result.near),
        omitted=len(result.packed.omitted),
        retrieval_trace=canonical_json(plain_json(asdict(result.retrieval))),
        rating_trace=canonical_json(plain_json([asdict(rating) for rating in result.ratings])),
    )


def _wait_for(work: Callable[[], LookupResult | None], run: Run) -> LookupResult | None:
    """Do `work` on a thread and wait for it as long as the Run is active."""
    answers: queue.SimpleQueue[tuple[LookupResult | None, BaseException | None] | None] = queue.SimpleQueue()

    def body() -> None:
        try:
            answers.put((work(), None))
        except BaseException as error:  # whatever it is, the waiting thread must hear of it
            answers.put((None, error))

    unregister = run.cancellation.on_cancel(lambda: answers.put(None))
    try:
        threading.Thread(target=body, name="knowledge", daemon=True).start()
        while True:
            try:
                answer = answers.get(timeout=min(_POLL_S, max(0.01, run.remaining_s())))
            except queue.Empty:
                run.check_active()
                continue
            if answer is None:
                run.check_active()
                continue
            result, error = answer
            if error is None:
                return result
            if isinstance(error, RunAborted):
                run.check_active()
            raise error
    finally:
        unregister()
