"""Two searches, dense and BM25, and their hits as one set of candidates with both measures attached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge import lexical
from superbiz_cli.knowledge.centre import centred, dot
from superbiz_cli.knowledge.index import KnowledgeIndex
from superbiz_cli.knowledge.navigate import QueryView
from superbiz_cli.knowledge.ports import Embedder
from superbiz_cli.knowledge.records import Chunk, Filter, Hit, Vector


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that at least one search found.

    `dense_rank` and `sparse_rank` are its places (from 1) in the searches that found it. `cosine`,
    `bm25` and `coverage` are measured for every candidate, whichever search found it; `cosine` is
    None only in a collection without vectors.
    """

    chunk: Chunk
    dense_rank: int | None = None
    sparse_rank: int | None = None
    cosine: float | None = None
    bm25: float = 0.0
    coverage: float = 0.0

    @property
    def found_by(self) -> tuple[str, ...]:
        """The searches that found it."""
        ranks = (("dense", self.dense_rank), ("bm25", self.sparse_rank))
        return tuple(name for name, rank in ranks if rank is not None)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The candidates of one attempt, in no particular order, and how many each search found."""

    candidates: tuple[Candidate, ...]
    dense_hits: int
    sparse_hits: int


def embed_query(view: QueryView, index: KnowledgeIndex, embedder: Embedder | None, *, run: Run) -> Vector:
    """Return the query's centred vector, () without a model. Raises EmbeddingUnavailable, RunAborted."""
    if embedder is None or not view.text:
        return ()
    return centred(embedder.query(view.text, run=run), view.language, index.profile.means)[0]


@contextmanager
def word_search(
    view: QueryView, index: KnowledgeIndex, *, limit: int, where: Filter
) -> Iterator[Callable[[], list[Hit]]]:
    """Begin the search by words, which needs no vector, and yield what waits for its hits.

    The store searches while the model embeds: both take about as long, and neither needs the other. What
    is waited for raises StoreUnavailable.
    """
    weights = lexical.query_weights(view.terms)
    if not weights:
        yield list
        return
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="words") as beside:
        yield beside.submit(index.store.search_sparse, weights, limit=limit, where=where).result


def retrieve(
    view: QueryView,
    vector: Vector,
    index: KnowledgeIndex,
    *,
    limit: int,
    where: Filter,
    hits_by_words: Callable[[], list[Hit]],
) -> Retrieved:
    """Search by meaning, take the hits by words, and measure every hit by both measures."""
    weights = lexical.query_weights(view.terms)
    dense = index.visible(index.store.search_dense(vector, limit=limit, where=where)) if vector else []
    sparse = index.visible(hits_by_words())
    found: dict[str, Candidate] = {}
    for rank, hit in enumerate(dense, start=1):
        found[hit.chunk.key] = Candidate(hit.chunk, dense_rank=rank)
    for rank, hit in enumerate(sparse, start=1):
        known = found.get(hit.chunk.key, Candidate(hit.chunk))
        found[hit.chunk.key] = replace(known, sparse_rank=rank)
    return Retrieved(
        tuple(_measured(candidate, vector, weights) for candidate in found.values()), len(dense), len(sparse)
    )


def _measured(candidate: Candidate, vector: Vector, weights: dict[int, float]) -> Candidate:
    chunk = candidate.chunk
    return replace(
        candidate,
        cosine=dot(vector, chunk.dense) if vector and chunk.dense else None,
        bm25=lexical.bm25(weights, chunk.sparse),
        coverage=lexical.coverage(weights, chunk.sparse),
    )
