from __future__ import annotations

import json

import pytest

from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.catalog import ToolCatalog, envelope_schema
from tests.support.fakes import FakeEvidenceTool

LOGS = FakeEvidenceTool(ToolName.QUERY_LOGS)
MYSQL = FakeEvidenceTool(ToolName.QUERY_MYSQL)


def test_only_configured_tools_exist_and_they_keep_their_order() -> None:
    catalog = ToolCatalog([MYSQL, LOGS])
    assert catalog.names == (ToolName.QUERY_MYSQL, ToolName.QUERY_LOGS)
    assert [spec.name for spec in catalog.specs()] == ["query_mysql", "query_logs"]
    assert catalog.get("lookup_knowledge") is None


def test_a_machine_without_back_ends_offers_nothing() -> None:
    assert ToolCatalog([]).specs() == ()


def test_a_tool_is_found_by_its_exact_name() -> None:
    catalog = ToolCatalog([LOGS])
    assert catalog.get("query_logs") is LOGS
    assert catalog.get(ToolName.QUERY_LOGS) is LOGS
    for name in ("", "Query_Logs", "query_logs ", "functions.query_logs", "rm -rf"):
        assert catalog.get(name) is None


def test_two_tools_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="same name"):
        ToolCatalog([LOGS, FakeEvidenceTool(ToolName.QUERY_LOGS)])


def test_the_model_sees_each_input_inside_the_envelope() -> None:
    (spec,) = ToolCatalog([LOGS]).specs()
    assert spec.description == LOGS.description
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "previous_observation": {
                "description": "Your rating of the last RESULT; null while no result waits for a rating.",
                "anyOf": [
                    {"type": "null"},
                    {
                        "type": "object",
                        "properties": {
                            "tool_call_id": {
                                "type": "string",
                                "description": "As stated in that observation.",
                            },
                            "information_gain": {"type": "string", "enum": ["GAINED", "NO_GAIN"]},
                        },
                        "required": ["tool_call_id", "information_gain"],
                        "additionalProperties": False,
                    },
                ],
            },
            "input": LOGS.input_schema,
        },
        "required": ["previous_observation", "input"],
        "additionalProperties": False,
    }


def test_the_envelope_is_plain_json() -> None:
    schema = envelope_schema({"type": "object"})
    assert json.loads(json.dumps(schema)) == schema
