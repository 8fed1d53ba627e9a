"""Measures of rankings and ratings, computed as trec_eval does; a test compares them with ir-measures."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def hit(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return 1 if one of the first k is relevant, else 0."""
    return 1.0 if any(doc in relevant for doc in ranking[:k]) else 0.0


def recall(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return which share of the relevant documents is among the first k."""
    return len(set(ranking[:k]) & set(relevant)) / len(relevant)


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return 1 / the place of the first relevant document among the first k, else 0."""
    return next((1 / place for place, doc in enumerate(ranking[:k], start=1) if doc in relevant), 0.0)


def ndcg(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the normalised discounted cumulative gain of the first k, with gains 0 and 1.

    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques (TOIS 2002).
    """
    gained = sum(
        1 / math.log2(place + 1) for place, doc in enumerate(ranking[:k], start=1) if doc in relevant
    )
    best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(relevant)) + 1))
    return gained / best


def area_under_curve(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Return how probable it is that a positive value exceeds a negative one (ties count half)."""
    if not positive or not negative:
        return None
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def median(values: Sequence[float]) -> float:
    """Return the middle value, 0 of nothing."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0
