"""The numbers that bound one Run. Defaults are the product's; the settings may lower or raise them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """What one Run may spend. Calls and bytes are reserved before, tokens recorded after."""

    max_model_calls: int = 24
    max_tool_calls: int = 24
    max_calls_per_tool: int = 8
    max_input_tokens: int = 100_000
    max_output_tokens: int = 100_000
    max_total_tokens: int = 200_000
    max_run_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class PayloadLimits:
    """Largest single payloads, in UTF-8 bytes."""

    query_bytes: int = 16_384
    previous_turn_bytes: int = 16_384
    agent_input_bytes: int = 49_152
    draft_bytes: int = 49_152
    judge_input_bytes: int = 100_000
    judge_output_bytes: int = 10_000
    repair_input_bytes: int = 100_000
    repair_output_bytes: int = 48_000
    canonical_record_bytes: int = 1_048_576
    agent_result_bytes: int = 65_536


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """Time for one kind of model call, in seconds: per attempt, and over all its attempts."""

    attempt_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Deadline of the Run and the time limits of its model calls, in seconds."""

    deadline_s: float = 300.0
    router: AttemptLimits = AttemptLimits(attempt_s=10.0, total_s=25.0)
    judge: AttemptLimits = AttemptLimits(attempt_s=20.0, total_s=45.0)
    repair: AttemptLimits = AttemptLimits(attempt_s=45.0, total_s=45.0)
    agent: AttemptLimits = AttemptLimits(attempt_s=120.0, total_s=120.0)


@dataclass(frozen=True, slots=True)
class ProgressLimits:
    """How many consecutive fruitless or illegal requests saturate the collection."""

    max_consecutive_no_gain: int = 2
    max_consecutive_violations: int = 2


@dataclass(frozen=True, slots=True)
class RunLimits:
    """All limits of one Run."""

    budget: BudgetLimits = BudgetLimits()
    payload: PayloadLimits = PayloadLimits()
    time: TimeLimits = TimeLimits()
    progress: ProgressLimits = ProgressLimits()


def utf8_size(text: str) -> int:
    """Return the size of `text` in UTF-8 bytes; lone surrogates count as three bytes each."""
    return len(text.encode("utf-8", "surrogatepass"))
