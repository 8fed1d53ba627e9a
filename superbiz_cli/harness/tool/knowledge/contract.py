"""Shapes of lookup_knowledge: the request, the raw response of the retrieval, and the port to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from superbiz_cli.harness.contract.strict import StrictModel
from superbiz_cli.harness.core.run import Run

MAX_QUERY_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class KnowledgeQuery:
    """One effective request: white space collapsed."""

    query: str


class RawPassage(StrictModel):
    """One packed passage. `quality` only rates; the order of the passages is the ranking."""

    doc_id: str
    title: str
    section: str
    chunk_index: int
    content: str
    is_cut: bool
    quality: float


class NearDocument(StrictModel):
    """A document that came close, although not close enough to be evidence."""

    doc_id: str
    title: str


class RawKnowledge(StrictModel):
    """What the retrieval answers. `relevance_level` is None when nothing is worth showing.

    `omitted` counts passages that the packing left out. The traces are JSON texts for the store only.
    """

    relevance_level: str | None
    passages: tuple[RawPassage, ...] = ()
    near: tuple[NearDocument, ...] = ()
    omitted: int = 0
    retrieval_trace: str = ""
    rating_trace: str = ""


class KnowledgeUnavailable(Exception):
    """The knowledge base could not be searched. `category` is one word for the model."""

    def __init__(self, category: str) -> None:
        super().__init__(category)
        self.category = category


class KnowledgeBackend(Protocol):
    """Searches the knowledge base."""

    @property
    def describes(self) -> str:
        """What the knowledge base holds, in a few words for the model; "" if that is unknown."""
        ...

    def lookup(self, query: KnowledgeQuery, *, run: Run) -> RawKnowledge:
        """Find passages. Ends within 1 s of a cancel or the deadline.

        Raises KnowledgeUnavailable, or RunAborted when the Run ended.
        """
        ...
