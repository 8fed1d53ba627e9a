"""Long output goes through a pager, when a person reads it in a terminal and has not switched it off."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress

from superbiz_cli.cli.streams import Streams, terminal_height


def page_out(text: str, streams: Streams, *, use_pager: bool) -> None:
    """Write `text` to stdout, through a pager if it is longer than the terminal."""
    command = _pager(streams) if use_pager and text.count("\n") >= terminal_height() else None
    if command is None:
        streams.result(text)
        return
    environment = {**os.environ, "LESS": os.environ.get("LESS", "FRX")}
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)  # noqa: S603 the user's own pager
    except OSError:
        streams.result(text)
        return
    with suppress(BrokenPipeError, KeyboardInterrupt):  # closing the pager early is a success
        process.communicate(text.encode("utf-8", "backslashreplace"))
    process.wait()


def _pager(streams: Streams) -> list[str] | None:
    if not streams.result_is_terminal or not sys.stdin.isatty() or streams.environ.get("CI"):
        return None
    named = streams.environ.get("SUPERBIZ_PAGER") or streams.environ.get("PAGER") or "less"
    try:
        command = shlex.split(named)
    except ValueError:
        return None
    found = shutil.which(command[0]) if command else None
    return None if found is None or command == ["cat"] else [found, *command[1:]]
