"""A small file beside the embedded store that says what is in it.

`doctor` and the start of a Run read it without opening the engine, also while another process has it
locked. It is written after every change and is never the truth: that is in the store.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from superbiz_cli.harness.contract.strict import StrictModel
from superbiz_cli.knowledge.records import CollectionProfile, DocumentRecord

SUMMARY_FILE = "summary.json"
_MAX_CATEGORIES = 12


class KnowledgeSummary(StrictModel):
    """What a collection holds. `changed_at` is ISO 8601; categories are the largest ones."""

    documents: int
    chunks: int
    model: str
    changed_at: str
    categories: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """Return what the knowledge base holds, for the model."""
        about = f" about {', '.join(self.categories)}" if self.categories else ""
        return f"{self.documents} documents{about}" if self.documents else ""


def summarize(profile: CollectionProfile, documents: Mapping[str, DocumentRecord]) -> KnowledgeSummary:
    """Return the summary of a collection."""
    categories = Counter(document.category for document in documents.values() if document.category)
    return KnowledgeSummary(
        documents=len(documents),
        chunks=sum(document.chunks for document in documents.values()),
        model=str(profile.embedder),
        changed_at=profile.changed_at,
        categories=tuple(name for name, _ in categories.most_common(_MAX_CATEGORIES)),
    )


def write_summary(folder: Path, summary: KnowledgeSummary) -> None:
    """Write the file in one step. Raises OSError."""
    fresh = folder / f"{SUMMARY_FILE}.{os.getpid()}"
    fresh.write_text(summary.model_dump_json(indent=2) + "\n", encoding="utf-8")
    fresh.chmod(0o600)
    fresh.replace(folder / SUMMARY_FILE)


def read_summary(folder: Path) -> KnowledgeSummary | None:
    """Return the summary, None if there is none or it cannot be read."""
    try:
        return KnowledgeSummary.model_validate_json((folder / SUMMARY_FILE).read_text(encoding="utf-8"))
    except (OSError, ValidationError, ValueError):
        return None
