"""Condense matching events into counts, patterns and an even sample, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from superbiz_cli.harness.tool.logs.contract import (
    Level,
    LogEvent,
    RawEvent,
    RawPattern,
    TimeWindow,
    from_us,
)
from superbiz_cli.harness.tool.logs.http_status import failing_status
from superbiz_cli.harness.tool.logs.patterns import mask, merge_templates
from superbiz_cli.harness.tool.logs.stack import without_frames

MINUTE_US = 60_000_000
MAX_SHAPES = 2_000
MAX_PATTERNS = 40
MAX_EVENTS = 90
MAX_KEPT_CHARS = 6_000
MAX_RAW_CHARS = 90_000
MAX_EXAMPLE_CHARS = 2_000
SAMPLE = 128
SLOTS = 60

_Family = tuple[Level | None, str | None, str]


@dataclass(slots=True, eq=False)
class Shape:
    """All events of one masked message, level, service and failing HTTP status.

    A shape that joined another points to it.
    """

    family: _Family
    template: str
    count: int = 0
    was_before: bool = False
    first: LogEvent | None = None
    last_us: int = 0
    minutes: dict[int, int] = field(default_factory=dict)
    joined: Shape | None = None

    def root(self) -> Shape:
        """Return the shape that now counts for this one."""
        shape = self
        while shape.joined is not None:
            shape = shape.joined
        return shape

    def begins_before(self, at_us: int) -> bool:
        """Whether the earliest event known so far is not later than `at_us`."""
        return self.first is not None and self.first.at_us <= at_us

    def absorb(self, other: Shape) -> None:
        """Take over what another shape has counted."""
        other.joined = self
        self.was_before = self.was_before or other.was_before
        self.count += other.count
        self.last_us = max(self.last_us, other.last_us)
        if other.first is not None and not self.begins_before(other.first.at_us):
            self.first = other.first
        for minute, number in other.minutes.items():
            self.minutes[minute] = self.minutes.get(minute, 0) + number


class EventTally:
    """Counts all events, groups them by shape, and keeps an even sample of them.

    The sample is systematic: every k-th event is kept, and k doubles whenever the buffer is full. One
    event for each slot of the window and the first of each shape are kept besides, so that a burst can
    hide neither the quiet time before it nor a rare shape. `is_sampled` is set by a source that added only
    some of its matching events.
    """

    def __init__(self, window: TimeWindow) -> None:
        self.window = window
        self.match_count = 0
        self.stride = 1
        self.looked_before = True
        self.is_sampled = False
        self._shapes: dict[tuple[_Family, str], Shape] = {}
        self._sample: list[tuple[LogEvent, Shape]] = []
        self._slots: dict[int, tuple[LogEvent, Shape]] = {}
        self._slot_us = max(1, (window.end_us - window.start_us) // SLOTS + 1)

    def add(self, event: LogEvent) -> None:
        """Count one matching event of the window."""
        shape = self.shape_of(event)
        self.keep(event, shape, sampled=self.match_count % self.stride == 0)
        self.add_many(shape, 1, {event.at_us // MINUTE_US: 1}, event.at_us)
        self.note_first(shape, event)

    def add_before(self, event: LogEvent) -> None:
        """Note that the shape of `event` occurred in the equally long window before."""
        self.shape_of(event).was_before = True

    def shape_of(self, event: LogEvent) -> Shape:
        """Return the shape of an event; a new one is made while there is room."""
        family = (event.level, event.service, failing_status(event.message))
        template = mask(event.message)
        shape = self._shapes.get((family, template))
        if shape is not None:
            return shape
        if len(self._shapes) >= MAX_SHAPES:
            self._merge()
        if len(self._shapes) >= MAX_SHAPES:
            template = ""  # so many different messages that the rest is one shape
        return self._shapes.setdefault((family, template), Shape(family, template))

    def add_many(self, shape: Shape, count: int, minutes: Mapping[int, int], last_us: int) -> None:
        """Count matching events of one shape; `minutes` maps minutes since 1970 to counts.

        `note_first` must be called for the first of them unless the shape begins before it.
        """
        self.match_count += count
        shape = shape.root()
        shape.count += count
        shape.last_us = max(shape.last_us, last_us)
        for minute, number in minutes.items():
            shape.minutes[minute] = shape.minutes.get(minute, 0) + number

    def note_first(self, shape: Shape, event: LogEvent) -> None:
        """Make `event` the example of its shape if it is the earliest."""
        shape = shape.root()
        if not shape.begins_before(event.at_us):
            shape.first = _shortened(event)

    def make_room(self, count: int) -> None:
        """Widen the stride so that `count` further events give no more than one full sample."""
        while count // self.stride > SAMPLE:
            self._thin()

    def keep(self, event: LogEvent, shape: Shape, *, sampled: bool) -> None:
        """Keep an event for its slot of the window if that is empty, and for the sample if `sampled`."""
        slot = (event.at_us - self.window.start_us) // self._slot_us
        if not sampled and slot in self._slots:
            return
        kept = (_shortened(event), shape)
        self._slots.setdefault(slot, kept)
        if sampled:
            self._sample.append(kept)
            if len(self._sample) > SAMPLE:
                self._thin()

    def _thin(self) -> None:
        self._sample = self._sample[::2]
        self.stride *= 2

    def empty_slots(self, from_us: int, to_us: int) -> list[int]:
        """Return the slots between two instants of which no event is kept yet."""
        first, last = (max(0, at_us - self.window.start_us) // self._slot_us for at_us in (from_us, to_us))
        return [slot for slot in range(min(first, last), max(first, last) + 1) if slot not in self._slots]

    def slot_bounds(self, slot: int) -> tuple[int, int]:
        """Return the first and the last instant of a slot."""
        begin = self.window.start_us + slot * self._slot_us
        return begin, begin + self._slot_us - 1

    def finish(self) -> tuple[tuple[RawPattern, ...], tuple[RawEvent, ...]]:
        """Return the patterns by importance and the sampled events in time."""
        self._merge()
        ranked = sorted(
            (shape for shape in self._shapes.values() if shape.count),
            key=lambda shape: (-shape.count, -_severity(shape.family), shape.template),
        )[:MAX_PATTERNS]
        return tuple(self._pattern(shape) for shape in ranked), self._events(ranked)

    def _merge(self) -> None:
        families: dict[_Family, list[Shape]] = {}
        for shape in self._shapes.values():
            families.setdefault(shape.family, []).append(shape)
        self._shapes = {}
        for family, shapes in families.items():
            shapes.sort(key=lambda shape: (-shape.count, shape.template))
            leaders = merge_templates([shape.template for shape in shapes])
            for shape, leader in zip(shapes, leaders, strict=True):
                if shapes[leader] is not shape:
                    shapes[leader].absorb(shape)
                else:
                    self._shapes[family, shape.template] = shape

    def _pattern(self, shape: Shape) -> RawPattern:
        if shape.first is None:
            raise AssertionError("a counted shape has events")
        peak_minute, peak_count = max(shape.minutes.items(), key=lambda item: (item[1], -item[0]))
        level, service, _ = shape.family
        return RawPattern(
            count=shape.count,
            first_seen=_iso(shape.first.at_us),
            last_seen=_iso(shape.last_us),
            level=level,
            service=service,
            example=shape.first.message[:MAX_EXAMPLE_CHARS],
            is_new=not shape.was_before if self.looked_before else None,
            peak_minute=_iso(peak_minute * MINUTE_US),
            peak_count=peak_count,
            is_sampled=self.is_sampled,
        )

    def _events(self, ranked: list[Shape]) -> tuple[RawEvent, ...]:
        numbers = {id(shape): number for number, shape in enumerate(ranked)}
        firsts = [(shape.first, shape) for shape in ranked if shape.first is not None]
        sample = sorted(self._sample, key=lambda kept: kept[0].at_us)
        chosen = _within_bounds([*firsts, *self._slots.values(), *_evenly(sample, MAX_EVENTS)])
        return tuple(
            RawEvent(
                timestamp=_iso(event.at_us),
                level=event.level,
                service=event.service,
                message=event.message,
                pattern=numbers.get(id(shape.root()), -1),
            )
            for event, shape in sorted(chosen, key=lambda kept: kept[0].at_us)
        )


def _within_bounds(candidates: Iterable[tuple[LogEvent, Shape]]) -> list[tuple[LogEvent, Shape]]:
    """Return the candidates in their order, each event once, while they fit a raw answer."""
    chosen: dict[tuple[int, str], tuple[LogEvent, Shape]] = {}
    used = 0
    for event, shape in candidates:
        key = (event.at_us, event.message)
        if key in chosen or len(chosen) >= MAX_EVENTS or used + len(event.message) > MAX_RAW_CHARS:
            continue
        chosen[key] = (event, shape)
        used += len(event.message)
    return list(chosen.values())


def _shortened(event: LogEvent) -> LogEvent:
    """Keep what can be shown. The cut lies far behind what is shown: redaction must see whole values."""
    if not event.text and len(event.message) <= MAX_KEPT_CHARS:
        return event  # shortened before
    message = without_frames(event.message[: MAX_KEPT_CHARS * 8])[:MAX_KEPT_CHARS]
    return LogEvent(at_us=event.at_us, text="", message=message, level=event.level, service=event.service)


def _evenly(kept: list[tuple[LogEvent, Shape]], count: int) -> list[tuple[LogEvent, Shape]]:
    if len(kept) <= count:
        return kept
    step = len(kept) / count
    return [kept[int(index * step)] for index in range(count)]


def _severity(family: _Family) -> int:
    level, _, status = family
    if status.startswith("5"):
        level = max(level or Level.ERROR, Level.ERROR, key=list(Level).index)
    return -1 if level is None else list(Level).index(level)


def _iso(at_us: int) -> str:
    return from_us(at_us).isoformat()
