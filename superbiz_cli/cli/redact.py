"""`superbiz redact`: a filter that cleans a text before it is shared."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from typing import Any

import typer

from superbiz_cli.cli.options import Invocation
from superbiz_cli.errors import ExitCode

MAX_LINE_CHARS = 1_048_576
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LAST_SPACE = re.compile(r"\s(?=\S*\Z)")


def redact(ctx: typer.Context) -> int:
    """Replace secrets, addresses and personal numbers in stdin; write the rest to stdout as it is.

    The rules are those of every tool result. Works line by line, so it can stand behind tail -f. What
    is no text passes unchanged.

    Examples:
      superbiz redact < app.log > shareable.log
      kubectl logs payment-7d9 | superbiz redact

    """
    invocation = Invocation.of(ctx)

    from superbiz_cli.harness.tool.redact import Redactor

    reader = _buffered(sys.stdin.buffer)
    encoding = _BYTE_ORDER_MARKS.get(reader.peek(2)[:2], "utf-8")
    errors = "surrogateescape" if encoding == "utf-8" else "surrogatepass"
    text = io.TextIOWrapper(reader, encoding=encoding, errors=errors, newline="\n")
    try:
        for line in Redactor().redact_lines(lines_of(text)):
            invocation.streams.result_bytes(line.encode(encoding, errors))
    finally:
        text.detach()  # stdin stays open for whoever opened it
    return ExitCode.SUCCESS


def lines_of(text: io.TextIOBase, *, longest: int = MAX_LINE_CHARS) -> Iterator[str]:
    """Yield the lines with their ends; one that is longer than `longest` characters in pieces.

    A piece ends at white space, where there is any, so that no secret is cut in two.
    """
    rest = ""
    while piece := text.readline(longest):
        rest += piece
        if rest.endswith("\n"):
            yield rest
            rest = ""
        elif len(rest) >= longest:
            gap = _LAST_SPACE.search(rest)
            cut = gap.end() if gap else len(rest)
            yield rest[:cut]
            rest = rest[cut:]
    if rest:
        yield rest


def _buffered(stream: Any) -> io.BufferedReader:
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
