"""What the judge sees: the draft as the reader would see it, and the verified evidence.

No internal id is in it. Evidence is numbered by footnote, analysis items by position from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.strict import JsonValue

_INTERNAL = frozenset({"tool_call_id", "returned_count"})


def draft_view(draft: Draft, ref_of: Mapping[str, int]) -> dict[str, JsonValue]:
    """Return the verified `draft` with its ids replaced by footnotes and item numbers."""
    items = draft.analysis or ()
    number_of = {item.analysis_id: number for number, item in enumerate(items, start=1)}

    def numbers(based_on: Sequence[str | None] | None) -> list[JsonValue]:
        return [*dict.fromkeys(number_of[id_] for id_ in based_on or () if id_ in number_of)]

    conclusion, limitations = draft.conclusion, draft.limitations
    return {
        "analysis": [
            {"kind": str(item.kind), "text": item.text, "evidence": [*refs_of(item.tool_call_ids, ref_of)]}
            for item in items
        ],
        "conclusion": {"text": conclusion.text, "analysis": numbers(conclusion.based_on_analysis_ids)}
        if conclusion
        else None,
        "action_plan": [
            {
                "action": step.action,
                "requires_human_confirmation": step.requires_human_confirmation,
                "analysis": numbers(step.based_on_analysis_ids),
            }
            for step in draft.action_plan
        ],
        "recommendations": [
            {"text": advice.text, "analysis": numbers(advice.based_on_analysis_ids)}
            for advice in draft.recommendations
        ],
        "limitations": {
            "checked_scope": limitations.checked_scope,
            "missing_info": [*limitations.missing_info],
            "caveats": [*limitations.caveats],
        }
        if limitations
        else None,
    }


def evidence_view(evidence: Sequence[VerifiedEvidence], *, max_events: int | None = None) -> list[JsonValue]:
    """Return each verified result under its footnote, without internal ids.

    Bound SQL parameters are part of what a row proves ("for payment-service"), so they are shown.
    `max_events` shortens the sampled events of each result, which is then marked as truncated.
    """
    return [_shown(item, max_events) for item in evidence]


def refs_of(call_ids: Sequence[str | None] | None, ref_of: Mapping[str, int]) -> tuple[int, ...]:
    """Return the footnotes of cited tool calls, each once, in order of citation."""
    return tuple(dict.fromkeys(ref_of[id_] for id_ in call_ids or () if id_ and id_ in ref_of))


def _shown(item: VerifiedEvidence, max_events: int | None) -> dict[str, JsonValue]:
    content = {key: value for key, value in item.payload.items() if key not in _INTERNAL}
    events = content.get("events")
    if max_events is not None and isinstance(events, list) and len(events) > max_events:
        content |= {"events": events[:max_events], "truncated": True}
    shown: dict[str, JsonValue] = {
        "ref": item.ref,
        "source_type": item.source_type.value,
        "source": item.source,
        "scope": item.scope,
        "evidence_status": item.evidence_status.value,
        "content": content,
    }
    if item.request.get("params"):
        shown["params"] = item.request["params"]
    return shown
