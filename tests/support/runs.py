"""Runs for tests: with a clock that the test moves, and a cancellation whose waiting moves it too."""

from __future__ import annotations

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.cancellation import Cancellation
from superbiz_cli.harness.core.run import Run
from tests.support.clock import FakeClock


class AdvancingCancellation(Cancellation):
    """A cancellation whose `wait` moves a fake clock instead of sleeping; keeps how long it waited."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self.waits: list[float] = []

    def wait(self, timeout_s: float) -> bool:
        self.waits.append(timeout_s)
        if not self.is_cancelled:
            self._clock.advance(timeout_s)
        return self.is_cancelled


def start_run(
    clock: FakeClock,
    *,
    deadline_s: float = 300.0,
    limits: BudgetLimits | None = None,
    run_id: str = "run-1",
) -> Run:
    """A Run on a fake clock; its waiting takes no time."""
    run = Run.start(
        session_id="session-1",
        deadline_s=deadline_s,
        limits=limits or BudgetLimits(),
        clock=clock,
        run_id=run_id,
    )
    run.cancellation = AdvancingCancellation(clock)
    return run
