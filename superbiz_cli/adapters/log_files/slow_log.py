"""The slow query log of MySQL, MariaDB and Percona Server: one event for each statement.

An event is a block of `# ...` lines followed by the statement. `# Time` is written only when the second
has changed and, in old versions, in the server's zone; `SET timestamp` is always an instant.
Layouts: https://dev.mysql.com/doc/refman/8.0/en/slow-query-log.html and Percona's extended form.
"""

# ruff: noqa: E501 - patterns read better unbroken

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from superbiz_cli.adapters.log_files.header import find_header
from superbiz_cli.adapters.log_files.stamps import SECOND_US, Stamp, Zones

_BEGIN = re.compile(rb"# (?:Time|User@Host|User|Client|Thread_id|Schema|Query_time):")
_TIME = re.compile(rb"# Time: (.*?)(?:\s+# User@Host:.*)?$")
_SET = re.compile(rb"SET timestamp=(\d+)(?:\.(\d+))?", re.IGNORECASE)
_BANNER = re.compile(rb"(?:\S+, Version: .*started with:|Tcp port: .*|Time\s+Id\s+Command\s+Argument)\s*$")
_STAT = re.compile(
    r"(Query_time|Lock_time|Rows_sent|Rows_examined|Rows_affected|Rows_read|Schema|Last_errno|Killed): *([^\s#]*)"
)
_USE = re.compile(r"^use\s+`?([\w$-]+)`?;?\s*$", re.IGNORECASE)
_USER = re.compile(r"User@Host: *(.*)")
_LITERAL = re.compile(
    r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\"|\b0x[0-9A-Fa-f]+\b|(?<![\w`.$])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b"
)
_LIST = re.compile(r"\(\s*\?(?:\s*,\s*\?)*\s*\)(?:\s*,\s*\(\s*\?(?:\s*,\s*\?)*\s*\))*")
_COMMENT = re.compile(r"/\*(?!!).*?\*/|(?:--\s|#)[^\n]*", re.DOTALL)
MAX_FINGERPRINT_CHARS = 1_200


@dataclass(slots=True)
class SlowQuery:
    """One statement of the log. `stamp` is None before the first time in the file."""

    lines: list[bytes] = field(default_factory=list)
    stamp: Stamp | None = None
    own_time: Stamp | None = None
    has_body: bool = False
    has_stats: bool = False
    has_user: bool = False
    has_time: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the block has the lines that every statement has; a cut-off head has not."""
        return self.has_stats and (self.has_body or self.has_user or self.has_time)


def is_slow_log(sample: Sequence[bytes]) -> bool:
    """Whether a sample has the statistics line of a slow query log."""
    return any(line.startswith(b"# Query_time:") and b"Lock_time:" in line for line in sample) or (
        any(line.startswith(b"# Query_time:") for line in sample)
        and any(line.startswith((b"# User@Host:", b"# Time:")) for line in sample)
    )


def slow_queries(lines: Iterable[bytes], zones: Zones) -> Iterator[SlowQuery]:
    """Yield the statements in their order; a statement without a time of its own has the one before."""
    current = SlowQuery()
    last_time: Stamp | None = None
    for line in lines:
        if _begins(line, current):
            if current.is_whole:
                yield current
            current = SlowQuery(stamp=last_time)
        if _BANNER.match(line):
            continue
        if not current.lines and not line.startswith(b"#"):
            continue  # rest of a statement whose head is missing
        current.lines.append(line)
        last_time = _note(line, current, zones) or last_time
    if current.is_whole:
        yield current


def _begins(line: bytes, current: SlowQuery) -> bool:
    if not line.startswith(b"# ") or not _BEGIN.match(line):
        return False
    if current.has_body:
        return True
    return current.has_stats and line.startswith((b"# Time:", b"# User@Host:"))


def _note(line: bytes, current: SlowQuery, zones: Zones) -> Stamp | None:
    """Note what a line says about its event; return a time that also holds for the events that follow."""
    if line.startswith(b"#"):
        if line.startswith(b"# Time:"):
            current.has_time = True
            current.has_user = current.has_user or b"# User@Host:" in line
            match = _TIME.match(line)
            header = find_header(match[1], zones) if match else None
            if header is not None:
                current.own_time = current.stamp = header.stamp
                return header.stamp
        elif line.startswith(b"# User@Host:"):
            current.has_user = True
        elif line.startswith(b"# Query_time:"):
            current.has_stats = True
        elif line.startswith(b"# administrator command"):
            current.has_body = True
        return None
    if not line.strip():
        return None
    if (match := _SET.match(line)) and not current.has_body:
        stamp = _set_stamp(int(match[1]), match[2], current.own_time)
        current.stamp = stamp
        return stamp
    if not _USE.match(line.decode("utf-8", "replace")):
        current.has_body = True
    return None


def _set_stamp(seconds: int, fraction: bytes | None, own_time: Stamp | None) -> Stamp:
    """Return the instant of SET timestamp, with the fraction of a `# Time` that is the same second."""
    at_us = seconds * SECOND_US + (int((fraction[:6] + b"000000")[:6]) if fraction else 0)
    if own_time is not None and own_time.offset_s is not None:
        own_us = own_time.wall_us - own_time.offset_s * SECOND_US
        if own_us // SECOND_US == seconds:
            at_us = own_us
    return Stamp(at_us, 0)


def statement_of(query: SlowQuery) -> tuple[str, str, str | None]:
    """Return (fingerprint, statistics, schema) of a statement, in words for a reader."""
    stats: dict[str, str] = {}
    user = ""
    schema: str | None = None
    body: list[str] = []
    for raw in query.lines:
        line = raw.decode("utf-8", "replace")
        if line.startswith("#") and not line.startswith("# administrator command"):
            for name, value in _STAT.findall(line):
                stats.setdefault(name, value)
            if (match := _USER.search(line)) is not None:
                user = match[1]
        elif (match := _USE.match(line)) is not None:
            schema = match[1]
        elif not _SET.match(raw):
            body.append(line.removeprefix("# "))
    schema = schema or stats.pop("Schema", "") or None
    shown = [f"{name.lower()}={stats[name]}" for name in _SHOWN if stats.get(name)]
    if user:
        shown.append(f"User@Host: {user}")
    return fingerprint("\n".join(body)), " ".join(shown), schema


_SHOWN = ("Query_time", "Lock_time", "Rows_examined", "Rows_sent", "Rows_affected", "Last_errno")


def fingerprint(statement: str) -> str:
    """Return a statement with its literals replaced by `?`, lists of them collapsed, on one line."""
    text = _COMMENT.sub(" ", statement[: MAX_FINGERPRINT_CHARS * 8])
    text = _LIST.sub("(?)", _LITERAL.sub("?", text))
    text = " ".join(text.split()).rstrip("; ")
    return text if len(text) <= MAX_FINGERPRINT_CHARS else text[:MAX_FINGERPRINT_CHARS] + "…"
