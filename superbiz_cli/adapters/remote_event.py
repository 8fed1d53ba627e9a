"""A record of a remote store as an event: JSON fields, or one line of text with labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from superbiz_cli.adapters.log_files.json_event import (
    encodable,
    parse_object,
    read_json_event,
    values_of,
)
from superbiz_cli.adapters.log_files.levels import find_level, level_of_word
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.adapters.log_files.stamps import SECOND_US
from superbiz_cli.harness.tool.logs.contract import LogEvent

_LEVEL_LABELS = ("level", "detected_level", "severity", "lvl")
_SERVICE_LABELS = ("service_name", "service", "app", "application", "job", "component", "container", "unit")


def event_of_fields(fields: Mapping[str, Any], source: LogSource, at_us: int | None) -> LogEvent | None:
    """Return the event of a JSON record; `at_us` is its time where the store states it apart.

    Fields without a value are left out: a store with a fixed schema has many of them in each record.
    """
    fields = {name: value for name, value in fields.items() if value not in (None, "", {}, [])}
    event = read_json_event(fields, source.zones)
    if at_us is None:
        if event.stamp is None:
            return None
        at_us = event.stamp.wall_us - (event.stamp.offset_s or 0) * SECOND_US
    text = "\n".join((event.message, *values_of(dict(fields))))
    return LogEvent(at_us, text, event.message, event.level, source.service or event.service or source.name)


def event_of_line(line: str, labels: Mapping[str, str], source: LogSource, at_us: int) -> LogEvent:
    """Return the event of a line with labels; a line that is a JSON object is read field by field."""
    line = encodable(line) or ""
    service = source.service or next((labels[name] for name in _SERVICE_LABELS if labels.get(name)), None)
    level = next((level_of_word(labels[name]) for name in _LEVEL_LABELS if labels.get(name)), None)
    fields = parse_object(line) if line.lstrip().startswith("{") else None
    if fields is not None:
        event = read_json_event(fields, source.zones)
        return LogEvent(
            at_us, line, event.message, event.level or level, service or event.service or source.name
        )
    return LogEvent(at_us, line, line, level or find_level(line), service or source.name)
