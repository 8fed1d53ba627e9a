"""The repairer: mends ids and references by matching each text to the results that may be cited.

Only analysis_id, tool_call_ids and based_on_analysis_ids change. What no result shows stays broken:
a refused draft is better than a false reference.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbiz_cli.adapters.offline.judge import unsupported_literal
from superbiz_cli.adapters.offline.words import shared_share
from superbiz_cli.harness.contract.strict import JsonValue

_STATUS_FOR = {"NORMAL": "EVIDENCE_FOUND", "NEGATIVE_OBSERVATION": "NO_EVIDENCE"}
_MIN_SHARED = 0.3


@dataclass(frozen=True, slots=True)
class _Citable:
    id: str
    status: str
    text: str


def repair_draft(task: Mapping[str, JsonValue]) -> JsonValue:
    """Answer a repair task: the whole draft, with nothing changed but its references."""
    draft = copy.deepcopy(task.get("draft"))
    if not isinstance(draft, dict):
        return draft
    available = _available(task.get("available"))
    items = _objects(draft.get("analysis"))
    for item in items:
        _recite(item, available)
    _renumber(items)
    known = {str(item.get("analysis_id")): str(item.get("text") or "") for item in items}
    conclusion = draft.get("conclusion")
    texts = [(conclusion, "text")] if isinstance(conclusion, dict) else []
    texts += [(action, "action") for action in _objects(draft.get("action_plan"))]
    texts += [(advice, "text") for advice in _objects(draft.get("recommendations"))]
    for holder, key in texts:
        _rebase(holder, str(holder.get(key) or ""), known)
    return draft


def _recite(item: dict[str, JsonValue], available: Sequence[_Citable]) -> None:
    """Keep the valid ids of an item; add the best fitting result if none is valid or a literal is missing."""
    status = _STATUS_FOR.get(str(item.get("kind")))
    fitting = [one for one in available if status is None or one.status == status]
    given = item.get("tool_call_ids")
    kept = [one for one in fitting if isinstance(given, list) and one.id in given]
    text = str(item.get("text") or "")
    held = "\n".join(one.text for one in kept)
    if kept and unsupported_literal(text, held) is None:
        item["tool_call_ids"] = [one.id for one in kept]
        return
    best = _best(text, [one for one in fitting if one not in kept])
    if best is not None:
        item["tool_call_ids"] = [*(one.id for one in kept), best.id]
    elif kept:
        item["tool_call_ids"] = [one.id for one in kept]


def _best(text: str, candidates: Sequence[_Citable]) -> _Citable | None:
    """Return the result that shares most words with `text`, if it shares enough and lacks no literal."""
    sound = [one for one in candidates if unsupported_literal(text, one.text) is None]
    ranked = sorted(sound, key=lambda one: -shared_share(text, one.text))
    if not ranked or shared_share(text, ranked[0].text) < _MIN_SHARED:
        return None
    return ranked[0]


def _renumber(items: Sequence[dict[str, JsonValue]]) -> None:
    """Give an id to every item that has none, a blank one or one that was used before."""
    taken: set[str] = set()
    for item in items:
        identifier = item.get("analysis_id")
        if isinstance(identifier, str) and identifier.strip() and identifier not in taken:
            taken.add(identifier)
        else:
            item["analysis_id"] = None
    number = 0
    for item in items:
        while item["analysis_id"] is None:
            number += 1
            if f"a{number}" not in taken:
                item["analysis_id"] = f"a{number}"
                taken.add(f"a{number}")


def _rebase(holder: dict[str, JsonValue], text: str, known: Mapping[str, str]) -> None:
    """Keep the references that exist; if none does, take the item that shares most words with `text`."""
    given = holder.get("based_on_analysis_ids")
    named = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
    kept = [one for one in dict.fromkeys(named) if one in known]
    if not kept and known:
        best = max(known, key=lambda one: shared_share(text, known[one]))
        kept = [best] if shared_share(text, known[best]) > 0 else []
    if kept:
        holder["based_on_analysis_ids"] = list(kept)


def _available(value: JsonValue) -> list[_Citable]:
    return [
        _Citable(
            id=str(item.get("tool_call_id", "")),
            status=str(item.get("evidence_status", "")),
            text="\n".join(str(item.get(key, "")) for key in ("summary", "scope", "tool_name")),
        )
        for item in _objects(value)
    ]


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
