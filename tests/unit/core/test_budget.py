from __future__ import annotations

import pytest

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ReportedUsage
from superbiz_cli.harness.core.budget import (
    Budget,
    BudgetExceeded,
    BudgetKind,
    CreditedTokens,
    credit,
    estimate,
)


def spend(budget: Budget, kind: BudgetKind, amount: int) -> None:
    """Spend `amount` units of one kind in one step each."""
    match kind:
        case BudgetKind.MODEL_CALLS:
            for _ in range(amount):
                budget.reserve_model_call()
        case BudgetKind.TOOL_CALLS:
            for number in range(amount):
                budget.reserve_tool_call(f"tool-{number}")
        case BudgetKind.CALLS_PER_TOOL:
            for _ in range(amount):
                budget.reserve_tool_call("query_logs")
        case BudgetKind.INPUT_TOKENS:
            budget.record_tokens(CreditedTokens(amount, 0, estimated=False))
        case BudgetKind.OUTPUT_TOKENS:
            budget.record_tokens(CreditedTokens(0, amount, estimated=False))
        case BudgetKind.TOTAL_TOKENS:
            budget.record_tokens(CreditedTokens(amount - amount // 2, amount // 2, estimated=False))
        case BudgetKind.RUN_BYTES:
            budget.reserve_bytes(amount)


LIMIT_OF = {
    BudgetKind.MODEL_CALLS: 24,
    BudgetKind.TOOL_CALLS: 24,
    BudgetKind.CALLS_PER_TOOL: 8,
    BudgetKind.INPUT_TOKENS: 100_000,
    BudgetKind.OUTPUT_TOKENS: 100_000,
    BudgetKind.TOTAL_TOKENS: 200_000,
    BudgetKind.RUN_BYTES: 1_000_000,
}


@pytest.fixture
def budget() -> Budget:
    return Budget(BudgetLimits())


@pytest.mark.parametrize("kind", [kind for kind in BudgetKind if kind is not BudgetKind.TOTAL_TOKENS])
def test_a_kind_can_be_spent_to_its_limit_and_not_one_further(kind: BudgetKind, budget: Budget) -> None:
    limit = LIMIT_OF[kind]
    spend(budget, kind, limit)
    with pytest.raises(BudgetExceeded) as caught:
        spend(budget, kind, 1)
    assert (caught.value.kind, caught.value.limit, caught.value.attempted) == (kind, limit, limit + 1)


def test_input_and_output_together_are_bounded_by_the_total() -> None:
    budget = Budget(BudgetLimits(max_input_tokens=100, max_output_tokens=100, max_total_tokens=150))
    budget.record_tokens(CreditedTokens(80, 70, estimated=False))
    with pytest.raises(BudgetExceeded) as caught:
        budget.record_tokens(CreditedTokens(1, 1, estimated=False))
    assert (caught.value.kind, caught.value.limit, caught.value.attempted) == (
        BudgetKind.TOTAL_TOKENS,
        150,
        152,
    )


def test_attempted_is_the_total_that_was_tried_and_not_the_excess(budget: Budget) -> None:
    budget.reserve_bytes(900_000)
    with pytest.raises(BudgetExceeded) as caught:
        budget.reserve_bytes(300_000)
    assert caught.value.attempted == 1_200_000
    assert str(caught.value) == "RUN_BYTES: 1200000 of 1000000"


def test_a_refused_reservation_takes_nothing(budget: Budget) -> None:
    budget.reserve_bytes(900_000)
    for _ in range(2):
        with pytest.raises(BudgetExceeded):
            budget.reserve_bytes(100_001)
    budget.reserve_bytes(100_000)
    assert budget.run_bytes == 1_000_000


def test_a_call_refused_for_its_tool_does_not_count_as_a_tool_call(budget: Budget) -> None:
    spend(budget, BudgetKind.CALLS_PER_TOOL, 8)
    with pytest.raises(BudgetExceeded):
        budget.reserve_tool_call("query_logs")
    assert budget.tool_calls == 8
    budget.reserve_tool_call("query_mysql")
    assert budget.calls_per_tool == {"query_logs": 8, "query_mysql": 1}


def test_a_call_refused_in_all_does_not_count_for_its_tool() -> None:
    budget = Budget(BudgetLimits(max_tool_calls=1))
    budget.reserve_tool_call("query_logs")
    with pytest.raises(BudgetExceeded) as caught:
        budget.reserve_tool_call("query_mysql")
    assert caught.value.kind is BudgetKind.TOOL_CALLS
    assert budget.calls_per_tool == {"query_logs": 1}


def test_tokens_are_spent_even_if_they_pass_the_limit(budget: Budget) -> None:
    with pytest.raises(BudgetExceeded) as caught:
        budget.record_tokens(CreditedTokens(100_001, 7, estimated=True))
    assert caught.value.kind is BudgetKind.INPUT_TOKENS
    assert (budget.input_tokens, budget.output_tokens) == (100_001, 7)


def test_a_budget_of_nothing_refuses_the_first_of_everything() -> None:
    nothing = BudgetLimits(0, 0, 0, 0, 0, 0, 0)
    for kind in BudgetKind:
        with pytest.raises(BudgetExceeded):
            spend(Budget(nothing), kind, 1)
    Budget(nothing).reserve_bytes(0)


def test_a_negative_reservation_is_a_mistake_of_the_caller(budget: Budget) -> None:
    with pytest.raises(ValueError, match="negative"):
        budget.reserve_bytes(-1)
    assert budget.run_bytes == 0


def test_credible_tokens_are_charged_as_reported() -> None:
    credited = credit(ReportedUsage(1200, 34), request_bytes=9, reply_bytes=9)
    assert credited == CreditedTokens(1200, 34, estimated=False)


@pytest.mark.parametrize(
    "report", [None, 0, -1, True, False, 12.0, float("nan"), "12", b"12", [], {}, 10_000_000, 2**63, object()]
)
def test_an_incredible_report_is_replaced_by_a_third_of_the_bytes_and_flagged(report: object) -> None:
    assert credit(ReportedUsage(report, 34), request_bytes=300, reply_bytes=60) == CreditedTokens(
        100, 34, estimated=True
    )
    assert credit(ReportedUsage(1200, report), request_bytes=300, reply_bytes=60) == CreditedTokens(
        1200, 20, estimated=True
    )


@pytest.mark.parametrize(("size_bytes", "tokens"), [(0, 1), (1, 1), (3, 1), (5, 1), (6, 2), (300, 100)])
def test_an_estimate_is_a_third_of_the_bytes_and_at_least_one(size_bytes: int, tokens: int) -> None:
    assert estimate(size_bytes) == tokens
