"""Make a collection: its profile is estimated from a sample of what is about to be ingested."""

from __future__ import annotations

from collections.abc import Sequence

from superbiz_cli.knowledge import lexical
from superbiz_cli.knowledge.calibrations import CALIBRATIONS
from superbiz_cli.knowledge.ingest.chunking import Piece
from superbiz_cli.knowledge.ingest.embedding import TextEmbedder
from superbiz_cli.knowledge.means import initial_means
from superbiz_cli.knowledge.records import WORDS_ONLY, CollectionProfile, EmbedderIdentity, Vector

SAMPLE_DOCUMENTS = 200
_SAMPLE_OF_LANGUAGE = 96


def profile_of_sample(
    documents: Sequence[Sequence[Piece]], texts: TextEmbedder, *, created_at: str
) -> CollectionProfile:
    """Return the profile for a new collection, from some passages of some documents.

    The passages are spread evenly over the documents and within them: openings are about other things
    than the rest, and their mean is another. Their vectors are kept for when they are written. Raises
    EmbeddingUnavailable, RunAborted.
    """
    sample = _sample([piece for pieces in documents for piece in pieces])
    vectors = texts.embed_early([piece.enhanced for piece in sample])
    by_language: dict[str, list[Vector]] = {}
    for piece, vector in zip(sample, vectors, strict=True):
        if len(vector):
            by_language.setdefault(piece.language, []).append(vector)
    embedder = texts.embedder
    stated = embedder.identity if embedder else WORDS_ONLY
    lengths = [len(piece.terms) for pieces in documents for piece in pieces]
    return CollectionProfile(
        embedder=EmbedderIdentity(stated.provider, stated.name, len(vectors[0]) if vectors else 0),
        average_terms=sum(lengths) / len(lengths) if lengths else lexical.TYPICAL_TERMS,
        means=initial_means(by_language, embedder.usual_means if embedder else {}),
        calibration=CALIBRATIONS.get(stated.name),
        created_at=created_at,
        changed_at=created_at,
    )


def _sample(pieces: Sequence[Piece]) -> list[Piece]:
    of_language: dict[str, list[Piece]] = {}
    for piece in {piece.enhanced: piece for piece in pieces}.values():
        of_language.setdefault(piece.language, []).append(piece)
    return [
        found[place * len(found) // wanted]
        for found in of_language.values()
        for wanted in (min(_SAMPLE_OF_LANGUAGE, len(found)),)
        for place in range(wanted)
    ]
