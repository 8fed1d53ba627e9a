"""Which mean vector each language of a collection gets when the collection is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add

from superbiz_cli.knowledge.centre import ENOUGH_FOR_A_MEAN, mean_of
from superbiz_cli.knowledge.records import DocumentRecord, LanguageMean, Vector

GROWTH = 4


@dataclass(slots=True)
class RunningMeans:
    """The mean of each language's vectors, one vector after the other."""

    _sums: dict[str, list[float]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def add(self, language: str, vector: Vector) -> None:
        """Count one passage."""
        known = self._sums.get(language)
        self._sums[language] = list(vector) if known is None else list(map(add, known, vector))
        self._counts[language] += 1

    def means(self) -> dict[str, LanguageMean]:
        """Return the means so far."""
        return {
            language: LanguageMean(tuple(value / self._counts[language] for value in total), count)
            for language, total in self._sums.items()
            for count in (self._counts[language],)
        }


def initial_means(
    samples: Mapping[str, Sequence[Vector]], usual: Mapping[str, LanguageMean]
) -> dict[str, LanguageMean]:
    """Return the mean of each language that a new collection begins with, from some of its passages."""
    own = {language: mean_of(vectors) for language, vectors in samples.items() if vectors}
    return chosen_means(own, usual)


def chosen_means(
    own: Mapping[str, LanguageMean], usual: Mapping[str, LanguageMean]
) -> dict[str, LanguageMean]:
    """Return the mean of each language: of its own passages if there are enough, else the model's usual one.

    A language without either gets the mean of the few passages there are; one without passages and
    without a usual mean gets none, and its vectors stay as they are.
    """
    means = {language: LanguageMean(mean.vector, 0) for language, mean in usual.items()}
    for language, mean in own.items():
        if mean.sample >= ENOUGH_FOR_A_MEAN or language not in means:
            means[language] = mean
    return means


def outgrown(means: Mapping[str, LanguageMean], documents: Iterable[DocumentRecord]) -> set[str]:
    """Return the languages that have enough passages for a better mean than the one they have.

    That is a first one of their own, or one of four times as many passages: on judged queries the mean
    of all passages finds documents in the other language better than that of a hundred.
    """
    counts: dict[str, int] = {}
    for document in documents:
        counts[document.language] = counts.get(document.language, 0) + document.chunks
    return {language for language, count in counts.items() if has_outgrown(means.get(language), count)}


def has_outgrown(mean: LanguageMean | None, passages: int) -> bool:
    """Whether so many passages deserve a mean of their own instead of `mean`."""
    if passages < ENOUGH_FOR_A_MEAN:
        return False
    return mean is None or mean.sample < ENOUGH_FOR_A_MEAN or passages >= GROWTH * mean.sample
