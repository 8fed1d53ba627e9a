"""What happened in the bundled incident, as one set of times and numbers that every file agrees on.

A back-office tool begins to search all payments by free text. There is no index, so each run reads the
whole table and keeps its connection for half a minute; with a new run every second or two, the pool of
payment-service runs empty, requests wait and fail, and order-service reports timeouts. A harmless
error of channel-gateway has been there for hours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

HISTORY = timedelta(hours=3)
DURATION = timedelta(minutes=22)
POOL_SIZE = 20
WAIT_MS = 30_000
CLIENT_TIMEOUT_MS = 5_000
TABLE_ROWS = 4_100_000
_SEED = 20_26


@dataclass(frozen=True, slots=True)
class SlowStatement:
    """One run of the search: when it ended, how long it took (s) and how many rows it read."""

    ended: datetime
    seconds: float
    rows_examined: int


@dataclass(frozen=True, slots=True)
class Story:
    """The times of the incident. `began` is a whole minute; everything is aware and in one zone."""

    now: datetime
    began: datetime
    history_from: datetime
    statements: tuple[SlowStatement, ...]
    exhausted_from: datetime

    def moments(self, every_s: float, *, since: datetime, until: datetime, seed: int) -> Iterator[datetime]:
        """Yield irregular times between two moments, on average `every_s` seconds apart."""
        randomness = random.Random(_SEED + seed)
        at = since + timedelta(seconds=randomness.uniform(0, every_s))
        while at < until:
            yield at.replace(microsecond=at.microsecond // 1000 * 1000)
            at += timedelta(seconds=randomness.uniform(0.4, 1.6) * every_s)


def tell(now: datetime) -> Story:
    """Return the incident as it looks at `now` (aware): it began 22 minutes before, and is going on."""
    began = (now - DURATION).replace(second=0, microsecond=0)
    randomness = random.Random(_SEED)
    statements = []
    started = began + timedelta(seconds=8)
    while started < now - timedelta(seconds=45):
        seconds = round(randomness.uniform(28.0, 41.0), 6)
        ended = started + timedelta(seconds=seconds)
        statements.append(SlowStatement(ended, seconds, TABLE_ROWS + randomness.randrange(9_000)))
        started += timedelta(seconds=randomness.uniform(1.2, 2.0))
    return Story(
        now=now,
        began=began,
        history_from=began - HISTORY,
        statements=tuple(statements),
        exhausted_from=began + timedelta(seconds=71),
    )
