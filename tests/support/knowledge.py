"""Builders for the knowledge domain: an embedder without a model, chunks, documents, stores with content."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from superbiz_cli.adapters.document_text import SUFFIXES, extract
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.fuse import Fusion
from superbiz_cli.knowledge.index import KnowledgeIndex
from superbiz_cli.knowledge.ingest.discover import Problem
from superbiz_cli.knowledge.ingest.ingestion import Ingestion, IngestSummary
from superbiz_cli.knowledge.ingest.reading import ReadingOptions
from superbiz_cli.knowledge.lexical import passage_weights
from superbiz_cli.knowledge.lookup import LookupResult, LookupSettings, lookup
from superbiz_cli.knowledge.ports import ChunkStore, Embedder, EmbeddingUnavailable
from superbiz_cli.knowledge.rate import Thresholds
from superbiz_cli.knowledge.records import (
    Calibration,
    Chunk,
    CollectionProfile,
    DocumentRecord,
    EmbedderIdentity,
    Filter,
    LanguageMean,
    Vector,
)
from superbiz_cli.knowledge.terms import terms_of

DIMENSION = 32
NOW = "2026-11-30T10:00:00+00:00"
CALIBRATION = Calibration(embedder="words", cosine_weight=8.0, coverage_weight=4.0, intercept=-5.0)
SETTINGS = LookupSettings(thresholds=Thresholds(precise=0.75, reference=0.4), fusion=Fusion())


@dataclass
class WordEmbedder:
    """Texts that share words get close vectors. `fails` counts calls down that raise."""

    name: str = "words"
    usual_means: Mapping[str, LanguageMean] = field(default_factory=dict)
    batch_size: int = 8
    fails: int = 0
    embedded: list[str] = field(default_factory=list)
    on_batch: Callable[[], None] = lambda: None

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("fake", self.name, DIMENSION)

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 2

    def passages(self, texts: Sequence[str], *, run: Run) -> list[Vector]:
        run.check_active()
        self.on_batch()
        if self.fails:
            self.fails -= 1
            raise EmbeddingUnavailable("The embedding model gave no vectors.", hint="start it")
        self.embedded.extend(texts)
        return [vector_of(text) for text in texts]

    def query(self, text: str, *, run: Run) -> Vector:
        run.check_active()
        return vector_of(text)

    def close(self) -> None:
        return None


def vector_of(text: str) -> list[float]:
    """Return the normalised sum of one random direction for each term."""
    total = [0.0] * DIMENSION
    for term in terms_of(text) or ["nothing"]:
        direction = random.Random(hashlib.sha256(term.encode()).digest())
        total = [value + direction.gauss(0, 1) for value in total]
    length = math.sqrt(sum(value * value for value in total))
    return [value / length for value in total]


def knowledge_run() -> Run:
    """Return a Run with a minute to live."""
    return Run.start(session_id="kb", deadline_s=60, limits=BudgetLimits())


def profile(**changes: object) -> CollectionProfile:
    """Return a profile of the fake model."""
    fields: dict[str, object] = {
        "embedder": WordEmbedder().identity,
        "average_terms": 10.0,
        "calibration": CALIBRATION,
        "created_at": NOW,
        "changed_at": NOW,
        **changes,
    }
    return CollectionProfile(**fields)  # type: ignore[arg-type]


def chunk(
    doc_id: str = "a.md",
    index: int = 0,
    content: str = "the pool is exhausted",
    *,
    revision: str = "r1",
    title: str = "Title",
    section: str = "",
    category: str = "",
    scope: str = "default",
    language: str = "en",
    dense: Vector | None = None,
) -> Chunk:
    """Return one stored chunk; its vector follows from its text."""
    text = f"{title} {section} {content}"
    return Chunk(
        doc_id=doc_id,
        revision=revision,
        index=index,
        scope=scope,
        category=category,
        language=language,
        title=title,
        section=section,
        content=content,
        sparse=passage_weights(terms_of(text), average_terms=10.0),
        dense=vector_of(text) if dense is None else dense,
        spread=1.0,
    )


def document(
    doc_id: str = "a.md", *, revision: str = "r1", chunks: int = 1, **changes: object
) -> DocumentRecord:
    """Return one published document."""
    fields: dict[str, object] = {
        "doc_id": doc_id,
        "source": f"/docs/{doc_id}",
        "title": "Title",
        "scope": "default",
        "category": "",
        "language": "en",
        "content_hash": "h",
        "revision": revision,
        "chunks": chunks,
        "size_bytes": 10,
        "secrets": 0,
        "ingested_at": NOW,
        **changes,
    }
    return DocumentRecord(**fields)  # type: ignore[arg-type]


@dataclass
class Heard:
    """Remembers what an ingestion told."""

    plans: list[tuple[int, int]] = field(default_factory=list)
    steps: list[tuple[int, int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def planned(self, documents: int, size_bytes: int) -> None:
        self.plans.append((documents, size_bytes))

    def advanced(self, documents: int, size_bytes: int, chunks: int) -> None:
        self.steps.append((documents, size_bytes, chunks))

    def problem(self, problem: Problem) -> None:
        self.problems.append(problem)

    def note(self, doc_id: str, text: str) -> None:
        self.notes.append((doc_id, text))


def ingest(
    store: ChunkStore,
    *arguments: Path | str,
    embedder: Embedder | None = None,
    listener: Heard | None = None,
    run: Run | None = None,
    prune: bool = False,
    options: ReadingOptions | None = None,
    stdin: bytes = b"",
) -> IngestSummary:
    """Ingest paths with the fake model."""
    return Ingestion(
        store=store,
        embedder=embedder or WordEmbedder(),
        extract=extract,
        suffixes=SUFFIXES,
        options=options or ReadingOptions(),
        listener=listener or Heard(),
        run=run or knowledge_run(),
        stdin=lambda: stdin,
    ).ingest([str(argument) for argument in arguments], prune=prune)


def search(
    store: ChunkStore,
    query: str,
    *,
    settings: LookupSettings = SETTINGS,
    embedder: Embedder | None = None,
    where: Filter | None = None,
) -> LookupResult:
    """Look a query up with the fake model."""
    model = embedder or WordEmbedder()
    index = KnowledgeIndex.open(store, embedder=model.identity)
    assert index is not None
    return lookup(
        query, index=index, embedder=model, settings=settings, run=knowledge_run(), where=where or Filter()
    )


def write(folder: Path, **texts: str) -> Path:
    """Write Markdown files; "a__b" becomes a/b.md."""
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
