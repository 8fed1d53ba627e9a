"""The envelope of a tool call's arguments: exactly `{"previous_observation", "input"}`.

The text is the model's: it may be a list, a Python literal, cut off, followed by prose, or huge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from superbiz_cli.harness.contract.status import InformationGain
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, parse_strict_object
from superbiz_cli.harness.progress.protocol import Rating, ViolationType

MAX_ENVELOPE_BYTES = 32_768
PREVIOUS_OBSERVATION = "previous_observation"
INPUT = "input"
_GAINS: Mapping[str, InformationGain] = {gain.value: gain for gain in InformationGain}
_LEGAL_CONTROLS = frozenset("\t\n\r")


@dataclass(frozen=True, slots=True)
class Envelope:
    """The arguments of a well-formed tool call. `rating` is None where the model wrote null."""

    rating: Rating | None
    input: Mapping[str, JsonValue]


class EnvelopeRefused(Exception):
    """The arguments are not an envelope. Holds nothing of the text."""

    def __init__(self, violation: ViolationType, missing_field: str | None = None) -> None:
        super().__init__(violation.value)
        self.violation = violation
        self.missing_field = missing_field


def parse_envelope(arguments: str) -> Envelope:
    """Read the arguments of a tool call.

    Raises EnvelopeRefused: INVALID_ENVELOPE for anything but one JSON object with these two keys,
    of the right types and without control characters; MISSING_INPUT or MISSING_PREVIOUS_OBSERVATION
    if all that is wrong is that a key is absent (or `input` null).
    """
    try:
        payload = parse_strict_object(arguments, max_bytes=MAX_ENVELOPE_BYTES)
    except StrictJsonError:
        raise EnvelopeRefused(ViolationType.INVALID_ENVELOPE) from None
    if not payload.keys() <= {PREVIOUS_OBSERVATION, INPUT} or _holds_control_characters(payload):
        raise EnvelopeRefused(ViolationType.INVALID_ENVELOPE)
    if payload.get(INPUT) is None:
        raise EnvelopeRefused(ViolationType.MISSING_INPUT, INPUT)
    if PREVIOUS_OBSERVATION not in payload:
        raise EnvelopeRefused(ViolationType.MISSING_PREVIOUS_OBSERVATION, PREVIOUS_OBSERVATION)
    request = payload[INPUT]
    if not isinstance(request, dict):
        raise EnvelopeRefused(ViolationType.INVALID_ENVELOPE)
    return Envelope(_rating_of(payload[PREVIOUS_OBSERVATION]), request)


def _rating_of(value: JsonValue) -> Rating | None:
    match value:
        case None:
            return None
        case {"tool_call_id": str(tool_call_id), "information_gain": str(gain), **others} if (
            not others and gain in _GAINS
        ):
            return Rating(tool_call_id, _GAINS[gain])
        case _:
            raise EnvelopeRefused(ViolationType.INVALID_ENVELOPE)


def _holds_control_characters(value: JsonValue) -> bool:
    """Whether a key or string holds a C0 control (NUL above all) that no back end can search for."""
    match value:
        case str():
            return any(char < " " and char not in _LEGAL_CONTROLS for char in value)
        case list():
            return any(_holds_control_characters(item) for item in value)
        case dict():
            return any(_holds_control_characters(part) for pair in value.items() for part in pair)
        case _:
            return False
