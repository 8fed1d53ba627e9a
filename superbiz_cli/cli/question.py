"""The question of a diagnosis: from the argument, from stdin, or both, within its size limit."""

from __future__ import annotations

import os
import select
import stat
from typing import BinaryIO, TextIO

from superbiz_cli.errors import ErrorCode, SuperbizError

PIPE_PATIENCE_S = 0.3
_HINT = 'superbiz diagnose "payment service times out since 10:00"'


def read_question(argument: str | None, *, stdin: TextIO, max_bytes: int) -> str:
    """Return the question; text that is piped in beside an argument is put below it.

    Raises SuperbizError if there is none, or one that is blank, too large or not text.
    """
    parts = []
    if argument is not None and argument != "-":
        parts.append(_checked_argument(argument))
        if _is_piped(stdin) and _has_something(stdin):
            parts.append(_read(stdin, max_bytes))
    elif argument == "-" or not stdin.isatty():
        parts.append(_read(stdin, max_bytes))
    else:
        raise SuperbizError(ErrorCode.USAGE, "no question was given", hint=_HINT)
    question = "\n\n".join(part.strip() for part in parts if part.strip())
    if "\0" in question:
        raise SuperbizError(
            ErrorCode.QUERY_INVALID, "the question holds NUL bytes: it is binary, not text", hint=_HINT
        )
    if not question:
        raise SuperbizError(ErrorCode.QUERY_INVALID, "the question is empty", hint=_HINT)
    size = len(question.encode("utf-8"))
    if size > max_bytes:
        raise _too_large(max_bytes)
    return question


def _checked_argument(argument: str) -> str:
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        raise _not_text() from None
    return argument


def _read(stdin: TextIO, max_bytes: int) -> str:
    buffer: BinaryIO = stdin.buffer
    try:
        raw = buffer.read(max_bytes + 1)
    except OSError:
        raise SuperbizError(ErrorCode.QUERY_INVALID, "stdin cannot be read", hint=_HINT) from None
    if len(raw) > max_bytes:
        raise _too_large(max_bytes)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _not_text() from None


def _is_piped(stdin: TextIO) -> bool:
    """Whether stdin is a pipe or a file; a terminal, a socket or /dev/null is not read unasked."""
    try:
        mode = os.fstat(stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _has_something(stdin: TextIO) -> bool:
    """Whether the pipe has text or an end soon: one that a parent merely left open must not hang us."""
    return bool(select.select([stdin], [], [], PIPE_PATIENCE_S)[0])


def _too_large(max_bytes: int) -> SuperbizError:
    return SuperbizError(
        ErrorCode.QUERY_INVALID,
        f"the question is larger than {max_bytes} bytes (run.payload.query_bytes)",
        hint="ask a shorter question; whole logs belong into a source: see [[logs.sources]]",
    )


def _not_text() -> SuperbizError:
    return SuperbizError(
        ErrorCode.QUERY_INVALID,
        "the question is not UTF-8 text",
        hint="check the encoding of the terminal or file",
    )
