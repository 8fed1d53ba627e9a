"""Search the files of one source: events in the window that contain all terms, into the tally."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from superbiz_cli.adapters.log_files.blocks import BlockScan, layout_of
from superbiz_cli.adapters.log_files.bytes_in import UnreadableLog
from superbiz_cli.adapters.log_files.discovery import (
    LogFile,
    discover,
    in_order,
    newest_files,
    problem_of,
    rotated_sets,
)
from superbiz_cli.adapters.log_files.events import FileReader, RawFileEvent
from superbiz_cli.adapters.log_files.region import SortedFile, is_searchable, read_region
from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogQuery, TimeWindow, from_us
from superbiz_cli.harness.tool.logs.tally import EventTally
from superbiz_cli.harness.tool.logs.terms import matches_all

_CHECK_EVERY = 256
MAX_OPENED = 4_000  # about a millisecond each: a query over more would use up the Run's time
# A time without a year is taken for the latest not after the file's age and not long after the incident:
# a copied file is younger than its events, and within half a year no other year is meant.
_HALF_A_YEAR = timedelta(days=180)


class FileSource:
    """Searches the files of one configured source. See `source.SourceReader`."""

    def __init__(self, source: LogSource) -> None:
        self._source = source

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Read every file that can hold events of the window or of the one before."""
        found = discover(self._source.paths, check=run.check_active)
        files, older = newest_files(found.files, MAX_OPENED)
        problems = list(found.problems)
        if older:
            problems.append(f"{older} of {len(found.files)} files, last written longest ago, were not opened")
        readable = 0
        for file in in_order(rotated_sets(files)):
            path = file.path
            run.check_active()
            try:
                search = FileSearch(file, self._source, query, tally, run)
                search.search()
                readable += 1
                problems.extend(f"{path.name}: {problem}" for problem in search.problems)
            except UnreadableLog as error:
                problems.append(f"{path.name}: {error.reason}")
            except OSError as error:
                problems.append(f"{path.name}: {problem_of(error)}")
        if not found.files and not problems:
            problems.append("the folder has no files")
        return SourceAnswer(
            limitations=tuple(f"{self._source.name}: {problem}" for problem in problems),
            answered=readable > 0,
        )


class FileSearch:
    """One query over one file."""

    def __init__(
        self, file: LogFile, source: LogSource, query: LogQuery, tally: EventTally, run: Run
    ) -> None:
        self._path = path = file.path
        self._query = query
        self._tally = tally
        self._run = run
        status = path.stat()
        self._size = status.st_size
        written = datetime.fromtimestamp(status.st_mtime, UTC)
        reference = min(written, from_us(query.window.end_us) + _HALF_A_YEAR)
        self._reader = FileReader(
            path,
            source,
            reference=reference,
            written=written,
            following=file.following,
            continues_another=file.continues_another,
            check=run.check_active,
        )

    @property
    def problems(self) -> list[str]:
        """What of the file could not be searched, in words."""
        reader = self._reader
        has_untimed = reader.skipped_lines or (
            reader.json_lines and reader.plain_lines and not len(reader.matcher)
        )
        return ["lines that state no time were not searched"] if has_untimed else []

    def search(self) -> None:
        """Add the matching events to the tally. Raises UnreadableLog, OSError, RunAborted."""
        blocks = self._reader.open()
        layout = layout_of(self._reader)
        if layout is None:
            self._add_events(self._reader.events(blocks))
            return
        scan = BlockScan(self._reader, layout, self._query, self._tally)
        if not is_searchable(self._path, self._size):
            scan.scan_all(blocks)
            return
        with self._path.open("rb") as file:
            both = TimeWindow(self._query.window.before().start_us, self._query.window.end_us)
            region = SortedFile(file.fileno(), self._size, layout, self._run.check_active).region(both)
            if region is None:
                scan.scan_all(blocks)
            else:
                scan.scan_all(read_region(file.fileno(), region, self._run.check_active))

    def _add_events(self, events: Iterable[tuple[int | None, RawFileEvent]]) -> None:
        before = self._query.window.before()
        for number, (at_us, raw) in enumerate(events):
            if number % _CHECK_EVERY == 0:
                self._run.check_active()
            if at_us is None or not before.start_us <= at_us <= self._query.window.end_us:
                continue
            event = self._reader.understand(at_us, raw)
            if not matches_all(event.text, self._query.terms):
                continue
            if self._query.window.contains(at_us):
                self._tally.add(event)
            else:
                self._tally.add_before(event)
