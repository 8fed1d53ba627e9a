"""The telling part of a logged message: without the header of its line, with the cause of its exception."""

from __future__ import annotations

import re

MAX_HEADLINE_CHARS = 190
_SHORTEST = 4
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE|FATAL|CRIT(?:ICAL)?|PANIC|EMERG|ALERT)"
_HEADER = re.compile(
    rf"(?:\s*(?:{_LEVEL}(?::|(?=[\s|\]-]|$))"  # a level in capitals
    rf"|[\[(<|](?i:{_LEVEL})[\])>|]:?"  # a level in brackets
    r"|\[REDACTED_PID(?:#\d+)?\](?:#\d+)?:?|\d+#\d+:|\*\d+(?=\s)"  # a process, a connection
    r"|\[(?!REDACTED_)[^\[\]\n]{0,60}\](?=\s)"  # a thread, a service, trace ids
    r"|---|[-|:](?=\s)"
    r"|(?![\w.$]*(?:Error|Exception)\b)[A-Za-z_$][\w$]*(?:\.[\w$]+)+(?::\d+)?(?=\s*[-:|]\s)"  # a logger
    r"|host=\S+(?=\s)|ts=\S*(?=\s)|kernel:(?=\s)"  # syslog, logfmt
    r"|[\w./-]+\[(?:\d+|REDACTED_PID(?:#\d+)?)\]:(?=\s)"
    r"))+\s*"
)
_LOGFMT = re.compile(r"(?:^|\s)(?:msg|message)=(?:\"((?:[^\"\\]|\\.)*)\"|(\S+))")
_EXCEPTION = re.compile(r"\s*(?:Caused by:\s*)?((?:[\w$]+\.)*[A-Z][\w$]*(?:Exception|Error|Throwable)\b.*)")
_CAUSE = re.compile(r"\s*Caused by:\s*(.+)")
_FRAME = re.compile(
    r"(?:^|(?<=\s))(?:time|timestamp|ts|t|level|lvl|severity|service|svc|app|logger|caller|trace_id|span_id)=\S*"
)
_FIELD = re.compile(r"(?:^|\s)(?:error|err|exception|cause|reason)=(.+?)(?=\s[\w.]+=|$)")


def headline(message: str, *, limit: int = MAX_HEADLINE_CHARS) -> str:
    """Return on one line what `message` says: its first line, and the root cause or error behind it.

    Level, process, thread and logger are taken off. At most `limit` characters.
    """
    first, *rest = message.strip().split("\n")
    logfmt = _LOGFMT.search(first)
    said = (logfmt[1] or logfmt[2]) if logfmt is not None else None
    if logfmt is None or not said:
        parts = [_without_header(first)]
    else:
        parts = [said]
        rest = [_FRAME.sub(" ", first.replace(logfmt.group(), " ")), *rest]
    parts += [part for part in _behind(rest) if part.strip() and part not in parts[0]]
    shown = " | ".join(" ".join(part.split()) for part in dict.fromkeys(parts))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def telling_line(message: str) -> str:
    """Return the one line of `message`, word for word, that says most: the root cause, else the first.

    The header of the line and "Caused by:" are taken off.
    """
    first, *rest = message.strip().split("\n")
    causes = [match[1] for line in rest if (match := _CAUSE.match(line)) is not None]
    return causes[-1] if causes else _without_header(first)


def _without_header(line: str) -> str:
    header = _HEADER.match(line)
    text = line[header.end() :] if header is not None else line
    return text if len(text.strip()) >= _SHORTEST else line


def _behind(lines: list[str]) -> list[str]:
    """Return the root cause, else the exception, and the error field of what follows the first line.

    What has none of them follows as it is.
    """
    causes = [match[1] for line in lines if (match := _CAUSE.match(line)) is not None]
    exceptions = [match[1] for line in lines if (match := _EXCEPTION.match(line)) is not None]
    fields = [match[1] for line in lines for match in _FIELD.finditer(line)]
    found = [*(causes[-1:] or exceptions[:1]), *(field.strip('"') for field in fields[:1])]
    return found or lines
