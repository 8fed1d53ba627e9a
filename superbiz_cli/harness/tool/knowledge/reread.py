"""Read an agent result of lookup_knowledge again, strictly: only what `project` writes passes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import ValidationError

from superbiz_cli.harness.contract.evidence import ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus, RelevanceLevel
from superbiz_cli.harness.contract.strict import (
    StrictJsonError,
    StrictModel,
    canonical_json,
    parse_strict_object,
)
from superbiz_cli.harness.contract.tool_call import ControlView
from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.knowledge.project import (
    MAX_DOC_ID_CHARS,
    MAX_EVIDENCE,
    MAX_EXCERPT_CHARS,
    MAX_LABEL_CHARS,
    MAX_QUERY_CHARS,
    MAX_RESULT_BYTES,
)
from superbiz_cli.harness.tool.port import ProjectionFailed

MAX_SHORT_CHARS = 320
MAX_SOURCE_CHARS = 160
_SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\s*\n\s*")


class _Scope(StrictModel):
    query: str


class _Evidence(StrictModel):
    doc_id: str
    title: str
    section: str
    chunk_index: int
    excerpt: str


class _Result(StrictModel):
    tool_call_id: str
    scope: _Scope
    evidence_status: str
    relevance_level: str | None
    returned_count: int
    evidence: tuple[_Evidence, ...]
    truncated: bool


def read_knowledge(agent_result: str, *, tool_call_id: str) -> ReadResult:
    """Return the result in words and its control view. Raises ProjectionFailed if anything disagrees."""
    try:
        payload = parse_strict_object(agent_result, max_bytes=MAX_RESULT_BYTES)
        result = _Result.model_validate_json(agent_result)
        relevance = RelevanceLevel(result.relevance_level) if result.relevance_level else None
        _check(result, relevance, tool_call_id)
    except (StrictJsonError, ValidationError, ValueError) as error:
        raise ProjectionFailed("not a result of lookup_knowledge") from error
    if canonical_json(payload) != agent_result:
        raise ProjectionFailed("not in canonical form")
    return ReadResult(
        tool_call_id=tool_call_id,
        source=_source(result),
        scope=clip(f'knowledge base, "{result.scope.query}"', MAX_SHORT_CHARS),
        summary=_summary(result),
        excerpt=_excerpt(result),
        control=ControlView(
            evidence_status=EvidenceStatus(result.evidence_status),
            relevance_level=relevance,
            returned_count=result.returned_count,
            truncated=result.truncated,
        ),
        payload=payload,
        quotable=tuple(_quotable(result)),
    )


def _check(result: _Result, relevance: RelevanceLevel | None, tool_call_id: str) -> None:
    """Raise ValueError unless ids, counts, status, rating and bounds agree with each other."""
    found = bool(result.evidence)
    status = EvidenceStatus.EVIDENCE_FOUND if found else EvidenceStatus.NO_EVIDENCE
    keys = [(item.doc_id, item.chunk_index) for item in result.evidence]
    agrees = (
        result.tool_call_id == tool_call_id
        and result.evidence_status == status
        and result.returned_count == len(result.evidence) <= MAX_EVIDENCE
        and found == (relevance is not None)
        and len(result.scope.query) <= MAX_QUERY_CHARS
        and len(set(keys)) == len(keys)
        and all(_is_bounded(item) for item in result.evidence)
    )
    if not agrees:
        raise ValueError("the parts of the result disagree")


def _is_bounded(item: _Evidence) -> bool:
    return (
        bool(item.doc_id)
        and len(item.doc_id) <= MAX_DOC_ID_CHARS
        and max(len(item.title), len(item.section)) <= MAX_LABEL_CHARS
        and 0 < len(item.excerpt) <= MAX_EXCERPT_CHARS
        and item.chunk_index >= 0
    )


def _source(result: _Result) -> str:
    """Name the document that came first; that is what a reader looks up."""
    if not result.evidence:
        return "knowledge base"
    first = result.evidence[0]
    return clip(f"{first.doc_id} · {first.title}", MAX_SOURCE_CHARS)


def _summary(result: _Result) -> str:
    if not result.evidence:
        return "No passage of the knowledge base answers this query"
    passages = "passage" if len(result.evidence) == 1 else "passages"
    titles = "; ".join(dict.fromkeys(_place(item) for item in result.evidence))
    return clip(f"{len(result.evidence)} {passages}: {titles}", MAX_SHORT_CHARS)


def _place(item: _Evidence) -> str:
    return f"{item.title} ({item.section})" if item.section else item.title


def _excerpt(result: _Result) -> str:
    if not result.evidence:
        return ""
    return clip(" ".join(result.evidence[0].excerpt.split()), MAX_SHORT_CHARS)


def _quotable(result: _Result) -> Iterator[str]:
    """Yield from each sentence of each passage on what fits."""
    for item in result.evidence:
        sentences = [" ".join(part.split()) for part in _SENTENCE_ENDS.split(item.excerpt) if part.strip()]
        for index in range(len(sentences)):
            yield clip(" ".join(sentences[index:]), MAX_SHORT_CHARS)
