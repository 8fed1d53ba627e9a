"""The given scripts of odd model behaviour, played against the real loop, gate and boundary.

Only what this layer decides is checked: how the collection ends, and what it cost. What is published
in the end is checked by the flows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.script_macros import read_script
from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.agent.loop import AgentUnavailable, collect
from superbiz_cli.harness.agent.outcome import Collection, Completed
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.model_gate import ModelGate
from tests.support.collecting import AGENT_INPUT, Bench
from tests.support.fakes import FakeEvidenceTool, FakeRequest, Scripted

ROOT = Path(os.environ.get("SUPERBIZ_TEST_DATA", Path(__file__).parents[4] / "shared" / "data"))
SCRIPTS = ROOT / "hostile" / "hostile.jsonl"
GROUPS = {"control", "envelope", "progress", "ids", "draft_shape", "budget", "transport", "injection"}
ROUTER_CALLS = 1


def cases() -> list[Any]:
    if not SCRIPTS.exists():
        return [pytest.param("{}", marks=pytest.mark.skip(reason=f"{SCRIPTS} is absent"))]
    lines = [line for line in SCRIPTS.read_text(encoding="utf-8").splitlines() if line.strip()]
    chosen = [line for line in lines if json.loads(line)["group"] in GROUPS]
    return [pytest.param(line, id=json.loads(line)["id"]) for line in chosen]


class AnyInput(FakeEvidenceTool):
    """A fake tool that takes any input: the scripts speak the language of the real tools."""

    def parse(self, payload: Mapping[str, JsonValue], *, incident: IncidentWindow) -> FakeRequest:
        return FakeRequest(dict(payload))

    def scope_key(self, request: FakeRequest) -> str:
        effective = {"lookback_minutes": 30, **request.input}
        return " ".join(canonical_json(effective).split()).replace('" ', '"').replace(' "', '"').casefold()

    def scope_display(self, request: FakeRequest) -> str:
        return ""


def a_tool(name: ToolName, results: list[dict[str, Any]]) -> AnyInput:
    scripts = [
        Scripted(status=EvidenceStatus(result["evidence_status"]), raw_bytes=result.get("raw_bytes"))
        for result in results
    ]
    return AnyInput(name, scripts)


@pytest.mark.parametrize("line", cases())
def test_a_hostile_script_ends_as_it_must(line: str) -> None:
    case = json.loads(line)
    parts = Bench(tools=[a_tool(ToolName(name), results) for name, results in case["tools"].items()])
    ending: Collection | None = None
    try:
        ending = collect(
            AGENT_INPUT,
            gate=ModelGate(ScriptedModel(read_script(line)), parts.run, parts.recorder),
            tool_gate=parts.gate,
            system_prompt="You are the investigator.",
            limits=parts.limits,
            run=parts.run,
            recorder=parts.recorder,
        )
    except AgentUnavailable:
        assert case["on_exhausted"] == "transport_error" or case["group"] == "transport"
    concludes = isinstance(ending, Completed) and ending.draft.conclusion is not None
    expected = case["expect"]
    if expected["required"] and expected["outcomes"] == ["SUCCESS"]:
        assert concludes
    if case["group"] == "draft_shape" and "SUCCESS" not in expected["outcomes"]:
        assert not concludes
    if "stop_reasons" in expected and expected["outcomes"] != ["SUCCESS", "FALLBACK", "FAILED"]:
        assert set(parts.stop_reasons) & set(expected["stop_reasons"])
    within_its_maxima(parts, expected.get("max", {}))


def within_its_maxima(parts: Bench, maxima: Mapping[str, int]) -> None:
    budget = parts.run.budget
    counted = {
        "backend_calls": parts.fetches,
        "tool_calls": budget.tool_calls,
        "per_tool": max(budget.calls_per_tool.values(), default=0),
        "model_calls": ROUTER_CALLS + budget.model_calls,
        "stop_required": len(parts.stop_reasons),
    }
    for name in maxima.keys() & counted.keys():
        assert counted[name] <= maxima[name], name
