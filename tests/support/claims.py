"""Small evidence for the claim check: log lines, rows or passages as the tools would have written them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import SOURCE_TYPE_OF, ToolName
from superbiz_cli.harness.guard.claims.check import examine
from superbiz_cli.harness.guard.claims.corpus import corpus_of
from superbiz_cli.harness.guard.claims.scan import scan

DAY = "2026-11-29"


def evidence(
    tool: ToolName = ToolName.QUERY_LOGS,
    *,
    ref: int = 1,
    status: EvidenceStatus = EvidenceStatus.EVIDENCE_FOUND,
    params: Sequence[JsonValue] = (),
    **payload: JsonValue,
) -> VerifiedEvidence:
    return VerifiedEvidence(
        ref=ref,
        tool_call_id=f"ev-{ref}",
        tool_name=tool,
        source_type=SOURCE_TYPE_OF[tool],
        evidence_status=status,
        source="source",
        scope="",
        summary="",
        excerpt="",
        payload=payload,
        request={"params": [*params]},
    )


def logs(
    *lines: str, ref: int = 1, offset: str = "+00:00", query: str = "", **payload: JsonValue
) -> VerifiedEvidence:
    """Evidence of lines "HH:MM:SS[.mmm] LEVEL service message", all of them shown as events."""
    events: list[JsonValue] = []
    for line in lines:
        time, level, service, message = line.split(" ", 3)
        events.append(
            {"timestamp": f"{DAY}T{time}{offset}", "level": level, "service": service, "message": message}
        )
    scope: JsonValue = {
        "topic": "APPLICATION",
        "query": query,
        "start": f"{DAY}T10:00:00{offset}",
        "end": f"{DAY}T10:30:00{offset}",
    }
    fields: dict[str, Any] = {
        "scope": scope,
        "match_count": len(lines),
        "events": events,
        "patterns": [],
        "limitations": [],
        **payload,
    }
    status = EvidenceStatus.EVIDENCE_FOUND if fields["match_count"] else EvidenceStatus.NO_EVIDENCE
    return evidence(ref=ref, status=status, **fields)


def rows(
    *cells: Sequence[JsonValue],
    columns: Sequence[str],
    params: Sequence[JsonValue] = (),
    truncated: bool = False,
    sql: str = "",
    ref: int = 2,
) -> VerifiedEvidence:
    named: list[JsonValue] = [{"name": column, "source": None} for column in columns]
    table: list[JsonValue] = [[*row] for row in cells]
    return evidence(
        ToolName.QUERY_MYSQL,
        ref=ref,
        params=params,
        scope={"data_source": "ops", "sql": sql},
        columns=named,
        rows=table,
        truncated=truncated,
    )


def passages(*excerpts: str) -> VerifiedEvidence:
    found: list[JsonValue] = [
        {
            "doc_id": f"RB-{number}",
            "title": "Pools",
            "section": "Limits",
            "chunk_index": 0,
            "excerpt": excerpt,
        }
        for number, excerpt in enumerate(excerpts, start=1)
    ]
    return evidence(ToolName.LOOKUP_KNOWLEDGE, evidence=found, truncated=False)


def unfounded(text: str, *items: VerifiedEvidence, query: str = "") -> list[str]:
    """What of `text` is not in `items`."""
    found, _ = examine(text, corpus_of(items), scan(query))
    return [one.text for one in found]
