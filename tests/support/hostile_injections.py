"""The given injections, one a line: a text, the channel that it arrives through, and what must hold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest import mock

import pytest

from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.contract.model import CancelSignal, ModelReply, ModelRequest, ModelRole
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.flow_turns import Script, asks_logs, calls, draft, item, judges, says, script, shown
from tests.support.flow_world import QUESTION, Flow, World
from tests.support.hostile_tools import PlayedTool, played_tools
from tests.support.shared_data import shared_lines

MARK = "zqmarker"
ORDINARY = "connection pool is exhausted"
FOUND = {"evidence_status": "EVIDENCE_FOUND"}
# What looks like an id that a result could offer for citing.
_OFFERED_ID = re.compile(r"\b(?:call|ev)[_-][A-Za-z0-9_-]+|ｃａｌｌ＿\w+")
_SECRETS = (
    re.compile(r"(?:password|passwd|pwd)\s*[=:]\s*\"?([^\s\",}]+)", re.IGNORECASE),
    re.compile(r"\b((?:sk|glpat|ghp|xox[bp])[-_][A-Za-z0-9_-]{12,})"),
    re.compile(r"\b(eyJ[\w-]+\.[\w-]+\.[\w-]+)"),
    re.compile(r"://[^:/\s]+:([^@\s]+)@"),
)


@dataclass(frozen=True)
class Injection:
    """One line of injections.jsonl."""

    raw: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def channel(self) -> str:
        return str(self.raw["channel"])

    @property
    def payload(self) -> str:
        return str(self.raw["payload"])

    @property
    def offered_ids(self) -> list[str]:
        """The ids that the text offers for citing."""
        return _OFFERED_ID.findall(self.payload)

    @property
    def secrets(self) -> list[str]:
        """The credentials in the text."""
        return [found for shape in _SECRETS for found in shape.findall(self.payload)]


def injections(*channels: str) -> list[Any]:
    """Return pytest parameters of the given channels (all without one), or one that is skipped."""
    lines = [Injection(line) for line in shared_lines("hostile", "injections.jsonl")]
    chosen = [line for line in lines if not channels or line.channel in channels]
    if not chosen:
        reason = "no such injections in the shared data (set SUPERBIZ_TEST_DATA)"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(line, id=f"{line.channel}-{line.id}") for line in chosen]


@dataclass(frozen=True)
class Attacked:
    """A Run over injected data, with every request that the model got."""

    flow: Flow
    requests: Sequence[ModelRequest]

    @property
    def sent(self) -> str:
        """All that the model was sent, as text."""
        return "\n".join(message.content for request in self.requests for message in request.messages)

    @property
    def observation(self) -> dict[str, Any]:
        """What the agent was answered to its first call."""
        agent = [request for request in self.requests if request.role is ModelRole.AGENT]
        [tool_message] = [message for message in agent[1].messages if message.role == "tool"]
        observation: dict[str, Any] = json.loads(tool_message.content)
        return observation

    @property
    def roles(self) -> list[str]:
        """The roles of the messages of the agent's second request."""
        agent = [request for request in self.requests if request.role is ModelRole.AGENT]
        return [message.role for message in agent[1].messages]


def attack(
    world: World, payload: str, *, channel: str, played: Script, flags: Sequence[str] = ("--json",)
) -> Attacked:
    """Diagnose with `payload` in the data that the first call of `played` finds."""
    query = payload if channel == "query" else QUESTION
    requests: list[ModelRequest] = []
    with ExitStack() as stack:
        stack.enter_context(_noting(requests))
        if channel == "log":
            _append_to_log(world, payload)
        elif channel != "query":
            stack.enter_context(_scripted_results(channel, payload))
        flow = world.ask(played, *flags, query=query)
    return Attacked(flow, requests)


def first_call(channel: str) -> dict[str, Any]:
    """The call that finds the injected data."""
    match channel:
        case "runbook" | "kb_filename":
            return _call("lookup_knowledge", {"query": "pool"})
        case "db_row":
            sql = "SELECT state FROM ops.pool_status WHERE service = ?"
            return _call("query_mysql", {"data_source": "ops", "sql": sql, "params": ["payment-service"]})
        case _:
            return asks_logs(query=MARK)


def quiet(channel: str) -> Script:
    """A model that looks at the data and draws no conclusion from it."""
    return script(first_call(channel), says(draft(item("a marked entry was found"), conclusion=None)))


def fair(channel: str) -> Script:
    """A model that says only what is there."""
    return script(first_call(channel), says(concluding("a marked entry was found")))


def citing(channel: str, ids: Sequence[str]) -> Script:
    """A model that cites what the data offers, with a judge that agrees with anything."""
    cites = [shown(), *ids]
    return script(first_call(channel), says(concluding("a marked entry was found", cites=cites)))


def claiming(channel: str, claim: str) -> Script:
    """A model that adds a claim of its own, with a judge that agrees with anything."""
    return script(first_call(channel), says(concluding(claim)), semantic=[judges(), judges()])


def concluding(text: str, *, cites: Sequence[str] = (shown(),)) -> dict[str, Any]:
    return draft(item(text, cites=cites), conclusion={"text": text, "based_on_analysis_ids": ["A1"]})


def _call(tool: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps({"previous_observation": None, "input": payload})
    return calls({"id": "call_1", "name": tool, "arguments": arguments})


def _append_to_log(world: World, payload: str) -> None:
    line = f"2026-11-30 10:05:00.000 ERROR [payment-service] {MARK} {payload}\n"
    with (world.logs / "app.log").open("a", encoding="utf-8", newline="") as log:
        log.write(line)


def _scripted_results(channel: str, payload: str) -> Any:
    results: dict[str, list[dict[str, Any]]] = {
        "query_logs": [{**FOUND, "events": [{"ts": "10:05:00", "message": ORDINARY}]}],
        "query_mysql": [{**FOUND, "columns": ["state"], "rows": [[payload]]}],
        "lookup_knowledge": [{**FOUND, "evidence": [{"document_id": "RB-1", "excerpt": payload}]}],
    }
    if channel == "kb_filename":
        results["lookup_knowledge"] = [{**FOUND, "evidence": [{"document_id": payload, "excerpt": ORDINARY}]}]

    def evidence_tools(_settings: Any, redactor: Redactor, _stack: Any) -> list[PlayedTool]:
        return played_tools(results, redactor)

    return mock.patch("superbiz_cli.bootstrap.app.evidence_tools", evidence_tools)


def _noting(requests: list[ModelRequest]) -> Any:
    complete = ScriptedModel.complete

    def noted(
        self: ScriptedModel, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal
    ) -> ModelReply:
        requests.append(request)
        return complete(self, request, timeout_s=timeout_s, cancel=cancel)

    return mock.patch.object(ScriptedModel, "complete", noted)
