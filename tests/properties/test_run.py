from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason, RunState, terminal_state_for
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.run import Run, RunAborted
from tests.support.clock import FakeClock
from tests.support.runs import start_run

DEADLINE_S = 10.0
ENDS = st.sampled_from([state for state in RunState if state is not RunState.RUNNING])
REASONS = st.sampled_from(CancelReason)


class RunMachine(RuleBasedStateMachine):
    """One Run under every order of ends, cancels, signals, checks and passing time."""

    run: Run

    @initialize()
    def begin(self) -> None:
        self.clock = FakeClock()
        self.run = start_run(self.clock, deadline_s=DEADLINE_S, limits=BudgetLimits(max_run_bytes=0))
        self.end: tuple[RunState, str] | None = None
        self.signal: CancelReason | None = None
        self.registered = 0
        self.calls: list[int] = []

    @rule(state=ENDS)
    def finish(self, state: RunState) -> None:
        won = self.run.lifecycle.finish(state, "finished")
        assert won == (self.end is None)
        self.end = self.end or (state, "finished")

    @rule(reason=REASONS)
    def cancel(self, reason: CancelReason) -> None:
        won = self.run.cancel(reason)
        assert won == (self.end is None)
        if won:
            self.expect_end(reason)

    @rule(reason=REASONS)
    def signal_only(self, reason: CancelReason) -> None:
        won = self.run.cancellation.cancel(reason)
        assert won == (self.signal is None)
        self.signal = self.signal or reason

    @rule(seconds=st.sampled_from([0.0, 1.0, 9.0, DEADLINE_S]))
    def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def register(self) -> None:
        number = self.registered
        self.registered += 1
        self.run.cancellation.on_cancel(lambda: self.calls.append(number))

    @rule()
    def check(self) -> None:
        if self.end is None and self.clock.monotonic() >= DEADLINE_S:
            self.expect_end(CancelReason.DEADLINE_EXCEEDED)
        elif self.end is None and self.signal is not None:
            self.expect_end(self.signal)
        aborted = None
        try:
            self.run.check_active()
        except RunAborted as error:
            aborted = error.state
        assert aborted == (self.end[0] if self.end else None)

    @precondition(lambda self: self.end is None or self.end[0] is not RunState.BUDGET_EXHAUSTED)
    @rule()
    def exhaust(self) -> None:
        outcome: object = None
        try:
            with self.run.ending_on_exhaustion():
                self.run.budget.reserve_bytes(1)
        except (BudgetExceeded, RunAborted) as error:
            outcome = error
        if self.end is None:
            assert isinstance(outcome, BudgetExceeded)
            self.expect_end(CancelReason.BUDGET_EXHAUSTED)
        else:
            assert isinstance(outcome, RunAborted)
            assert outcome.state is self.end[0]

    def expect_end(self, reason: CancelReason) -> None:
        self.end = (terminal_state_for(reason), reason.value)
        self.signal = self.signal or reason

    @invariant()
    def the_first_end_stands(self) -> None:
        lifecycle = self.run.lifecycle
        assert (lifecycle.state, lifecycle.reason) == (self.end or (RunState.RUNNING, ""))

    @invariant()
    def the_first_signal_stands(self) -> None:
        assert self.run.cancellation.reason is self.signal

    @invariant()
    def every_callback_is_called_once_if_there_was_a_signal_and_else_never(self) -> None:
        assert sorted(self.calls) == (list(range(self.registered)) if self.signal else [])


TestRun = RunMachine.TestCase
