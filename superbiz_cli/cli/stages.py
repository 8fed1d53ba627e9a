"""What one trace event says to a person: the one wording for live view, plain progress and timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.harness.audit.events import RecordedEvent, Scalar, TraceType

_TOOL_NAMES = {"lookup_knowledge": "knowledge", "query_logs": "logs", "query_mysql": "mysql"}
_STATUS_TEXT = {
    TraceType.RUN_STARTED: "finding out what is wanted",
    TraceType.ROUTING_DECISION: "thinking",
    TraceType.AGENT_MODEL_STEP: "working",
    TraceType.TOOL_INVOCATION: "thinking",
    TraceType.TOOL_REQUEST_REJECTED: "thinking",
    TraceType.COLLECTION_STOPPED: "writing up what was found",
    TraceType.EVIDENCE_GUARD_INITIAL: "checking the draft",
    TraceType.SEMANTIC_ATTEMPT: "judging the draft",
}


class Mark(StrEnum):
    """How a step went."""

    GOOD = "✓"
    BAD = "✗"
    PLAIN = "·"


@dataclass(frozen=True, slots=True)
class Step:
    """One finished step: `seconds` is None where no time was taken for it."""

    mark: Mark
    stage: str
    text: str
    outcome: str = ""
    seconds: float | None = None


def words(code: str) -> str:
    """Return a code in words: "insufficient evidence" for INSUFFICIENT_EVIDENCE."""
    return code.replace("_", " ").lower()


def doing(recorded: RecordedEvent) -> str | None:
    """Return what the Run does after this event, or None if that did not change."""
    return _STATUS_TEXT.get(recorded.event.type)


def step_of(recorded: RecordedEvent, *, since_ms: int) -> Step | None:
    """Return the step that this event ended, or None for events that are no step of their own.

    `since_ms` is when the step before ended, in milliseconds since the Run began.
    """
    event = recorded.event
    attributes = event.attributes
    seconds = max(0, recorded.at_ms - since_ms) / 1000
    match event.type:
        case TraceType.RUN_STARTED:
            return _guided_step(attributes)
        case TraceType.ROUTING_DECISION:
            return Step(Mark.GOOD, "intent", words(_text(attributes.get("intent"))), "", seconds)
        case TraceType.TOOL_INVOCATION:
            return _tool_step(recorded)
        case TraceType.TOOL_REQUEST_REJECTED:
            reason = attributes.get("reason") or attributes.get("error_code")
            return Step(Mark.BAD, _tool_name(attributes.get("tool")), f"not run: {words(_text(reason))}")
        case TraceType.COLLECTION_STOPPED:
            return Step(Mark.PLAIN, "search", f"stopped: {words(_text(attributes.get('reason')))}")
        case TraceType.EVIDENCE_GUARD_INITIAL | TraceType.EVIDENCE_GUARD_RECHECK:
            return _evidence_step(recorded, seconds)
        case TraceType.EVIDENCE_REPAIR_ATTEMPT:
            failed = attributes.get("failure") or attributes.get("refused")
            outcome = words(_text(failed)) if failed else ""
            return Step(Mark.BAD if failed else Mark.PLAIN, "repair", "references", outcome, seconds)
        case TraceType.SEMANTIC_GUARD_DECISION:
            verdict = _text(attributes.get("verdict"))
            return Step(
                Mark.GOOD if verdict == "SUPPORTED" else Mark.BAD, "judge", words(verdict), "", seconds
            )
        case TraceType.SEMANTIC_UNAVAILABLE:
            failure = words(_text(attributes.get("failure")))
            return Step(Mark.BAD, "judge", f"not available: {failure}", "", seconds)
        case TraceType.BUDGET_EXHAUSTED:
            return Step(Mark.BAD, "budget", f"used up: {words(_text(attributes.get('kind')))}")
        case _:
            return None


def _guided_step(attributes: Mapping[str, Scalar]) -> Step | None:
    """Return what guides the Run beside the question: skills, memory, earlier cases."""
    skills, cases = _text(attributes.get("skills")), _text(attributes.get("similar_cases"))
    remembered = [f"similar to {cases.replace(',', ', ')}"] if cases else []
    if attributes.get("previous_turn"):
        remembered.append("knows the last diagnosis")
    if not skills and not remembered:
        return None
    return Step(Mark.PLAIN, "skill", skills.replace(",", ", ") or "none", " · ".join(remembered))


def _tool_step(recorded: RecordedEvent) -> Step:
    attributes, display = recorded.event.attributes, recorded.event.display
    stage = _tool_name(attributes.get("tool"))
    scope = _text(display.get("scope") or attributes.get("scope"))
    duration_ms = attributes.get("duration_ms")
    seconds = duration_ms / 1000 if isinstance(duration_ms, int | float) else None
    if attributes.get("error_code"):
        return Step(Mark.BAD, stage, scope, words(_text(attributes.get("error_code"))), seconds)
    if attributes.get("evidence_status") == "NO_EVIDENCE":
        return Step(Mark.PLAIN, stage, scope, "nothing found", seconds)
    count, relevance = display.get("count"), display.get("relevance")
    found = [f"{count} found" if count is not None else "found"]
    if relevance:
        found.append(words(_text(relevance)))
    if display.get("truncated"):
        found.append("shortened")
    return Step(Mark.GOOD, stage, scope, " · ".join(found), seconds)


def _evidence_step(recorded: RecordedEvent, seconds: float) -> Step:
    attributes = recorded.event.attributes
    violations = attributes.get("violations") or 0
    if violations:
        plural = "" if violations == 1 else "s"
        return Step(Mark.BAD, "evidence", f"{violations} violation{plural}", "", seconds)
    references = attributes.get("references") or 0
    plural = "" if references == 1 else "s"
    return Step(Mark.GOOD, "evidence", f"{references} reference{plural} of the draft verified", "", seconds)


def _tool_name(value: object) -> str:
    return _TOOL_NAMES.get(str(value), "tool")


def _text(value: object) -> str:
    return "" if value is None else str(value)
