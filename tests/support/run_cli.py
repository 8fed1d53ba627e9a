"""Run the command line inside this process, with streams that look like pipes or terminals."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from superbiz_cli.__main__ import run_process

PYTHON = sys.executable
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    def ndjson(self) -> list[dict[str, Any]]:
        """The JSON objects on stdout, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class _Stream(io.TextIOWrapper):
    def __init__(self, content: bytes = b"", *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode("utf-8")


def run_cli(
    *arguments: str, stdin: bytes | None = None, terminal: bool = False, folder: Path | None = None
) -> Completed:
    """Run `superbiz ARGUMENTS`. Without `stdin` it is a terminal, so that nothing is read from it.

    `terminal` makes stdout and stderr terminals. `folder` is the working directory.
    """
    stdout, stderr = _Stream(terminal=terminal), _Stream(terminal=terminal)
    source = _Stream(stdin or b"", terminal=stdin is None)
    with mock.patch.multiple(sys, stdout=stdout, stderr=stderr, stdin=source), _inside(folder):
        code = run_process(list(arguments))
        return Completed(int(code), stdout.text(), stderr.text())


def _inside(folder: Path | None) -> Any:
    import contextlib

    return contextlib.chdir(folder) if folder is not None else contextlib.nullcontext()
