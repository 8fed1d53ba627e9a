"""Budget: calls and bytes are reserved before they are spent, tokens recorded after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ReportedUsage

BYTES_PER_TOKEN = 3
ABSURD_TOKENS = 10_000_000


class BudgetKind(StrEnum):
    """The seven things that a Run can run out of."""

    MODEL_CALLS = "MODEL_CALLS"
    TOOL_CALLS = "TOOL_CALLS"
    CALLS_PER_TOOL = "CALLS_PER_TOOL"
    INPUT_TOKENS = "INPUT_TOKENS"
    OUTPUT_TOKENS = "OUTPUT_TOKENS"
    TOTAL_TOKENS = "TOTAL_TOKENS"
    RUN_BYTES = "RUN_BYTES"


class BudgetExceeded(Exception):
    """A limit of the Run was reached. `attempted` is the total that was tried, not the excess."""

    def __init__(self, kind: BudgetKind, *, limit: int, attempted: int) -> None:
        super().__init__(f"{kind.value}: {attempted} of {limit}")
        self.kind = kind
        self.limit = limit
        self.attempted = attempted


@dataclass(frozen=True, slots=True)
class CreditedTokens:
    """What one model call is charged. `estimated` tells that the report was not credible."""

    input_tokens: int
    output_tokens: int
    estimated: bool


class Budget:
    """Counters of one Run. Used by one thread at a time: model and tool calls are serial."""

    def __init__(self, limits: BudgetLimits) -> None:
        self.limits = limits
        self.model_calls = 0
        self.tool_calls = 0
        self.calls_per_tool: dict[str, int] = {}
        self.input_tokens = 0
        self.output_tokens = 0
        self.run_bytes = 0

    def reserve_model_call(self) -> None:
        """Take one model call. Raises BudgetExceeded and takes nothing if none is left."""
        attempted = self.model_calls + 1
        _require(BudgetKind.MODEL_CALLS, self.limits.max_model_calls, attempted)
        self.model_calls = attempted

    def reserve_tool_call(self, tool: str) -> None:
        """Take one call of `tool`. Raises BudgetExceeded and takes nothing if none is left."""
        attempted, attempted_tool = self.tool_calls + 1, self.calls_per_tool.get(tool, 0) + 1
        _require(BudgetKind.TOOL_CALLS, self.limits.max_tool_calls, attempted)
        _require(BudgetKind.CALLS_PER_TOOL, self.limits.max_calls_per_tool, attempted_tool)
        self.tool_calls = attempted
        self.calls_per_tool[tool] = attempted_tool

    def reserve_bytes(self, count: int) -> None:
        """Take `count` >= 0 bytes. Raises BudgetExceeded and takes nothing if they do not fit."""
        if count < 0:
            raise ValueError("a byte count cannot be negative")
        attempted = self.run_bytes + count
        _require(BudgetKind.RUN_BYTES, self.limits.max_run_bytes, attempted)
        self.run_bytes = attempted

    def record_tokens(self, credited: CreditedTokens) -> None:
        """Add what was spent, then raise BudgetExceeded if a limit is passed: it is spent anyway."""
        self.input_tokens += credited.input_tokens
        self.output_tokens += credited.output_tokens
        _require(BudgetKind.INPUT_TOKENS, self.limits.max_input_tokens, self.input_tokens)
        _require(BudgetKind.OUTPUT_TOKENS, self.limits.max_output_tokens, self.output_tokens)
        total = self.input_tokens + self.output_tokens
        _require(BudgetKind.TOTAL_TOKENS, self.limits.max_total_tokens, total)


def credit(reported: ReportedUsage, *, request_bytes: int, reply_bytes: int) -> CreditedTokens:
    """Return the tokens to charge for one call.

    A count that is missing, not an integer, zero, negative or absurd is replaced by bytes / 3 (at
    least 1): a provider that reports nothing cannot run without a token budget.
    """
    input_tokens = _credible(reported.input_tokens)
    output_tokens = _credible(reported.output_tokens)
    return CreditedTokens(
        input_tokens=estimate(request_bytes) if input_tokens is None else input_tokens,
        output_tokens=estimate(reply_bytes) if output_tokens is None else output_tokens,
        estimated=input_tokens is None or output_tokens is None,
    )


def estimate(size_bytes: int) -> int:
    """Return the token estimate for a text of `size_bytes` UTF-8 bytes."""
    return max(1, size_bytes // BYTES_PER_TOKEN)


def _credible(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value < ABSURD_TOKENS else None


def _require(kind: BudgetKind, limit: int, attempted: int) -> None:
    if attempted > limit:
        raise BudgetExceeded(kind, limit=limit, attempted=attempted)
