from __future__ import annotations

import pytest

from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.retry.policy import AGENT, JUDGE, REPAIR, REPEATABLE, ROUTER, TOOL, RetryPolicy

NEVER_REPEATED = frozenset(RetryFailure) - REPEATABLE


def test_router_and_judge_have_two_attempts_and_everything_else_one() -> None:
    assert [policy.max_attempts for policy in (ROUTER, JUDGE, AGENT, TOOL, REPAIR)] == [2, 2, 1, 1, 1]


def test_five_failures_may_be_repeated() -> None:
    assert {failure.value for failure in REPEATABLE} == {
        "TIMEOUT",
        "TRANSPORT",
        "INVALID_OUTPUT",
        "PARSE_ERROR",
        "SCHEMA_INVALID",
    }


@pytest.mark.parametrize("failure", sorted(REPEATABLE))
def test_a_second_attempt_follows_a_repeatable_failure_and_a_third_never(failure: RetryFailure) -> None:
    assert ROUTER.allows_another(attempts=1, failure=failure)
    assert not ROUTER.allows_another(attempts=2, failure=failure)
    assert not AGENT.allows_another(attempts=1, failure=failure)


@pytest.mark.parametrize("failure", sorted(NEVER_REPEATED))
def test_a_failure_that_repeating_cannot_mend_ends_the_attempts(failure: RetryFailure) -> None:
    assert not ROUTER.allows_another(attempts=1, failure=failure)
    with pytest.raises(ValueError, match="never"):
        RetryPolicy(max_attempts=2, retryable=frozenset({failure}))


@pytest.mark.parametrize("attempts", [-1, 0, 3])
def test_a_policy_of_no_or_more_than_two_attempts_is_refused(attempts: int) -> None:
    with pytest.raises(ValueError, match="1 or 2"):
        RetryPolicy(max_attempts=attempts)
