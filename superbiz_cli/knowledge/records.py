"""The shapes that knowledge is stored and found in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Vector: TypeAlias = Sequence[float]
SparseVector: TypeAlias = Mapping[int, float]

DEFAULT_SCOPE = "default"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which model made the vectors of a collection. `dimension` is 0 without one, or if it is unknown."""

    provider: str
    name: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.provider}: {self.name}" if self.name else self.provider

    @property
    def in_full(self) -> str:
        """The model with its dimension, if that is known."""
        return f"{self} ({self.dimension} dimensions)" if self.dimension else str(self)

    def is_same_model_as(self, other: EmbedderIdentity) -> bool:
        """Whether vectors of both can be compared; an unknown dimension is compared by nobody."""
        same = (self.provider, self.name) == (other.provider, other.name)
        return same and (self.dimension == other.dimension or not self.dimension or not other.dimension)


WORDS_ONLY = EmbedderIdentity("none", "", 0)


@dataclass(frozen=True, slots=True)
class LanguageMean:
    """The mean vector of a language's passages, and from how many it was taken."""

    vector: Vector
    sample: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """How cosine and coverage become a probability of relevance; see `quality`.

    `embedder` is the model that the constants were fitted for; they rate nothing else. `passages` is how
    many the collection held in which they were fitted, 0 if its size is to play no part.
    """

    embedder: str
    cosine_weight: float
    coverage_weight: float
    intercept: float
    passages: int = 0


@dataclass(frozen=True, slots=True)
class CollectionProfile:
    """What a collection is made with. It decides whether a program may read it and how."""

    embedder: EmbedderIdentity
    schema_version: int = SCHEMA_VERSION
    average_terms: float = 0.0
    means: Mapping[str, LanguageMean] = field(default_factory=dict)
    calibration: Calibration | None = None
    created_at: str = ""
    changed_at: str = ""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One published document. A chunk is visible only if its revision is the one named here.

    `source` is where it was read from (a path or "-"), `doc_id` its public name. `content_hash` is
    over the file's bytes and everything else that shapes its chunks.
    """

    doc_id: str
    source: str
    title: str
    scope: str
    category: str
    language: str
    content_hash: str
    revision: str
    chunks: int
    size_bytes: int
    secrets: int
    ingested_at: str


@dataclass(frozen=True, slots=True)
class WriterNote:
    """Who is writing to a collection, and when it last said so (ISO 8601)."""

    host: str
    pid: int
    beat_at: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """One stored chunk. `dense` is centred and of length 1 (empty for BM25 only).

    `spread` is the length of the vector before it was normalised: with it and the language's mean the
    model's own vector can be recovered, so that a rebuild need not embed again.
    """

    doc_id: str
    revision: str
    index: int
    scope: str
    category: str
    language: str
    title: str
    section: str
    content: str
    sparse: SparseVector
    dense: Vector = ()
    spread: float = 1.0

    @property
    def key(self) -> str:
        """The primary key: chunks of two revisions of a document live side by side for a while."""
        return f"{self.doc_id}@{self.revision}#{self.index}"


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search is narrowed to. Empty means everything."""

    scopes: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


EVERYWHERE = Filter()


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search returned, with the search's own score (larger is better)."""

    chunk: Chunk
    score: float
