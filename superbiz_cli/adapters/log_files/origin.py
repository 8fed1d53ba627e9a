"""Who wrote a line: the host and program of a syslog header, the service that a line names."""

from __future__ import annotations

import re
from pathlib import Path

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
# Spring Cloud Sleuth: LEVEL [service,trace,span]; a bracketed name of several words, or of Chinese ones.
_IN_BRACKETS = re.compile(
    r"\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?\s*[\[【]"
    r"(?:(?P<traced>[a-z][\w.-]{1,60}),[^\]\n]{0,120}|(?P<named>[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)+|[一-鿿]{2,16}))[\]】]"
)
_IS_A_THREAD = re.compile(r"exec|thread|pool|nio|worker|timer|loop|线程")
_GENERIC_FILES = frozenset(
    {
        "access",
        "error",
        "errors",
        "err",
        "out",
        "stdout",
        "stderr",
        "warn",
        "warning",
        "debug",
        "info",
        "trace",
    }
)
_GENERIC_FOLDERS = _GENERIC_FILES | {"log", "logs", "var", "tmp", "opt", "srv", "data", "archive", "old"}
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
    if (bracketed := _IN_BRACKETS.match(head)) is not None:
        name = bracketed["traced"] or bracketed["named"]
        if not _IS_A_THREAD.search(name):
            return name
    match = _BEHIND_LEVEL.match(head) or _NAMED.search(head)
    return match[1] if match is not None else None


def service_of_file(path: Path) -> str:
    """Return the likely service of a file: its name without rotation and format.

    For a name that says nothing, such as error.log, its folder, if that says more.
    """
    stem = re.split(r"[.](?:log|out|err|txt|json|jsonl|\d)|[-_.]\d{4}", path.name)[0]
    folder = path.parent.name
    is_generic = stem.lower() in _GENERIC_FILES
    return folder if is_generic and folder and folder.lower() not in _GENERIC_FOLDERS else stem
