"""The progress protocol: how the model rates its observations, and what breaks the rule.

A result that is not empty must be rated in the next tool call, exactly once and by its id. The
rule never concerns the draft: ending needs no rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.harness.contract.status import InformationGain


class ViolationType(StrEnum):
    """How a tool request can break the protocol. Such a request never reaches a back end."""

    UNEXPECTED_PREVIOUS_OBSERVATION = "UNEXPECTED_PREVIOUS_OBSERVATION"
    MISSING_PREVIOUS_OBSERVATION = "MISSING_PREVIOUS_OBSERVATION"
    OUT_OF_ORDER_PREVIOUS_OBSERVATION = "OUT_OF_ORDER_PREVIOUS_OBSERVATION"
    MISSING_INPUT = "MISSING_INPUT"
    INVALID_ENVELOPE = "INVALID_ENVELOPE"
    UNKNOWN_TOOL = "UNKNOWN_TOOL"


@dataclass(frozen=True, slots=True)
class Rating:
    """Whether the observation `tool_call_id` advanced the diagnosis, as the model says."""

    tool_call_id: str
    gain: InformationGain


def violation_of(rating: Rating | None, *, pending_id: str | None) -> ViolationType | None:
    """Return how `rating` breaks the protocol while `pending_id` waits for one, or None if it is legal."""
    if pending_id is None:
        return None if rating is None else ViolationType.UNEXPECTED_PREVIOUS_OBSERVATION
    if rating is None:
        return ViolationType.MISSING_PREVIOUS_OBSERVATION
    if rating.tool_call_id != pending_id:
        return ViolationType.OUT_OF_ORDER_PREVIOUS_OBSERVATION
    return None
