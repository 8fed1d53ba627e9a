"""The write side of the knowledge base: ingestion and rebuild, composed from the settings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from superbiz_cli.bootstrap.knowledge import knowledge_store, open_passage_embedder
from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.chunk.chunks import ChunkLimits
from superbiz_cli.knowledge.ingest.ingestion import Ingestion, IngestListener
from superbiz_cli.knowledge.ingest.reading import ReadingOptions
from superbiz_cli.knowledge.rebuild import Rebuild, RebuildListener
from superbiz_cli.settings import Settings


@dataclass(frozen=True, slots=True)
class IngestChoices:
    """What one command decides. "" leaves scope or category to the documents."""

    scope: str = ""
    category: str = ""
    keep_secrets: bool = False


@contextmanager
def ingestion(
    settings: Settings, choices: IngestChoices, *, listener: IngestListener, run: Run
) -> Iterator[Ingestion]:
    """Open store and model for one ingestion. Raises SuperbizError."""
    from superbiz_cli.adapters.document_text import SUFFIXES, extract

    chunk = settings.knowledge.chunk
    options = ReadingOptions(
        scope=choices.scope,
        category=choices.category,
        keep_secrets=choices.keep_secrets,
        max_file_bytes=settings.knowledge.max_file_mb * 1_000_000,
        limits=ChunkLimits(
            max_chars=chunk.max_chars,
            max_tokens=chunk.max_tokens,
            overlap_chars=chunk.overlap_chars,
            min_chars=chunk.min_chars,
        ),
    )
    embedder = open_passage_embedder(settings)
    try:
        with knowledge_store(settings, writes=True) as store:
            yield Ingestion(
                store=store,
                embedder=embedder,
                extract=extract,
                suffixes=SUFFIXES,
                options=options,
                listener=listener,
                run=run,
                stdin=lambda: sys.stdin.buffer.read(options.max_file_bytes + 1),
            )
    finally:
        if embedder is not None:
            embedder.close()


@contextmanager
def rebuilding(settings: Settings, *, listener: RebuildListener, run: Run) -> Iterator[Rebuild]:
    """Open store and model for one rebuild. Raises SuperbizError."""
    embedder = open_passage_embedder(settings)
    try:
        with knowledge_store(settings, writes=True) as store:
            yield Rebuild(store=store, embedder=embedder, listener=listener, run=run)
    finally:
        if embedder is not None:
            embedder.close()
