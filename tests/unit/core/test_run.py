from __future__ import annotations

import re
import threading

import pytest

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason, RunState
from superbiz_cli.harness.core.budget import BudgetExceeded, BudgetKind
from superbiz_cli.harness.core.cancellation import Cancellation
from superbiz_cli.harness.core.run import Run, RunAborted, new_run_id
from tests.support.clock import FakeClock
from tests.support.threads import call_together

DEADLINE_S = 300.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def run(clock: FakeClock) -> Run:
    return Run.start(session_id="session-1", deadline_s=DEADLINE_S, limits=BudgetLimits(), clock=clock)


def aborted_state(run: Run) -> RunState:
    with pytest.raises(RunAborted) as caught:
        run.check_active()
    return caught.value.state


def test_run_ids_are_short_speakable_and_never_the_same() -> None:
    ids = {new_run_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"[0-9a-hjkmnp-tv-z]{10}", run_id) for run_id in ids)


def test_a_given_run_id_is_kept(clock: FakeClock) -> None:
    limits = BudgetLimits(max_model_calls=1)
    run = Run.start(session_id="s", deadline_s=1.0, limits=limits, clock=clock, run_id="mine")
    assert (run.run_id, run.session_id, run.budget.limits) == ("mine", "s", limits)


def test_a_running_run_is_active(run: Run, clock: FakeClock) -> None:
    clock.advance(DEADLINE_S - 0.001)
    run.check_active()
    assert run.lifecycle.state is RunState.RUNNING


def test_the_time_left_runs_down_to_zero_and_not_below(run: Run, clock: FakeClock) -> None:
    assert run.remaining_s() == DEADLINE_S
    clock.advance(100)
    assert run.remaining_s() == 200
    clock.advance(1000)
    assert run.remaining_s() == 0.0


@pytest.mark.parametrize("beyond_s", [0.0, 5.0])
def test_a_passed_deadline_is_written_broadcast_and_raised(
    beyond_s: float, run: Run, clock: FakeClock
) -> None:
    seen: list[tuple[RunState, CancelReason | None]] = []
    run.cancellation.on_cancel(lambda: seen.append((run.lifecycle.state, run.cancellation.reason)))
    clock.advance(DEADLINE_S + beyond_s)
    assert aborted_state(run) is RunState.TIMED_OUT
    assert seen == [(RunState.TIMED_OUT, CancelReason.DEADLINE_EXCEEDED)]
    assert aborted_state(run) is RunState.TIMED_OUT


def test_a_terminal_state_comes_before_the_deadline(run: Run, clock: FakeClock) -> None:
    run.lifecycle.finish(RunState.SUCCESS, "released")
    clock.advance(DEADLINE_S)
    assert aborted_state(run) is RunState.SUCCESS
    assert not run.cancellation.is_cancelled


def test_the_deadline_comes_before_a_cancel_that_nobody_has_written_down(run: Run, clock: FakeClock) -> None:
    run.cancellation.cancel(CancelReason.USER_REQUESTED)
    clock.advance(DEADLINE_S)
    assert aborted_state(run) is RunState.TIMED_OUT


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (CancelReason.USER_REQUESTED, RunState.CANCELLED),
        (CancelReason.CLIENT_DISCONNECTED, RunState.CANCELLED),
        (CancelReason.DEADLINE_EXCEEDED, RunState.TIMED_OUT),
        (CancelReason.BUDGET_EXHAUSTED, RunState.BUDGET_EXHAUSTED),
        (CancelReason.INTERNAL_FAILURE, RunState.FAILED),
    ],
)
def test_a_cancel_ends_the_run_in_the_state_of_its_reason(
    reason: CancelReason, state: RunState, run: Run
) -> None:
    assert run.cancel(reason)
    assert aborted_state(run) is state
    assert (run.lifecycle.reason, run.cancellation.reason) == (reason.value, reason)


@pytest.mark.parametrize("reason", list(CancelReason))
def test_a_bare_signal_is_written_down_by_the_next_check(reason: CancelReason, run: Run) -> None:
    run.cancellation.cancel(reason)
    state = aborted_state(run)
    assert run.lifecycle.state is state
    assert run.lifecycle.reason == reason.value


def test_the_fact_is_written_before_the_signal_is_broadcast(run: Run) -> None:
    seen: list[RunState] = []
    run.cancellation.on_cancel(lambda: seen.append(run.lifecycle.state))
    run.cancel(CancelReason.USER_REQUESTED)
    assert seen == [RunState.CANCELLED]


def test_a_cancel_after_the_end_changes_and_broadcasts_nothing(run: Run) -> None:
    run.lifecycle.finish(RunState.SUCCESS, "released")
    assert not run.cancel(CancelReason.USER_REQUESTED)
    assert run.lifecycle.state is RunState.SUCCESS
    assert not run.cancellation.is_cancelled


def test_an_end_and_a_cancel_at_the_same_moment_agree_on_one_outcome() -> None:
    for _ in range(50):
        run = Run.start(session_id="s", deadline_s=DEADLINE_S, limits=BudgetLimits())
        finished, cancelled = call_together(
            [
                lambda run=run: run.lifecycle.finish(RunState.SUCCESS, "released"),  # type: ignore[misc]
                lambda run=run: run.cancel(CancelReason.USER_REQUESTED),  # type: ignore[misc]
            ]
        )
        assert finished != cancelled
        assert run.lifecycle.state is (RunState.SUCCESS if finished else RunState.CANCELLED)
        assert run.cancellation.is_cancelled == cancelled


def exceeded(attempted: int) -> BudgetExceeded:
    return BudgetExceeded(BudgetKind.RUN_BYTES, limit=1, attempted=attempted)


def test_exhaustion_ends_the_run_and_goes_on_up(run: Run) -> None:
    error = exceeded(2)
    with pytest.raises(BudgetExceeded) as caught, run.ending_on_exhaustion():
        raise error
    assert caught.value is error
    assert run.exhaustion is error
    assert aborted_state(run) is RunState.BUDGET_EXHAUSTED


def test_the_first_exhaustion_is_the_one_that_is_kept(run: Run) -> None:
    first = exceeded(2)
    for error in (first, exceeded(3)):
        with pytest.raises(BudgetExceeded), run.ending_on_exhaustion():
            raise error
    assert run.exhaustion is first


@pytest.mark.parametrize("reason", [CancelReason.USER_REQUESTED, CancelReason.DEADLINE_EXCEEDED])
def test_exhaustion_after_the_end_does_not_hide_why_the_run_ended(reason: CancelReason, run: Run) -> None:
    run.cancel(reason)
    ended = run.lifecycle.state
    with pytest.raises(RunAborted) as caught, run.ending_on_exhaustion():
        raise exceeded(2)
    assert caught.value.state is ended
    assert run.exhaustion is None


def test_other_errors_do_not_end_the_run(run: Run) -> None:
    with pytest.raises(KeyError), run.ending_on_exhaustion():
        raise KeyError
    run.check_active()
    assert run.exhaustion is None


def test_the_watcher_cancels_a_thread_that_waits_past_the_deadline() -> None:
    run = Run.start(session_id="s", deadline_s=0.02, limits=BudgetLimits())
    with run.watching_deadline():
        assert run.cancellation.wait(10)
    assert run.cancellation.reason is CancelReason.DEADLINE_EXCEEDED
    assert run.lifecycle.state is RunState.TIMED_OUT


def test_the_watcher_is_gone_when_its_block_ends(run: Run) -> None:
    before = set(threading.enumerate())
    with run.watching_deadline():
        (watcher,) = set(threading.enumerate()) - before
    watcher.join(timeout=10)
    assert not watcher.is_alive()
    assert not run.cancellation.is_cancelled


def test_the_watcher_takes_the_longest_wait_there_is_for_a_deadline_that_never_comes() -> None:
    run = Run.start(session_id="s", deadline_s=float("inf"), limits=BudgetLimits())
    with run.watching_deadline():
        run.check_active()
    assert isinstance(run.cancellation, Cancellation)
