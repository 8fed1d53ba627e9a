"""Observations: everything that the model reads from the harness after its first message.

Each is one canonical JSON object, so that text of a log, a row or a document can only ever be the
content of a string in it, never a field beside `tool_call_id` or `stop_required`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.contract.limits import utf8_size
from superbiz_cli.harness.contract.status import EvidenceStatus, InformationGain, StopReason
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json, parse_strict_object
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolFailed, ToolName, ToolReady
from superbiz_cli.harness.progress.protocol import ViolationType
from superbiz_cli.harness.tool.bounds import clip

STOP_INSTRUCTION: Final[Mapping[StopReason, str]] = {
    StopReason.INFORMATION_SATURATED: (
        "The last searches brought nothing new, so the search is over. No tool call will be answered"
        " any more. Write the draft now from the results above; name what is missing in limitations."
    ),
    StopReason.PROGRESS_PROTOCOL_VIOLATED: (
        "Two tool calls in a row broke the tool protocol, so the search is over. No tool call will be"
        " answered any more. Write the draft now from the results above; name what is missing in"
        " limitations."
    ),
    StopReason.BUDGET_LIMIT_REACHED: "The budget is used up. Write the draft now from the results above.",
}
DUPLICATE_ANSWERED: Final = (
    "This search has been answered before: see the observation named by same_as. It was not run again"
    " and counts as NO_GAIN. Change the topic, the service or the window, or write the draft."
)
DUPLICATE_FAILED: Final = (
    "This call failed before and was not run again; it counts as NO_GAIN. Ask something else, or write"
    " the draft."
)
REJECTED_AGAIN: Final = (
    "This input was rejected before and is still not accepted; it counts as NO_GAIN. Change the input"
    " as the tool's description demands, use another tool, or write the draft."
)
REJECTED_INPUT: Final = (
    "The tool does not accept this input, so nothing was run. Correct it as the tool's description"
    " demands. No rating is due for it."
)
FAILED_CALL: Final = (
    "The call failed and is no evidence. No rating is due for it. The same call will not be run again."
)
NOT_RUN_EXTRA: Final = (
    "Not run: one call per turn. Only the first call of a turn is answered; send this one alone in the"
    " next turn if it is still needed."
)
REPAIR_INSTRUCTION: Final[Mapping[ViolationType, str]] = {
    ViolationType.UNEXPECTED_PREVIOUS_OBSERVATION: (
        "Not run: no result waits for a rating. Send the call again with previous_observation null."
    ),
    ViolationType.MISSING_PREVIOUS_OBSERVATION: (
        "Not run: a rating is missing. Send the call again and rate the result"
        " expected_previous_tool_call_id in previous_observation."
    ),
    ViolationType.OUT_OF_ORDER_PREVIOUS_OBSERVATION: (
        "Not run: the rating names another call. Send the call again and rate exactly"
        " expected_previous_tool_call_id in previous_observation."
    ),
    ViolationType.MISSING_INPUT: (
        "Not run: the tool's own arguments are missing. Send the call again with them in input."
    ),
    ViolationType.INVALID_ENVELOPE: (
        "Not run: the arguments are not valid. Send the call again with exactly one JSON object that has"
        ' the two keys of {"previous_observation": null or {"tool_call_id", "information_gain"},'
        ' "input": {...}}, without control characters and without any text around it.'
    ),
    ViolationType.UNKNOWN_TOOL: (
        "Not run: there is no tool of this name. Use a name of available_tools exactly as written."
    ),
}
REPAIR_NULL_KEY: Final = (
    "Not run: the key previous_observation is required. Send the call again with previous_observation"
    " null, because no result waits for a rating."
)
DRAFT_REPAIR_INSTRUCTION: Final[Mapping[DraftFault, str]] = {
    DraftFault.EMPTY_DRAFT: (
        "Your last message holds no draft. Write the whole draft as one JSON object; if nothing could be"
        " proven, with conclusion null and what is missing in limitations."
    ),
    DraftFault.INVALID_JSON: (
        "Your last message is not exactly one JSON document within the size limit. Write the whole draft"
        " again as one complete JSON object, with no text before or after it."
    ),
    DraftFault.SCHEMA_INVALID: (
        "Your last message does not have the draft's shape; the first fault is at path. Write the whole"
        " draft again with exactly the documented fields and enum values."
    ),
}
SHORTENED: Final = (
    "An earlier result, repeated in part to save tokens. All that you read of it still counts, and its id may"
    " still be cited."
)
FRAME_TEXTS: Final = (
    SHORTENED,
    *STOP_INSTRUCTION.values(),
    *REPAIR_INSTRUCTION.values(),
    *DRAFT_REPAIR_INSTRUCTION.values(),
    DUPLICATE_ANSWERED,
    DUPLICATE_FAILED,
    REJECTED_AGAIN,
    REJECTED_INPUT,
    FAILED_CALL,
    NOT_RUN_EXTRA,
    REPAIR_NULL_KEY,
)
"""Every sentence that an observation says to the model, beside its data."""
KEPT_ITEMS: Final = 4
KEPT_CHARS: Final = 400
MIN_SHORTENED_BYTES: Final = 3_000
_HIDDEN_FIELDS = frozenset({"tool_call_id", "returned_count"})


def result(ready: ToolReady, *, stop: StopReason | None) -> str:
    """Return the observation of a call that came back. Only a non-empty result is to be rated."""
    agent_result = parse_strict_object(ready.agent_result)
    control = ready.control
    fields: dict[str, JsonValue] = {
        "observation": "RESULT",
        "tool_call_id": ready.tool_call_id,
        "tool": ready.tool_name.value,
        "evidence_status": control.evidence_status.value,
        "truncated": control.truncated,
        "rating_required": control.evidence_status is EvidenceStatus.EVIDENCE_FOUND,
        "result": {key: value for key, value in agent_result.items() if key not in _HIDDEN_FIELDS},
    }
    if control.relevance_level is not None:
        fields["relevance_level"] = control.relevance_level.value
    return _closed(fields, stop)


def failure(failed: ToolFailed, *, stop: StopReason | None) -> str:
    """Return the observation of a call that failed at the fact boundary."""
    fields = _error(failed.tool_call_id, failed.tool_name, failed.code, failed.category)
    return _closed(fields, stop, FAILED_CALL)


def rejection(tool: ToolName, category: str, *, is_repeated: bool, stop: StopReason | None) -> str:
    """Return the observation of an input that the tool's parser rejected: it has no id to cite."""
    fields = _error(None, tool, ToolErrorCode.INVALID_REQUEST, category)
    return _closed(fields, stop, REJECTED_AGAIN if is_repeated else REJECTED_INPUT)


def duplicate(same_as: str | None, *, has_failed: bool, stop: StopReason | None) -> str:
    """Return the observation of a request whose scope was asked before, as call `same_as`."""
    fields: dict[str, JsonValue] = {"observation": "DUPLICATE", "tool_call_id": None, "same_as": same_as}
    return _closed(fields, stop, DUPLICATE_FAILED if has_failed else DUPLICATE_ANSWERED)


def repair(
    violation: ViolationType,
    *,
    expected_id: str | None,
    missing_field: str | None,
    available_tools: Sequence[ToolName],
    stop: StopReason | None,
) -> str:
    """Return the observation of a request that broke the protocol: what is wrong and how to repeat it."""
    fields: dict[str, JsonValue] = {
        "observation": "REPAIR",
        "tool_call_id": None,
        "repair_required": stop is None,
        "violation_type": violation.value,
        "expected_previous_tool_call_id": expected_id,
        "allowed_information_gain": [gain.value for gain in InformationGain],
    }
    if missing_field is not None:
        fields["missing_field"] = missing_field
    if violation is ViolationType.UNKNOWN_TOOL:
        fields["available_tools"] = [tool.value for tool in available_tools]
    if violation is ViolationType.MISSING_PREVIOUS_OBSERVATION and expected_id is None:
        return _closed(fields, stop, REPAIR_NULL_KEY)
    return _closed(fields, stop, REPAIR_INSTRUCTION[violation])


def not_run(*, stop: StopReason | None = None) -> str:
    """Return the observation of a call that was not looked at: not the first one, or just too late."""
    fields: dict[str, JsonValue] = {"observation": "NOT_RUN", "tool_call_id": None}
    return _closed(fields, stop, NOT_RUN_EXTRA)


def draft_repair(fault: DraftFault, path: str | None) -> str:
    """Return the message that answers an invalid draft, once in a collection."""
    fields: dict[str, JsonValue] = {
        "observation": "DRAFT_INVALID",
        "repair_required": True,
        "fault": fault.value,
        "instruction": DRAFT_REPAIR_INSTRUCTION[fault],
    }
    if path is not None:
        fields["path"] = path
    return canonical_json(fields)


def shortened(text: str) -> str:
    """Return the observation `text` with at most 4 items of each list and 400 characters of each text.

    One that is small, or that holds no result, stays as it is.
    """
    if utf8_size(text) < MIN_SHORTENED_BYTES:
        return text
    fields = parse_strict_object(text)
    if "result" not in fields:
        return text
    fields |= {"result": _cut(fields["result"]), "shortened": True, "instruction": SHORTENED}
    return canonical_json(fields)


def _cut(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return clip(value, KEPT_CHARS)
        case list():
            return [_cut(item) for item in value[:KEPT_ITEMS]]
        case dict():
            return {key: _cut(item) for key, item in value.items()}
        case _:
            return value


def _error(
    tool_call_id: str | None, tool: ToolName, code: ToolErrorCode, category: str | None
) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {
        "observation": "ERROR",
        "tool_call_id": tool_call_id,
        "tool": tool.value,
        "error_code": code.value,
    }
    if category is not None:
        fields["category"] = category
    return fields


def _closed(fields: dict[str, JsonValue], stop: StopReason | None, instruction: str | None = None) -> str:
    """Add what every observation ends with. An order to stop replaces any other instruction."""
    fields["stop_required"] = stop is not None
    if stop is not None:
        fields["stop_reason"] = stop.value
        instruction = STOP_INSTRUCTION[stop]
    if instruction is not None:
        fields["instruction"] = instruction
    return canonical_json(fields)
