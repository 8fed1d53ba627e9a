from __future__ import annotations

from datetime import UTC, timedelta

from superbiz_cli.harness.core.clock import SystemClock


def test_the_system_clock_reads_utc_and_never_goes_back() -> None:
    clock = SystemClock()
    first, second = clock.monotonic(), clock.monotonic()
    assert first <= second
    assert clock.now().tzinfo is UTC
    assert clock.now().utcoffset() == timedelta(0)
