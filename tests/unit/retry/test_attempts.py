from __future__ import annotations

from collections.abc import Callable

import pytest

from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import CancelReason, RunState
from superbiz_cli.harness.core.budget import BudgetExceeded, BudgetKind
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted, run_attempts
from superbiz_cli.harness.retry.policy import REPAIR, ROUTER
from tests.support.clock import FakeClock
from tests.support.runs import AdvancingCancellation, start_run

ROUTER_LIMITS = AttemptLimits(attempt_s=10.0, total_s=25.0)


class Script:
    """An attempt that takes and raises what it is told, and keeps how it was called."""

    def __init__(self, clock: FakeClock, *steps: tuple[float, BaseException | str]) -> None:
        self._clock = clock
        self._steps = steps
        self.calls: list[tuple[int, float]] = []

    def __call__(self, number: int, timeout_s: float) -> str:
        self.calls.append((number, timeout_s))
        took_s, outcome = self._steps[len(self.calls) - 1]
        self._clock.advance(took_s)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def run(clock: FakeClock) -> Run:
    return start_run(clock)


def waits(run: Run) -> list[float]:
    assert isinstance(run.cancellation, AdvancingCancellation)
    return run.cancellation.waits


def route(attempt: Callable[[int, float], str], run: Run, limits: AttemptLimits = ROUTER_LIMITS) -> str:
    return run_attempts(attempt, policy=ROUTER, limits=limits, run=run)


def test_the_first_success_is_returned_and_nothing_is_repeated(clock: FakeClock, run: Run) -> None:
    script = Script(clock, (1.0, "done"))
    assert route(script, run) == "done"
    assert script.calls == [(1, 10.0)]


def test_a_repeatable_failure_is_followed_by_a_second_attempt(clock: FakeClock, run: Run) -> None:
    failures: list[tuple[int, RetryFailure]] = []
    script = Script(clock, (2.0, AttemptFailed(RetryFailure.PARSE_ERROR)), (1.0, "done"))
    result = run_attempts(
        script,
        policy=ROUTER,
        limits=ROUTER_LIMITS,
        run=run,
        on_failure=lambda number, failure: failures.append((number, failure)),
    )
    assert result == "done"
    assert script.calls == [(1, 10.0), (2, 10.0)]
    assert failures == [(1, RetryFailure.PARSE_ERROR)]


def test_the_last_failure_is_reported_when_all_attempts_failed(clock: FakeClock, run: Run) -> None:
    script = Script(
        clock,
        (1.0, ModelUnavailable(RetryFailure.TRANSPORT)),
        (1.0, AttemptFailed(RetryFailure.SCHEMA_INVALID)),
    )
    with pytest.raises(AttemptsExhausted) as caught:
        route(script, run)
    assert (caught.value.failure, caught.value.attempts) == (RetryFailure.SCHEMA_INVALID, 2)


def test_the_models_own_hint_survives_for_the_users_message(clock: FakeClock, run: Run) -> None:
    unavailable = ModelUnavailable(RetryFailure.UNKNOWN, http_status=401, hint="set OPENAI_API_KEY")
    with pytest.raises(AttemptsExhausted) as caught:
        route(Script(clock, (0.1, unavailable)), run)
    assert (caught.value.http_status, caught.value.hint, caught.value.attempts) == (
        401,
        "set OPENAI_API_KEY",
        1,
    )


@pytest.mark.parametrize(
    "failure",
    [RetryFailure.NO_EVIDENCE, RetryFailure.BUSINESS_REJECTION, RetryFailure.UNKNOWN],
)
def test_an_answer_is_not_asked_for_twice(failure: RetryFailure, clock: FakeClock, run: Run) -> None:
    script = Script(clock, (1.0, AttemptFailed(failure)), (1.0, "never"))
    with pytest.raises(AttemptsExhausted):
        route(script, run)
    assert len(script.calls) == 1


def test_a_single_attempt_policy_never_repeats(clock: FakeClock, run: Run) -> None:
    script = Script(clock, (1.0, AttemptFailed(RetryFailure.TIMEOUT)), (1.0, "never"))
    with pytest.raises(AttemptsExhausted):
        run_attempts(script, policy=REPAIR, limits=AttemptLimits(45.0, 45.0), run=run)
    assert script.calls == [(1, 45.0)]


def test_the_second_attempt_gets_only_what_is_left_of_the_total(clock: FakeClock, run: Run) -> None:
    script = Script(clock, (18.0, ModelUnavailable(RetryFailure.TIMEOUT)), (1.0, "done"))
    assert route(script, run) == "done"
    assert script.calls == [(1, 10.0), (2, 7.0)]


def test_the_total_shorter_than_the_attempt_bounds_the_first_one_too(clock: FakeClock, run: Run) -> None:
    script = Script(clock, (1.0, "done"))
    route(script, run, AttemptLimits(attempt_s=10.0, total_s=4.0))
    assert script.calls == [(1, 4.0)]


@pytest.mark.parametrize("took_s", [25.0, 40.0])
def test_no_time_left_is_a_timeout_without_a_call(took_s: float, clock: FakeClock, run: Run) -> None:
    failed = ModelUnavailable(RetryFailure.TRANSPORT, retry_after_s=3.0)
    script = Script(clock, (took_s, failed), (1.0, "never"))
    with pytest.raises(AttemptsExhausted) as caught:
        route(script, run)
    assert (caught.value.failure, caught.value.attempts) == (RetryFailure.TIMEOUT, 1)
    assert len(script.calls) == 1
    assert waits(run) == []


def test_a_total_of_zero_is_a_timeout_before_the_first_call(clock: FakeClock, run: Run) -> None:
    script = Script(clock)
    with pytest.raises(AttemptsExhausted) as caught:
        route(script, run, AttemptLimits(attempt_s=10.0, total_s=0.0))
    assert (caught.value.failure, caught.value.attempts) == (RetryFailure.TIMEOUT, 0)


def test_a_rate_limit_is_waited_for_out_of_the_same_total(clock: FakeClock, run: Run) -> None:
    limited = ModelUnavailable(RetryFailure.TRANSPORT, http_status=429, retry_after_s=12.0)
    script = Script(clock, (5.0, limited), (1.0, "done"))
    assert route(script, run) == "done"
    assert waits(run) == [12.0]
    assert script.calls == [(1, 10.0), (2, 8.0)]


@pytest.mark.parametrize("retry_after_s", [20.0, 3600.0, float("inf")])
def test_a_pause_that_would_leave_no_time_is_not_begun(
    retry_after_s: float, clock: FakeClock, run: Run
) -> None:
    limited = AttemptFailed(RetryFailure.TRANSPORT, retry_after_s=retry_after_s)
    with pytest.raises(AttemptsExhausted) as caught:
        route(Script(clock, (5.0, limited)), run)
    assert (caught.value.failure, caught.value.attempts) == (RetryFailure.TRANSPORT, 1)
    assert waits(run) == []


@pytest.mark.parametrize("retry_after_s", [None, 0.0, -5.0, float("nan")])
def test_no_pause_or_a_senseless_one_repeats_at_once(
    retry_after_s: float | None, clock: FakeClock, run: Run
) -> None:
    limited = AttemptFailed(RetryFailure.TRANSPORT, retry_after_s=retry_after_s)
    assert route(Script(clock, (5.0, limited), (1.0, "done")), run) == "done"
    assert waits(run) == []


def test_a_cancel_during_the_pause_ends_the_run_and_not_the_attempts(clock: FakeClock, run: Run) -> None:
    class CancelledWhileWaiting(AdvancingCancellation):
        def wait(self, timeout_s: float) -> bool:
            run.cancel(CancelReason.USER_REQUESTED)
            return super().wait(timeout_s)

    run.cancellation = CancelledWhileWaiting(clock)
    limited = AttemptFailed(RetryFailure.TRANSPORT, retry_after_s=10.0)
    script = Script(clock, (1.0, limited), (1.0, "never"))
    with pytest.raises(RunAborted) as caught:
        route(script, run)
    assert caught.value.state is RunState.CANCELLED
    assert clock.monotonic() == 1.0
    assert len(script.calls) == 1


def test_an_ended_run_makes_no_attempt(clock: FakeClock, run: Run) -> None:
    run.cancel(CancelReason.CLIENT_DISCONNECTED)
    script = Script(clock)
    with pytest.raises(RunAborted):
        route(script, run)
    assert script.calls == []


def test_the_deadline_between_two_attempts_ends_the_run(clock: FakeClock) -> None:
    run = start_run(clock, deadline_s=6.0)
    script = Script(clock, (7.0, AttemptFailed(RetryFailure.TIMEOUT)), (1.0, "never"))
    with pytest.raises(RunAborted) as caught:
        route(script, run)
    assert caught.value.state is RunState.TIMED_OUT
    assert len(script.calls) == 1


def test_a_cancel_is_never_reported_as_a_failed_attempt(clock: FakeClock, run: Run) -> None:
    def cancelled(_number: int, _timeout_s: float) -> str:
        run.cancel(CancelReason.USER_REQUESTED)
        raise ModelUnavailable(RetryFailure.CANCELLED)

    with pytest.raises(RunAborted):
        route(cancelled, run)


@pytest.mark.parametrize(
    "error",
    [
        RunAborted(RunState.CANCELLED),
        BudgetExceeded(BudgetKind.MODEL_CALLS, limit=1, attempted=2),
        KeyError("a bug"),
    ],
)
def test_what_is_not_a_failed_attempt_passes_through_untouched(
    error: Exception, clock: FakeClock, run: Run
) -> None:
    script = Script(clock, (1.0, error), (1.0, "never"))
    with pytest.raises(type(error)) as caught:
        route(script, run)
    assert caught.value is error
    assert len(script.calls) == 1
