from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted, run_attempts
from superbiz_cli.harness.retry.policy import REPEATABLE, RetryPolicy
from tests.support.clock import FakeClock
from tests.support.runs import start_run

SECONDS = st.floats(min_value=0.0, max_value=100.0)
STEP = st.tuples(
    SECONDS,
    st.sampled_from([None, *RetryFailure]),
    st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True)),
)


@given(
    steps=st.lists(STEP, min_size=2, max_size=2),
    attempt_s=SECONDS,
    total_s=SECONDS,
    max_attempts=st.sampled_from([1, 2]),
)
def test_attempts_keep_to_their_number_and_their_total_whatever_happens(
    steps: list[tuple[float, RetryFailure | None, float | None]],
    attempt_s: float,
    total_s: float,
    max_attempts: int,
) -> None:
    clock = FakeClock()
    run = start_run(clock, deadline_s=1_000_000.0)
    calls: list[tuple[float, float]] = []

    def attempt(number: int, timeout_s: float) -> str:
        calls.append((clock.monotonic(), timeout_s))
        took_s, failure, retry_after_s = steps[number - 1]
        clock.advance(took_s)
        if failure is None:
            return "done"
        raise AttemptFailed(failure, retry_after_s=retry_after_s)

    exhausted: AttemptsExhausted | None = None
    try:
        run_attempts(
            attempt,
            policy=RetryPolicy(max_attempts),
            limits=AttemptLimits(attempt_s=attempt_s, total_s=total_s),
            run=run,
        )
    except AttemptsExhausted as caught:
        exhausted = caught

    assert len(calls) <= max_attempts
    for began_s, timeout_s in calls:
        assert 0 < timeout_s <= attempt_s
        assert began_s + timeout_s <= total_s + 1e-9
    assert all(steps[n][1] in REPEATABLE for n in range(len(calls) - 1))
    if exhausted is None:
        assert steps[len(calls) - 1][1] is None
    else:
        assert exhausted.attempts == len(calls)
