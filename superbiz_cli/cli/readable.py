"""Times, scopes and commands as people read and type them; the JSON of a result keeps them as they are.

A scope states its times in the user's zone already; here the seconds, the T and the repeated date go.
"""

from __future__ import annotations

import re
from datetime import datetime

from rich.cells import cell_len

from superbiz_cli.harness.contract.report import EvidenceRef
from superbiz_cli.harness.tool.sanitize import sanitize

_ISO = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})"
_RANGE = re.compile(rf"({_ISO}) to ({_ISO})")
_COMMAND = re.compile(r"(?<=[:：])\s*(superbiz .+)$")
_ONE = re.compile(_ISO)


def readable_times(text: str) -> str:
    """Return `text` with each ISO 8601 time, or range of two, as "2026-11-30 10:00–10:15 +08:00"."""

    def span(match: re.Match[str]) -> str:
        start, end = (_moment(part) for part in match.groups())
        if start is None or end is None or start.utcoffset() != end.utcoffset():
            return match.group()
        until = f"{end:%H:%M}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
        return f"{start:%Y-%m-%d %H:%M}–{until} {_offset(start)}"

    def point(match: re.Match[str]) -> str:
        moment = _moment(match.group())
        return match.group() if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} {_offset(moment)}"

    return _ONE.sub(point, _RANGE.sub(span, text))


def readable_scope(ref: EvidenceRef) -> str:
    """Return what a footnote covered, without what its source has said already."""
    said = ref.source.partition(" (")[0]
    scope = ref.scope.removeprefix(said).lstrip(" ,") if said else ref.scope
    return readable_times(scope or ref.scope)


def step_and_command(step: str) -> tuple[str, str]:
    """Return what a next step says and the command that it ends with, "" if it ends with none."""
    found = _COMMAND.search(step)
    if found is None:
        return step, ""
    return step[: found.start()].rstrip(), sanitize(" ".join(found[1].split()))


def command_lines(command: str, width: int) -> list[str]:
    """Break a command before its options, with the backslash that a shell wants, into lines of `width`."""
    lines: list[str] = []
    for part in re.split(r" (?=--[a-z])", command):
        if lines and cell_len(f"{lines[-1]} {part}") + 2 <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _offset(moment: datetime) -> str:
    offset = moment.strftime("%z")
    return f"{offset[:3]}:{offset[3:5]}"
