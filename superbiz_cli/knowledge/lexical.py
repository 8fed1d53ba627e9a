"""BM25 with weights of our own: a passage's side is stored, a query's side made when it is asked.

score(q, d) = sum over terms of idf(t) * tf(t, d) * (k1 + 1) / (tf(t, d) + k1 * (1 - b + b * |d| / avg))
(Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). Both sides are sparse vectors and
the score is their inner product, so that every engine gives the same one: an engine's own BM25 counts
per segment, signs differ, and analyzers do too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from superbiz_cli.knowledge.records import SparseVector
from superbiz_cli.knowledge.terms import term_id

K1 = 1.5
B = 0.75
TYPICAL_TERMS = 140.0


def passage_weights(terms: Iterable[str], *, average_terms: float) -> dict[int, float]:
    """Return the stored side: how much each term says about a passage, regardless of its rarity."""
    counts = Counter(terms)
    length = sum(counts.values())
    norm = K1 * (1 - B + B * length / (average_terms or TYPICAL_TERMS))
    return {term_id(term): count * (K1 + 1) / (count + norm) for term, count in counts.items()}


def query_weights(terms: Mapping[str, float]) -> dict[int, float]:
    """Return the query's side: the terms' weights (their rarity) at their places."""
    return {term_id(term): weight for term, weight in terms.items()}


def bm25(query: SparseVector, passage: SparseVector) -> float:
    """Return the score of a passage: the inner product."""
    return sum(weight * passage.get(place, 0.0) for place, weight in query.items())


def coverage(query: SparseVector, passage: SparseVector) -> float:
    """Return which share of the query's weight occurs in a passage at all, 0..1."""
    total = sum(query.values())
    found = sum(weight for place, weight in query.items() if place in passage)
    return found / total if total else 0.0
