"""One tool boundary with everything around it, for the tests of its phases."""

from __future__ import annotations

from dataclasses import dataclass, field

from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import BudgetLimits, PayloadLimits
from superbiz_cli.harness.contract.status import Intent
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolFailed, ToolName, ToolOutcome
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.boundary import ToolBoundary, ToolCallEnvelope
from superbiz_cli.harness.tool.invocation import CanonicalInvocation
from superbiz_cli.harness.tool.port import EvidenceTool
from tests.support.clock import FakeClock
from tests.support.fakes import (
    FakeEvidenceTool,
    FakeRequest,
    InMemoryInvocationStore,
    ListRecorder,
    Scripted,
    found,
)
from tests.support.runs import start_run

CALL_ID = "ev-abcdefgh-1"
REQUEST_JSON = '{"query":"pool exhausted"}'
DEFAULT_BUDGET = BudgetLimits()
DEFAULT_PAYLOAD = PayloadLimits()


@dataclass
class Bench:
    """One boundary with everything around it, and one call to make."""

    clock: FakeClock = field(default_factory=FakeClock)
    limits: BudgetLimits = DEFAULT_BUDGET
    payload: PayloadLimits = DEFAULT_PAYLOAD
    branch: Intent | None = None
    run: Run = field(init=False)
    store: InMemoryInvocationStore = field(init=False)
    recorder: ListRecorder = field(default_factory=ListRecorder)
    boundary: ToolBoundary = field(init=False)

    def __post_init__(self) -> None:
        self.run = start_run(self.clock, limits=self.limits)
        self.store = InMemoryInvocationStore(
            clock=self.clock, max_record_bytes=self.payload.canonical_record_bytes
        )
        incident = IncidentWindow(until=self.clock.now())
        self.boundary = ToolBoundary(self.run, self.store, self.recorder, self.payload, incident, self.branch)

    def execute(
        self,
        tool: EvidenceTool[FakeRequest],
        *,
        run_id: str = "run-1",
        tool_call_id: str = CALL_ID,
        request_json: str | None = None,
        authorized: bool = True,
        read_only: bool = True,
        step_id: int | None = None,
    ) -> ToolOutcome:
        request = FakeRequest({"query": "pool exhausted"})
        envelope = ToolCallEnvelope(
            run_id=run_id,
            tool_call_id=tool_call_id,
            request=request,
            request_json=tool.request_json(request) if request_json is None else request_json,
            authorized=authorized,
            read_only=read_only,
            step_id=step_id,
        )
        return self.boundary.execute(tool, envelope)

    @property
    def record(self) -> CanonicalInvocation | None:
        return self.store.find("run-1", CALL_ID)

    @property
    def marked(self) -> CanonicalInvocation:
        record = self.record
        assert record is not None
        return record


def tool(*results: Scripted) -> FakeEvidenceTool:
    return FakeEvidenceTool(results=results or (found(),))


def failed(code: ToolErrorCode, category: str | None = None) -> ToolFailed:
    return ToolFailed(CALL_ID, ToolName.QUERY_LOGS, code, category)
