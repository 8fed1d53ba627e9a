"""OTLP in JSON, as the OpenTelemetry collector's file exporter writes it: many records on one line.

Format: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Each record becomes the fields
of an ordinary JSON event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def is_otlp(fields: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an export of log records."""
    return isinstance(fields.get("resourceLogs"), list)


def otlp_records(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the records of an export as flat fields, their resource's attributes included."""
    for resource_logs in _dicts(fields.get("resourceLogs")):
        resource = _attributes(_dict(resource_logs.get("resource")).get("attributes"))
        for scope_logs in _dicts(resource_logs.get("scopeLogs")):
            for record in _dicts(scope_logs.get("logRecords")):
                yield resource | _attributes(record.get("attributes")) | _record(record)


def _record(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        "timeUnixNano": record.get("timeUnixNano"),
        "observedTimeUnixNano": record.get("observedTimeUnixNano"),
        "severityText": record.get("severityText"),
        "message": _value(record.get("body")),
        "traceId": record.get("traceId"),
        "spanId": record.get("spanId"),
    }
    return {name: value for name, value in kept.items() if value not in {None, "", "0"}}


def _attributes(attributes: Any) -> dict[str, Any]:
    return {str(item.get("key")): _value(item.get("value")) for item in _dicts(attributes)}


def _value(value: Any) -> Any:
    """Return an AnyValue as plain JSON; what has no plain form is written out."""
    match value:
        case {"stringValue": text}:
            return str(text)
        case {"intValue": number} | {"doubleValue": number} | {"boolValue": number}:
            return number
        case {"arrayValue": {"values": list(values)}}:
            return str([_value(item) for item in values])
        case {"kvlistValue": {"values": list(values)}}:
            return str(_attributes(values))
        case _:
            return None


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
