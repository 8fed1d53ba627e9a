from __future__ import annotations

from functools import partial

import pytest

from superbiz_cli.harness.contract.status import RunState
from superbiz_cli.harness.core.lifecycle import Lifecycle
from tests.support.threads import call_together

TERMINAL = [state for state in RunState if state is not RunState.RUNNING]


def test_a_run_begins_running_and_without_a_reason() -> None:
    lifecycle = Lifecycle()
    assert (lifecycle.state, lifecycle.reason, lifecycle.is_terminal) == (RunState.RUNNING, "", False)


@pytest.mark.parametrize("state", TERMINAL)
def test_finishing_writes_state_and_reason(state: RunState) -> None:
    lifecycle = Lifecycle()
    assert lifecycle.finish(state, "because")
    assert (lifecycle.state, lifecycle.reason, lifecycle.is_terminal) == (state, "because", True)


@pytest.mark.parametrize("second", TERMINAL)
def test_every_later_end_changes_nothing(second: RunState) -> None:
    lifecycle = Lifecycle()
    lifecycle.finish(RunState.SUCCESS, "released")
    assert not lifecycle.finish(second, "too late")
    assert (lifecycle.state, lifecycle.reason) == (RunState.SUCCESS, "released")


def test_running_is_no_end() -> None:
    lifecycle = Lifecycle()
    with pytest.raises(ValueError, match="not a terminal state"):
        lifecycle.finish(RunState.RUNNING, "never")
    assert not lifecycle.is_terminal


def test_one_of_many_concurrent_callers_wins_and_the_losers_see_its_state_at_once() -> None:
    for _ in range(50):
        lifecycle = Lifecycle()

        def finish(state: RunState, lifecycle: Lifecycle = lifecycle) -> tuple[bool, RunState, str]:
            won = lifecycle.finish(state, state.value)
            return won, lifecycle.state, lifecycle.reason

        outcomes = call_together([partial(finish, state) for state in TERMINAL])
        winners = [state for state, (won, *_) in zip(TERMINAL, outcomes, strict=True) if won]
        assert len(winners) == 1
        assert {(state, reason) for _, state, reason in outcomes} == {(winners[0], winners[0].value)}
