"""Log records of this program become lines for the user; those of libraries are never shown.

A library's record can hold keys, prompts and data. With --debug the place of an exception is shown,
never its text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from superbiz_cli.cli.streams import terse_traceback

_NOBODY = logging.NullHandler()


class _Lines(logging.Handler):
    def __init__(self, say: Callable[[str], None], *, debug: bool) -> None:
        super().__init__(logging.WARNING)
        self._say = say
        self._debug = debug

    def emit(self, record: logging.LogRecord) -> None:
        """Pass the record's sentence on."""
        self._say(record.getMessage())
        error = record.exc_info[1] if record.exc_info else None
        if self._debug and error is not None:
            self._say(terse_traceback(error).rstrip("\n"))


@contextmanager
def log_lines(say: Callable[[str], None], *, debug: bool) -> Iterator[None]:
    """Within the block, call `say` with each warning of this program; behind it nobody listens.

    A thread that was abandoned by a cancel may still speak then: without a handler Python would write that
    to stderr.
    """
    ours, everyone = logging.getLogger("superbiz_cli"), logging.getLogger()
    lines, silence = _Lines(say, debug=debug), logging.NullHandler()
    propagated = ours.propagate
    ours.propagate = False
    ours.addHandler(lines)
    everyone.addHandler(silence)
    try:
        yield
    finally:
        ours.addHandler(_NOBODY)
        ours.propagate = propagated
        ours.removeHandler(lines)
        everyone.removeHandler(silence)
