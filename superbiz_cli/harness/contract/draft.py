"""The agent's final structured answer: unproven until the release layer has decided.

The parser refuses only what is not this shape at all. What the evidence guard has a violation code
for (a missing text, id, kind or reference list) is optional here, so that all faults are collected.
"""

from __future__ import annotations

from superbiz_cli.harness.contract.status import AnalysisKind
from superbiz_cli.harness.contract.strict import StrictModel


class AnalysisItem(StrictModel):
    """One thing that was seen, or not found, with the tool calls that show it."""

    analysis_id: str | None = None
    kind: AnalysisKind | None = None
    text: str | None = None
    tool_call_ids: tuple[str | None, ...] | None = None


class Conclusion(StrictModel):
    """The root cause, and the analysis items that it rests on."""

    text: str | None = None
    based_on_analysis_ids: tuple[str | None, ...] | None = None


class Action(StrictModel):
    """One step of the action plan."""

    action: str | None = None
    requires_human_confirmation: bool = True
    based_on_analysis_ids: tuple[str | None, ...] | None = None


class Recommendation(StrictModel):
    """Advice that is not a step to take now."""

    text: str | None = None
    based_on_analysis_ids: tuple[str | None, ...] | None = None


class Limitations(StrictModel):
    """What was checked, what is missing and what else the reader must know."""

    checked_scope: str = ""
    missing_info: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()


class Draft(StrictModel):
    """The whole draft. A null conclusion means that no cause could be proven."""

    analysis: tuple[AnalysisItem, ...] | None = None
    conclusion: Conclusion | None = None
    action_plan: tuple[Action, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    limitations: Limitations | None = None
