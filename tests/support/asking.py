"""One whole Run in memory: scripted models, a fake tool, a kept event stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.application.diagnose import run_question
from superbiz_cli.harness.application.parts import Parts, Prompts, Question
from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.events import RecordedEvent, TraceType
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.sink import EventListener
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import RunLimits
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.catalog import ToolCatalog
from tests.support.clock import FakeClock
from tests.support.fakes import FakeEvidenceTool, InMemoryInvocationStore
from tests.support.runs import start_run
from tests.support.scripted import ScriptedChatModel, Turn

PROMPTS = Prompts({role: f"you are the {role.value}" for role in ModelRole})


def _unchanged(text: str) -> str:
    return text


@dataclass
class Asking:
    """What answers one question. `guard` plays router, judge and repairer in the order of the calls."""

    agent: Sequence[Turn] = ()
    guard: Sequence[Turn] = ()
    tools: Sequence[FakeEvidenceTool] = ()
    limits: RunLimits = field(default_factory=RunLimits)
    archive: RunArchive = field(default_factory=NoArchive)
    redact: Callable[[str], str] = _unchanged

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.run: Run = start_run(
            self.clock, deadline_s=self.limits.time.deadline_s, limits=self.limits.budget
        )
        self.events: list[RecordedEvent] = []
        self.warnings: list[str] = []
        self.store = InMemoryInvocationStore(clock=self.clock)
        self.agent_model = ScriptedChatModel(self.agent)
        self.guard_model = ScriptedChatModel(self.guard)

    def ask(self, query: str = "payment times out") -> RunResult:
        """Run the question to its end."""
        listener = EventListener("test", self.events.append)
        parts = Parts(
            run=self.run,
            agent_model=self.agent_model,
            guard_model=self.guard_model,
            prompts=PROMPTS,
            catalog=ToolCatalog(self.tools),
            store=self.store,
            archive=self.archive,
            ledger=Ledger(self.run.run_id, self.clock, [listener], warn=self.warnings.append),
            limits=self.limits,
            redact=self.redact,
            warn=self.warnings.append,
        )
        window = IncidentWindow(until=self.clock.now())
        return run_question(Question(query=query, incident=window), parts)

    def event(self, type_: TraceType) -> RecordedEvent:
        """The only event of this type."""
        (event,) = (event for event in self.events if event.event.type is type_)
        return event
