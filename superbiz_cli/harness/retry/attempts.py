"""The explicit retry loop: each attempt is preceded by check_active and bounded in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import ModelUnavailable, RetryFailure
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.retry.policy import RetryPolicy

T = TypeVar("T")


class AttemptFailed(Exception):
    """An attempt came back with something that cannot be used. `retry_after_s` asks for a pause."""

    def __init__(self, failure: RetryFailure, *, retry_after_s: float | None = None) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.retry_after_s = retry_after_s


class AttemptsExhausted(Exception):
    """No attempt succeeded and no further one is allowed, or there is no time left for it.

    `failure` is the last one (TIMEOUT if the time ran out between attempts), `attempts` how many
    were made. `http_status` and `hint` are those of the model port, for the user's message.
    """

    def __init__(
        self,
        failure: RetryFailure,
        *,
        attempts: int,
        http_status: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(f"{failure.value} after {attempts}")
        self.failure = failure
        self.attempts = attempts
        self.http_status = http_status
        self.hint = hint


def _keep_quiet(_attempt: int, _failure: RetryFailure) -> None:
    return None


def run_attempts(
    attempt: Callable[[int, float], T],
    *,
    policy: RetryPolicy,
    limits: AttemptLimits,
    run: Run,
    on_failure: Callable[[int, RetryFailure], None] = _keep_quiet,
) -> T:
    """Call `attempt(number, timeout_s)` until it returns; numbers start at 1.

    The timeout of an attempt is its own limit, or what is left of the total since the first attempt
    began, whichever is less. A pause that the provider asked for comes out of the same total and
    ends when the Run is cancelled; one that would leave no time is not begun.

    Raises AttemptsExhausted; RunAborted and BudgetExceeded pass through untouched.
    """
    run.check_active()
    ends_s = run.clock.monotonic() + limits.total_s
    number = 0
    while True:
        number += 1
        timeout_s = min(limits.attempt_s, ends_s - run.clock.monotonic())
        if timeout_s <= 0:
            raise AttemptsExhausted(RetryFailure.TIMEOUT, attempts=number - 1)
        try:
            return attempt(number, timeout_s)
        except (AttemptFailed, ModelUnavailable) as error:
            failed = error
        on_failure(number, failed.failure)
        run.check_active()
        left_s = ends_s - run.clock.monotonic()
        pause_s = failed.retry_after_s or 0.0
        if not policy.allows_another(attempts=number, failure=failed.failure) or 0 < left_s <= pause_s:
            raise _exhausted(failed, attempts=number) from failed
        if 0 < pause_s < left_s:
            run.cancellation.wait(pause_s)
            run.check_active()


def _exhausted(failed: AttemptFailed | ModelUnavailable, *, attempts: int) -> AttemptsExhausted:
    if isinstance(failed, ModelUnavailable):
        return AttemptsExhausted(
            failed.failure, attempts=attempts, http_status=failed.http_status, hint=failed.hint
        )
    return AttemptsExhausted(failed.failure, attempts=attempts)
