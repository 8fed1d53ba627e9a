"""Condense a stream of matching events into counts, patterns and an even sample, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from superbiz_cli.harness.tool.logs.contract import (
    Level,
    LogEvent,
    RawEvent,
    RawPattern,
    TimeWindow,
    from_us,
)
from superbiz_cli.harness.tool.logs.patterns import mask, merge_templates
from superbiz_cli.harness.tool.logs.stack import without_frames

MAX_SHAPES = 2_000
MAX_PATTERNS = 40
MAX_EVENTS = 90
KEPT_CHARS = 6_000
MAX_RAW_CHARS = 90_000
_MINUTE_US = 60_000_000
_SAMPLE = 128
_SLOTS = 60

_Key = tuple[Level | None, str | None, str]


@dataclass(slots=True)
class _Shape:
    """All events of one masked message."""

    count: int = 0
    before: int = 0
    first: LogEvent | None = None
    last: LogEvent | None = None
    minutes: dict[int, int] = field(default_factory=dict)

    def add(self, event: LogEvent) -> None:
        self.count += 1
        if self.first is None or event.at_us < self.first.at_us:
            self.first = event
        if self.last is None or event.at_us >= self.last.at_us:
            self.last = event
        minute = event.at_us // _MINUTE_US
        self.minutes[minute] = self.minutes.get(minute, 0) + 1

    def absorb(self, other: _Shape) -> None:
        self.count += other.count
        self.before += other.before
        if other.first is not None and (self.first is None or other.first.at_us < self.first.at_us):
            self.first = other.first
        if other.last is not None and (self.last is None or other.last.at_us > self.last.at_us):
            self.last = other.last
        for minute, count in other.minutes.items():
            self.minutes[minute] = self.minutes.get(minute, 0) + count


class EventTally:
    """Counts all events, groups them by shape, and keeps an even sample of them.

    The sample is systematic: every k-th event is kept, and k doubles whenever the buffer is full. One
    event for each slot of the window and the first and last of each shape are kept besides, so that a
    burst can hide neither the quiet time before it nor a rare shape.
    """

    def __init__(self, window: TimeWindow) -> None:
        self._window = window
        self._shapes: dict[_Key, _Shape] = {}
        self._sample: list[LogEvent] = []
        self._stride = 1
        self._slots: dict[int, LogEvent] = {}
        self._slot_us = max(1, (window.end_us - window.start_us) // _SLOTS + 1)
        self.match_count = 0
        self.looked_before = True

    def add(self, event: LogEvent) -> None:
        """Count one matching event of the window."""
        kept = _shortened(event)
        self._shape_of(kept).add(kept)
        self._slots.setdefault((event.at_us - self._window.start_us) // self._slot_us, kept)
        if self.match_count % self._stride == 0:
            self._sample.append(kept)
            if len(self._sample) > _SAMPLE:
                self._sample = self._sample[::2]
                self._stride *= 2
        self.match_count += 1

    def add_before(self, event: LogEvent) -> None:
        """Note the shape of one matching event of the equally long window before."""
        self._shape_of(event).before += 1

    def finish(self) -> tuple[tuple[RawPattern, ...], tuple[RawEvent, ...]]:
        """Return the patterns by importance and the sampled events in time."""
        self._merge()
        ranked = sorted(
            ((key, shape) for key, shape in self._shapes.items() if shape.count),
            key=lambda item: (-item[1].count, -_severity(item[0][0]), item[0][2]),
        )[:MAX_PATTERNS]
        number_of = {key: index for index, (key, _) in enumerate(ranked)}
        patterns = tuple(self._pattern(key, shape) for key, shape in ranked)
        return patterns, self._events(ranked, number_of)

    def _shape_of(self, event: LogEvent) -> _Shape:
        key = (event.level, event.service, mask(event.message))
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= MAX_SHAPES:
                self._merge()
            if len(self._shapes) >= MAX_SHAPES:
                key = (event.level, event.service, "")
            shape = self._shapes.setdefault(key, _Shape())
        return shape

    def _merge(self) -> None:
        families: dict[tuple[Level | None, str | None], list[tuple[str, _Shape]]] = {}
        for (level, service, template), shape in self._shapes.items():
            families.setdefault((level, service), []).append((template, shape))
        merged: dict[_Key, _Shape] = {}
        for (level, service), members in families.items():
            members.sort(key=lambda member: (-member[1].count - member[1].before, member[0]))
            for index, leader in enumerate(merge_templates([template for template, _ in members])):
                key = (level, service, members[leader][0])
                if leader == index:
                    merged[key] = members[index][1]
                else:
                    merged[key].absorb(members[index][1])
        self._shapes = merged

    def _pattern(self, key: _Key, shape: _Shape) -> RawPattern:
        level, service, _ = key
        if shape.first is None or shape.last is None:
            raise AssertionError("a counted shape has events")
        peak_minute, peak_count = max(shape.minutes.items(), key=lambda item: (item[1], -item[0]))
        return RawPattern(
            count=shape.count,
            first_seen=_iso(shape.first.at_us),
            last_seen=_iso(shape.last.at_us),
            level=level,
            service=service,
            example=shape.first.message[:2_000],
            is_new=shape.before == 0 if self.looked_before else None,
            peak_minute=_iso(peak_minute * _MINUTE_US),
            peak_count=peak_count,
        )

    def _events(self, ranked: list[tuple[_Key, _Shape]], number_of: dict[_Key, int]) -> tuple[RawEvent, ...]:
        first = [shape.first for _, shape in ranked if shape.first is not None]
        sample = sorted(self._sample, key=lambda event: event.at_us)
        chosen: dict[int, LogEvent] = {}
        used = 0
        for event in (*first, *self._slots.values(), *_evenly(sample, MAX_EVENTS)):
            if id(event) in chosen or len(chosen) >= MAX_EVENTS or used + len(event.message) > MAX_RAW_CHARS:
                continue
            chosen[id(event)] = event
            used += len(event.message)
        return tuple(
            RawEvent(
                timestamp=_iso(event.at_us),
                level=event.level,
                service=event.service,
                message=event.message,
                pattern=self._locate(event, number_of),
            )
            for event in sorted(chosen.values(), key=lambda event: event.at_us)
        )

    def _locate(self, event: LogEvent, number_of: dict[_Key, int]) -> int:
        """Return the number of the event's pattern, -1 if it is none of the ranked ones."""
        template = mask(event.message)
        found = number_of.get((event.level, event.service, template))
        if found is not None:
            return found
        family = [key for key in number_of if key[:2] == (event.level, event.service)]
        leader = merge_templates([*(key[2] for key in family), template])[-1]
        return number_of[family[leader]] if leader < len(family) else -1


def _shortened(event: LogEvent) -> LogEvent:
    """Keep what can be shown. The cut lies far behind what is shown, so that redaction sees whole values."""
    message = without_frames(event.message[: KEPT_CHARS * 8])[:KEPT_CHARS]
    return LogEvent(at_us=event.at_us, text="", message=message, level=event.level, service=event.service)


def _evenly(events: list[LogEvent], count: int) -> list[LogEvent]:
    if len(events) <= count:
        return events
    step = len(events) / count
    return [events[int(index * step)] for index in range(count)]


def _severity(level: Level | None) -> int:
    return -1 if level is None else list(Level).index(level)


def _iso(at_us: int) -> str:
    return from_us(at_us).isoformat()
