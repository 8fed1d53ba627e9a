"""Project a raw answer into what the model may see: no scores, no traces, bounded, the tail dropped first."""

from __future__ import annotations

from superbiz_cli.harness.contract.limits import utf8_size
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.tool.bounds import clip, most_that_fit
from superbiz_cli.harness.tool.knowledge.contract import KnowledgeQuery, RawKnowledge, RawPassage
from superbiz_cli.harness.tool.port import Projection, ProjectionFailed
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.sanitize import sanitize

MAX_QUERY_CHARS = 500
MAX_EVIDENCE = 8
MAX_EXCERPT_CHARS = 1_200
MAX_LABEL_CHARS = 200
MAX_DOC_ID_CHARS = 320
MAX_RESULT_BYTES = 16_384


def project_knowledge(
    request: KnowledgeQuery,
    raw: RawKnowledge,
    *,
    tool_call_id: str,
    query_redactor: Redactor,
    passage_redactor: Redactor,
) -> Projection:
    """Return the agent result of `raw` within 16,384 bytes.

    A passage must hold no credential, but the hosts, ports and addresses in a runbook are part of
    what it explains: that is why it has a redactor of its own. Raises ProjectionFailed when not even
    an empty result fits.
    """
    query = clip(sanitize(query_redactor.redact(request.query)), MAX_QUERY_CHARS)
    passages = raw.passages[:MAX_EVIDENCE] if raw.relevance_level is not None else ()
    evidence = [_shown(passage, passage_redactor) for passage in passages]
    is_lossy = (
        raw.omitted > 0
        or len(raw.passages) > MAX_EVIDENCE
        or len(request.query) > MAX_QUERY_CHARS
        or any(p.is_cut or len(p.content) > MAX_EXCERPT_CHARS for p in passages)
    )

    def render(count: int) -> str:
        status = EvidenceStatus.EVIDENCE_FOUND if count else EvidenceStatus.NO_EVIDENCE
        return canonical_json(
            {
                "tool_call_id": tool_call_id,
                "scope": {"query": query},
                "evidence_status": status.value,
                "relevance_level": raw.relevance_level if count else None,
                "returned_count": count,
                "evidence": list(evidence[:count]),
                "truncated": is_lossy or count < len(evidence),
            }
        )

    count = most_that_fit(len(evidence), lambda shown: utf8_size(render(shown)) <= MAX_RESULT_BYTES)
    if count is None:
        raise ProjectionFailed("not even an empty result fits")
    status = EvidenceStatus.EVIDENCE_FOUND if count else EvidenceStatus.NO_EVIDENCE
    return Projection(agent_result=render(count), evidence_status=status)


def _shown(passage: RawPassage, redactor: Redactor) -> JsonValue:
    def clean(text: str, max_chars: int) -> str:
        return clip(sanitize(redactor.redact(text)), max_chars)

    return {
        "doc_id": clean(passage.doc_id, MAX_DOC_ID_CHARS),
        "title": clean(passage.title, MAX_LABEL_CHARS),
        "section": clean(passage.section, MAX_LABEL_CHARS),
        "chunk_index": passage.chunk_index,
        "excerpt": clean(passage.content, MAX_EXCERPT_CHARS),
    }
