"""Fit the rating's constants on judged queries, for an embedding model that has none yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from superbiz_cli.knowledge.evaluate.evaluation import Judged
from superbiz_cli.knowledge.quality import logistic
from superbiz_cli.knowledge.records import Calibration

LEAST_QUERIES = 30
_RATED_CANDIDATES = 10
_ROUNDS = 60
_RIDGE = 0.05


def fit_calibration(judged: Sequence[Judged], *, embedder: str, passages: int = 0) -> Calibration | None:
    """Return constants for `quality`, None if there are too few judged queries to learn from.

    `passages` is the size of the collection. Logistic regression by Newton's method over the first
    candidates of each query; a candidate is relevant if its document is. Every query weighs the same.
    """
    samples = list(_samples(judged))
    if len(judged) < LEAST_QUERIES or len({label for _, label, _ in samples}) < 2:
        return None
    weights = (0.0, 0.0, 0.0)
    for _ in range(_ROUNDS):
        weights = _newton_step(samples, weights)
    cosine, covered, intercept = weights
    return Calibration(embedder, round(cosine, 3), round(covered, 3), round(intercept, 3), passages)


_Sample = tuple[tuple[float, float, float], int, float]


def _samples(judged: Sequence[Judged]) -> Iterator[_Sample]:
    for item in judged:
        candidates = [rated.ranked.candidate for rated in item.result.ranking[:_RATED_CANDIDATES]]
        for candidate in candidates:
            if candidate.cosine is not None:
                label = int(candidate.chunk.doc_id in item.golden.relevant)
                yield (candidate.cosine, candidate.coverage, 1.0), label, 1 / len(candidates)


def _newton_step(
    samples: Sequence[_Sample], weights: tuple[float, float, float]
) -> tuple[float, float, float]:
    gradient = [-_RIDGE * weight for weight in weights[:2]] + [0.0]
    curvature = [[_RIDGE, 0.0, 0.0], [0.0, _RIDGE, 0.0], [0.0, 0.0, 1e-9]]
    for features, label, share in samples:
        chance = logistic(sum(w * x for w, x in zip(weights, features, strict=True)))
        for row in range(3):
            gradient[row] += share * (label - chance) * features[row]
            for column in range(3):
                curvature[row][column] += share * chance * (1 - chance) * features[row] * features[column]
    step = _solved(curvature, gradient)
    return weights[0] + step[0], weights[1] + step[1], weights[2] + step[2]


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve three equations by elimination; the matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for pivot in range(3):
        for row in range(3):
            if row != pivot:
                factor = rows[row][pivot] / rows[pivot][pivot]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[pivot], strict=True)]
    return [rows[row][3] / rows[row][row] for row in range(3)]
