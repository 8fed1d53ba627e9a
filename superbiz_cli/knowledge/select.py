"""Which of the rated candidates are returned: each passage once, few of one document, not too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.knowledge.rate import Rated

TOO_MANY_OF_DOCUMENT = "too many of this document"
BEYOND_LIMIT = "beyond the number asked for"
SAME_TEXT = "same text as a better one"


@dataclass(frozen=True, slots=True)
class Selected:
    """The returned candidates in their order, and why each of the others was left out, by key."""

    chosen: tuple[Rated, ...]
    left_out: dict[str, str]


def select(rated: Sequence[Rated], *, return_n: int, max_per_document: int) -> Selected:
    """Walk down the order and take what is neither a repetition nor too much of one document."""
    chosen: list[Rated] = []
    left_out: dict[str, str] = {}
    of_document: dict[str, int] = {}
    texts: set[str] = set()
    for item in rated:
        chunk = item.ranked.candidate.chunk
        text = " ".join(chunk.content.split())
        if text in texts:
            left_out[chunk.key] = SAME_TEXT
        elif of_document.get(chunk.doc_id, 0) >= max_per_document:
            left_out[chunk.key] = TOO_MANY_OF_DOCUMENT
        elif len(chosen) >= return_n:
            left_out[chunk.key] = BEYOND_LIMIT
        else:
            chosen.append(item)
            texts.add(text)
            of_document[chunk.doc_id] = of_document.get(chunk.doc_id, 0) + 1
    return Selected(tuple(chosen), left_out)
