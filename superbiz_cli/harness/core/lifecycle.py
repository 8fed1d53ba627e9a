"""Lifecycle: a Run ends exactly once; the first terminal state wins."""

from __future__ import annotations

from dataclasses import dataclass

from superbiz_cli.harness.contract.status import RunState


@dataclass(frozen=True, slots=True)
class _End:
    state: RunState
    reason: str


class Lifecycle:
    """Terminal state of one Run, decided by whoever finishes first.

    State and reason appear together, by one atomic step (`dict.setdefault` on a text key), so that
    nobody who lost the race can still read RUNNING. There is no lock that a signal handler could
    find held by the very thread that it interrupts.
    """

    def __init__(self) -> None:
        self._ends: dict[str, _End] = {}

    @property
    def state(self) -> RunState:
        """RUNNING, or the terminal state."""
        end = self._ends.get("first")
        return RunState.RUNNING if end is None else end.state

    @property
    def reason(self) -> str:
        """The stable word given by whoever finished the Run, or ""."""
        end = self._ends.get("first")
        return "" if end is None else end.reason

    @property
    def is_terminal(self) -> bool:
        """Whether the Run has ended."""
        return "first" in self._ends

    def finish(self, state: RunState, reason: str) -> bool:
        """End the Run in `state`. Returns False, and changes nothing, if it has ended before."""
        if state is RunState.RUNNING:
            raise ValueError("RUNNING is not a terminal state")
        end = _End(state, reason)
        return self._ends.setdefault("first", end) is end
