"""What all remote log stores have in common: count, sample, look at the time before, tell what was cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.adapters.log_http import MAX_FETCHED, LogStoreFailed, fetch_evenly
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogEvent, LogQuery, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally


@dataclass(frozen=True, slots=True)
class Total:
    """How many events match; a lower bound unless `is_exact`."""

    count: int
    is_exact: bool = True


class LogEngine(Protocol):
    """One kind of store: it counts and returns the matching events of a window in time order."""

    @property
    def remarks(self) -> list[str]:
        """What limits the answers given so far, in words."""
        ...

    def total(self, window: TimeWindow) -> Total:
        """Return the number of matching events. Raises LogStoreFailed."""
        ...

    def events(self, window: TimeWindow, limit: int, *, newest_first: bool = False) -> list[LogEvent]:
        """Return the first, or the newest, <= `limit` matching events in time order.

        Raises LogStoreFailed.
        """
        ...

    def reaches_back(self, at_us: int) -> bool:
        """Whether the store holds any event, matching or not, at or before an instant.

        Raises LogStoreFailed.
        """
        ...


def search_engine(
    engine: LogEngine, source: LogSource, query: LogQuery, tally: EventTally, *, run: Run
) -> SourceAnswer:
    """Add what the engine has to the tally. Counts come from the engine, patterns from the sample."""
    try:
        total = engine.total(query.window)
        events = fetch_evenly(query.window, total.count, engine.events)
    except LogStoreFailed as failure:
        return SourceAnswer(limitations=(f"{source.name}: {failure.reason}",), answered=False)
    for event in events:
        run.check_active()
        if query.window.contains(event.at_us):
            tally.add(event)
    knows_before = _look_before(engine, query, tally)
    remarks = list(dict.fromkeys(engine.remarks))
    if total.count > len(events) or not total.is_exact:
        tally.is_sampled = True
    if total.count > len(events):
        remarks.append(f"patterns are from an even sample of {len(events)} of {total.count} events")
    return SourceAnswer(
        limitations=tuple(f"{source.name}: {remark}" for remark in remarks),
        extra_count=max(0, total.count - len(events)),
        count_is_exact=total.is_exact,
        knows_before=knows_before,
    )


def _look_before(engine: LogEngine, query: LogQuery, tally: EventTally) -> bool:
    """Note the shapes of the window before; more events than may be fetched leave it unknown what is new.

    Returns whether the store holds events of that time at all: else nothing can be called new.
    """
    before = query.window.before()
    begin_us = query.window.known_from()
    try:
        earlier = engine.events(before, MAX_FETCHED)
        reaches_back = any(event.at_us <= begin_us for event in earlier) or engine.reaches_back(begin_us)
    except LogStoreFailed:
        tally.looked_before = False
        return False
    for event in earlier:
        if before.contains(event.at_us):
            tally.add_before(event)
    if len(earlier) >= MAX_FETCHED:
        tally.looked_before = False
    return reaches_back
