"""A composition root for tests of the command line: a scripted Run, no store and no model.

`install(FakeRoot(...))` takes the place of `superbiz_cli.bootstrap`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any
from unittest import mock

import superbiz_cli.bootstrap.registered_secrets  # noqa: F401 (a part of the root that stays as it is)
from superbiz_cli.bootstrap.port import Check, CheckStatus, Demo, DiagnoseRequest, RunHandle
from superbiz_cli.errors import SuperbizError
from superbiz_cli.harness.audit.chain import LedgerTotals, StoredEvent, digest_of, seal_of, stored_form
from superbiz_cli.harness.audit.events import RecordedEvent, TraceEvent, TraceType
from superbiz_cli.harness.audit.rows import (
    ALL_RUNS,
    AmbiguousRun,
    FoundRun,
    PruneCount,
    RowCounts,
    RunDetails,
    RunFilter,
    RunPage,
    RunSummary,
    StoredAgentStep,
    StoredInvocation,
    StoredModelCall,
    StoredReasoning,
    StoredRun,
)
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.report import Failure, RunResult
from superbiz_cli.harness.contract.status import CancelReason, FailureCode, ReleaseOutcome, RunState
from superbiz_cli.settings import Settings
from tests.support.results import result as a_result

RUN_ID = "7f3k00aaaa"

EVENTS: tuple[tuple[int, TraceEvent], ...] = (
    (
        0,
        TraceEvent(TraceType.RUN_STARTED, {"deadline_s": 300.0, "max_model_calls": 24, "max_tool_calls": 24}),
    ),
    (800, TraceEvent(TraceType.ROUTING_ATTEMPT, {"attempt": 1, "failure": None})),
    (800, TraceEvent(TraceType.ROUTING_DECISION, {"intent": "DIAGNOSIS"})),
    (
        4900,
        TraceEvent(
            TraceType.AGENT_MODEL_STEP,
            {
                "step_no": 1,
                "kind": "TOOL_REQUEST",
                "tool": "query_logs",
                "input_tokens": 2461,
                "output_tokens": 118,
            },
        ),
    ),
    (
        5100,
        TraceEvent(
            TraceType.TOOL_INVOCATION,
            {
                "tool": "query_logs",
                "tool_call_id": "ev-abcdefgh-1",
                "status": "READY",
                "evidence_status": "EVIDENCE_FOUND",
                "duration_ms": 200,
                "scope": "query_logs#a91f03aa",
            },
            {"scope": 'application "payment timeout"', "count": 214, "truncated": False},
        ),
    ),
    (
        9700,
        TraceEvent(TraceType.TOOL_REQUEST_REJECTED, {"tool": "query_mysql", "reason": "INVALID_REQUEST"}),
    ),
    (33_000, TraceEvent(TraceType.EVIDENCE_GUARD_INITIAL, {"references": 1, "violations": 0})),
    (35_900, TraceEvent(TraceType.SEMANTIC_ATTEMPT, {"attempt": 1, "failure": None})),
    (35_900, TraceEvent(TraceType.SEMANTIC_GUARD_DECISION, {"verdict": "SUPPORTED"})),
    (36_100, TraceEvent(TraceType.RELEASE_DECISION, {"outcome": "SUCCESS"})),
    (36_100, TraceEvent(TraceType.RUN_FINISHED, {"run_state": "SUCCESS"})),
)


@dataclass(slots=True)
class FakeRun:
    """A handle that remembers why it was cancelled."""

    run_id: str = RUN_ID
    session_id: str = "shop-oncall"
    reasons: list[CancelReason] = field(default_factory=list)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def cancel(self, reason: CancelReason) -> bool:
        self.reasons.append(reason)
        self.cancelled.set()
        return len(self.reasons) == 1


@dataclass(slots=True)
class FakeRoot:
    """What the fake composition root does. `refuses` is raised on opening, `breaks` in the Run.

    `hangs` waits in the Run until it is cancelled; `at_event` is called after each event.
    """

    result: RunResult = field(default_factory=lambda: a_result(RUN_ID, "shop-oncall"))
    events: Sequence[tuple[int, TraceEvent]] = EVENTS
    refuses: SuperbizError | None = None
    breaks: BaseException | None = None
    hangs: bool = False
    ignores_cancel: bool = False
    warning: str | None = None
    at_event: Callable[[RecordedEvent], None] = lambda recorded: None
    runs: Sequence[StoredRun] = ()
    checks: Sequence[Check] = (Check("home", CheckStatus.OK, "writable"),)
    run: FakeRun = field(default_factory=FakeRun)
    requests: list[DiagnoseRequest] = field(default_factory=list)
    settings: list[Settings] = field(default_factory=list)

    @contextmanager
    def open_app(
        self,
        settings: Settings,
        *,
        on_event: Callable[[RecordedEvent], None] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> Iterator[FakeApp]:
        self.settings.append(settings)
        if self.refuses is not None:
            raise self.refuses
        if self.warning and warn:
            warn(self.warning)
        yield FakeApp(self, on_event or (lambda recorded: None))

    @contextmanager
    def open_archive(self, settings: Settings) -> Iterator[FakeArchive]:
        self.settings.append(settings)
        if self.refuses is not None:
            raise self.refuses
        yield FakeArchive(self.runs)

    def examine(self, settings: Settings) -> Iterator[Check]:
        self.settings.append(settings)
        yield from self.checks

    def prepare_demo(self, settings: Settings) -> Demo:
        window = IncidentWindow(until=datetime(2026, 11, 30, 2, 15, tzinfo=UTC), timezone="Asia/Shanghai")
        return Demo(query="payment service times out", window=window, settings=settings)


@dataclass(frozen=True, slots=True)
class FakeApp:
    """Replays the events of the root and returns its result."""

    root: FakeRoot
    on_event: Callable[[RecordedEvent], None]

    def diagnose(
        self, request: DiagnoseRequest, *, on_started: Callable[[RunHandle], None] = lambda run: None
    ) -> RunResult:
        root = self.root
        root.requests.append(request)
        on_started(root.run)
        for number, (at_ms, event) in enumerate(root.events, start=1):
            recorded = RecordedEvent(root.run.run_id, number, at_ms, event)
            self.on_event(recorded)
            root.at_event(recorded)
        if root.breaks is not None:
            raise root.breaks
        if root.hangs:
            if root.ignores_cancel:
                threading.Event().wait()
            root.run.cancelled.wait()
            return cancelled(root.result)
        return root.result.model_copy(update={"query": request.query})


def cancelled(result: RunResult) -> RunResult:
    """The result of a Run that was cancelled."""
    failure = Failure(code=FailureCode.RUN_CANCELLED, message="The diagnosis was cancelled.")
    update: dict[str, Any] = {
        "report": None,
        "evidence": (),
        "failure": failure,
        "run_state": RunState.CANCELLED,
        "release_outcome": ReleaseOutcome.CANCELLED,
    }
    return result.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class FakeArchive:
    """The part of an archive that `trace` reads."""

    runs: Sequence[StoredRun]

    def recent_runs(
        self, which: RunFilter = ALL_RUNS, *, limit: int = 20, before: str | None = None
    ) -> RunPage:
        wanted = [r.summary for r in self.runs if which.session_id in (None, r.summary.session_id)]
        return RunPage(tuple(wanted[:limit]), more=len(wanted) > limit)

    def find_run(self, run_id: str) -> FoundRun:
        found = [run for run in self.runs if run.summary.run_id.startswith(run_id)]
        if len(found) > 1:
            return AmbiguousRun(tuple(run.summary.run_id for run in found))
        return found[0] if found else None

    def timeline(self, run_id: str, *, limit: int | None = None) -> tuple[StoredEvent, ...]:
        return chained_events(run_id)

    def details(self, run_id: str) -> RunDetails:
        call: dict[str, Any] = {
            "attempt": 1,
            "request_bytes": 900,
            "reply_bytes": 90,
            "estimated": False,
            "failure": None,
        }
        rest: dict[str, Any] = {"finish_reason": "stop", "prompt_sha256": None, "cost_usd": None}
        calls = (
            StoredModelCall(
                1, "router", "m", input_tokens=100, output_tokens=10, duration_ms=800, **call, **rest
            ),
            StoredModelCall(
                2, "agent", "m", input_tokens=200, output_tokens=30, duration_ms=4100, **call, **rest
            ),
        )
        steps = (StoredAgentStep(1, 1, "TOOL_REQUEST", "query_logs", 2, 200, 30),)
        tools = (
            StoredInvocation(
                1,
                "query_logs",
                "ev-abcdefgh-1",
                1,
                "READY",
                "EVIDENCE_FOUND",
                90,
                3100,
                False,
                None,
                200,
                True,
                None,
            ),
        )
        return RunDetails(calls, steps, tools)

    def row_counts(self, run_id: str) -> RowCounts:
        return RowCounts(events=len(EVENTS), model_calls=2, agent_steps=1, tool_invocations=1)

    def prune(self, *, before: datetime, dry_run: bool = False) -> PruneCount:
        return PruneCount(runs=sum(run.summary.started_at < before for run in self.runs), sessions=1)

    def reasoning(self, run_id: str) -> tuple[StoredReasoning, ...]:
        return (StoredReasoning(1, "agent", "I look at the logs first."),)


def chained_events(run_id: str) -> tuple[StoredEvent, ...]:
    """The events as an archive would hand them out, in an intact chain."""
    stored: list[StoredEvent] = []
    previous = "0" * 64
    for number, (at_ms, event) in enumerate(EVENTS, start=1):
        link = stored_form(RecordedEvent(run_id, number, at_ms, event))
        previous = digest_of(link, previous=previous)
        stored.append(stored_form(RecordedEvent(run_id, number, at_ms, event, previous)))
    return tuple(stored)


def stored_run(run_id: str = RUN_ID, **changes: Any) -> StoredRun:
    """A finished Run of the archive, sealed over the events of `chained_events`."""
    published = a_result(run_id, "shop-oncall")
    started = datetime(2026, 11, 30, 2, 15, 22, tzinfo=UTC)
    fields: dict[str, Any] = {
        "run_id": run_id,
        "session_id": "shop-oncall",
        "query": "payment service times out since 10:00",
        "model": "openai/gpt-5",
        "run_state": "SUCCESS",
        "started_at": started,
        "completed_at": started + timedelta(seconds=36.1),
        "duration_ms": 36_100,
        "intent": "DIAGNOSIS",
        "release_outcome": "SUCCESS",
        "usage": published.usage,
    }
    events = chained_events(run_id)
    totals = LedgerTotals(
        events=len(events), model_calls=2, agent_steps=1, tool_invocations=1, head=events[-1].digest
    )
    text = published.model_dump_json()
    summary = RunSummary(**{**fields, **changes})
    return StoredRun(summary, text, totals, seal_of(totals, result_json=text))


def as_module(root: FakeRoot) -> ModuleType:
    """The root as the module `superbiz_cli.bootstrap`."""
    module = ModuleType("superbiz_cli.bootstrap")
    for name in ("open_app", "open_archive", "examine", "prepare_demo"):
        setattr(module, name, getattr(root, name))
    return module


@contextmanager
def installed(root: FakeRoot) -> Iterator[FakeRoot]:
    """Put the root in the place of the real one."""
    module = as_module(root)
    with mock.patch.dict(sys.modules, {"superbiz_cli.bootstrap": module}):
        yield root


if __name__ == "__main__":  # a process of its own, for tests of signals and pipes
    from superbiz_cli.__main__ import main

    kind = os.environ["FAKE_RUN"]
    root = FakeRoot(
        hangs=kind.startswith("hang"),
        ignores_cancel=kind == "hang-for-ever",
        runs=[stored_run(f"run{n:07d}") for n in range(300)],
    )
    with installed(root):
        main()
