"""One order from two searches. The order decides who comes first and is never re-sorted by quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.knowledge.retrieve import Candidate


class FusionMethod(StrEnum):
    """How two searches become one order."""

    RRF = "rrf"
    CONVEX = "convex"


@dataclass(frozen=True, slots=True)
class Fusion:
    """Parameters of the fusion. `dense_weight` is the share of the dense search, 0..1."""

    method: FusionMethod = FusionMethod.CONVEX
    dense_weight: float = 0.4
    rrf_k: int = 60


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place; `fused` only orders, it says nothing about quality."""

    candidate: Candidate
    fused: float


def fuse(candidates: Sequence[Candidate], fusion: Fusion) -> list[Ranked]:
    """Return the candidates, the best first; equal ones in the order of their keys."""
    match fusion.method:
        case FusionMethod.RRF:
            scores = reciprocal_ranks(candidates, fusion)
        case FusionMethod.CONVEX:
            scores = convex_scores(candidates, fusion)
    ranked = [Ranked(candidate, score) for candidate, score in zip(candidates, scores, strict=True)]
    return sorted(ranked, key=lambda item: (-item.fused, item.candidate.chunk.key))


def reciprocal_ranks(candidates: Sequence[Candidate], fusion: Fusion) -> list[float]:
    """Score by w / (k + rank), summed over the searches that found a candidate.

    Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009).
    """

    def part(rank: int | None, weight: float) -> float:
        return 0.0 if rank is None else 2 * weight / (fusion.rrf_k + rank)

    return [
        part(candidate.dense_rank, fusion.dense_weight) + part(candidate.sparse_rank, 1 - fusion.dense_weight)
        for candidate in candidates
    ]


def convex_scores(candidates: Sequence[Candidate], fusion: Fusion) -> list[float]:
    """Score by a * minmax(cosine) + (1 - a) * c * c * bm25 / max(bm25), with c the best coverage.

    Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval (TOIS 2023), with one
    change: dividing by the largest score makes the best of bad matches look perfect. Where no passage
    holds much of the query's weight (it is in the other language, or says it in other words), the
    words' part shrinks, and meaning decides; an alert's name is covered, and words keep their part.
    """
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    low, high = (min(cosines), max(cosines)) if cosines else (0.0, 0.0)
    best = max((candidate.bm25 for candidate in candidates), default=0.0)
    covered = max((candidate.coverage for candidate in candidates), default=0.0)
    weight = fusion.dense_weight if cosines else 0.0
    of_words = (1 - weight) * covered * covered if cosines else 1.0
    return [
        weight * _scaled(candidate.cosine, low, high) + of_words * (candidate.bm25 / best if best else 0.0)
        for candidate in candidates
    ]


def _scaled(value: float | None, low: float, high: float) -> float:
    if value is None:
        return 0.0
    return (value - low) / (high - low) if high > low else 1.0
