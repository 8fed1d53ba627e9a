"""The evidence guard: no model. Structure first, then every cited id against the canonical store.

All violations are collected, not only the first: the repairer needs them all. Structure comes from
the draft, evidence only from the store of this Run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from superbiz_cli.harness.contract.draft import AnalysisItem, Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.status import AnalysisKind, evidence_accepted_by
from superbiz_cli.harness.contract.tool_call import TOOL_CALL_ID_PATTERN
from superbiz_cli.harness.contract.violation import Violation, ViolationCode
from superbiz_cli.harness.guard.rebuild import rebuild
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, InvocationStore, StoreError
from superbiz_cli.harness.tool.port import EvidenceTool, ProjectionFailed


@dataclass(frozen=True, slots=True)
class Verified:
    """Every reference holds. `ref_of` maps a cited tool_call_id to its footnote number."""

    evidence: tuple[VerifiedEvidence, ...]
    ref_of: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Rejected:
    """At least one violation, in the order of the draft."""

    violations: tuple[Violation, ...]


NO_DRAFT = Rejected((Violation(ViolationCode.DRAFT_MISSING, "draft"),))
"""The verdict on a collection that ended without a draft, or with none that can be read."""


def verify_evidence(
    draft: Draft, *, run_id: str, store: InvocationStore, catalog: ToolCatalog
) -> Verified | Rejected:
    """Check the structure of `draft` and every tool call that it cites.

    A draft without a conclusion may have no analysis: what it lacks is then in its limitations.
    """
    check = _Check(run_id=run_id, store=store, catalog=catalog)
    check.analysis(draft)
    check.report(draft)
    if check.violations:
        return Rejected(tuple(check.violations))
    return Verified(
        evidence=tuple(check.evidence.values()),
        ref_of={call_id: item.ref for call_id, item in check.evidence.items()},
    )


@dataclass(slots=True)
class _Check:
    run_id: str
    store: InvocationStore
    catalog: ToolCatalog
    violations: list[Violation] = field(default_factory=list)
    evidence: dict[str, VerifiedEvidence] = field(default_factory=dict)
    analysis_ids: set[str] = field(default_factory=set)

    def found(self, code: ViolationCode, target: str) -> None:
        self.violations.append(Violation(code, target))

    def analysis(self, draft: Draft) -> None:
        if not draft.analysis and draft.conclusion is not None:
            self.found(ViolationCode.ANALYSIS_EMPTY, "analysis")
        for index, item in enumerate(draft.analysis or ()):
            self._item(item, f"analysis[{index}]")

    def _item(self, item: AnalysisItem, target: str) -> None:
        if _is_blank(item.analysis_id):
            self.found(ViolationCode.ANALYSIS_ID_MISSING, f"{target}.analysis_id")
        elif item.analysis_id in self.analysis_ids:
            self.found(ViolationCode.ANALYSIS_ID_DUPLICATE, f"{target}.analysis_id")
        self.analysis_ids.add(item.analysis_id or "")
        if item.kind is None:
            self.found(ViolationCode.ANALYSIS_KIND_MISSING, f"{target}.kind")
        if _is_blank(item.text):
            self.found(ViolationCode.ANALYSIS_TEXT_MISSING, f"{target}.text")
        if not item.tool_call_ids:
            self.found(ViolationCode.TOOL_CALL_IDS_MISSING, f"{target}.tool_call_ids")
        for number, call_id in enumerate(item.tool_call_ids or ()):
            self._citation(call_id, item.kind, f"{target}.tool_call_ids[{number}]")

    def _citation(self, call_id: str | None, kind: AnalysisKind | None, target: str) -> None:
        record = self._record(call_id, target)
        if record is None:
            return
        if kind is not None and record.evidence_status is not evidence_accepted_by(kind):
            self.found(ViolationCode.KIND_EVIDENCE_MISMATCH, target)
        tool = self.catalog.get(record.tool_name)
        if tool is None:
            self.found(ViolationCode.TOOL_UNSUPPORTED, target)
            return
        self._keep(record, tool, target)

    def _record(self, call_id: str | None, target: str) -> CanonicalInvocation | None:
        """Return the referencable record of `call_id` in this Run, or None with a violation noted."""
        if call_id is None or _is_blank(call_id):
            self.found(ViolationCode.TOOL_CALL_ID_BLANK, target)
            return None
        if not TOOL_CALL_ID_PATTERN.fullmatch(call_id):
            self.found(ViolationCode.TOOL_CALL_ID_INVALID, target)
            return None
        try:
            record = self.store.find(self.run_id, call_id)
        except StoreError:
            self.found(ViolationCode.INVOCATION_UNREADABLE, target)
            return None
        if record is None:
            self.found(ViolationCode.INVOCATION_NOT_FOUND, target)
        elif (record.run_id, record.tool_call_id) != (self.run_id, call_id):
            self.found(ViolationCode.INVOCATION_ID_MISMATCH, target)
        elif not record.is_referencable_by(self.run_id):
            self.found(ViolationCode.INVOCATION_NOT_REFERENCABLE, target)
        else:
            return record
        return None

    def _keep(self, record: CanonicalInvocation, tool: EvidenceTool[Any], target: str) -> None:
        if record.tool_call_id in self.evidence:
            return
        try:
            rebuilt = rebuild(record, tool, ref=len(self.evidence) + 1)
        except ProjectionFailed:
            self.found(ViolationCode.PROJECTION_INVALID, target)
            return
        self.evidence[record.tool_call_id] = rebuilt

    def report(self, draft: Draft) -> None:
        if draft.conclusion is not None:
            conclusion = draft.conclusion
            self._cited("conclusion", "text", conclusion.text, conclusion.based_on_analysis_ids)
        for index, step in enumerate(draft.action_plan):
            self._cited(f"action_plan[{index}]", "action", step.action, step.based_on_analysis_ids)
        for index, advice in enumerate(draft.recommendations):
            self._cited(f"recommendations[{index}]", "text", advice.text, advice.based_on_analysis_ids)
        if draft.limitations is None:
            self.found(ViolationCode.LIMITATIONS_MISSING, "limitations")

    def _cited(self, target: str, name: str, text: str | None, based_on: Sequence[str | None] | None) -> None:
        if _is_blank(text):
            self.found(ViolationCode.REPORT_TEXT_MISSING, f"{target}.{name}")
        if not based_on:
            self.found(ViolationCode.REPORT_REFERENCES_MISSING, f"{target}.based_on_analysis_ids")
        for number, analysis_id in enumerate(based_on or ()):
            if _is_blank(analysis_id) or analysis_id not in self.analysis_ids:
                self.found(
                    ViolationCode.REPORT_REFERENCE_UNKNOWN, f"{target}.based_on_analysis_ids[{number}]"
                )


def _is_blank(text: str | None) -> bool:
    return not (text and text.strip())
