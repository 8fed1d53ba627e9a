"""Absolute quality: how probable it is that a candidate answers the query, whatever its rank.

A logistic function of two absolute measures, the cosine of centred vectors and the coverage (which
share of the query's rarity occurs in the passage), fitted on judged queries for one embedding model.
Another model's cosines mean something else, so its candidates are rated by coverage alone until its
own constants are fitted (`superbiz kb eval GOLDEN --calibrate`).
"""

from __future__ import annotations

import math

from superbiz_cli.knowledge.records import Calibration, EmbedderIdentity
from superbiz_cli.knowledge.retrieve import Candidate

LEXICAL_ONLY = Calibration(embedder="", cosine_weight=0.0, coverage_weight=5.78, intercept=-3.09)


def quality(candidate: Candidate, calibration: Calibration | None, embedder: EmbedderIdentity) -> float:
    """Return the probability, 0..1, that `candidate` is relevant. Its rank plays no part."""
    fitted = calibration if calibration and calibration.embedder == embedder.name else LEXICAL_ONLY
    if candidate.cosine is None:
        fitted = LEXICAL_ONLY
    return logistic(
        fitted.cosine_weight * (candidate.cosine or 0.0)
        + fitted.coverage_weight * candidate.coverage
        + fitted.intercept
    )


def logistic(value: float) -> float:
    """Return 1 / (1 + e^-value)."""
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
