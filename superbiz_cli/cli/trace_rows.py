"""One stored trace event as a row: a short name of what happened, and what matters of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from superbiz_cli.cli.stages import words
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.audit.replay import TimelineEntry
from superbiz_cli.harness.tool.sanitize import sanitize

_STAGE = {"SEMANTIC": "judge"}
_FIXED: Mapping[str, tuple[str, str]] = {
    TraceType.RUN_STARTED: ("started", ""),
    TraceType.RUN_FINISHED: ("finished", ""),
    TraceType.PROGRESS_RECORDED: ("progress", "dim"),
    TraceType.COLLECTION_STOPPED: ("search stopped", "yellow"),
    TraceType.SEMANTIC_UNAVAILABLE: ("not available", "red"),
    TraceType.BUDGET_EXHAUSTED: ("budget used up", "red"),
}
_ATTEMPT: Mapping[str, str] = {
    TraceType.ROUTING_ATTEMPT: "attempt",
    TraceType.SEMANTIC_ATTEMPT: "attempt",
    TraceType.EVIDENCE_REPAIR_ATTEMPT: "repair",
}
_DECISION_STYLE: Mapping[str, str] = {"SUPPORTED": "green", "SUCCESS": "green", "FALLBACK": "yellow"}
_NOT_SHOWN = frozenset(
    {
        "tool_invocation_id",
        "model_call_id",
        "agent_step_id",
        "branch",
        "reply_bytes",
        "tool_calls",
        "run_state",
        "status",
        "consecutive_no_gain",
        "consecutive_violations",
        "consecutive_failures",
    }
)


@dataclass(frozen=True, slots=True)
class TraceRow:
    """`offset` is the time since the Run began; `style` marks what went well or badly."""

    offset: str
    stage: str
    label: str
    text: str
    style: str = ""


def row_of(entry: TimelineEntry) -> TraceRow:
    """Return the row of one event, also of one that this version does not know."""
    values: dict[str, object] = dict(entry.attributes)
    label, style = _label(entry.type, values)
    return TraceRow(
        offset=f"+{entry.at_ms / 1000:.1f}",
        stage=_STAGE.get(entry.stage, words(entry.stage)),
        label=sanitize(label or words(entry.type)),
        text=sanitize(_text(entry.type, values)),
        style=style,
    )


def _label(kind: str, values: dict[str, object]) -> tuple[str, str]:
    """Return what happened and its style; the values that it names are taken out of `values`."""
    if kind in _FIXED:
        return _FIXED[kind]
    failed = "red" if values.get("failure") or values.get("error_code") else ""
    match kind:
        case TraceType.ROUTING_DECISION:
            return words(str(values.pop("intent", ""))), ""
        case TraceType.AGENT_MODEL_STEP:
            return f"step {values.pop('step_no', '')}", failed
        case TraceType.TOOL_INVOCATION:
            return str(values.pop("tool", "")), failed
        case TraceType.TOOL_REQUEST_REJECTED:
            return f"{values.pop('tool', None) or 'request'} refused", "red"
        case TraceType.EVIDENCE_GUARD_INITIAL | TraceType.EVIDENCE_GUARD_RECHECK:
            again = " again" if kind == TraceType.EVIDENCE_GUARD_RECHECK else ""
            return (f"violated{again}", "red") if values.get("violations") else (f"verified{again}", "green")
        case TraceType.SEMANTIC_GUARD_DECISION | TraceType.RELEASE_DECISION:
            decided = str(values.pop("verdict", None) or values.pop("outcome", ""))
            return decided, _DECISION_STYLE.get(decided, "red")
        case _ if kind in _ATTEMPT:
            return f"{_ATTEMPT[kind]} {values.pop('attempt', '')}".strip(), failed
        case _:
            return words(kind), ""


def _text(kind: str, values: Mapping[str, object]) -> str:
    left = {key: value for key, value in values.items() if value not in (None, "", False)}
    parts: list[str] = []
    if kind == TraceType.RUN_STARTED:
        parts += _started(left)
    for key, value in sorted(left.items(), key=lambda item: not _is_code(item[1])):
        if key in _NOT_SHOWN or key.endswith("_sha256"):
            continue
        parts.append(_value(key, value))
    return " · ".join(part for part in parts if part)


def _is_code(value: object) -> bool:
    return isinstance(value, str) and value.isupper()


def _started(values: dict[str, object]) -> list[str]:
    shown = []
    if "deadline_s" in values:
        shown.append(f"deadline {_plain(values.pop('deadline_s'))} s")
    model, tools = values.pop("max_model_calls", None), values.pop("max_tool_calls", None)
    if model is not None and tools is not None:
        shown.append(f"budget {model} model calls, {tools} tool calls")
    if (tokens := values.pop("max_total_tokens", None)) is not None:
        shown.append(f"{_plain(tokens)} tokens")
    for key in ("model", "guard_model", "skills"):
        if key in values:
            shown.append(f"{words(key)} {values.pop(key)}")
    return shown


def _value(key: str, value: object) -> str:
    match key, value:
        case "duration_ms", int():
            return f"{value / 1000:.1f} s"
        case "input_tokens", int():
            return f"{value:,} in"
        case "output_tokens", int():
            return f"{value:,} out"
        case (_, bool()):
            return words(key)
        case _ if key.endswith("_bytes"):
            return f"{words(key.removesuffix('_bytes'))} {_plain(value)} B"
        case ("scope" | "tool_call_id" | "codes" | "tool", _):
            return str(value)
        case _ if _is_code(value):
            return words(str(value))
        case _:
            return f"{words(key)} {_plain(value)}"


def _plain(value: object) -> str:
    match value:
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
        case _:
            return str(value)
