"""Plays one hostile case through the whole program in this process, scripted or over HTTP."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.contract.model import CancelSignal, ModelReply, ModelRequest, ModelRole
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.flow_turns import diagnosis
from tests.support.flow_world import AT, Flow, World
from tests.support.hostile_cases import Case
from tests.support.hostile_server import ScriptServer
from tests.support.hostile_tools import PlayedTool, played_tools
from tests.support.run_cli import run_cli

KEY_NAME, KEY = "SUPERBIZ_TEST_KEY", "sk-canary-0123456789abcdefghij"
SCRIPT_ROLE = {ModelRole.JUDGE: "semantic"}
SHORT_ATTEMPT_S, SHORT_TOTAL_S = 0.4, 0.9
HTTP_ATTEMPT_S, HTTP_TOTAL_S = 3.0, 7.0
RESTRICTED_TABLE = "agent_reasoning_audit"


@dataclass
class Played:
    """How a case ended and what it cost.

    `requests` are (role, text of the request) of every physical model request; `exit_ms` is the time
    from the signal to the return of the program.
    """

    case: Case
    flow: Flow
    requests: list[tuple[str, str]]
    backend_calls: Counter[str]
    exit_ms: float | None = None

    def everything_shown(self) -> Mapping[str, str]:
        """All that a person or program can read of the Run, by where it is."""
        from superbiz_cli.cli.markdown import markdown_of
        from superbiz_cli.cli.render import render_result

        run_id = self.flow.replay.run.summary.run_id
        result = self.flow.replay.run.result()
        assert result is not None
        config = ["--config", str(self.flow.world.config)]
        shown = run_cli("trace", "show", run_id, "--details", "--result", *config)
        return {
            "stdout": self.flow.out,
            "stderr": self.flow.err,
            "text": render_result(result, width=80, color=False),
            "markdown": markdown_of(result),
            "trace": shown.out + shown.err,
            "audit": dump(self.flow.world.audit_file),
        }


@dataclass
class Interruption:
    """Sends the signal of a case, some time after its call `at` ("agent:3", "tool:1") has begun."""

    case: Case
    target: int = field(default_factory=os.getpid)
    sent_at: float | None = None
    tool_calls: int = 0

    def on_model(self, role: str, number: int) -> None:
        self._reached(f"{role}:{number}")

    def on_tool(self, _tool: str, _number: int) -> None:
        self.tool_calls += 1
        self._reached(f"tool:{self.tool_calls}")

    def _reached(self, place: str) -> None:
        cancel = self.case.cancel
        if cancel is not None and cancel["at"] == place and self.sent_at is None:
            threading.Timer(float(cancel.get("after_ms", 0)) / 1000, self._send, [cancel["how"]]).start()

    def _send(self, name: str) -> None:
        self.sent_at = time.monotonic()
        os.kill(self.target, getattr(signal, name))


def play_scripted(case: Case, world: World) -> Played:
    """Play the case with the scripted model that ships in the product."""
    case = with_other_run(case, world)
    interruption = Interruption(case)
    requests: list[tuple[str, str]] = []
    with watched_scripts(requests, interruption.on_model), played_back_ends(case, interruption) as tools:
        configure(case, world, attempt_s=SHORT_ATTEMPT_S, total_s=SHORT_TOTAL_S)
        model = ["--model", f"scripted:{world.script_file(case.raw)}"]
        flow = ask(case, world, *model)
        ended = time.monotonic()
    return Played(case, flow, requests, calls_of(tools), exit_ms(interruption, ended))


def play_over_http(case: Case, world: World) -> Played:
    """Play the case over HTTP: litellm in this process, a server that plays the turns."""
    case = with_other_run(case, world)
    interruption = Interruption(case)
    with (
        ScriptServer(case.raw, interruption.on_model) as server,
        played_back_ends(case, interruption) as tools,
        mock.patch.dict(os.environ, {KEY_NAME: KEY}),
    ):
        configure(case, world, attempt_s=HTTP_ATTEMPT_S, total_s=HTTP_TOTAL_S)
        use_endpoint(world, server.url)
        flow = ask(case, world)
        ended = time.monotonic()
    sent = [(request.role, request.text) for request in server.requests]
    return Played(case, flow, sent, calls_of(tools), exit_ms(interruption, ended))


def with_other_run(case: Case, world: World) -> Case:
    """Fill in the id of a READY call of another Run in the same store, if the case cites one."""
    if not case.cites_another_run:
        return case
    other = world.ask(diagnosis(), "--json")
    return case.with_other_id(other.document["evidence"][0]["tool_call_id"])


def configure(case: Case, world: World, *, attempt_s: float, total_s: float) -> None:
    """Write the limits of the case into the configuration; waits that have none are made short."""
    world.settings.update(settings_of(case.limits))
    if case.waits and not case.limits and case.cancel is None:
        for role in ("router", "judge", "repair"):
            world.settings[f"run.attempts.{role}"] = {"attempt_s": attempt_s, "total_s": total_s}
    if _times_out(case):
        for role in ("router", "judge", "repair"):
            world.settings.setdefault(f"run.attempts.{role}", {"attempt_s": attempt_s, "total_s": total_s})


def settings_of(limits: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """Translate limits such as "router_attempt_s" and "run_deadline_s" into sections of the configuration."""
    sections: dict[str, dict[str, Any]] = {}
    for name, value in limits.items():
        head, _, rest = name.partition("_")
        role = {"semantic": "judge"}.get(head, head)
        if role in ("router", "judge", "repair"):
            defaults = {"attempt_s": 10, "total_s": 25}
            sections.setdefault(f"run.attempts.{role}", defaults)[rest] = value
        elif head == "agent":
            sections["model.agent"] = {"timeout_s": value}
        else:
            sections.setdefault("run", {})[name.removeprefix("run_")] = value
    return sections


def use_endpoint(world: World, url: str) -> None:
    """Let the agent's and the guards' model be the server at `url`."""
    model = world.settings.setdefault("model.agent", {})
    model.update({"name": "openai/scripted", "api_base": url, "api_key_env": KEY_NAME})


@contextmanager
def played_back_ends(case: Case, interruption: Interruption) -> Iterator[list[PlayedTool]]:
    """Put the scripted back ends in the place of the configured ones."""
    tools: list[PlayedTool] = []

    def evidence_tools(_settings: Any, redactor: Redactor, _stack: Any) -> list[PlayedTool]:
        tools.extend(played_tools(case.tools, redactor, on_fetch=interruption.on_tool))
        return tools

    with mock.patch("superbiz_cli.bootstrap.app.evidence_tools", evidence_tools):
        yield tools


@contextmanager
def watched_scripts(requests: list[tuple[str, str]], on_call: Callable[[str, int], None]) -> Iterator[None]:
    """Note every request that reaches the scripted model, and tell role and number before it answers."""
    complete = ScriptedModel.complete

    def watched(
        self: ScriptedModel, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal
    ) -> ModelReply:
        role = SCRIPT_ROLE.get(request.role, request.role.value.lower())
        requests.append((role, "\n".join(message.content for message in request.messages)))
        on_call(role, sum(1 for earlier, _ in requests if earlier == role))
        return complete(self, request, timeout_s=timeout_s, cancel=cancel)

    with mock.patch.object(ScriptedModel, "complete", watched):
        yield


def ask(case: Case, world: World, *flags: str) -> Flow:
    arguments = ["diagnose", case.query, "--at", AT, "--config", str(world.config), *flags, "--json"]
    with closed_stdout() if case.stdout_is_closed else nullcontext():
        return Flow(run_cli(*arguments), world)


@contextmanager
def closed_stdout() -> Iterator[None]:
    """Let whatever is written to stdout find that its reader went away."""
    from tests.support import run_cli as streams

    class Closed(streams._Stream):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    plain = streams._Stream
    made: list[io.TextIOWrapper] = []

    def stream(content: bytes = b"", *, terminal: bool = False) -> io.TextIOWrapper:
        made.append((Closed if not made else plain)(content, terminal=terminal))
        return made[-1]

    with mock.patch.object(streams, "_Stream", stream):
        yield


def dump(database: Path) -> str:
    """All rows of the audit database as text, but for the restricted texts of the model."""
    with closing(sqlite3.connect(database)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {
            table: connection.execute(f"SELECT * FROM {table}").fetchall()
            for table in tables
            if table != RESTRICTED_TABLE
        }
    return json.dumps(rows, ensure_ascii=False, default=str)


def calls_of(tools: list[PlayedTool]) -> Counter[str]:
    return Counter({tool.name.value: tool.calls for tool in tools})


def exit_ms(interruption: Interruption, ended: float) -> float | None:
    return None if interruption.sent_at is None else (ended - interruption.sent_at) * 1000


def _times_out(case: Case) -> bool:
    return any(turn.get("error") == "TIMEOUT" for turn in case.turns())
