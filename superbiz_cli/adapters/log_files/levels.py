"""Severity words of all formats, normalised."""

# ruff: noqa: E501 - tables of patterns and words read better unbroken

from __future__ import annotations

import re

from superbiz_cli.harness.tool.logs.contract import Level

_WORDS: dict[str, Level] = {
    word: level
    for level, words in {
        Level.TRACE: "trace trc verbose verb vrb silly finest finer fine2 v all",
        Level.DEBUG: "debug dbg dbug debug1 debug2 debug3 debug4 debug5 fine config d",
        Level.INFO: "info inf information informational notice note log ok success statement i n hint detail",
        Level.WARN: "warn warning wrn warnung w",
        Level.ERROR: "error err eror erro severe failure e f2",
        Level.FATAL: "fatal ftl crit critical alert emerg emergency panic dpanic c a p f",
    }.items()
    for word in words.split()
}
_LONG = r"TRACE|VERBOSE|FINEST|FINER|FINE|DEBUG[1-5]?|DBG|CONFIG|INFO(?:RMATION(?:AL)?)?|INF|NOTICE|NOTE|WARN(?:ING)?|WRN|ERROR|EROR|ERR|SEVERE|FATAL|FTL|CRIT(?:ICAL)?|ALERT|EMERG(?:ENCY)?|PANIC"
_NAMED = re.compile(
    r"(?:\b(?:level|lvl|severity|loglevel|levelname)[\"']?\s*[=:]\s*[\"']?)([A-Za-z]+\d?)", re.IGNORECASE
)
_BRACKETED = re.compile(rf"[\[<(](?:[\w.*-]+[:.])?\s*({_LONG}|TRC|[VDIWEF])\s*[\]>)]", re.IGNORECASE)
_UPPER = re.compile(
    rf"(?<![A-Za-z0-9_/.=-])({_LONG}|LOG|STATEMENT|DETAIL|HINT|CONTEXT)(?![A-Za-z0-9_/=-]|\.\w)"
)
_FIRST_WORD = re.compile(rf"\W*(?:\S+ )??({_LONG})\b(?=[\s:|\]])", re.IGNORECASE)
_LETTER = re.compile(r"\s+\d+\s+\d+\s([VDIWEF])\s|\s*([VDIWEF])/|\s([DIWEF]) [A-Z]{2,}\s")
_DOTTED = re.compile(rf"\W*[\w-]+\.({_LONG}):")
_PRIORITY = re.compile(r"<(\d{1,3})>")
_SINGLE = frozenset("IWEFDV")  # klog and glog write the letter before the time
_REDIS_ROLE = re.compile(r"\d+:[A-Z] $")
_REDIS = re.compile(r" ([.*#-]) ")
_REDIS_SIGNS = {".": Level.DEBUG, "-": Level.TRACE, "*": Level.INFO, "#": Level.WARN}
_SEARCHED_CHARS = 240

_NUMBERS = {
    10: Level.TRACE,
    20: Level.DEBUG,
    30: Level.INFO,
    40: Level.WARN,
    50: Level.ERROR,
    60: Level.FATAL,
}
_SYSLOG = (
    Level.FATAL,
    Level.FATAL,
    Level.FATAL,
    Level.ERROR,
    Level.WARN,
    Level.INFO,
    Level.INFO,
    Level.DEBUG,
)


def level_of_word(word: str) -> Level | None:
    """Return the level that a word names, in any of the usual spellings."""
    return _WORDS.get(word.strip().lower())


def level_of_number(number: int) -> Level | None:
    """Return the level of a bunyan or pino number (10 to 60)."""
    return _NUMBERS.get(number // 10 * 10) if 10 <= number <= 69 else None


def level_of_priority(priority: int) -> Level | None:
    """Return the level of a syslog severity (RFC 5424, 0 to 7)."""
    return _SYSLOG[priority] if 0 <= priority <= 7 else None


def level_of_severity_number(number: int) -> Level | None:
    """Return the level of a SeverityNumber (OpenTelemetry's log data model, 1 to 24, four for each level)."""
    return list(Level)[(number - 1) // 4] if 1 <= number <= 24 else None


def find_level(rest: str, before: str = "") -> Level | None:
    """Return the level that a header line states behind (or before) its time, None if it states none."""
    head = rest[:_SEARCHED_CHARS]
    for text in (before, head):
        if not text:
            continue
        for pattern in (_NAMED, _BRACKETED, _UPPER):
            match = pattern.search(text)
            if match and (level := level_of_word(match[1])):
                return level
    if (priority := _PRIORITY.match(before)) is not None:
        return level_of_priority(int(priority[1]) % 8)
    if before in _SINGLE:
        return level_of_word(before)
    if (sign := _REDIS.match(rest)) is not None and _REDIS_ROLE.match(before):
        return _REDIS_SIGNS[sign[1]]
    match = _FIRST_WORD.match(head) or _LETTER.match(head) or _DOTTED.match(head)
    return level_of_word(match[match.lastindex or 0]) if match else None


_SECOND_LINE = re.compile(r"(SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): ")


def level_of_second_line(line: str) -> Level | None:
    """Return the level with which java.util.logging begins the second line of an event."""
    match = _SECOND_LINE.match(line)
    return level_of_word(match[1]) if match is not None else None
