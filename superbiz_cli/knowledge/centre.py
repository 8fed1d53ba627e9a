"""Language centring: take the direction that all passages of a language share out of their vectors.

Multilingual models place each language in a region of its own, so that the nearest passages are in
the query's language, whatever they say. Subtracting the language's mean makes languages comparable
(the effect is described for multilingual BERT in https://aclanthology.org/2020.repl4nlp-1.15/).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul

from superbiz_cli.knowledge.records import LanguageMean, Vector

ENOUGH_FOR_A_MEAN = 30


def centred(vector: Vector, language: str, means: Mapping[str, LanguageMean]) -> tuple[list[float], float]:
    """Return the centred vector of length 1, and the length that it had before.

    A language without a mean keeps its vectors as they are.
    """
    mean = means.get(language)
    moved = [value - centre for value, centre in zip(vector, mean.vector, strict=True)] if mean else vector
    length = math.sqrt(dot(moved, moved))
    if not length:
        return [0.0] * len(vector), 0.0
    return [value / length for value in moved], length


def restored(vector: Vector, spread: float, language: str, means: Mapping[str, LanguageMean]) -> list[float]:
    """Return the model's own vector of a centred one; the reverse of `centred`."""
    mean = means.get(language)
    if mean is None:
        return [value * spread for value in vector]
    return [value * spread + centre for value, centre in zip(vector, mean.vector, strict=True)]


def mean_of(vectors: Sequence[Vector]) -> LanguageMean:
    """Return the mean of at least one vector."""
    sums = [0.0] * len(vectors[0])
    for vector in vectors:
        sums = [total + value for total, value in zip(sums, vector, strict=True)]
    return LanguageMean(tuple(total / len(vectors) for total in sums), len(vectors))


def dot(left: Vector, right: Vector) -> float:
    """Return the inner product; of two vectors of length 1 it is their cosine."""
    return float(sum(map(mul, left, right)))
