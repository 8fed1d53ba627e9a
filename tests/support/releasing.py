"""A `Release` over a store in memory, with a queued judge, a queued repairer and a kept trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.agent.outcome import Collection, Completed
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ModelReply, ModelRole
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.guard.semantic import SemanticGuard
from superbiz_cli.harness.progress.snapshot import take_snapshot
from superbiz_cli.harness.release.decide import Published, Release
from superbiz_cli.harness.release.wording import LanguageSetting
from superbiz_cli.harness.retry.policy import REPAIR
from superbiz_cli.harness.tool.invocation import CanonicalInvocation
from tests.support.drafts import a_catalog, a_store, logs_record
from tests.support.fakes import InMemoryInvocationStore, ListRecorder
from tests.support.guarding import QueuedModel, Turn, a_guard_call, a_run, text_reply

SUPPORTED = text_reply('{"verdict":"SUPPORTED","reason":"the figures match"}')
UNSUPPORTED = text_reply('{"verdict":"UNSUPPORTED","reason":"JUDGE-REASON"}')


@dataclass
class Scene:
    """One Run at its exit. `judge` and `repair` are the replies that the two guards may use up."""

    records: Sequence[CanonicalInvocation] = field(default_factory=lambda: (logs_record(),))
    judge: Sequence[Turn] = ()
    repair: Sequence[Turn] = ()
    tools: tuple[ToolName, ...] = tuple(ToolName)
    limits: BudgetLimits = field(default_factory=BudgetLimits)
    language: LanguageSetting = "auto"
    skills: tuple[str, ...] = ()
    repair_output_bytes: int = 48_000

    def __post_init__(self) -> None:
        self.run: Run = a_run(limits=self.limits)
        self.recorder = ListRecorder()
        self.store: InMemoryInvocationStore = a_store(*self.records)
        self.judge_model = QueuedModel(self.judge)
        self.repair_model = QueuedModel(self.repair)
        catalog = a_catalog(*self.tools)
        calls = [(record.tool_call_id, record.tool_name) for record in self.records]
        self.release = Release(
            run=self.run,
            store=self.store,
            catalog=catalog,
            repair_call=a_guard_call(
                self.repair_model,
                run=self.run,
                recorder=self.recorder,
                role=ModelRole.REPAIR,
                policy=REPAIR,
                max_output_bytes=self.repair_output_bytes,
            ),
            judge=SemanticGuard(a_guard_call(self.judge_model, run=self.run, recorder=self.recorder)),
            snapshot=lambda: take_snapshot(calls, run_id=self.run.run_id, store=self.store, catalog=catalog),
            recorder=self.recorder,
            skills=self.skills,
            language=self.language,
        )

    def decide(self, collection: Collection | Draft, *, query: str = "payment times out") -> Published:
        chosen = Completed(collection) if isinstance(collection, Draft) else collection
        return self.release.decide(chosen, query=query)

    def trace(self) -> list[tuple[TraceType, dict[str, object]]]:
        return [(event.type, dict(event.attributes)) for event in self.recorder.events]


def as_reply(draft: Draft) -> ModelReply:
    return text_reply(draft.model_dump_json())
