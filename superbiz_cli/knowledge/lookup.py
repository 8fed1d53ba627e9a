"""One lookup from the query to its result; the stages are the body of `lookup`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.contract.status import RelevanceLevel
from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.fuse import Fusion, fuse
from superbiz_cli.knowledge.index import KnowledgeIndex
from superbiz_cli.knowledge.navigate import Domain, QueryView, understand
from superbiz_cli.knowledge.pack import PACK_CHARS, Packed, pack
from superbiz_cli.knowledge.ports import Embedder
from superbiz_cli.knowledge.rate import Rated, Thresholds, best_quality, rate, relevance_of
from superbiz_cli.knowledge.records import EVERYWHERE, Filter, Hit, Vector
from superbiz_cli.knowledge.retrieve import Candidate, embed_query, retrieve, word_search
from superbiz_cli.knowledge.select import Selected, select
from superbiz_cli.knowledge.trace import Attempt, AttemptKind, FallbackReason, Rating, RetrievalTrace

MAX_NEAR = 3
MAX_TRACED = 10


@dataclass(frozen=True, slots=True)
class LookupSettings:
    """How lookups search, fuse, rate and bound their results.

    `retrieve_k` is per search; `return_n` and `max_per_document` bound what is returned.
    """

    thresholds: Thresholds
    fusion: Fusion = field(default_factory=Fusion)
    retrieve_k: int = 40
    return_n: int = 5
    max_per_document: int = 2
    pack_chars: int = PACK_CHARS
    domains: tuple[Domain, ...] = ()


@dataclass(frozen=True, slots=True)
class Near:
    """A document that came close."""

    doc_id: str
    title: str


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The internal result. `near` are documents worth naming when nothing was found.

    `packed` is empty unless `relevance` is set: what the gate holds back is not shown as evidence.
    """

    view: QueryView
    relevance: RelevanceLevel | None
    packed: Packed
    ranking: tuple[Rated, ...]
    near: tuple[Near, ...]
    retrieval: RetrievalTrace
    ratings: tuple[Rating, ...]

    @property
    def is_found(self) -> bool:
        """Whether there is evidence to show."""
        return bool(self.packed.passages)


@dataclass(frozen=True, slots=True)
class _Outcome:
    attempt: Attempt
    rated: tuple[Rated, ...]


def lookup(
    query: str,
    *,
    index: KnowledgeIndex,
    embedder: Embedder | None,
    settings: LookupSettings,
    run: Run,
    where: Filter = EVERYWHERE,
) -> LookupResult:
    """Find the passages that answer `query`, and rate them.

    `where` is what the caller insists on. A narrowing of our own that finds nothing good is dropped
    once: the second result, of the whole query in all categories, replaces the first. Raises
    StoreUnavailable, EmbeddingUnavailable and RunAborted.
    """
    run.check_active()
    view = understand(
        query,
        vocabulary=index.vocabulary,
        categories=known_categories(index),
        domains=settings.domains,
    )
    if where.categories or not view.categories:
        kind, first = AttemptKind.UNFILTERED, where
    else:
        kind, first = AttemptKind.FILTERED, Filter(where.scopes, view.categories)
    with word_search(view, index, limit=settings.retrieve_k, where=first) as hits:
        began = time.perf_counter()
        vector = embed_query(view, index, embedder, run=run)
        embed_ms = _ms_since(began)
        run.check_active()
        outcomes = [_attempt(kind, view, vector, index, settings, first, hits)]
    reason = _fallback_reason(outcomes[0])
    if reason is not None:
        run.check_active()
        with word_search(view, index, limit=settings.retrieve_k, where=where) as hits:
            retry = _attempt(AttemptKind.UNFILTERED_RETRY, view, vector, index, settings, where, hits)
        outcomes.append(retry)
    return _result(view, outcomes, reason, embed_ms, settings)


def known_categories(index: KnowledgeIndex) -> tuple[str, ...]:
    """Return the categories of the published documents."""
    return tuple(sorted({document.category for document in index.documents.values() if document.category}))


def _attempt(
    kind: AttemptKind,
    view: QueryView,
    vector: Vector,
    index: KnowledgeIndex,
    settings: LookupSettings,
    where: Filter,
    hits_by_words: Callable[[], list[Hit]],
) -> _Outcome:
    began = time.perf_counter()
    retrieved = retrieve(
        view, vector, index, limit=settings.retrieve_k, where=where, hits_by_words=hits_by_words
    )
    fused = fuse(retrieved.candidates, settings.fusion)
    rated = tuple(rate(fused, index.profile, passages=index.vocabulary.chunks))
    attempt = Attempt(
        kind=kind,
        categories=where.categories,
        dense_hits=retrieved.dense_hits,
        sparse_hits=retrieved.sparse_hits,
        candidates=len(rated),
        best_quality=best_quality(rated),
        relevance=relevance_of(rated, settings.thresholds),
        documents=tuple(dict.fromkeys(r.ranked.candidate.chunk.doc_id for r in rated))[:MAX_TRACED],
        search_ms=_ms_since(began),
    )
    return _Outcome(attempt, rated)


def _fallback_reason(first: _Outcome) -> FallbackReason | None:
    """Why the first attempt must be repeated without its filter, if it must."""
    if first.attempt.kind is not AttemptKind.FILTERED or first.attempt.relevance is not None:
        return None
    return FallbackReason.FALLBACK_LOW_QUALITY if first.rated else FallbackReason.FALLBACK_NO_EVIDENCE


def _result(
    view: QueryView,
    outcomes: Sequence[_Outcome],
    reason: FallbackReason | None,
    embed_ms: float,
    settings: LookupSettings,
) -> LookupResult:
    last = outcomes[-1]
    selected = select(last.rated, return_n=settings.return_n, max_per_document=settings.max_per_document)
    shown = selected.chosen if last.attempt.relevance is not None else ()
    return LookupResult(
        view=view,
        relevance=last.attempt.relevance,
        packed=pack(shown, budget_chars=settings.pack_chars),
        ranking=last.rated,
        near=_near(selected),
        retrieval=RetrievalTrace(
            attempts=tuple(outcome.attempt for outcome in outcomes),
            selected=len(outcomes) - 1,
            fallback_reason=reason,
            embed_ms=embed_ms,
        ),
        ratings=_ratings(view, last.rated, selected),
    )


def _near(selected: Selected) -> tuple[Near, ...]:
    chunks = [item.ranked.candidate.chunk for item in selected.chosen]
    return tuple(dict.fromkeys(Near(chunk.doc_id, chunk.title) for chunk in chunks))[:MAX_NEAR]


def _ratings(view: QueryView, rated: Sequence[Rated], selected: Selected) -> tuple[Rating, ...]:
    return tuple(
        Rating(
            place=place,
            doc_id=candidate.chunk.doc_id,
            chunk_index=candidate.chunk.index,
            title=candidate.chunk.title,
            section=candidate.chunk.section,
            fused=item.ranked.fused,
            dense_rank=candidate.dense_rank,
            sparse_rank=candidate.sparse_rank,
            cosine=candidate.cosine,
            bm25=candidate.bm25,
            coverage=candidate.coverage,
            quality=item.quality,
            reasons=_reasons(view, candidate),
            left_out=selected.left_out.get(candidate.chunk.key),
        )
        for place, item in enumerate(rated, start=1)
        for candidate in (item.ranked.candidate,)
    )


def _reasons(view: QueryView, candidate: Candidate) -> tuple[str, ...]:
    """Name why a candidate is here: the searches, and what L0 recognised. None of it is a score."""
    chunk = candidate.chunk
    text = f"{chunk.doc_id}\n{chunk.title}\n{chunk.section}\n{chunk.content}".lower()
    named = (("alert", view.alerts), ("identifier", view.identifiers), ("error code", view.error_codes))
    reasons = [f"{kind} {name}" for kind, names in named for name in names if name.lower() in text]
    if chunk.category in (*view.categories, *view.named_categories):
        reasons.append(f"category {chunk.category}")
    return (*candidate.found_by, *reasons)


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1_000
