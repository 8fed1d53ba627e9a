"""Absolute quality: how probable it is that a candidate answers the query, whatever its rank.

A logistic function of two absolute measures, the cosine of centred vectors and the coverage (which
share of the query's rarity occurs in the passage), fitted on judged queries for one embedding model.
Another model's cosines mean something else, so its candidates are rated by coverage alone until its
own constants are fitted (`superbiz kb eval GOLDEN --calibrate`).

The vector of a bare identifier says little. A passage that holds nearly the whole weight of the query is
therefore worth showing whatever its cosine, but words alone never make it precise.

In a large collection some unrelated passage always comes near: the largest of n chance values grows as
sqrt(2 ln n) (Cramér, Mathematical Methods of Statistics, 1946, 28.6). Constants that were fitted in a
collection of one size are moved to another by that difference.
"""

from __future__ import annotations

import math

from superbiz_cli.knowledge.records import Calibration, EmbedderIdentity
from superbiz_cli.knowledge.retrieve import Candidate

_WORD_FOR_WORD = (0.5, 10.0, -7.5)  # at most; a half of it at a coverage of 0.75

_CHANCE = 0.05  # how far the cosines of unrelated passages scatter
_FEWEST_PASSAGES = 10

LEXICAL_ONLY = Calibration(embedder="", cosine_weight=0.0, coverage_weight=5.78, intercept=-3.09)


def quality(
    candidate: Candidate, calibration: Calibration | None, embedder: EmbedderIdentity, *, passages: int = 0
) -> float:
    """Return the probability, 0..1, that `candidate` is relevant. Its rank plays no part.

    `passages` is the size of the collection, 0 if it is unknown.
    """
    fitted = calibration if calibration and calibration.embedder == embedder.name else LEXICAL_ONLY
    if candidate.cosine is None:
        fitted = LEXICAL_ONLY
    cosine = (candidate.cosine or 0.0) + size_allowance(passages, fitted.passages)
    probability = logistic(
        fitted.cosine_weight * cosine + fitted.coverage_weight * candidate.coverage + fitted.intercept
    )
    if fitted is LEXICAL_ONLY:
        return probability
    most, weight, intercept = _WORD_FOR_WORD
    return max(probability, most * logistic(weight * candidate.coverage + intercept))


def size_allowance(passages: int, fitted_in: int) -> float:
    """Return what to add to a cosine in a collection of `passages`: more the smaller it is."""
    if not passages or not fitted_in:
        return 0.0
    return _CHANCE * (_largest_of(fitted_in) - _largest_of(passages))


def _largest_of(count: int) -> float:
    return math.sqrt(2 * math.log(max(count, _FEWEST_PASSAGES)))


def logistic(value: float) -> float:
    """Return 1 / (1 + e^-value)."""
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
