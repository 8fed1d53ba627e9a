"""The only writer of stdout and stderr: results to stdout (or a file), everything else to stderr.

Texts from outside are sanitised before they get here or by `note`; colour is decided per stream.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

MAX_WIDTH = 100
FILE_WIDTH = 80
STARTING = "superbiz  starting"
ERASE_LINE = "\r\x1b[2K"

# What JSON may hold as it is, but a terminal must not see: DEL, C1, direction and line controls.
_RISKY_IN_JSON = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


class ClosedPipe(Exception):
    """The reader of stdout went away: nothing more needs to be written."""


@dataclass(slots=True)
class Streams:
    """Both streams of this process, and how they want to be written to.

    `output` is a file that takes the place of stdout for results. `no_color` and `quiet` are flags.
    """

    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    output: Path | None = None
    no_color: bool = False
    quiet: bool = False
    _file: TextIO | None = None
    _starting: bool = False

    @classmethod
    def of_process(cls) -> Streams:
        """Return the streams of this process."""
        return cls(stdout=sys.stdout, stderr=sys.stderr, environ=os.environ)

    @property
    def result_is_terminal(self) -> bool:
        """Whether a person reads the result as it is written."""
        return self.output is None and _is_terminal(self.stdout)

    @property
    def notes_are_terminal(self) -> bool:
        """Whether a person reads stderr as it is written. Continuous integration is no person."""
        return _is_terminal(self.stderr) and not self.environ.get("CI")

    @property
    def result_in_color(self) -> bool:
        """Whether the result is coloured."""
        return self.output is None and self._in_color(self.stdout)

    @property
    def notes_in_color(self) -> bool:
        """Whether stderr is coloured."""
        return self._in_color(self.stderr)

    @property
    def result_width(self) -> int:
        """Columns of the result: COLUMNS, else the terminal's (at most 100), else 80."""
        return self._width(self.stdout if self.output is None else None)

    @property
    def notes_width(self) -> int:
        """Columns of stderr, by the same rule."""
        return self._width(self.stderr)

    def reader_has_left(self) -> bool:
        """Whether stdout is a pipe that nobody reads any more. Asks without writing anything."""
        if self.output is not None or not hasattr(select, "poll"):
            return False
        try:
            watcher = select.poll()
            watcher.register(self.stdout.fileno(), 0)
            return any(events & select.POLLERR for _, events in watcher.poll(0))
        except (OSError, ValueError):
            return False

    def check_output(self) -> None:
        """Raise SuperbizError now, not after the work, if the output file cannot be written."""
        if self.output is None:
            return
        folder = self.output.parent
        if self.output.is_dir():
            raise _output_failed(self.output, "it is a folder", exit_code=ExitCode.USAGE)
        if not folder.is_dir():
            raise _output_failed(self.output, "its folder does not exist", exit_code=ExitCode.USAGE)
        if not os.access(self.output if self.output.exists() else folder, os.W_OK):
            raise _output_failed(self.output, "no permission to write it", exit_code=ExitCode.USAGE)

    def result(self, text: str) -> None:
        """Write a part of the result and flush it. Raises ClosedPipe, or SuperbizError for a file."""
        if self.output is not None:
            self._write_file(self.output, text)
            return
        try:
            # line by line: an unbuffered stream silently drops the rest of a write that was cut short
            self.stdout.writelines(text.splitlines(keepends=True))
            self.stdout.flush()
        except BrokenPipeError:
            raise ClosedPipe from None
        except OSError:
            raise stdout_failed() from None

    def result_bytes(self, content: bytes) -> None:
        """Write a part of the result byte by byte and flush it; raises like `result`."""
        if self.output is not None:
            self._write_file(self.output, content)
            return
        try:
            self.stdout.flush()
            self.stdout.buffer.write(content)
            self.stdout.buffer.flush()
        except BrokenPipeError:
            raise ClosedPipe from None
        except OSError:
            raise stdout_failed() from None

    def starting(self) -> None:
        """Show at once that something happens; the next line on stderr takes its place."""
        if self.notes_are_terminal:
            self.raw_note(STARTING)
            self._starting = not self.quiet
        else:
            self.note(STARTING)

    def clear_starting(self) -> None:
        """Take the first sign of life off the terminal again."""
        self._write_stderr("")

    def note(self, text: str) -> None:
        """Write one line to stderr, after everything that stdout was given. Silent with --quiet."""
        if not self.quiet:
            self._write_stderr(f"{text}\n")

    def raw_note(self, text: str) -> None:
        """Write to stderr exactly `text` (terminal control of our own), unless --quiet."""
        if not self.quiet:
            self._write_stderr(text)

    def error(self, message: str, hint: str | None) -> None:
        """Say what went wrong and what to do next, also with --quiet."""
        prefix, remedy = "superbiz:", "hint:"
        if self.notes_in_color:
            prefix, remedy = f"\x1b[1;31m{prefix}\x1b[0m", f"\x1b[1m{remedy}\x1b[0m"
        self._write_stderr(f"{prefix} {message}\n" + (f"{remedy} {hint}\n" if hint else ""))

    def traceback(self, error: BaseException) -> None:
        """Write where an exception came from, without any exception's text."""
        self._write_stderr(terse_traceback(error))

    def close(self) -> None:
        """Close the output file, if one was opened."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write_file(self, path: Path, content: str | bytes) -> None:
        try:
            if self._file is None:
                self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
            if isinstance(content, bytes):
                self._file.buffer.write(content)
            else:
                self._file.write(content)
            self._file.flush()
        except OSError:
            raise _output_failed(path, "writing failed; is the disk full?") from None

    def _write_stderr(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self.stdout.flush()
        if self._starting:
            text = ERASE_LINE + text
            self._starting = False
        with suppress(OSError, ValueError):  # nobody reads it; that must not end the work
            self.stderr.write(text)
            self.stderr.flush()

    def _in_color(self, stream: TextIO) -> bool:
        if self.no_color or self.environ.get("NO_COLOR"):
            return False
        if self.environ.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return _is_terminal(stream) and self.environ.get("TERM", "") not in ("", "dumb")

    def _width(self, stream: TextIO | None) -> int:
        if (columns := self.environ.get("COLUMNS", "")).isdecimal() and int(columns) > 0:
            return max(20, min(int(columns), MAX_WIDTH))
        if stream is None or not _is_terminal(stream):
            return FILE_WIDTH
        with suppress(OSError, ValueError):
            return max(20, min(os.get_terminal_size(stream.fileno()).columns or FILE_WIDTH, MAX_WIDTH))
        return FILE_WIDTH


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """Return one JSON document with a newline: UTF-8 characters as they are, no terminal control."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _RISKY_IN_JSON.sub(_json_escape, text).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def terminal_height() -> int:
    """Return the rows of the terminal."""
    return shutil.get_terminal_size().lines


def terse_traceback(error: BaseException) -> str:
    """Return the traceback with the classes of the exceptions and none of their texts."""
    lines = [f"  caused by {type(error.__cause__).__name__}\n"] if error.__cause__ is not None else []
    frames = traceback.format_tb(error.__traceback__)
    return "".join(["Traceback (most recent call last):\n", *frames, f"{type(error).__name__}\n", *lines])


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def stdout_failed() -> SuperbizError:
    """Return the failure of a stdout that takes nothing."""
    return SuperbizError(
        ErrorCode.OUTPUT_FAILED,
        "the result cannot be written to the output",
        hint="is it closed, or its disk full?",
    )


def _output_failed(path: Path, why: str, *, exit_code: ExitCode = ExitCode.FAILED) -> SuperbizError:
    return SuperbizError(
        ErrorCode.OUTPUT_FAILED,
        f"the output file {path} cannot be written: {why}",
        hint="choose another file with --output, or leave it out to write to stdout",
        exit_code=exit_code,
    )
