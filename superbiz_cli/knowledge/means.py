"""Which mean vector each language of a collection gets when the collection is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from superbiz_cli.knowledge.centre import ENOUGH_FOR_A_MEAN, mean_of
from superbiz_cli.knowledge.records import DocumentRecord, LanguageMean, Vector


def initial_means(
    samples: Mapping[str, Sequence[Vector]], usual: Mapping[str, LanguageMean]
) -> dict[str, LanguageMean]:
    """Return the mean of each language: of its own passages if there are enough, else the model's usual one.

    A language without either gets the mean of the few passages there are; one without passages and
    without a usual mean gets none, and its vectors stay as they are.
    """
    means = {language: LanguageMean(mean.vector, 0) for language, mean in usual.items()}
    for language, vectors in samples.items():
        if len(vectors) >= ENOUGH_FOR_A_MEAN or (vectors and language not in means):
            means[language] = mean_of(vectors)
    return means


def outgrown(means: Mapping[str, LanguageMean], documents: Iterable[DocumentRecord]) -> set[str]:
    """Return the languages that now have enough passages for a mean of their own, and have none yet."""
    counts: dict[str, int] = {}
    for document in documents:
        counts[document.language] = counts.get(document.language, 0) + document.chunks
    return {
        language
        for language, count in counts.items()
        if count >= ENOUGH_FOR_A_MEAN
        and (language not in means or means[language].sample < ENOUGH_FOR_A_MEAN)
    }
