"""A Run: one request from start to its terminal state, passed explicitly, never through globals."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason, RunState, terminal_state_for
from superbiz_cli.harness.core.budget import Budget, BudgetExceeded
from superbiz_cli.harness.core.cancellation import Cancellation
from superbiz_cli.harness.core.clock import Clock, SystemClock
from superbiz_cli.harness.core.lifecycle import Lifecycle

_ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class RunAborted(Exception):
    """The Run has ended or must end: nothing more may be started for it."""

    def __init__(self, state: RunState) -> None:
        super().__init__(state.value)
        self.state = state


@dataclass(slots=True)
class Run:
    """Identity, deadline, budget, cancellation and lifecycle of one request.

    `deadline` and `began_s` are readings of `clock.monotonic()` in seconds, `started_at` is the same
    moment by the calendar. `exhaustion` is the first limit that was exceeded, for the trace.
    """

    run_id: str
    session_id: str
    deadline: float
    budget: Budget
    clock: Clock = field(default_factory=SystemClock)
    cancellation: Cancellation = field(default_factory=Cancellation)
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    exhaustion: BudgetExceeded | None = None
    started_at: datetime = field(init=False)
    began_s: float = field(init=False)

    def __post_init__(self) -> None:
        """Note when the Run began: everything after it counts, also what is loaded for it."""
        self.started_at, self.began_s = self.clock.now(), self.clock.monotonic()

    @classmethod
    def start(
        cls,
        *,
        session_id: str,
        deadline_s: float,
        limits: BudgetLimits,
        clock: Clock | None = None,
        run_id: str | None = None,
    ) -> Run:
        """Begin a Run that must end within `deadline_s` seconds."""
        chosen = clock or SystemClock()
        return cls(
            run_id=run_id or new_run_id(),
            session_id=session_id,
            deadline=chosen.monotonic() + deadline_s,
            budget=Budget(limits),
            clock=chosen,
        )

    def remaining_s(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - self.clock.monotonic())

    def cancel(self, reason: CancelReason) -> bool:
        """Write the terminal state, then broadcast. Returns False if the Run has ended before.

        The fact comes first: whoever hears the signal must find the state decided.
        """
        if not self.lifecycle.finish(terminal_state_for(reason), reason.value):
            return False
        self.cancellation.cancel(reason)
        return True

    def check_active(self) -> None:
        """Raise RunAborted unless the Run may go on. Called before every cost."""
        if self.lifecycle.is_terminal:
            raise RunAborted(self.lifecycle.state)
        if self.clock.monotonic() >= self.deadline:
            self.cancel(CancelReason.DEADLINE_EXCEEDED)
            raise RunAborted(self.lifecycle.state)
        if (reason := self.cancellation.reason) is not None:
            self.lifecycle.finish(terminal_state_for(reason), reason.value)
            raise RunAborted(self.lifecycle.state)

    @contextmanager
    def ending_on_exhaustion(self) -> Iterator[None]:
        """End the Run as BUDGET_EXHAUSTED when the body exceeds the budget; the error goes on up.

        A Run that had ended for another reason stays what it is: RunAborted is raised instead.
        """
        try:
            yield
        except BudgetExceeded as exceeded:
            self.cancel(CancelReason.BUDGET_EXHAUSTED)
            if self.lifecycle.state is not RunState.BUDGET_EXHAUSTED:
                raise RunAborted(self.lifecycle.state) from exceeded
            self.exhaustion = self.exhaustion or exceeded
            raise

    @contextmanager
    def watching_deadline(self) -> Iterator[None]:
        """Cancel the Run at its deadline, also while its thread is blocked in a call."""
        left_s = min(self.remaining_s(), threading.TIMEOUT_MAX)
        timer = threading.Timer(left_s, self.cancel, args=(CancelReason.DEADLINE_EXCEEDED,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def new_run_id() -> str:
    """Return a fresh id: 10 characters of Crockford's base 32, easy to read aloud and to type."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(10))
