"""One collection of evidence with fakes around it: everything between the model and the tools is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.agent.loop import collect
from superbiz_cli.harness.agent.outcome import Collection
from superbiz_cli.harness.agent.tool_gate import ToolGate
from superbiz_cli.harness.audit.events import Scalar, TraceType
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import BudgetLimits, RunLimits
from superbiz_cli.harness.contract.model import ModelReply
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.progress.tracker import ProgressTracker
from superbiz_cli.harness.tool.boundary import ToolBoundary
from superbiz_cli.harness.tool.catalog import ToolCatalog
from tests.support.clock import FakeClock
from tests.support.fakes import FakeEvidenceTool, InMemoryInvocationStore, ListRecorder
from tests.support.runs import start_run
from tests.support.scripted import ScriptedChatModel, Turn, observations

NONCE = "abcdefgh"
AGENT_INPUT = '{"query":"payment service times out"}'


@dataclass
class Bench:
    """The parts of one collection. `collect` plays the turns of a scripted model against them."""

    limits: RunLimits = field(default_factory=RunLimits)
    tools: Sequence[FakeEvidenceTool] = field(
        default_factory=lambda: [
            FakeEvidenceTool(ToolName.QUERY_LOGS),
            FakeEvidenceTool(ToolName.QUERY_MYSQL),
        ]
    )

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.run: Run = start_run(self.clock, limits=self.limits.budget)
        self.store = InMemoryInvocationStore(clock=self.clock)
        self.recorder = ListRecorder()
        self.catalog = ToolCatalog(self.tools)
        self.tracker = ProgressTracker(self.limits.progress)
        self.boundary = ToolBoundary(
            run=self.run,
            store=self.store,
            recorder=self.recorder,
            limits=self.limits.payload,
            incident=IncidentWindow(until=self.clock.now()),
        )
        self.gate = ToolGate(
            catalog=self.catalog,
            boundary=self.boundary,
            tracker=self.tracker,
            recorder=self.recorder,
            nonce=NONCE,
        )
        self.make_model = ScriptedChatModel
        self.model = ScriptedChatModel([ModelReply("")])

    def collect(
        self,
        *turns: Turn,
        on_exhausted: BaseException | None = None,
        agent_input: str = AGENT_INPUT,
    ) -> Collection:
        self.model = self.make_model(turns, on_exhausted=on_exhausted)
        return collect(
            agent_input,
            gate=ModelGate(self.model, self.run, self.recorder),
            tool_gate=self.gate,
            system_prompt="You are the investigator.",
            limits=self.limits,
            run=self.run,
            recorder=self.recorder,
        )

    @property
    def fetches(self) -> int:
        """How many calls reached a back end."""
        return sum(len(tool.requests) for tool in self.tools)

    @property
    def last_observation(self) -> dict[str, object]:
        """The newest observation that the model was shown."""
        return dict(observations(self.model.requests[-1])[-1])

    @property
    def stop_reasons(self) -> list[Scalar]:
        """The reasons in the trace, in order."""
        return [event.attributes["reason"] for event in self.recorder.of(TraceType.COLLECTION_STOPPED)]


def small_budget(**limits: int) -> RunLimits:
    """Run limits with these fields of the budget."""
    return RunLimits(budget=BudgetLimits(**limits))
