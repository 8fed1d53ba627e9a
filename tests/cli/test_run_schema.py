"""`--json` and its published schema agree; the schema is what other programs rely on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from superbiz_cli.cli.result_json import document, json_schema
from superbiz_cli.harness.contract.report import RunResult
from tests.support.results import failed_result, fallback_result, result, run_results
from tests.support.schemas import RUN_SCHEMA, RUN_VALIDATOR

TOP_LEVEL = [
    "schema",
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
]


def test_the_schema_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(RUN_SCHEMA)


@given(run_results())
def test_every_result_that_the_product_can_publish_is_valid(outcome: RunResult) -> None:
    RUN_VALIDATOR.validate(json.loads(json.dumps(document(outcome))))


@given(run_results())
def test_the_document_has_the_documented_keys_in_the_documented_order(outcome: RunResult) -> None:
    published = document(outcome)
    assert list(published) == TOP_LEVEL
    assert published["schema"] == "superbiz.run/v1"
    contents = [published[key] is not None for key in ("report", "fallback", "answer", "failure")]
    assert contents.count(True) == 1
    assert published[published["content_type"]] is not None


def test_evidence_and_usage_have_exactly_the_documented_keys() -> None:
    published = document(result())
    assert list(published["evidence"][0]) == [
        "ref",
        "tool_call_id",
        "tool_name",
        "source_type",
        "source",
        "scope",
        "excerpt",
    ]
    assert list(published["usage"]) == [
        "model_calls",
        "tool_calls",
        "input_tokens",
        "output_tokens",
        "run_bytes",
    ]


@pytest.mark.parametrize("outcome", [result(), fallback_result(), failed_result()])
def test_a_missing_key_is_invalid(outcome: RunResult) -> None:
    published = document(outcome)
    for key in published:
        assert not RUN_VALIDATOR.is_valid({k: v for k, v in published.items() if k != key}), key


@pytest.mark.parametrize("outcome", [result(), fallback_result(), failed_result()])
def test_an_unknown_key_at_any_depth_is_invalid(outcome: RunResult) -> None:
    for path in object_paths(document(outcome)):
        changed = deepcopy(document(outcome))
        at(changed, path)["surprise"] = 1
        assert not RUN_VALIDATOR.is_valid(changed), path


def test_two_contents_or_none_are_invalid() -> None:
    both = document(result()) | {"fallback": document(fallback_result())["fallback"]}
    none = document(result()) | {"report": None}
    mislabelled = document(result()) | {"content_type": "fallback"}
    assert [RUN_VALIDATOR.is_valid(candidate) for candidate in (both, none, mislabelled)] == [False] * 3


def test_a_fallback_with_a_conclusion_is_invalid() -> None:
    published = document(fallback_result())
    published["fallback"]["conclusion"] = "It was the database."
    assert not RUN_VALIDATOR.is_valid(published)


def test_a_fallback_that_calls_itself_a_success_is_invalid() -> None:
    assert not RUN_VALIDATOR.is_valid(document(fallback_result()) | {"release_outcome": "SUCCESS"})


def test_the_published_schema_has_the_fields_and_words_of_the_model() -> None:
    assert shape(RUN_SCHEMA, RUN_SCHEMA) == shape(json_schema(), json_schema())


def shape(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """Reduce a schema to its objects' fields and its closed sets of words, without texts and titles."""
    if "$ref" in schema:
        return shape(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "anyOf" in schema:
        [only] = [option for option in schema["anyOf"] if option != {"type": "null"}]
        return shape(only, root)
    if "properties" in schema:
        return {name: shape(field, root) for name, field in schema["properties"].items()}
    if "items" in schema:
        return [shape(schema["items"], root)]
    if "enum" in schema:
        return {word for word in schema["enum"] if word not in {None, "RUNNING"}}
    return schema.get("const", "value")


def object_paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    match value:
        case dict():
            yield path
            for key, item in value.items():
                yield from object_paths(item, (*path, key))
        case list():
            for index, item in enumerate(value):
                yield from object_paths(item, (*path, index))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value
