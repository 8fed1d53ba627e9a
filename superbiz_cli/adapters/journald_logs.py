"""The live systemd journal through `journalctl`; exported journals are read like other files."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator

from superbiz_cli.adapters.log_files.json_event import parse_object
from superbiz_cli.adapters.log_files.search import FileSource
from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.adapters.remote_event import event_of_fields
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogQuery, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally
from superbiz_cli.harness.tool.logs.terms import matches_all

_CHECK_EVERY = 64
_MAX_LINE_BYTES = 1 << 20


class JournalSource:
    """See `log_files.source.SourceReader`. With `paths` it reads export files, else the live journal."""

    def __init__(self, source: LogSource, *, program: str = "journalctl") -> None:
        self._source = source
        self._program = program

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Read the journal of the window and of the one before."""
        if self._source.paths:
            return FileSource(self._source).search(query, tally, run=run)
        program = shutil.which(self._program)
        if program is None:
            return self._silent("journalctl is not installed here")
        before = query.window.before()
        try:
            for line in self._lines(program, TimeWindow(before.start_us, query.window.end_us), run):
                self._add(line, query, tally)
        except _JournalFailed:
            return self._silent("journalctl failed: perhaps this account may not read the journal")
        return SourceAnswer()

    def _add(self, line: bytes, query: LogQuery, tally: EventTally) -> None:
        fields = parse_object(line.decode("utf-8", "replace"))
        event = None if fields is None else event_of_fields(fields, self._source, None)
        if event is None or not matches_all(event.text, query.terms):
            return
        if query.window.contains(event.at_us):
            tally.add(event)
        elif query.window.before().contains(event.at_us):
            tally.add_before(event)

    def _lines(self, program: str, window: TimeWindow, run: Run) -> Iterator[bytes]:
        command = [
            program,
            "--output=json",
            "--no-pager",
            "--quiet",
            f"--since=@{window.start_us // 1_000_000}",
            f"--until=@{window.end_us // 1_000_000 + 1}",
            *([f"--unit={self._source.selector}"] if self._source.selector else []),
        ]
        with _running(command, run) as process:
            if process.stdout is None:
                raise AssertionError("the output is a pipe")
            for number, line in enumerate(process.stdout):
                if number % _CHECK_EVERY == 0:
                    run.check_active()
                yield line[:_MAX_LINE_BYTES]
            run.check_active()
            if process.wait(timeout=5.0) != 0:
                raise _JournalFailed

    def _silent(self, reason: str) -> SourceAnswer:
        return SourceAnswer(limitations=(f"{self._source.name}: {reason}",), answered=False)


class _JournalFailed(Exception):
    """journalctl ended with an error; its text is not shown."""


@contextlib.contextmanager
def _running(command: list[str], run: Run) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program that a cancel of the Run kills."""
    process = subprocess.Popen(  # noqa: S603 - a fixed program with numbers for arguments
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    unregister = run.cancellation.on_cancel(process.kill)
    try:
        yield process
    finally:
        unregister()
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
