"""The JSON of a Run: `superbiz.run/v1`, described by docs/schema/run.v1.json."""

from __future__ import annotations

from typing import Any

from superbiz_cli.harness.contract.report import SCHEMA, RunResult

_ORDER = (
    "run_id",
    "session_id",
    "query",
    "intent",
    "run_state",
    "release_outcome",
    "content_type",
    "report",
    "fallback",
    "answer",
    "failure",
    "evidence",
    "usage",
    "started_at",
    "completed_at",
    "duration_ms",
    "model",
)


def document(result: RunResult) -> dict[str, Any]:
    """Return the document of `--json`. Absent parts are null."""
    values = result.model_dump(mode="json") | {"content_type": result.content_type}
    return {"schema": SCHEMA, **{key: values[key] for key in _ORDER}}


def json_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of `document`."""
    schema = RunResult.model_json_schema(mode="serialization")
    properties = schema["properties"] | {
        "schema": {"const": SCHEMA},
        "content_type": {"enum": ["report", "fallback", "answer", "failure"]},
    }
    ordered = ("schema", *_ORDER)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:superbiz:run:v1",
        "title": "The outcome of one superbiz run",
        "type": "object",
        "additionalProperties": False,
        "required": list(ordered),
        "properties": {key: properties[key] for key in ordered},
        "$defs": schema["$defs"],
    }
