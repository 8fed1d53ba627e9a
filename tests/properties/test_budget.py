from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ReportedUsage
from superbiz_cli.harness.core.budget import (
    ABSURD_TOKENS,
    Budget,
    BudgetExceeded,
    BudgetKind,
    CreditedTokens,
    credit,
)

SMALL = st.integers(min_value=0, max_value=6)
LIMITS = st.builds(BudgetLimits, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL)
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=3)
)


class BudgetMachine(RuleBasedStateMachine):
    """Random spending against plain counters of what was granted and what was refused."""

    budget: Budget
    limits: BudgetLimits

    @initialize(limits=LIMITS)
    def begin(self, limits: BudgetLimits) -> None:
        self.limits = limits
        self.budget = Budget(limits)
        self.model_calls = self.input_tokens = self.output_tokens = self.run_bytes = 0
        self.calls = {"a": 0, "b": 0}

    @rule()
    def call_a_model(self) -> None:
        try:
            self.budget.reserve_model_call()
        except BudgetExceeded as error:
            self.check(error, BudgetKind.MODEL_CALLS, self.limits.max_model_calls, self.model_calls + 1)
        else:
            self.model_calls += 1

    @rule(tool=st.sampled_from(["a", "b"]))
    def call_a_tool(self, tool: str) -> None:
        total = sum(self.calls.values()) + 1
        try:
            self.budget.reserve_tool_call(tool)
        except BudgetExceeded as error:
            if total > self.limits.max_tool_calls:
                self.check(error, BudgetKind.TOOL_CALLS, self.limits.max_tool_calls, total)
            else:
                limit = self.limits.max_calls_per_tool
                self.check(error, BudgetKind.CALLS_PER_TOOL, limit, self.calls[tool] + 1)
        else:
            self.calls[tool] += 1

    @rule(count=SMALL)
    def take_bytes(self, count: int) -> None:
        try:
            self.budget.reserve_bytes(count)
        except BudgetExceeded as error:
            self.check(error, BudgetKind.RUN_BYTES, self.limits.max_run_bytes, self.run_bytes + count)
        else:
            self.run_bytes += count

    @rule(inputs=SMALL, outputs=SMALL)
    def use_tokens(self, inputs: int, outputs: int) -> None:
        self.input_tokens += inputs
        self.output_tokens += outputs
        total = self.input_tokens + self.output_tokens
        try:
            self.budget.record_tokens(CreditedTokens(inputs, outputs, estimated=False))
        except BudgetExceeded as error:
            match error.kind:
                case BudgetKind.INPUT_TOKENS:
                    self.check(error, error.kind, self.limits.max_input_tokens, self.input_tokens)
                case BudgetKind.OUTPUT_TOKENS:
                    self.check(error, error.kind, self.limits.max_output_tokens, self.output_tokens)
                case _:
                    self.check(error, BudgetKind.TOTAL_TOKENS, self.limits.max_total_tokens, total)
        else:
            assert self.input_tokens <= self.limits.max_input_tokens
            assert self.output_tokens <= self.limits.max_output_tokens
            assert total <= self.limits.max_total_tokens

    @invariant()
    def nothing_reserved_passes_its_limit(self) -> None:
        assert self.budget.model_calls == self.model_calls <= self.limits.max_model_calls
        assert self.budget.tool_calls == sum(self.calls.values()) <= self.limits.max_tool_calls
        assert max(self.calls.values()) <= self.limits.max_calls_per_tool
        assert self.budget.run_bytes == self.run_bytes <= self.limits.max_run_bytes

    @invariant()
    def every_token_spent_is_counted(self) -> None:
        assert (self.budget.input_tokens, self.budget.output_tokens) == (
            self.input_tokens,
            self.output_tokens,
        )

    @staticmethod
    def check(error: BudgetExceeded, kind: BudgetKind, limit: int, attempted: int) -> None:
        assert (error.kind, error.limit, error.attempted) == (kind, limit, attempted)
        assert attempted > limit


TestBudget = BudgetMachine.TestCase


@given(
    input_report=ANYTHING,
    output_report=ANYTHING,
    request_bytes=st.integers(min_value=0, max_value=10**7),
    reply_bytes=st.integers(min_value=0, max_value=10**7),
)
def test_whatever_a_provider_reports_a_call_costs_at_least_one_token_each_way_and_never_an_absurd_number(
    input_report: object, output_report: object, request_bytes: int, reply_bytes: int
) -> None:
    credited = credit(
        ReportedUsage(input_report, output_report), request_bytes=request_bytes, reply_bytes=reply_bytes
    )
    assert 1 <= credited.input_tokens < ABSURD_TOKENS
    assert 1 <= credited.output_tokens < ABSURD_TOKENS
    if not credited.estimated:
        assert (credited.input_tokens, credited.output_tokens) == (input_report, output_report)
