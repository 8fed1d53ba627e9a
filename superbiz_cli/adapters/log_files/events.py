"""From lines to events: where one begins, what belongs to it, what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from superbiz_cli.adapters.log_files.bytes_in import read_blocks
from superbiz_cli.adapters.log_files.json_event import JsonEvent, parse_object, read_json_event, values_of
from superbiz_cli.adapters.log_files.levels import find_level
from superbiz_cli.adapters.log_files.profile import SAMPLE_LINES, HeaderMatcher, LineHeader, learn_loci
from superbiz_cli.adapters.log_files.resolve import Resolver
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.harness.tool.logs.contract import LogEvent

MAX_EVENT_LINES = 2_000
MAX_EVENT_BYTES = 1 << 20
_NAME_DATE = re.compile(r"(?<!\d)(20\d\d|19\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?([0-2]\d|3[01])(?!\d)")
_SEPARATORS = " \t]),:|-"


@dataclass(slots=True)
class RawFileEvent:
    """The lines of one event before anybody needs to know what they say."""

    header: LineHeader | None
    json: JsonEvent | None
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def append(self, line: bytes) -> None:
        """Add a continuation line, within bounds."""
        if len(self.lines) < MAX_EVENT_LINES and self.size < MAX_EVENT_BYTES:
            self.lines.append(line)
            self.size += len(line)


@dataclass(slots=True)
class FileReader:
    """Reads the events of one file."""

    path: Path
    source: LogSource
    reference: datetime
    check: Callable[[], None] = lambda: None
    skipped_lines: int = 0
    resolver: Resolver = field(init=False)
    matcher: HeaderMatcher = field(init=False)

    def __post_init__(self) -> None:
        self.resolver = Resolver(
            zone=self.source.zone, reference=self.reference, first_day=date_in_name(self.path.name)
        )
        self.matcher = HeaderMatcher((), self.source.zones)

    def events(self) -> Iterator[tuple[int, RawFileEvent]]:
        """Yield (instant, event) in the order of the file. Raises UnreadableLog and OSError."""
        current: RawFileEvent | None = None
        for line in self._lines():
            begun = self._begin(line)
            if begun is not None:
                if current is not None:
                    yield self._timed(current)
                current = begun
            elif current is not None and current.json is None:
                current.append(line)
            elif line.strip():
                self.skipped_lines += 1
        if current is not None:
            yield self._timed(current)

    def understand(self, at_us: int, event: RawFileEvent) -> LogEvent:
        """Return what an event says."""
        text = b"\n".join(event.lines).decode("utf-8", "replace").rstrip("\n")
        if event.json is not None:
            searched = "\n".join((text, *values_of(dict(event.json.fields))))
            service = self.source.service or event.json.service or self.default_service
            return LogEvent(at_us, searched, event.json.message, event.json.level, service)
        first = event.lines[0]
        header = event.header
        if header is None:
            raise AssertionError("a text event has a header")
        before = first[: header.start].decode("utf-8", "replace")
        rest = first[header.end :].decode("utf-8", "replace")
        body = "\n".join([_message(before, rest), *text.split("\n")[1:]])
        return LogEvent(
            at_us, text, body, find_level(rest, before), self.source.service or self.default_service
        )

    @property
    def default_service(self) -> str:
        """The service when neither the configuration nor the event names one: the file's stem."""
        return re.split(r"[.](?:log|out|err|txt|json|jsonl|\d)|[-_.]\d{4}", self.path.name)[0]

    def _timed(self, event: RawFileEvent) -> tuple[int, RawFileEvent]:
        stamp = event.json.stamp if event.json is not None else event.header.stamp if event.header else None
        if stamp is None:
            raise AssertionError("an event has a time")
        return self.resolver.resolve(stamp), event

    def _begin(self, line: bytes) -> RawFileEvent | None:
        if line[:1] == b"{":
            fields = parse_object(line.decode("utf-8", "replace"))
            event = read_json_event(fields, self.source.zones) if fields is not None else None
            return RawFileEvent(None, event, [line], len(line)) if event is not None and event.stamp else None
        header = self.matcher.match(line)
        return None if header is None else RawFileEvent(header, None, [line], len(line))

    def _lines(self) -> Iterator[bytes]:
        blocks = read_blocks(self.path, encoding=self.source.encoding, check=self.check)
        first = True
        for block in blocks:
            lines = block.split(b"\n")
            if not lines[-1]:
                lines.pop()
            if first:
                first = False
                sample = [line for line in lines[:SAMPLE_LINES] if line[:1] != b"{"]
                self.matcher = HeaderMatcher(learn_loci(sample, self.source.zones), self.source.zones)
            yield from lines


def date_in_name(name: str) -> date | None:
    """Return the date in a file's name, None if there is none."""
    match = _NAME_DATE.search(name)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def _message(before: str, rest: str) -> str:
    head = before.strip(" \t[(<\"'*#|")
    tail = rest.lstrip(_SEPARATORS) if not rest.lstrip().startswith("[") else rest.strip()
    return f"{head} {tail}".strip() if len(head) > 2 else tail
