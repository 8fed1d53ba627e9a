"""Lifecycle: a Run ends exactly once; the first terminal state wins."""

from __future__ import annotations

import threading

from superbiz_cli.harness.contract.status import RunState


class Lifecycle:
    """Terminal state of one Run, decided by whoever finishes first."""

    def __init__(self) -> None:
        self._decided = threading.Semaphore(1)
        self._state = RunState.RUNNING
        self._reason = ""

    @property
    def state(self) -> RunState:
        """RUNNING, or the terminal state."""
        return self._state

    @property
    def reason(self) -> str:
        """The stable word given by whoever finished the Run, or ""."""
        return self._reason

    @property
    def is_terminal(self) -> bool:
        """Whether the Run has ended."""
        return self._state is not RunState.RUNNING

    def finish(self, state: RunState, reason: str) -> bool:
        """End the Run in `state`. Returns False, and changes nothing, if it has ended before."""
        if state is RunState.RUNNING:
            raise ValueError("RUNNING is not a terminal state")
        if not self._decided.acquire(blocking=False):
            return False
        self._reason = reason
        self._state = state
        return True
