"""One collection by the offline model over real log files: only clock and store are stand-ins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from superbiz_cli import assets
from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.adapters.offline.judge import judge_draft
from superbiz_cli.adapters.offline_model import OfflineModel
from superbiz_cli.adapters.skill_files import load_skills
from superbiz_cli.demo.incident import DemoIncident
from superbiz_cli.harness.agent.loop import collect
from superbiz_cli.harness.agent.outcome import Collection, Completed
from superbiz_cli.harness.agent.tool_gate import ToolGate
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import RunLimits
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    Message,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
    ToolSpec,
)
from superbiz_cli.harness.contract.strict import canonical_json
from superbiz_cli.harness.core.cancellation import Cancellation
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.guard.draft_view import draft_view, evidence_view
from superbiz_cli.harness.guard.evidence import Rejected, Verified, verify_evidence
from superbiz_cli.harness.progress.tracker import ProgressTracker
from superbiz_cli.harness.tool.boundary import ToolBoundary
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.clock import FakeClock
from tests.support.fakes import InMemoryInvocationStore, ListRecorder
from tests.support.runs import start_run

LOG_SPEC = ToolSpec(
    "query_logs",
    "Searches logs.",
    {"properties": {"input": {"properties": {"topic": {"enum": ["APPLICATION", "DATABASE_SLOW_QUERY"]}}}}},
)


class Watched:
    """The offline model; keeps the requests that it was sent and the calls that it made."""

    name = "offline/playbook"

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self.calls: list[dict[str, Any]] = []
        self._model = OfflineModel()

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        self.requests.append(request)
        reply = self._model.complete(request, timeout_s=timeout_s, cancel=cancel)
        self.calls.extend({"tool": call.name, **json.loads(call.arguments)} for call in reply.tool_calls)
        return reply


@dataclass
class Investigation:
    """What came of one collection."""

    query: str
    collection: Collection
    store: InMemoryInvocationStore
    catalog: ToolCatalog
    run: Run
    model: Watched

    @property
    def draft(self) -> Draft:
        assert isinstance(self.collection, Completed), self.collection
        return self.collection.draft

    @property
    def verified(self) -> Verified:
        checked = verify_evidence(self.draft, run_id=self.run.run_id, store=self.store, catalog=self.catalog)
        assert not isinstance(checked, Rejected), checked
        return checked

    @property
    def verdict(self) -> dict[str, Any]:
        """The offline judge's answer."""
        return judge_draft(self.judge_task)

    @property
    def judge_task(self) -> dict[str, Any]:
        verified = self.verified
        return {
            "task": "judge",
            "query": self.query,
            "draft": draft_view(self.draft, verified.ref_of),
            "evidence": evidence_view(verified.evidence),
        }

    @property
    def searches(self) -> list[str]:
        """The log queries in order."""
        return [str(call["input"]["query"]) for call in self.model.calls if call["tool"] == "query_logs"]

    @property
    def texts(self) -> list[str]:
        return [item.text or "" for item in self.draft.analysis or ()]


def investigate(
    query: str,
    sources: Sequence[LogSource],
    *,
    until: datetime,
    since: datetime | None = None,
    skills: Sequence[str] = (),
    skill_texts: Mapping[str, str] | None = None,
    timezone: str = "UTC",
) -> Investigation:
    """Let the offline model collect evidence from `sources` until it hands in a draft."""
    clock = FakeClock(until)
    run, recorder, limits = start_run(clock), ListRecorder(), RunLimits()
    store = InMemoryInvocationStore(clock=clock)
    catalog = ToolCatalog([LogTool(ConfiguredLogs(sources), redactor=Redactor())])
    incident = IncidentWindow(until=until, since=since, timezone=timezone)
    boundary = ToolBoundary(run=run, store=store, recorder=recorder, limits=limits.payload, incident=incident)
    model = Watched()
    collection = collect(
        agent_input(query, until=until, since=since, timezone=timezone),
        gate=ModelGate(model, run, recorder),
        tool_gate=ToolGate(
            catalog=catalog,
            boundary=boundary,
            tracker=ProgressTracker(limits.progress),
            recorder=recorder,
        ),
        system_prompt=system_prompt(skills, skill_texts or {}),
        limits=limits,
        run=run,
        recorder=recorder,
    )
    return Investigation(query, collection, store, catalog, run, model)


def investigate_demo(
    incident: DemoIncident, *, question: str | None = None, without: Path | None = None
) -> Investigation:
    """Investigate the bundled incident, optionally without one of its files."""
    sources = [
        LogSource(
            name=source.name,
            topic=LogTopic(source.topic),
            kind=LogSourceKind(source.kind),
            paths=(str(source.path),),
            service=source.service,
        )
        for source in incident.log_sources
        if source.path != without
    ]
    return investigate(
        question or incident.question,
        sources,
        until=incident.until,
        since=incident.since,
        skills=["diagnose-mysql-connection-pool"],
        timezone="Asia/Shanghai",
    )


def agent_input(query: str, *, until: datetime, since: datetime | None = None, timezone: str = "UTC") -> str:
    incident = {"until": until.isoformat(), "timezone": timezone}
    if since is not None:
        incident["since"] = since.isoformat()
    return canonical_json({"query": query, "incident": incident, "previous_turn": None, "similar_cases": []})


def system_prompt(skills: Sequence[str] = (), texts: Mapping[str, str] | None = None) -> str:
    library = load_skills([assets.skills_root()])
    blocks = dict(texts or {})
    for name in skills:
        skill = library.find(name)
        assert skill is not None, name
        blocks[name] = skill.text
    shown = [f'<skill name="{name}">\n{text.strip()}\n</skill>' for name, text in blocks.items()]
    return "\n\n".join(["You are the investigator.", *shown])


@dataclass
class Talk:
    """A hand-made conversation, for what no real collection shows."""

    query: str = "payment service times out"
    system: str = "You are the investigator."
    tools: tuple[ToolSpec, ...] = (LOG_SPEC,)
    until: datetime = field(default_factory=lambda: datetime.fromisoformat("2026-11-30T10:24:00+00:00"))
    messages: list[Message] = field(default_factory=list)

    def request(self) -> ModelRequest:
        opening = (
            Message("system", self.system),
            Message("user", agent_input(self.query, until=self.until)),
        )
        return ModelRequest(ModelRole.AGENT, (*opening, *self.messages), self.tools)

    def reply(self) -> ModelReply:
        return OfflineModel().complete(self.request(), timeout_s=1, cancel=Cancellation())

    def answer(self, observation: Mapping[str, Any], *, call_id: str = "ev-test-1") -> ModelReply:
        """Take the model's tool call, answer it, and return the next reply."""
        call = self.reply().tool_calls[0]
        self.messages.append(Message("assistant", "", (ModelToolCall(call_id, call.name, call.arguments),)))
        self.messages.append(Message("tool", canonical_json(dict(observation)), tool_call_id=call_id))
        return self.reply()


def a_result(
    *patterns: Mapping[str, Any], call_id: str = "ev-test-1", stop: str | None = None, query: str = "error"
) -> dict[str, Any]:
    """A RESULT observation of query_logs; without patterns an empty one."""
    observation: dict[str, Any] = {
        "observation": "RESULT",
        "tool_call_id": call_id,
        "tool": "query_logs",
        "evidence_status": "EVIDENCE_FOUND" if patterns else "NO_EVIDENCE",
        "truncated": False,
        "rating_required": bool(patterns),
        "stop_required": stop is not None,
        "result": {
            "scope": {
                "topic": "APPLICATION",
                "query": query,
                "start": "2026-11-30T09:54:00+00:00",
                "end": "2026-11-30T10:24:00+00:00",
            },
            "patterns": [dict(pattern) for pattern in patterns],
            "events": [],
        },
    }
    if stop is not None:
        observation["stop_reason"] = stop
    return observation


def a_pattern(example: str, *, count: int = 7, service: str | None = "payment-service") -> dict[str, Any]:
    return {
        "count": count,
        "first_seen": "2026-11-30T10:02:11+00:00",
        "last_seen": "2026-11-30T10:20:00+00:00",
        "level": "ERROR",
        "service": service,
        "example": example,
    }
