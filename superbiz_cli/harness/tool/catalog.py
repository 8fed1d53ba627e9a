"""The tools of this machine: a tool without a configured back end is not in the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from superbiz_cli.harness.contract.model import ToolSpec
from superbiz_cli.harness.contract.status import InformationGain
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.port import EvidenceTool

PREVIOUS_OBSERVATION_SCHEMA: Mapping[str, Any] = {
    "description": "Your rating of the last RESULT; null while no result waits for a rating.",
    "anyOf": [
        {"type": "null"},
        {
            "type": "object",
            "properties": {
                "tool_call_id": {"type": "string", "description": "As stated in that observation."},
                "information_gain": {"type": "string", "enum": [gain.value for gain in InformationGain]},
            },
            "required": ["tool_call_id", "information_gain"],
            "additionalProperties": False,
        },
    ],
}


class ToolCatalog:
    """The configured evidence tools, by name, in the order in which the model sees them."""

    def __init__(self, tools: Sequence[EvidenceTool[Any]]) -> None:
        """Raises ValueError if two tools have the same name."""
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name")

    @property
    def names(self) -> tuple[ToolName, ...]:
        """The names of the configured tools."""
        return tuple(self._tools)

    def get(self, name: str) -> EvidenceTool[Any] | None:
        """Return the tool called exactly `name`, or None."""
        try:
            return self._tools.get(ToolName(name))
        except ValueError:
            return None

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools as the model sees them: each input inside the envelope."""
        return tuple(
            ToolSpec(tool.name.value, tool.description, envelope_schema(tool.input_schema))
            for tool in self._tools.values()
        )


def envelope_schema(input_schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments: exactly `previous_observation` and `input`."""
    return {
        "type": "object",
        "properties": {"previous_observation": PREVIOUS_OBSERVATION_SCHEMA, "input": input_schema},
        "required": ["previous_observation", "input"],
        "additionalProperties": False,
    }
