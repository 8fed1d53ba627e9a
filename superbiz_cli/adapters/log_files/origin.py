"""Who wrote a line: the host and program of a syslog header, the service that a line names."""

from __future__ import annotations

import re

# RFC 3164 and the ISO form of rsyslog: HOST PROGRAM[PID]: text
_SYSLOG = re.compile(
    r"\s*(?:<[\w.]+>\s+)?(?P<host>[A-Za-z0-9][\w.:-]*)\s+(?P<program>[A-Za-z][\w./-]*)(?:\([\w-]+\))?(?P<pid>\[\d+\])?:\s"
)
_RFC5424 = re.compile(
    r"\s*(?P<host>[A-Za-z0-9][\w.:-]*)\s+(?P<program>[\w./-]+)\s+(?P<pid>\d+|-)\s+(?:\S+)\s+(?:-|\[)"
)
_NAMED = re.compile(
    r"(?:^|[\s,{\[(])(?:service|svc|app|application|serviceName|service_name|app_name)[\"']?[=:]\s?[\"']?([A-Za-z][\w.-]{1,60})"
)
_BEHIND_LEVEL = re.compile(
    r"\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?\s+\[?([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\]?\s*(?:-|:|\|)\s"
)
_SEARCHED_CHARS = 200


def syslog_origin(rest: str, *, is_syslog: bool) -> tuple[str, str, int] | None:
    """Return (host, program, where the text begins) of what follows the time of a syslog line.

    A line whose time is not of syslog's own shape must have a process number to be believed.
    """
    match = _SYSLOG.match(rest)
    if match is not None and (is_syslog or match["pid"]):
        return match["host"], match["program"].rpartition("/")[2], match.start("program")
    match = _RFC5424.match(rest)
    if match is not None and match["pid"] != "-":
        return match["host"], match["program"], match.start("program")
    return None


def find_service(rest: str) -> str | None:
    """Return the service that a header line names, by a field or behind its level."""
    head = rest[:_SEARCHED_CHARS]
    match = _BEHIND_LEVEL.match(head) or _NAMED.search(head)
    return match[1] if match is not None else None
