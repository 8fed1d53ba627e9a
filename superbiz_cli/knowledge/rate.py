"""Rate a whole lookup by the best quality of all candidates, and decide whether the gate lets it pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.harness.contract.status import RelevanceLevel
from superbiz_cli.knowledge.fuse import Ranked
from superbiz_cli.knowledge.quality import quality
from superbiz_cli.knowledge.records import CollectionProfile


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which quality on a lookup is PRECISE, and from which on it is worth showing at all."""

    precise: float
    reference: float


@dataclass(frozen=True, slots=True)
class Rated:
    """A ranked candidate with its quality, 0..1."""

    ranked: Ranked
    quality: float


def rate(ranking: Sequence[Ranked], profile: CollectionProfile, *, passages: int = 0) -> list[Rated]:
    """Attach its quality to every candidate; the order stays. `passages` is the collection's size."""
    return [
        Rated(ranked, quality(ranked.candidate, profile.calibration, profile.embedder, passages=passages))
        for ranked in ranking
    ]


def best_quality(rated: Sequence[Rated]) -> float:
    """Return the best quality of all candidates, 0 if there is none."""
    return max((item.quality for item in rated), default=0.0)


def relevance_of(rated: Sequence[Rated], thresholds: Thresholds) -> RelevanceLevel | None:
    """Return the relevance of the whole lookup; None means that nothing is worth showing."""
    best = best_quality(rated)
    if best >= thresholds.precise:
        return RelevanceLevel.PRECISE
    return RelevanceLevel.REFERENCE if best >= thresholds.reference else None
