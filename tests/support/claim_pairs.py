"""Pairs of a claim and the evidence that it cites, put through the real log tool and the claim check.

A pair is one JSON object a line: {id, lang, claim, conclusion, label, kind, ...} and either
`log_lines` with the `query` that selects from them, or a ready `payload` of `tool` with its `params`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.harness.contract.draft import AnalysisItem, Conclusion, Draft
from superbiz_cli.harness.contract.evidence import IncidentWindow, VerifiedEvidence
from superbiz_cli.harness.contract.status import AnalysisKind, EvidenceStatus
from superbiz_cli.harness.contract.tool_call import SOURCE_TYPE_OF, ToolName
from superbiz_cli.harness.contract.violation import Violation
from superbiz_cli.harness.guard.claims import check_claims
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.port import CallContext
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.guarding import a_run

CALL_ID = "ev-1"
WINDOW_END = datetime(2026, 11, 29, 10, 14, tzinfo=UTC)
WINDOW_MINUTES = 14


@dataclass(frozen=True)
class Score:
    """How many pairs were judged wrongly, by label."""

    supported: int
    refused: tuple[str, ...]
    fabricated: int
    accepted: tuple[str, ...]

    @property
    def refused_share(self) -> float:
        return len(self.refused) / max(1, self.supported)

    @property
    def accepted_share(self) -> float:
        return len(self.accepted) / max(1, self.fabricated)


def read_pairs(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score(pairs: Sequence[Mapping[str, Any]], folder: Path) -> Score:
    """Judge every pair; `folder` is an empty directory for the logs."""
    refused, accepted = [], []
    for pair in pairs:
        violations = judge(pair, folder)
        if pair["label"] == "supported" and violations:
            refused.append(f"{pair['id']} {pair['kind']}: {pair['claim']}")
        if pair["label"] == "fabricated" and not violations:
            accepted.append(f"{pair['id']} {pair['kind']}: {pair['claim']}")
    supported = sum(pair["label"] == "supported" for pair in pairs)
    return Score(supported, tuple(refused), len(pairs) - supported, tuple(accepted))


def score_altered(pairs: Sequence[Mapping[str, Any]], folder: Path) -> Score:
    """Judge every supported claim again with one of its digits altered, once for each digit.

    An altered claim counts as fabricated. A few are true all the same, or true enough: a last digit behind
    "about", an hour that both zones have, a digit of a name that the check leaves to the judge.
    """
    altered, accepted = 0, []
    for pair in pairs:
        if pair["label"] != "supported":
            continue
        evidence = evidence_of(pair, folder)
        for digit in re.finditer("[0-9]", pair["claim"]):
            other = str((int(digit.group()) + 1 + digit.start() % 9) % 10)
            claim = pair["claim"][: digit.start()] + other + pair["claim"][digit.end() :]
            altered += 1
            if not judge_over(evidence, {**pair, "claim": claim}):
                accepted.append(f"{pair['id']} {pair['kind']}: {claim}")
    return Score(0, (), altered, tuple(accepted))


def judge(pair: Mapping[str, Any], folder: Path) -> tuple[Violation, ...]:
    """Return the violations of the draft that states the pair's claim over its evidence."""
    return judge_over(evidence_of(pair, folder), pair)


def judge_over(evidence: VerifiedEvidence, pair: Mapping[str, Any]) -> tuple[Violation, ...]:
    """Return the violations of the draft that states the pair's claim over this evidence."""
    kind = (
        AnalysisKind.NORMAL
        if evidence.evidence_status is EvidenceStatus.EVIDENCE_FOUND
        else AnalysisKind.NEGATIVE_OBSERVATION
    )
    draft = Draft(
        analysis=(AnalysisItem(analysis_id="a1", kind=kind, text=pair["claim"], tool_call_ids=(CALL_ID,)),),
        conclusion=Conclusion(text=pair["conclusion"], based_on_analysis_ids=("a1",)),
    )
    return check_claims(draft, [evidence], {CALL_ID: 1}, query=pair.get("question", ""))


def evidence_of(pair: Mapping[str, Any], folder: Path) -> VerifiedEvidence:
    """Return the pair's evidence as the tool would have written it."""
    if "payload" in pair:
        return _evidence(ToolName(pair["tool"]), pair["payload"], {"params": pair.get("params", [])})
    path = folder / "app.log"
    path.write_text("\n".join(pair["log_lines"]) + "\n", encoding="utf-8")
    source = LogSource(name="app", topic=LogTopic.APPLICATION, kind=LogSourceKind.FILES, paths=(str(path),))
    tool = LogTool(ConfiguredLogs([source]), redactor=Redactor())
    incident = IncidentWindow(until=WINDOW_END, timezone=pair.get("timezone", "UTC"))
    request = tool.parse(
        {"topic": "APPLICATION", "query": pair["query"], "lookback_minutes": WINDOW_MINUTES},
        incident=incident,
    )
    raw = tool.fetch(request, CallContext(run=a_run(), incident=incident))
    projection = tool.project(request, raw, tool_call_id=CALL_ID)
    read = tool.read(projection.agent_result, tool_call_id=CALL_ID)
    return _evidence(ToolName.QUERY_LOGS, read.payload, {}, source=read.source)


def _evidence(
    tool: ToolName, payload: Mapping[str, Any], request: Mapping[str, Any], *, source: str = "source"
) -> VerifiedEvidence:
    return VerifiedEvidence(
        ref=1,
        tool_call_id=CALL_ID,
        tool_name=tool,
        source_type=SOURCE_TYPE_OF[tool],
        evidence_status=EvidenceStatus(payload["evidence_status"]),
        source=source,
        scope="",
        summary="",
        excerpt="",
        payload=payload,
        request=request,
    )
