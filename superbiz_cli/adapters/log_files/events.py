"""From lines to events: where one begins, what belongs to it, what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, takewhile
from pathlib import Path
from zoneinfo import ZoneInfo

from superbiz_cli.adapters.log_files.bytes_in import UnreadableLog, read_blocks
from superbiz_cli.adapters.log_files.dates import (
    date_in_name,
    first_day_of,
    latest_stamp,
    year_in_lines,
)
from superbiz_cli.adapters.log_files.glued import (
    has_second_header,
    split_json,
    split_text,
)
from superbiz_cli.adapters.log_files.header import find_header
from superbiz_cli.adapters.log_files.json_event import JsonEvent, parse_object, read_json_event, values_of
from superbiz_cli.adapters.log_files.levels import find_level, level_of_second_line
from superbiz_cli.adapters.log_files.origin import find_service, service_of_file, syslog_origin
from superbiz_cli.adapters.log_files.otlp import is_otlp, otlp_records
from superbiz_cli.adapters.log_files.profile import SAMPLE_LINES, HeaderMatcher, learn_loci
from superbiz_cli.adapters.log_files.resolve import Resolver
from superbiz_cli.adapters.log_files.slow_log import SlowQuery, is_slow_log, slow_queries, statement_of
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.adapters.log_files.stamps import Lacks, Stamp
from superbiz_cli.adapters.log_files.unwrap import LogicalLine, Wrapper, detect_wrapper, unwrap
from superbiz_cli.harness.tool.logs.contract import Level, LogEvent, from_us

MAX_EVENT_LINES = 2_000
MAX_EVENT_BYTES = 1 << 20
_CONTINUES = re.compile(rb"\s|Caused by:|\.\.\. \d+ more|at |[}\])]")
_SEPARATORS = " \t]),:|-"


@dataclass(slots=True)
class RawFileEvent:
    """The lines of one event before anybody needs to know what they say.

    `time_start` and `time_end` bound the time in the first line; both are 0 where a wrapper stated it.
    """

    stamp: Stamp | None
    lines: list[bytes] = field(default_factory=list)
    time_start: int = 0
    time_end: int = 0
    json: JsonEvent | None = None
    slow: SlowQuery | None = None
    service: str | None = None
    size: int = 0

    def append(self, line: bytes) -> None:
        """Add a continuation line, within bounds."""
        if len(self.lines) < MAX_EVENT_LINES and self.size < MAX_EVENT_BYTES:
            self.lines.append(line)
            self.size += len(line)


@dataclass(slots=True)
class FileReader:
    """Reads the events of one file, whatever its format, line by line.

    `reference` is the latest time that an event without a year can have, `written` when the file was
    last written. In a rotated set `following` is the next file, whose first lines may belong to the last
    event here, and `continues_another` tells that the first lines here may belong to the file before.
    """

    path: Path
    source: LogSource
    reference: datetime
    written: datetime
    following: Path | None = None
    continues_another: bool = False
    check: Callable[[], None] = lambda: None
    skipped_lines: int = 0
    wrapper: Wrapper = Wrapper.NONE
    is_slow_log: bool = False
    is_w3c: bool = False
    has_directives: bool = False
    json_lines: int = 0
    plain_lines: int = 0
    file_service: str = ""
    resolver: Resolver = field(init=False)
    matcher: HeaderMatcher = field(init=False)
    sample: Sequence[bytes] = ()

    def __post_init__(self) -> None:
        self.resolver = Resolver(
            zone=self.source.zone, reference=self.reference, first_day=date_in_name(self.path.name)
        )
        self.matcher = HeaderMatcher((), self.source.zones)
        self.file_service = service_of_file(self.path)

    def events(self, blocks: Iterable[bytes] | None = None) -> Iterator[tuple[int | None, RawFileEvent]]:
        """Yield (instant, event) in the order of the file; the instant is None before the first time.

        `blocks` are the file's blocks where they were opened before. Raises UnreadableLog and OSError.
        """
        lines = (line for block in (self.open() if blocks is None else blocks) for line in split_lines(block))
        yield from self.assemble(lines)

    def assemble(self, lines: Iterable[bytes]) -> Iterator[tuple[int | None, RawFileEvent]]:
        """Yield (instant, event) for lines of a file that was opened before."""
        found = (
            self._slow_events(lines) if self.is_slow_log else self._line_events(unwrap(self.wrapper, lines))
        )
        for event in found:
            yield None if event.stamp is None else self.resolver.resolve(event.stamp), event

    def open(self) -> Iterator[bytes]:
        """Learn the file from its first block, then return all its blocks. Raises UnreadableLog, OSError."""
        blocks = read_blocks(self.path, encoding=self.source.encoding, check=self.check)
        first = next(blocks, b"")
        self.learn(split_lines(first)[:SAMPLE_LINES])
        self._supply_dates()
        return chain((first,), blocks, self.continuation())

    def continuation(self) -> Iterator[bytes]:
        """Yield the first lines of the following file of a rotated set that belong to the last event here."""
        if (
            self.following is None
            or not len(self.matcher)
            or self.json_lines
            or self.wrapper is not Wrapper.NONE
        ):
            return
        try:
            head = next(read_blocks(self.following, encoding=self.source.encoding, check=self.check), b"")
        except (OSError, UnreadableLog):
            return
        lines = list(takewhile(lambda line: self.matcher.match(line) is None, split_lines(head)))
        if lines and len(lines) < MAX_EVENT_LINES:
            yield b"\n".join(lines) + b"\n"

    def _supply_dates(self) -> None:
        """Find out the years or the days that the stamps of the file leave open."""
        if self.matcher.lacks is Lacks.YEAR:
            year = year_in_lines(self.sample, self.matcher)
            latest = latest_stamp(self.path, self.sample, self.matcher)
            if year is not None:
                self.resolver.anchor_year(year, latest)
            elif latest is not None:
                self.resolver.anchor(latest)
        elif self.matcher.lacks is Lacks.DATE and not self.is_w3c and date_in_name(self.path.name) is None:
            blocks = read_blocks(self.path, encoding=self.source.encoding, check=self.check)
            lines = (line for block in blocks for line in split_lines(block))
            self.resolver.begin_on(first_day_of(lines, self.matcher, self.written, self.source.zone))

    def learn(self, sample: Sequence[bytes]) -> None:
        """Decide from a sample of lines how the file is read."""
        self.wrapper = detect_wrapper(sample)
        self.sample = sample
        inner = [line.text for line in unwrap(self.wrapper, sample)]
        self.is_slow_log = self.wrapper is Wrapper.NONE and is_slow_log(inner)
        self.is_w3c = any(line.startswith(b"#Fields:") for line in inner)
        self.has_directives = self.is_w3c or any(line.startswith(b"#separator ") for line in inner)  # Zeek
        if self.is_w3c:
            self.resolver = Resolver(zone=ZoneInfo("UTC"), reference=self.reference)  # as the format says
        if self.has_directives:
            inner = [line for line in inner if line[:1] != b"#"]
        plain = [line for line in inner if line[:1] != b"{"]
        self.json_lines = len(inner) - len(plain)
        self.plain_lines = sum(1 for line in plain if line.strip())
        if not self.is_slow_log:
            self.matcher = HeaderMatcher(learn_loci(plain, self.source.zones), self.source.zones)

    def understand(self, at_us: int, event: RawFileEvent) -> LogEvent:
        """Return what an event says."""
        text = b"\n".join(event.lines).decode("utf-8", "replace").rstrip("\n")
        is_export = event.json is not None and "timeUnixNano" in event.json.fields
        service = self.source.service or event.service
        if event.slow is not None:
            statement, statistics, schema = statement_of(event.slow)
            return LogEvent(
                at_us, text, f"{statement}\n{statistics}", None, service or schema or self.file_service
            )
        if event.json is not None:
            whole = "" if is_export else text  # a line of many records is the text of none of them
            searched = "\n".join((whole, event.json.message, *values_of(dict(event.json.fields))))
            tail = text.partition("\n")[2]
            message = f"{event.json.message}\n{tail}" if tail else event.json.message
            service = service or event.json.service or self.file_service
            return LogEvent(at_us, searched, message, event.json.level, service)
        before, rest = _around_time(event)
        is_syslog = event.stamp is not None and event.stamp.lacks is Lacks.YEAR
        origin = syslog_origin(rest, is_syslog=is_syslog)
        if origin is not None:
            host, program, begin = origin
            message, service = f"host={host} {rest[begin:]}", service or program
        else:
            message, service = _message(before, rest), service or find_service(rest)
        message = "\n".join([message, *text.split("\n")[1:]])
        return LogEvent(at_us, text, message, self.level_of(event), service or self.file_service)

    def level_of(self, event: RawFileEvent) -> Level | None:
        """Return the severity that an event states."""
        if event.slow is not None:
            return None
        if event.json is not None:
            return event.json.level
        before, rest = _around_time(event)
        level = find_level(rest, before)
        if level is None and len(event.lines) > 1:
            return level_of_second_line(event.lines[1][:40].decode("utf-8", "replace"))
        return level

    def _slow_events(self, lines: Iterable[bytes]) -> Iterator[RawFileEvent]:
        for query in slow_queries(lines, self.source.zones):
            yield RawFileEvent(query.stamp, query.lines, slow=query)

    def _line_events(self, lines: Iterable[LogicalLine]) -> Iterator[RawFileEvent]:
        """Assemble events, one open event for each stream; an event is complete when the next begins."""
        open_events: dict[str, RawFileEvent] = {}
        for line in lines:
            if self.has_directives and line.text[:1] == b"#":
                yield from open_events.values()  # their times belong to the date before this directive
                open_events.clear()
                self._note_directive(line.text)
                continue
            current = open_events.get(line.stream)
            begun = self._begin(line, current)
            if not begun:
                if current is not None and (current.json is None or _CONTINUES.match(line.text)):
                    current.append(line.text)
                elif line.text.strip() and (open_events or not self.continues_another):
                    self.skipped_lines += 1
                continue
            if current is not None:
                yield current
            yield from begun[:-1]
            open_events[line.stream] = begun[-1]
        yield from open_events.values()

    def _note_directive(self, text: bytes) -> None:
        """Take over the date that a W3C log states apart from its times."""
        header = find_header(text) if text.startswith(b"#Date:") else None
        if header is not None and header.stamp.lacks is Lacks.NOTHING:
            self.resolver.begin_on(from_us(header.stamp.wall_us).date())

    def _begin(self, line: LogicalLine, current: RawFileEvent | None) -> list[RawFileEvent]:
        """Return the events that a line begins: none if it continues one, several if newlines are missing."""
        text = line.text
        if text[:1] == b"{":
            begun = self._json_events(line, text)
            return begun or [event for piece in split_json(text) for event in self._json_events(line, piece)]
        header = self.matcher.match(text)
        if header is not None:
            pieces = split_text(text, header.end) if has_second_header(text, header.end) else [text]
            return [event for piece in pieces if (event := self._text_event(line, piece)) is not None]
        if line.stamp is None or self.matcher.names or (current is not None and _CONTINUES.match(text)):
            return []
        return [RawFileEvent(line.stamp, [text], service=line.service, size=len(text))]

    def _json_events(self, line: LogicalLine, text: bytes) -> list[RawFileEvent]:
        """Return the events of a JSON text: one, several of an export, none if it is torn or has no time."""
        fields = parse_object(text.decode("utf-8", "replace"))
        if fields is None:
            return []
        events = []
        for record in otlp_records(fields) if is_otlp(fields) else (fields,):
            event = read_json_event(record, self.source.zones)
            if (stamp := line.stamp or event.stamp) is not None:
                events.append(RawFileEvent(stamp, [text], json=event, service=line.service, size=len(text)))
        return events

    def _text_event(self, line: LogicalLine, text: bytes) -> RawFileEvent | None:
        header = self.matcher.match(text)
        if header is None:
            return None
        stamp = line.stamp or header.stamp
        return RawFileEvent(stamp, [text], header.start, header.end, service=line.service, size=len(text))


def _around_time(event: RawFileEvent) -> tuple[str, str]:
    """Return the text of the header line before and behind its time."""
    line = event.lines[0]
    before, rest = line[: event.time_start], line[event.time_end :]
    return before.decode("utf-8", "replace"), rest.decode("utf-8", "replace")


def split_lines(block: bytes) -> list[bytes]:
    """Return the lines of a block without their newlines."""
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _message(before: str, rest: str) -> str:
    head = before.strip(" \t[(<\"'*#|")
    tail = rest.strip() if rest.lstrip().startswith("[") else rest.lstrip(_SEPARATORS)
    return f"{head} {tail}".strip() if len(head) > 2 else tail
