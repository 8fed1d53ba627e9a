"""A JSON line as an event: which field is the time, the level, the message."""

# ruff: noqa: E501 - tables of patterns and words read better unbroken

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from superbiz_cli.adapters.log_files.header import find_header
from superbiz_cli.adapters.log_files.levels import (
    level_of_number,
    level_of_priority,
    level_of_severity_number,
    level_of_word,
)
from superbiz_cli.adapters.log_files.stamps import SECOND_US, Lacks, Stamp, Zones, epoch_stamp
from superbiz_cli.harness.tool.logs.contract import Level

TIME_KEYS = (
    "asctime", "StartUTC", "@timestamp", "timestamp", "time", "ts", "@t", "datetime", "date", "t", "eventTime", "event_time",
    "instant", "timeMillis", "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "timestampNanos", "timeUnixNano",
    "observedTimeUnixNano", "log_time", "logtime", "created_at", "createdAt", "created", "Timestamp", "Time",
    "TimeGenerated", "start_time", "written_ts", "isotime", "written_at", "dt", "epoch", "when", "@ts",
)  # fmt: skip
# Of a record without any of these: "requestReceivedTimestamp" (Kubernetes audit), "EdgeStartTimestamp".
_NAMES_A_TIME = re.compile(r"(?i)timestamp|datetime|date$|_at$|_ts$|time_?(?:utc|local|ms|ns)?$|(?-i:At$)")
_NAMES_ANOTHER = re.compile(
    r"(?i)expir|valid|birth|until|after|before|updat|modif|build|compil|boot|next|last"
)
_NAMES_A_BEGINNING = re.compile(r"(?i)start|begin|receiv|request|creat|event|log")
_SEVERITY_NUMBERS = ("severityNumber", "severity_number", "SeverityNumber")
_LEVEL_KEYS = (
    "level", "severity", "lvl", "levelname", "log_level", "loglevel", "@l", "logLevel", "log.level", "severityText",
    "severity_text", "s", "Level", "LEVEL", "priority", "PRIORITY", "syslog_severity",
    *_SEVERITY_NUMBERS,
)  # fmt: skip
_MESSAGE_KEYS = (
    "message",
    "msg",
    "MESSAGE",
    "@m",
    "event",
    "log",
    "text",
    "body",
    "short_message",
    "@mt",
    "Message",
)
_ERROR_KEYS = (
    "stack_trace",
    "stacktrace",
    "exception",
    "exc_info",
    "@x",
    "stack",
    "error.stack_trace",
    "traceback",
    "thrown",
)
_SERVICE_KEYS = (
    "service.name", "service", "serviceName", "service_name", "app", "application", "appname", "app_name",
    "SYSLOG_IDENTIFIER", "_SYSTEMD_UNIT", "component", "container_name", "program",
)  # fmt: skip
_MAX_FIELD_CHARS = 300


@dataclass(frozen=True, slots=True)
class JsonEvent:
    """What a JSON object says. `stamp` is None when it states no time."""

    stamp: Stamp | None
    level: Level | None
    service: str | None
    message: str
    fields: Mapping[str, Any]


def parse_object(line: str) -> dict[str, Any] | None:
    """Return the JSON object of a line, None if it is not exactly one."""
    try:
        value = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_json_event(fields: Mapping[str, Any], zones: Zones) -> JsonEvent:
    """Return the event of a JSON object."""
    return JsonEvent(
        stamp=_stamp(fields, zones),
        level=_level(fields),
        service=encodable(_service(fields)),
        message=encodable(_message(fields)) or "",
        fields=fields,
    )


def encodable(text: str | None) -> str | None:
    """Return `text` without lone surrogates, which a JSON text can spell and no UTF-8 can hold."""
    return text if text is None or text.isascii() else text.encode("utf-8", "replace").decode()


def values_of(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, keys and numbers included, for searching."""
    match value:
        case str():
            yield value
        case dict():
            for key, item in value.items():
                yield key
                yield from values_of(item)
        case list():
            for item in value:
                yield from values_of(item)
        case None | bool():
            return
        case _:
            yield str(value)


def _stamp(fields: Mapping[str, Any], zones: Zones) -> Stamp | None:
    for key in TIME_KEYS:
        if key in fields and (stamp := read_time(fields[key], zones)) is not None:
            return stamp
    if isinstance(fields.get("date"), str) and isinstance(fields.get("time"), str):
        return read_time(f"{fields['date']} {fields['time']}", zones)
    return next(
        (stamp for key in _timelike(fields) if (stamp := read_time(fields[key], zones)) is not None), None
    )


def _timelike(fields: Mapping[str, Any]) -> list[str]:
    """Return the keys that name a time in words of their own, a beginning before all others."""
    keys = [key for key in fields if _NAMES_A_TIME.search(key) and not _NAMES_ANOTHER.search(key)]
    return sorted(keys, key=lambda key: _NAMES_A_BEGINNING.search(key) is None)


def read_time(value: Any, zones: Zones) -> Stamp | None:
    """Return the time that a JSON value writes, None if it is none."""
    match value:
        case bool():
            return None
        case int():
            return epoch_stamp(value) if value > 0 else None
        case float():
            return (
                Stamp(round(value * SECOND_US), 0)
                if 631_152_000 <= value < 4_102_444_800
                else epoch_stamp(int(value))
            )
        case str():
            if value.isascii() and value.replace(".", "", 1).isdigit():
                whole, _, fraction = value.partition(".")
                return (
                    epoch_stamp(int(whole), fraction.encode() or None) if whole and len(whole) < 20 else None
                )
            header = find_header(value.encode("utf-8", "replace"), zones)
            return (
                header.stamp
                if header and header.start <= 1 and header.stamp.lacks is not Lacks.DATE
                else None
            )
        case {"epochSecond": int(seconds), **rest}:
            nanos = rest.get("nanoOfSecond", 0)
            return Stamp(seconds * SECOND_US + (nanos // 1000 if isinstance(nanos, int) else 0), 0)
        case {"$date": inner}:
            return read_time(inner, zones)
        case {"$numberLong": inner}:
            return read_time(inner, zones)
        case _:
            return None


def _level(fields: Mapping[str, Any]) -> Level | None:
    for key in _LEVEL_KEYS:
        value = fields.get(key, _dig(fields, key))
        if isinstance(value, dict):
            value = value.get("level") or value.get("name")
        level = _read_level(key, value)
        if level is not None:
            return level
    return Level.INFO if "@t" in fields and "@mt" in fields else None  # CLEF: a missing @l means information


def _read_level(key: str, value: Any) -> Level | None:
    match value:
        case bool() | None:
            return None
        case int():
            if key in _SEVERITY_NUMBERS:
                return level_of_severity_number(value)
            if key.lower() in {"priority", "syslog_severity"} or value < 8:
                return level_of_priority(value)
            return level_of_number(value)
        case str():
            if value.isdigit():
                return _read_level(key, int(value))
            return level_of_word(value)
        case _:
            return None


def _service(fields: Mapping[str, Any]) -> str | None:
    for key in _SERVICE_KEYS:
        value = fields.get(key, _dig(fields, key))
        if isinstance(value, str) and value:
            return value[:80]
    return None


def _dig(fields: Mapping[str, Any], path: str) -> Any:
    if "." not in path:
        return None
    outer, _, inner = path.partition(".")
    nested = fields.get(outer)
    return nested.get(inner) if isinstance(nested, dict) else None


def _message(fields: Mapping[str, Any]) -> str:
    """Return the message, its remaining fields on a second line, an exception's text behind."""
    used: set[str] = set()
    head = ""
    for key in _MESSAGE_KEYS:
        value = fields.get(key)
        if (
            isinstance(value, list)
            and value
            and all(isinstance(code, int) and 0 <= code < 256 for code in value)
        ):
            value = bytes(value).decode(
                "utf-8", "replace"
            )  # how journalctl writes a message that is not text
        if isinstance(value, str) and value:
            head = _rendered(value, fields) if key == "@mt" else value
            used.add(key)
            break
    errors = [str(fields[key]) for key in _ERROR_KEYS if isinstance(fields.get(key), str) and fields[key]]
    rest = " ".join(
        f"{key}={_short(value)}" for key, value in fields.items() if key not in used and not _is_known(key)
    )
    return "\n".join(part for part in (head, rest, *errors) if part)


def _rendered(template: str, fields: Mapping[str, Any]) -> str:
    """Fill a message template (messagetemplates.org) with the event's properties."""
    text = template
    for key, value in fields.items():
        if "{" + key in text and isinstance(value, str | int | float):
            text = text.replace("{" + key + "}", str(value))
    return text


def _is_known(key: str) -> bool:
    return key in TIME_KEYS or key in _LEVEL_KEYS or key in _ERROR_KEYS


def _short(value: Any) -> str:
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    )
    return text if len(text) <= _MAX_FIELD_CHARS else text[:_MAX_FIELD_CHARS] + "…"
