"""Take off what a container runtime put around the application's lines.

Docker's json-file and the CRI format state a time for each line and split long lines; compose and
kubectl put the container's name before each line and mix the containers.
"""

# ruff: noqa: E501 - patterns read better unbroken

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.adapters.log_files.header import find_header
from superbiz_cli.adapters.log_files.stamps import Stamp

_CRI = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP])(?:[:\w]*)(?: (.*))?$",
    re.DOTALL,
)
_COMPOSE = re.compile(rb"([A-Za-z0-9][\w.-]*)[ \t]*\|(?: (.*))?$", re.DOTALL)
_KUBECTL = re.compile(rb"\[pod/([^/\]]+)/([^\]]+)\] ?(.*)$", re.DOTALL)
_REPLICA = re.compile(r"[-_]\d{1,3}$")
_MAX_JOINED_BYTES = 1 << 20
_ENOUGH = 0.6


class Wrapper(StrEnum):
    """What is around the application's lines."""

    NONE = "none"
    DOCKER = "docker"
    CRI = "cri"
    COMPOSE = "compose"
    KUBECTL = "kubectl"


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """One line of the application. `stream` keeps lines of different writers apart."""

    text: bytes
    stream: str = ""
    stamp: Stamp | None = None
    service: str | None = None


def detect_wrapper(sample: Sequence[bytes]) -> Wrapper:
    """Return the wrapper of most lines of a sample."""
    lines = [line for line in sample if line.strip()][:400]
    if not lines:
        return Wrapper.NONE
    needed = max(1, _ENOUGH * len(lines))
    if sum(_docker_entry(line) is not None for line in lines) >= needed:
        return Wrapper.DOCKER
    if sum(_CRI.match(line) is not None for line in lines) >= needed:
        return Wrapper.CRI
    if sum(_KUBECTL.match(line) is not None for line in lines) >= needed:
        return Wrapper.KUBECTL
    if sum(_COMPOSE.match(line) is not None for line in lines) >= max(needed, 0.9 * len(lines)):
        return Wrapper.COMPOSE
    return Wrapper.NONE


def unwrap(wrapper: Wrapper, lines: Iterable[bytes]) -> Iterator[LogicalLine]:
    """Yield the application's lines; pieces of a split line are joined for each stream."""
    match wrapper:
        case Wrapper.NONE:
            for line in lines:
                yield LogicalLine(line)
        case Wrapper.DOCKER:
            yield from _joined(_docker(lines))
        case Wrapper.CRI:
            yield from _joined(_cri(lines))
        case Wrapper.COMPOSE:
            yield from _prefixed(lines, _COMPOSE)
        case Wrapper.KUBECTL:
            yield from _prefixed(lines, _KUBECTL)


def _docker_entry(line: bytes) -> dict[str, object] | None:
    if not line.startswith(b"{") or b'"log"' not in line:
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("log"), str):
        return None
    return entry if set(entry) <= {"log", "stream", "time", "attrs", "tag"} else None


def _docker(lines: Iterable[bytes]) -> Iterator[tuple[LogicalLine, bool]]:
    for line in lines:
        entry = _docker_entry(line)
        if entry is None:
            continue  # torn: a line of which a half is missing says nothing reliable
        text = str(entry["log"])
        yield (
            LogicalLine(
                text.rstrip("\r\n").encode("utf-8", "replace"),
                str(entry.get("stream", "")),
                _stamp(str(entry.get("time", ""))),
            ),
            text.endswith("\n"),
        )


def _cri(lines: Iterable[bytes]) -> Iterator[tuple[LogicalLine, bool]]:
    for line in lines:
        match = _CRI.match(line)
        if match is not None:
            text = (match[4] or b"").removesuffix(b"\r")
            yield LogicalLine(text, match[2].decode(), _stamp(match[1].decode())), match[3] == b"F"


def _joined(pieces: Iterable[tuple[LogicalLine, bool]]) -> Iterator[LogicalLine]:
    """Join pieces up to a final one; a piece whose rest never came is still a line."""
    open_lines: dict[str, LogicalLine] = {}
    for piece, is_final in pieces:
        begun = open_lines.pop(piece.stream, None)
        line = piece if begun is None else LogicalLine(begun.text + piece.text, begun.stream, begun.stamp)
        if is_final or len(line.text) > _MAX_JOINED_BYTES:
            yield line
        else:
            open_lines[piece.stream] = line
    yield from open_lines.values()


def _prefixed(lines: Iterable[bytes], pattern: re.Pattern[bytes]) -> Iterator[LogicalLine]:
    for line in lines:
        match = pattern.match(line)
        if match is None:
            continue
        name = match[pattern.groups - 1].decode("utf-8", "replace")
        yield LogicalLine(
            match[pattern.groups] or b"", match[1].decode("utf-8", "replace"), None, _REPLICA.sub("", name)
        )


def _stamp(text: str) -> Stamp | None:
    header = find_header(text.encode())
    return header.stamp if header is not None else None
