"""The published schemas, and a validator of each."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.support.run_cli import REPOSITORY


def published(name: str) -> dict[str, Any]:
    """Return a schema of docs/schema."""
    schema = json.loads((REPOSITORY / "docs" / "schema" / name).read_text(encoding="utf-8"))
    assert isinstance(schema, dict)
    return schema


RUN_SCHEMA = published("run.v1.json")
EVENT_SCHEMA = published("events.v1.json")
REGISTRY: Registry[Any] = Registry().with_resource(RUN_SCHEMA["$id"], Resource.from_contents(RUN_SCHEMA))
RUN_VALIDATOR = Draft202012Validator(RUN_SCHEMA)
EVENT_VALIDATOR = Draft202012Validator(EVENT_SCHEMA, registry=REGISTRY)
ERROR_VALIDATOR = Draft202012Validator(published("error.v1.json"))
