"""Read the times of many header lines at once.

Most files write their time at one place with one width: then the text up to the second is a slice of
the line, and one parse serves all lines of that second. Other files are parsed line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from superbiz_cli.adapters.log_files.json_event import TIME_KEYS, parse_object, read_json_event, read_time
from superbiz_cli.adapters.log_files.profile import HeaderMatcher
from superbiz_cli.adapters.log_files.resolve import Resolver
from superbiz_cli.adapters.log_files.stamps import SECOND_US, Stamp, Zones

_MAX_CACHED = 100_000
_FEW = 64
_SAMPLE = 400
_SECOND_CHARS = 20  # a quote and YYYY-MM-DDTHH:MM:SS
_FRACTION_CHARS = b".,0123456789"

StampOf = Callable[[bytes], Stamp | None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where every header line writes its time: up to the second, and its zone (perhaps empty)."""

    start: int
    second_end: int
    zone_start: int
    end: int


class LineClock:
    """The instants of header lines. `exact` parses one line; `seconds` gives many, cut to the second."""

    def __init__(self, stamp_of: StampOf, resolver: Resolver, place: Place | None) -> None:
        self._stamp_of = stamp_of
        self._resolver = resolver
        self._place = place
        self._known: dict[bytes, int] = {}

    @property
    def place(self) -> Place | None:
        """Where every header line writes its time, None if that differs."""
        return self._place

    def exact(self, line: bytes) -> int | None:
        """Return the instant of a line in microseconds, None if it states none after all."""
        stamp = self._stamp_of(line)
        return None if stamp is None else self._resolver.resolve(stamp)

    def seconds(self, lines: Sequence[bytes]) -> list[int] | None:
        """Return the instants of header lines, cut to the second; None if a line is no header after all."""
        if self._place is None:
            return self._one_by_one(lines)
        second = slice(self._place.start, self._place.second_end)
        zone = slice(self._place.zone_start, self._place.end)
        known = self._known
        if zone.start == zone.stop:
            texts = [line[second] for line in lines]
        else:
            texts = [line[second] + line[zone] for line in lines]
        unknown = set(texts) - known.keys()
        if len(unknown) > len(texts) // 2 and len(texts) > _FEW:
            return self._one_by_one(lines)
        where = dict(zip(texts, range(len(texts)), strict=True)) if unknown else {}
        for text in unknown:
            at_us = self.exact(lines[where[text]])
            if at_us is None:
                return None
            if len(known) > _MAX_CACHED:
                known.clear()
                return self._one_by_one(lines)
            known[text] = at_us - at_us % SECOND_US
        return [known[text] for text in texts]

    def _one_by_one(self, lines: Sequence[bytes]) -> list[int] | None:
        found = []
        for line in lines:
            at_us = self.exact(line)
            if at_us is None:
                return None
            found.append(at_us - at_us % SECOND_US)
        return found


def text_clock(sample: Sequence[bytes], matcher: HeaderMatcher, resolver: Resolver) -> LineClock:
    """Return the clock of a text file, learned from the header lines of its sample."""

    def stamp_of(line: bytes) -> Stamp | None:
        header = matcher.match(line)
        return header.stamp if header is not None else None

    places = {
        _place_in(line, header.start, header.end)
        for line in sample[:_SAMPLE]
        if (header := matcher.match(line))
    }
    is_fixed = len(places) == 1 and len(matcher) == 1
    return LineClock(stamp_of, resolver, places.pop() if is_fixed else None)


def _place_in(line: bytes, start: int, end: int) -> Place:
    """Return the place of a time that is written from `start` to `end`, its fraction left out."""
    written = line[start:end]
    second = re.match(rb".*?\d\d:\d\d:\d\d", written)
    second_end = second.end() if second else len(written)
    fraction = re.compile(rb"[.,:]\d{1,9}").match(written, second_end)
    zone_start = fraction.end() if fraction else second_end
    return Place(start, start + second_end, start + zone_start, end)


def json_clock(sample: Sequence[bytes], zones: Zones, resolver: Resolver) -> LineClock:
    """Return the clock of a file of JSON lines, learned from its sample."""

    def stamp_of(line: bytes) -> Stamp | None:
        fields = parse_object(line.decode("utf-8", "replace"))
        return read_json_event(fields, zones).stamp if fields is not None else None

    written = _written_time(sample[:_SAMPLE], stamp_of, zones)
    if written is None:
        return LineClock(stamp_of, resolver, None)
    return JsonClock(stamp_of, resolver, written, zones)


class JsonClock(LineClock):
    """The clock of JSON lines that all write their time under one key: no line has to be parsed for it."""

    def __init__(
        self, stamp_of: StampOf, resolver: Resolver, written: re.Pattern[bytes], zones: Zones
    ) -> None:
        super().__init__(stamp_of, resolver, None)
        self._written = written
        self._zones = zones
        self._second_of: dict[tuple[bytes, bytes], int] = {}

    def seconds(self, lines: Sequence[bytes]) -> list[int] | None:
        """Return the instants, cut to the second; None if a line is torn or has no such time."""
        found: list[int] = []
        search, known = self._written.search, self._second_of
        for line in lines:
            match = search(line)
            if match is None or not line.endswith(b"}"):
                return None
            text = match[1]
            key = text[:_SECOND_CHARS], text[_SECOND_CHARS:].lstrip(_FRACTION_CHARS)
            second = known.get(key)
            if second is None:
                second = self._read(text)
                if second is None:
                    return None
                if len(known) < _MAX_CACHED and len(text) > _SECOND_CHARS:
                    known[key] = second
            found.append(second)
        return found

    def _read(self, text: bytes) -> int | None:
        stamp = _stamp_of_json(text, self._zones)
        at_us = None if stamp is None else self._resolver.resolve(stamp)
        return None if at_us is None else at_us - at_us % SECOND_US


def _stamp_of_json(text: bytes, zones: Zones) -> Stamp | None:
    try:
        return read_time(json.loads(text), zones)
    except ValueError:
        return None


def _written_time(sample: Sequence[bytes], stamp_of: StampOf, zones: Zones) -> re.Pattern[bytes] | None:
    """Return the pattern of the one key whose first value is the time in every line of a sample."""
    stamps = [(line, stamp) for line in sample if (stamp := stamp_of(line)) is not None]
    for key in TIME_KEYS:
        pattern = re.compile(rb'"%s"\s*:\s*("[^"\\]{8,40}"|\d{10,19}(?:\.\d+)?)' % re.escape(key.encode()))
        if not stamps or not pattern.search(stamps[0][0]):
            continue
        matches = [(pattern.search(line), stamp) for line, stamp in stamps]
        if all(match and _stamp_of_json(match[1], zones) == stamp for match, stamp in matches):
            return pattern
    return None
