"""Search the files of one source: events in the window that contain all terms, into the tally."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from superbiz_cli.adapters.log_files.bytes_in import UnreadableLog
from superbiz_cli.adapters.log_files.discovery import discover, problem_of
from superbiz_cli.adapters.log_files.events import FileReader
from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogQuery, TimeWindow, from_us
from superbiz_cli.harness.tool.logs.tally import EventTally
from superbiz_cli.harness.tool.logs.terms import matches_all

_CHECK_EVERY = 256
_WRITING_SLACK = timedelta(hours=26)  # zones apart, and files that are touched late


class FileSource:
    """Searches the files of one configured source. See `source.SourceReader`."""

    def __init__(self, source: LogSource) -> None:
        self._source = source

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Read every file that can hold events of the window or of the one before."""
        found = discover(self._source.paths, check=run.check_active)
        problems = list(found.problems)
        readable = 0
        for path in found.files:
            run.check_active()
            try:
                if self._is_too_old(path, query.window):
                    readable += 1
                    continue
                self._search_file(path, query, tally, run)
                readable += 1
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

    def _is_too_old(self, path: Path, window: TimeWindow) -> bool:
        """Whether the file was last written before the window and the one before it began."""
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return written + _WRITING_SLACK < from_us(window.before().start_us)

    def _search_file(self, path: Path, query: LogQuery, tally: EventTally, run: Run) -> None:
        reference = min(datetime.fromtimestamp(path.stat().st_mtime, UTC), from_us(query.window.end_us))
        reader = FileReader(path, self._source, reference, check=run.check_active)
        before = query.window.before()
        for number, (at_us, raw) in enumerate(reader.events()):
            if number % _CHECK_EVERY == 0:
                run.check_active()
            if at_us is None or not before.start_us <= at_us <= query.window.end_us:
                continue
            event = reader.understand(at_us, raw)
            if not matches_all(event.text, query.terms):
                continue
            if query.window.contains(at_us):
                tally.add(event)
            else:
                tally.add_before(event)
