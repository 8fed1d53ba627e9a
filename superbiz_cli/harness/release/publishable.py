"""The draft as the reader would see it, and the report made from it.

Claims are checked and the judge is asked on this form, never on the model's raw text: what was
judged is what is published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superbiz_cli.harness.contract.draft import AnalysisItem, Conclusion, Draft, Limitations, Recommendation
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.report import (
    CitedText,
    EvidenceRef,
    Judgement,
    Report,
    ReportedAction,
    ReportedAnalysis,
    ReportedLimitations,
)
from superbiz_cli.harness.contract.status import AnalysisKind
from superbiz_cli.harness.guard.draft_view import refs_of
from superbiz_cli.harness.guard.evidence import Verified
from superbiz_cli.harness.release.actions import steps_and_advice
from superbiz_cli.harness.release.coverage import coverage
from superbiz_cli.harness.release.quoting import quote_for
from superbiz_cli.harness.release.wording import Language
from superbiz_cli.harness.tool.sanitize import sanitize


def publishable(
    draft: Draft, evidence: Sequence[VerifiedEvidence], language: Language, *, notes: Sequence[str] = ()
) -> Draft:
    """Return `draft` with clean texts, confirmations where they are due, and our own caveats.

    `notes` are sentences on the window of the question; they come first among the caveats.
    """
    steps, advice = steps_and_advice(draft.action_plan, draft.recommendations)
    limitations = draft.limitations or Limitations()
    return Draft(
        analysis=tuple(_clean_item(item) for item in draft.analysis or ()),
        conclusion=draft.conclusion and _clean_conclusion(draft.conclusion),
        action_plan=tuple(step.model_copy(update={"action": clean(step.action or "")}) for step in steps),
        recommendations=tuple(_clean_advice(item) for item in advice),
        limitations=Limitations(
            checked_scope=clean(limitations.checked_scope),
            missing_info=tuple(map(clean, limitations.missing_info)),
            caveats=_distinct(
                *map(clean, notes),
                *map(clean, limitations.caveats),
                *coverage(evidence, language, stated=limitations.checked_scope),
            ),
        ),
    )


def clean(text: str) -> str:
    """Return `text` on one line without control, direction or invisible characters."""
    return sanitize(" ".join(text.split()))


def report_of(
    draft: Draft,
    verified: Verified,
    *,
    reason: str,
    skills: Sequence[str] = (),
    similar_cases: Sequence[str] = (),
) -> Report:
    """Return the report of a publishable `draft` that the judge found supported for `reason`."""
    refs_by_item = {
        item.analysis_id: refs_of(item.tool_call_ids, verified.ref_of) for item in draft.analysis or ()
    }

    def refs(based_on: Iterable[str | None] | None) -> tuple[int, ...]:
        cited = (ref for analysis_id in based_on or () for ref in refs_by_item.get(analysis_id, ()))
        return tuple(dict.fromkeys(cited))

    conclusion = draft.conclusion or Conclusion()
    limitations = draft.limitations or Limitations()
    total = len(verified.evidence)
    return Report(
        conclusion=CitedText(text=conclusion.text or "", refs=refs(conclusion.based_on_analysis_ids)),
        analysis=tuple(
            ReportedAnalysis(
                kind=item.kind or AnalysisKind.NORMAL,
                text=item.text or "",
                refs=refs_by_item[item.analysis_id],
            )
            for item in draft.analysis or ()
        ),
        action_plan=tuple(
            ReportedAction(
                action=step.action or "",
                requires_human_confirmation=step.requires_human_confirmation,
                refs=refs(step.based_on_analysis_ids),
            )
            for step in draft.action_plan
        ),
        recommendations=tuple(
            CitedText(text=advice.text or "", refs=refs(advice.based_on_analysis_ids))
            for advice in draft.recommendations
        ),
        limitations=ReportedLimitations(
            checked_scope=limitations.checked_scope,
            missing_info=limitations.missing_info,
            caveats=limitations.caveats,
        ),
        judgement=Judgement(
            references_verified=total, references_total=total, verdict="SUPPORTED", reason=clean(reason)
        ),
        skills=tuple(skills),
        similar_cases=tuple(similar_cases),
    )


def footnotes_of(evidence: Sequence[VerifiedEvidence], report: Report) -> tuple[EvidenceRef, ...]:
    """Return the published footnotes of verified evidence, each with a quote for what cites it."""
    statements = [
        *((item.text, item.refs) for item in report.analysis),
        (report.conclusion.text, report.conclusion.refs),
    ]
    return tuple(
        EvidenceRef(
            ref=item.ref,
            tool_call_id=item.tool_call_id,
            tool_name=item.tool_name,
            source_type=item.source_type,
            source=item.source,
            scope=item.scope,
            excerpt=quote_for([text for text, refs in statements if item.ref in refs], item),
        )
        for item in evidence
    )


def _distinct(*lines: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))


def _clean_item(item: AnalysisItem) -> AnalysisItem:
    return item.model_copy(update={"text": clean(item.text or "")})


def _clean_conclusion(conclusion: Conclusion) -> Conclusion:
    return conclusion.model_copy(update={"text": clean(conclusion.text or "")})


def _clean_advice(advice: Recommendation) -> Recommendation:
    return advice.model_copy(update={"text": clean(advice.text or "")})
