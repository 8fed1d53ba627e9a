"""How a file is understood: a report for people who wonder why a search finds what it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from superbiz_cli.adapters.log_files.bytes_in import UnreadableLog
from superbiz_cli.adapters.log_files.discovery import discover, in_order, problem_of, rotated_sets
from superbiz_cli.adapters.log_files.events import FileReader, RawFileEvent
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.adapters.log_files.unwrap import Wrapper
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.tool.logs.contract import Level, from_us


@dataclass(slots=True)
class LogReport:
    """One log (a file, or the files that rotation made of one log).

    `first_ts` and `last_ts` are the earliest and the latest event, in UTC with a `Z` where the file
    states a zone, else the wall clock without a suffix. `skipped` counts lines that belong to no event.
    `problem` says in words why a file could not be read.
    """

    file: str
    events: int = 0
    first_ts: str | None = None
    last_ts: str | None = None
    levels: dict[str, int] = field(default_factory=dict)
    multiline: bool = False
    shapes: list[str] = field(default_factory=list)
    skipped: int = 0
    problem: str | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """Return the report as it is printed with `--json`."""
        report: dict[str, JsonValue] = {
            "file": self.file,
            "events": self.events,
            "first_ts": self.first_ts,
            "last_ts": self.last_ts,
            "levels": dict(self.levels),
            "multiline": self.multiline,
            "shapes": list(self.shapes),
            "skipped": self.skipped,
        }
        if self.problem is not None:
            report["problem"] = self.problem
        return report


def inspect_logs(
    paths: Sequence[str],
    source: LogSource,
    *,
    at: datetime | None = None,
    check: Callable[[], None] = lambda: None,
) -> list[LogReport]:
    """Return a report on each log below `paths` (files, folders, globs).

    `source` gives zone and encoding; its own paths are not used. `at` (aware) is the incident time, by
    which missing years are supplied.
    """
    found = discover(tuple(paths), check=check)
    named = {Path(path) for path in paths}
    alone = [path for path in found.files if path in named]
    reports = [_report((path,), source, at, check) for path in alone]
    rest = [path for path in found.files if path not in named]
    reports += [_report(files, source, at, check) for files in rotated_sets(rest)]
    reports += [LogReport(file=text.partition(":")[0], problem=text) for text in found.problems]
    return reports


def _report(
    files: tuple[Path, ...], source: LogSource, at: datetime | None, check: Callable[[], None]
) -> LogReport:
    report = LogReport(file=str(files[-1]))
    summary = _Summary()
    for file in in_order([files]):
        path = file.path
        try:
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            reader = FileReader(
                path,
                source,
                reference=written if at is None else min(written, at),
                written=written,
                following=file.following,
                continues_another=file.continues_another,
                check=check,
            )
            summary.add_all(reader, reader.events())
            report.skipped += reader.skipped_lines
            report.shapes += [shape for shape in shapes_of(reader) if shape not in report.shapes]
        except UnreadableLog as error:
            report.problem = f"{path.name}: {error.reason}"
        except OSError as error:
            report.problem = f"{path.name}: {problem_of(error)}"
    report.events, report.multiline = summary.events, summary.multiline
    report.first_ts, report.last_ts = summary.first, summary.last
    report.levels = {level.value: summary.levels[level] for level in Level if summary.levels[level]}
    return report


class _Summary:
    """Collects what a report says about the events of one log."""

    def __init__(self) -> None:
        self.events = 0
        self.multiline = False
        self.levels: Counter[Level] = Counter()
        self._first: tuple[int, str] | None = None
        self._last: tuple[int, str] | None = None

    @property
    def first(self) -> str | None:
        return None if self._first is None else self._first[1]

    @property
    def last(self) -> str | None:
        return None if self._last is None else self._last[1]

    def add_all(self, reader: FileReader, events: Iterable[tuple[int | None, RawFileEvent]]) -> None:
        for at_us, event in events:
            self.events += 1
            self.multiline = self.multiline or any(line.strip() for line in event.lines[1:])
            level = reader.level_of(event)
            if level is not None:
                self.levels[level] += 1
            if at_us is None or event.stamp is None:
                continue
            if self._first is None or at_us < self._first[0]:
                self._first = at_us, _written(reader, at_us, event)
            if self._last is None or at_us >= self._last[0]:
                self._last = at_us, _written(reader, at_us, event)


def _written(reader: FileReader, at_us: int, event: RawFileEvent) -> str:
    """Return an instant as the file means it: in UTC if it states a zone, else the wall clock."""
    moment = from_us(at_us)
    if event.stamp is not None and event.stamp.offset_s is not None:
        return moment.replace(tzinfo=None).isoformat() + "Z"
    return moment.astimezone(reader.resolver.zone).replace(tzinfo=None).isoformat()


def shapes_of(reader: FileReader) -> list[str]:
    """Return in a few words how an opened file is understood."""
    if reader.is_slow_log:
        return ["MySQL slow query log"]
    shapes = [] if reader.wrapper is Wrapper.NONE else [reader.wrapper.value]
    if reader.is_w3c:
        shapes.append("W3C")
    if reader.json_lines:
        shapes.append("JSON lines")
    return shapes + reader.matcher.names
