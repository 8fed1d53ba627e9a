"""What a lookup did, for `--explain`, the canonical record and the evaluation. The model never sees it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from superbiz_cli.harness.contract.status import RelevanceLevel


class AttemptKind(StrEnum):
    """How an attempt searched."""

    FILTERED = "FILTERED"
    UNFILTERED = "UNFILTERED"
    UNFILTERED_RETRY = "UNFILTERED_RETRY"


class FallbackReason(StrEnum):
    """Why a filtered attempt was repeated without its filter."""

    FALLBACK_LOW_QUALITY = "FALLBACK_LOW_QUALITY"
    FALLBACK_NO_EVIDENCE = "FALLBACK_NO_EVIDENCE"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt. `documents` are those found, the best first; times are in milliseconds."""

    kind: AttemptKind
    categories: tuple[str, ...]
    dense_hits: int
    sparse_hits: int
    candidates: int
    best_quality: float
    relevance: RelevanceLevel | None
    documents: tuple[str, ...]
    search_ms: float


@dataclass(frozen=True, slots=True)
class RetrievalTrace:
    """All attempts; `selected` is the index of the one whose result stands."""

    attempts: tuple[Attempt, ...]
    selected: int
    fallback_reason: FallbackReason | None
    embed_ms: float


@dataclass(frozen=True, slots=True)
class Rating:
    """One candidate as it was ranked and rated, and why it was left out if it was."""

    place: int
    doc_id: str
    chunk_index: int
    title: str
    section: str
    fused: float
    dense_rank: int | None
    sparse_rank: int | None
    cosine: float | None
    bm25: float
    coverage: float
    quality: float
    reasons: tuple[str, ...]
    left_out: str | None


def plain_json(value: Any) -> Any:
    """Return the fields of a trace as plain JSON: tuples as lists, floats with four decimals."""
    match value:
        case dict():
            return {str(key): plain_json(item) for key, item in value.items()}
        case list() | tuple():
            return [plain_json(item) for item in value]
        case float():
            return round(value, 4)
        case _:
            return value
