"""Scan a file block by block: find the events that matter without looking at every line.

Works on files whose events begin at recognisable lines of their own (plain text with locked loci, JSON
lines). A block holds whole events; one that turns out to be unusual is read line by line instead, so
that both ways give the same result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from superbiz_cli.adapters.log_files.clock import LineClock, Place, json_clock, text_clock
from superbiz_cli.adapters.log_files.events import FileReader, split_lines
from superbiz_cli.adapters.log_files.glued import has_second_header, may_have_second_object
from superbiz_cli.adapters.log_files.prefilter import prefilter_for
from superbiz_cli.adapters.log_files.probe import probe_for
from superbiz_cli.adapters.log_files.profile import MAY_START
from superbiz_cli.adapters.log_files.stamps import SECOND_US
from superbiz_cli.adapters.log_files.unwrap import Wrapper
from superbiz_cli.harness.tool.logs.contract import LogEvent, LogQuery
from superbiz_cli.harness.tool.logs.http_status import with_marked_statuses
from superbiz_cli.harness.tool.logs.tally import MINUTE_US, EventTally, Shape
from superbiz_cli.harness.tool.logs.terms import matches_all

MAX_CARRIED_BYTES = 8 << 20
_FEW = 3
_MANY = 32
_MAX_KEYS = 50_000
# First cut of grouping: events that differ only in digits and hexadecimal letters are of one shape, but
# for an HTTP status of failure.
_DROPPED = b"0123456789abcdef"
_DIGIT_WORDS = re.compile(rb"(?<![\w.@/\\-])[A-Za-z_.@/\\+-]*+\d(?:[\w.@/\\%+-]|:(?=\d))*+")


@dataclass(frozen=True, slots=True)
class Layout:
    """How the events of a file are found in a block: where one begins, and how its time is read."""

    is_json: bool
    header: re.Pattern[bytes]
    header_line: re.Pattern[bytes]
    late: re.Pattern[bytes]
    clock: LineClock


def layout_of(reader: FileReader) -> Layout | None:
    """Return the layout of an opened file, None if it must be read line by line."""
    if reader.wrapper is not Wrapper.NONE or reader.is_slow_log or reader.has_directives:
        return None
    if reader.json_lines and reader.json_lines >= 9 * reader.plain_lines:
        clock, detector, is_json = (
            json_clock(reader.sample, reader.source.zones, reader.resolver),
            rb"\{",
            True,
        )
    elif not reader.json_lines and reader.matcher.knows_dates:
        clock = text_clock(reader.sample, reader.matcher, reader.resolver)
        detector, is_json = _narrow(reader.sample, clock.place) or reader.matcher.detector, False
    else:
        return None
    other = rb"[^\n]" if is_json else rb"(?:\{|" + MAY_START.pattern + rb")"
    return Layout(
        is_json=is_json,
        header=re.compile(rb"(?m)^" + detector),
        header_line=re.compile(rb"(?m)^" + detector + rb"[^\n]*"),
        late=re.compile(rb"(?m)^(?!" + detector + rb")" + other),
        clock=clock,
    )


def _narrow(sample: Sequence[bytes], place: Place | None) -> bytes | None:
    """Return a pattern for exactly the headers of a sample that all write their time at one place.

    Patterns for any header are several times slower to search for. A line with another header does not
    match this one and is met as a late locus.
    """
    if place is None:
        return None
    matching = [line for line in sample if len(line) >= place.second_end]
    if not matching:
        return None
    skeletons = Counter(_skeleton(line[: place.second_end]) for line in matching)
    return skeletons.most_common(1)[0][0]


def _skeleton(text: bytes) -> bytes:
    pieces = (rb"\d" if 48 <= code <= 57 else re.escape(bytes([code])) for code in text)
    return b"".join(pieces)


def _last_header(block: bytes, header: re.Pattern[bytes]) -> int:
    end = len(block)
    while end > 0:
        start = block.rfind(b"\n", 0, end - 1) + 1
        if header.match(block, start):
            return start
        end = start
    return -1


@dataclass(slots=True)
class _Found:
    """Events found in a block: their header lines, and where each begins and ends, if that is known yet.

    `has_only_headers` tells that no event of the block has a second line.
    """

    block: bytes
    lines: list[bytes]
    has_only_headers: bool = False
    bounds: list[tuple[int, int]] | None = None

    def text(self, index: int, header: re.Pattern[bytes]) -> bytes:
        """Return the whole text of an event."""
        if self.has_only_headers:
            return self.lines[index]
        if self.bounds is None:
            starts = [match.start() for match in header.finditer(self.block)]
            self.bounds = list(zip(starts, [*starts[1:], len(self.block)], strict=True))
        start, end = self.bounds[index]
        return self.block[start:end]


class BlockScan:
    """Adds the matching events of one file's blocks to a tally."""

    def __init__(self, reader: FileReader, layout: Layout, query: LogQuery, tally: EventTally) -> None:
        self._reader = reader
        self._layout = layout
        self._query = query
        self._tally = tally
        self._loci = len(reader.matcher)
        self._probe = probe_for(query.terms, in_json=layout.is_json)
        rarest = self._probe.needles[0] if self._probe is not None and self._probe.needles else ()
        # a term over a line break could lie half in the next block
        in_one_line = rarest and not any(b"\n" in way for way in rarest)
        self._may_match = prefilter_for(rarest) if in_one_line else _always
        self._before = query.window.before()
        self._shape_of_key: dict[bytes, Shape] = {}
        self._shape_of_words: dict[bytes, Shape] = {}

    def scan_all(self, blocks: Iterable[bytes]) -> None:
        """Count the matching events of blocks of whole lines that begin with a header line."""
        for block in self._aligned(blocks):
            self._scan(block)

    def _aligned(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield blocks of whole events that may match: the last event of a block waits for its rest."""
        carry = b""
        for block in blocks:
            if not self._may_match(block) and not (carry and self._may_match(carry)):
                cut = _last_header(block, self._layout.header)
                rest = block[cut:] if cut >= 0 else carry + block
                carry = rest if len(rest) < MAX_CARRIED_BYTES else b""
                continue
            joined = carry + block
            cut = _last_header(joined, self._layout.header)
            if cut <= 0 and len(joined) < MAX_CARRIED_BYTES:
                carry = joined
                continue
            cut = cut if cut > 0 else len(joined)
            yield joined[:cut]
            carry = joined[cut:]
        if carry:
            yield carry

    def _scan(self, block: bytes) -> None:
        if self._probe is None:
            found = None
        elif not self._query.terms:
            found = self._all_events(block)
        else:
            lowered = block.lower()
            if not self._probe.may_match(lowered):
                return
            found = self._matching_events(block, lowered)
        seconds = None if found is None else self._layout.clock.seconds(found.lines)
        if found is None or seconds is None:
            self._scan_lines(split_lines(block))
        elif len(found.lines) <= _FEW:
            self._add_each(found)
        else:
            self._add_grouped(found, seconds)

    def _scan_lines(self, lines: Iterable[bytes]) -> None:
        """Count the matching events of lines, one by one."""
        for at_us, raw in self._reader.assemble(lines):
            if at_us is None or not self._before.start_us <= at_us <= self._query.window.end_us:
                continue
            event = self._reader.understand(at_us, raw)
            if matches_all(event.text, self._query.terms):
                self._add(event)
        self._learn_late()

    def _learn_late(self) -> None:
        """Take over a locus that was first met after the sample, so that further blocks are regular."""
        if len(self._reader.matcher) != self._loci:
            self._loci = len(self._reader.matcher)
            self._layout = layout_of(self._reader) or self._layout

    def _add(self, event: LogEvent) -> None:
        if self._query.window.contains(event.at_us):
            self._tally.add(event)
        elif self._before.contains(event.at_us):
            self._tally.add_before(event)

    def _all_events(self, block: bytes) -> _Found | None:
        """Return all events of a block, None for a block that must be read line by line."""
        lines = self._layout.header_line.findall(block)
        only_headers = block.count(b"\n") + (not block.endswith(b"\n")) == len(lines)
        if not only_headers and self._has_late(block, 0, len(block)):
            return None
        if self._is_glued(block, lines):
            return None
        return _Found(block, lines, only_headers)

    def _matching_events(self, block: bytes, lowered: bytes) -> _Found | None:
        """Return the events that hold all terms, None for a block that must be read line by line."""
        if self._probe is None:
            return None
        bounds: list[tuple[int, int]] = []
        at = self._probe.next_hit(lowered, 0)
        while at >= 0:
            start = self._event_start(block, at)
            if start is None:
                return None
            newline = block.find(b"\n", at)
            following = self._layout.header.search(block, newline + 1) if newline >= 0 else None
            end = following.start() if following else len(block)
            if self._has_late(block, start, end):
                return None
            if self._probe.may_match(lowered, start, end):
                bounds.append((start, end))
            at = self._probe.next_hit(lowered, end)
        lines = [_first_line(block, start, end) for start, end in bounds]
        return None if self._is_glued(block, lines) else _Found(block, lines, bounds=bounds)

    def _has_late(self, block: bytes, start: int, end: int) -> bool:
        """Whether a line is a header of a shape that is not locked yet, JSON in a text log, text in JSON."""
        for match in self._layout.late.finditer(block, start, end):
            line = _first_line(block, match.start(), len(block))
            if line[:1] == b"{" or self._layout.is_json or self._reader.matcher.match(line) is not None:
                return True
        return False

    def _event_start(self, block: bytes, at: int) -> int | None:
        start = block.rfind(b"\n", 0, at) + 1
        while not self._layout.header.match(block, start):
            if start == 0:
                return None
            start = block.rfind(b"\n", 0, start - 1) + 1
        return start

    def _is_glued(self, block: bytes, lines: Sequence[bytes]) -> bool:
        """Whether a line may hold a second event. A date that occurs once a line cannot head two."""
        if self._layout.is_json:
            return may_have_second_object(block)
        if not lines:
            return False
        date = lines[0][:10]
        if len(lines) > _MANY and block.count(date) <= len(lines):
            return False
        return any(has_second_header(line) for line in lines)

    def _understand(self, found: _Found, index: int) -> LogEvent | None:
        lines = split_lines(found.text(index, self._layout.header))
        for at_us, raw in self._reader.assemble(lines):
            if at_us is not None:
                return self._reader.understand(at_us, raw)
        return None

    def _add_each(self, found: _Found) -> None:
        for index in range(len(found.lines)):
            event = self._understand(found, index)
            if event is not None:
                self._add(event)

    def _add_grouped(self, found: _Found, seconds: list[int]) -> None:
        """Count many events at once, by the keys of their header lines."""
        inside, before = self._in_windows(found, seconds)
        if before:
            for key, index in dict(zip(self._keys(found, before), before, strict=True)).items():
                if (shape := self._shape(key, found, index)) is not None:
                    shape.root().was_before = True
        if not inside:
            return
        members: dict[bytes, list[int]] = {}
        for key, index in zip(self._keys(found, inside), inside, strict=True):
            members.setdefault(key, []).append(index)
        self._keep_sample(found, seconds, inside)
        for key, indexes in members.items():
            self._count_group(key, indexes, found, seconds)

    def _count_group(self, key: bytes, indexes: list[int], found: _Found, seconds: list[int]) -> None:
        shape = self._shape(key, found, indexes[0])
        if shape is None:
            return
        times = [seconds[index] for index in indexes]
        earliest, latest = min(times), max(times)
        last = indexes[-1] if times[-1] == latest else indexes[times.index(latest)]
        last_us = self._layout.clock.exact(found.lines[last])
        if earliest // MINUTE_US == latest // MINUTE_US:
            minutes = {latest // MINUTE_US: len(times)}
        else:
            minutes = Counter(time // MINUTE_US for time in times)
        self._tally.add_many(shape, len(indexes), minutes, last_us or seconds[last])
        if not shape.root().begins_before(earliest):
            event = self._understand(found, indexes[times.index(earliest)])
            if event is not None:
                self._tally.note_first(shape, event)

    def _in_windows(self, found: _Found, seconds: list[int]) -> tuple[list[int], list[int]]:
        """Return the indexes of the events in the window and of those in the window before it."""
        window, before = self._query.window, self._before
        earliest, latest = min(seconds), max(seconds) + SECOND_US - 1
        if window.contains(earliest) and window.contains(latest):
            return list(range(len(seconds))), []
        if before.contains(earliest) and before.contains(latest):
            return [], list(range(len(seconds)))
        inside: list[int] = []
        earlier: list[int] = []
        for index, second in enumerate(seconds):
            if second > window.end_us or second + SECOND_US <= before.start_us:
                continue
            at_us = second
            if (
                second < before.start_us
                or second < window.start_us < second + SECOND_US
                or second + SECOND_US > window.end_us
            ):
                exact = self._layout.clock.exact(found.lines[index])
                at_us = second if exact is None else exact
            if window.contains(at_us):
                inside.append(index)
            elif before.contains(at_us):
                earlier.append(index)
        return inside, earlier

    def _keep_sample(self, found: _Found, seconds: list[int], inside: list[int]) -> None:
        """Keep the events that the systematic sample falls on, and one for each empty slot."""
        tally = self._tally
        tally.make_room(len(inside))
        sampled = set(inside[-tally.match_count % tally.stride :: tally.stride])
        picks = set(sampled)
        for slot in tally.empty_slots(seconds[inside[0]], seconds[inside[-1]]):
            begin, end = tally.slot_bounds(slot)
            first = next((index for index in inside if begin <= seconds[index] <= end), None)
            if first is not None:
                picks.add(first)
        for index in sorted(picks):
            event = self._understand(found, index)
            if event is not None:
                tally.keep(event, tally.shape_of(event), sampled=index in sampled)

    def _keys(self, found: _Found, indexes: list[int]) -> list[bytes]:
        lines = found.lines if len(indexes) == len(found.lines) else [found.lines[index] for index in indexes]
        return with_marked_statuses(b"\n".join(lines)).translate(None, _DROPPED).split(b"\n")

    def _shape(self, key: bytes, found: _Found, index: int) -> Shape | None:
        """Return the shape of an event, by its key, by its words, at last by what it says."""
        shape = self._shape_of_key.get(key)
        if shape is not None:
            return shape
        words = _DIGIT_WORDS.sub(b"#", with_marked_statuses(found.lines[index]))
        shape = self._shape_of_words.get(words)
        if shape is None:
            event = self._understand(found, index)
            if event is None:
                return None
            shape = self._tally.shape_of(event)
            if len(self._shape_of_words) < _MAX_KEYS:
                self._shape_of_words[words] = shape
        if len(self._shape_of_key) < _MAX_KEYS:
            self._shape_of_key[key] = shape
        return shape


def _always(_block: bytes) -> bool:
    return True


def _first_line(block: bytes, start: int, end: int) -> bytes:
    newline = block.find(b"\n", start, end)
    return block[start : newline if newline >= 0 else end]
