"""A clock that moves only when a test says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Monotonic and wall clock advanced together, in seconds."""

    def __init__(self, start: datetime = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed_s = 0.0

    def monotonic(self) -> float:
        return self._elapsed_s

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s)

    def advance(self, seconds: float) -> None:
        self._elapsed_s += seconds
