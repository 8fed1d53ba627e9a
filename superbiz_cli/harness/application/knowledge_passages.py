"""The passages of one lookup, read again from the canonical store: what an answer may cite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.report import EvidenceRef
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, parse_strict_object
from superbiz_cli.harness.guard.rebuild import rebuild
from superbiz_cli.harness.release.publishable import clean
from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, InvocationStore
from superbiz_cli.harness.tool.port import ProjectionFailed

MAX_SOURCE_CHARS = 160
MAX_EXCERPT_CHARS = 320
MAX_NEAR = 3
MAX_NEAR_CHARS = 160


class PassagesUnreadable(Exception):
    """The store does not hold the lookup any more, or holds something that the tool did not write."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage as evidence of its own: `evidence.payload` holds this passage and no other."""

    evidence: VerifiedEvidence
    doc_id: str
    title: str
    section: str
    excerpt: str

    @property
    def source(self) -> str:
        """Where it stands, as a footnote names it."""
        return clip(clean(f"{self.doc_id} · {self.title}"), MAX_SOURCE_CHARS)

    @property
    def place(self) -> str:
        """Title and section, for a list."""
        return clean(f"{self.title} ({self.section})" if self.section else self.title)

    def footnote(self, ref: int) -> EvidenceRef:
        """Return the published footnote `ref`."""
        evidence = self.evidence
        return EvidenceRef(
            ref=ref,
            tool_call_id=evidence.tool_call_id,
            tool_name=evidence.tool_name,
            source_type=evidence.source_type,
            source=self.source,
            scope=evidence.scope,
            excerpt=clip(clean(self.excerpt), MAX_EXCERPT_CHARS),
        )


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """The passages of a lookup, numbered from 1 in their order, and titles that only came near."""

    passages: tuple[Passage, ...]
    near: tuple[str, ...]


def read_passages(
    tool_call_id: str, *, run_id: str, store: InvocationStore, catalog: ToolCatalog
) -> FoundPassages:
    """Read a lookup of this Run again. Raises PassagesUnreadable, StoreError."""
    record = store.find(run_id, tool_call_id)
    if record is None or not record.is_referencable_by(run_id):
        raise PassagesUnreadable
    tool = catalog.get(record.tool_name)
    if tool is None:
        raise PassagesUnreadable
    try:
        whole = rebuild(record, tool, ref=1)
    except ProjectionFailed as error:
        raise PassagesUnreadable from error
    listed = whole.payload.get("evidence")
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    passages = tuple(_passage(item, whole, number) for number, item in enumerate(items, start=1))
    return FoundPassages(passages, _near(record))


def _passage(item: Mapping[str, JsonValue], whole: VerifiedEvidence, number: int) -> Passage:
    payload: dict[str, JsonValue] = {**whole.payload, "evidence": [dict(item)], "returned_count": 1}
    return Passage(
        evidence=replace(whole, ref=number, payload=payload),
        doc_id=str(item.get("doc_id", "")),
        title=str(item.get("title", "")),
        section=str(item.get("section", "")),
        excerpt=str(item.get("excerpt", "")),
    )


def _near(record: CanonicalInvocation) -> tuple[str, ...]:
    """Return the titles that the retrieval named as near; they are in the raw response only."""
    try:
        raw = parse_strict_object(record.raw_response or "")
    except StrictJsonError:
        return ()
    near = raw.get("near")
    titles = [item.get("title") for item in near if isinstance(item, dict)] if isinstance(near, list) else []
    shown = [clip(clean(title), MAX_NEAR_CHARS) for title in titles if isinstance(title, str) and title]
    return tuple(dict.fromkeys(shown))[:MAX_NEAR]
