"""The diagnosis branch: collect evidence, then let the release layer decide what may be published."""

from __future__ import annotations

from collections.abc import Callable

from superbiz_cli.harness.agent.loop import AgentUnavailable, collect
from superbiz_cli.harness.agent.tool_gate import ToolGate
from superbiz_cli.harness.application.guard_calls import judge_call, repair_call
from superbiz_cli.harness.application.parts import Parts, Question
from superbiz_cli.harness.application.prompting import agent_input, agent_system_prompt, instructions_of
from superbiz_cli.harness.contract.evidence import EvidenceSnapshot
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.contract.status import RunState
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.guard.semantic import SemanticGuard
from superbiz_cli.harness.progress.snapshot import take_snapshot
from superbiz_cli.harness.progress.tracker import ProgressTracker
from superbiz_cli.harness.release.decide import Published, Release
from superbiz_cli.harness.tool.boundary import ToolBoundary


def investigate(question: Question, query: str, parts: Parts) -> Published:
    """Return what may be published about an incident. `query` is the redacted question.

    Raises NothingPublishable, AgentUnavailable and StoreError when there is nothing, RunAborted when
    the Run was cancelled or timed out, BudgetExceeded when it ran dry without a fact.
    """
    run = parts.run
    parts.store.find(run.run_id, "preflight")  # an unusable store is said before money is spent
    tracker = ProgressTracker(parts.limits.progress)

    def snapshot() -> EvidenceSnapshot:
        return take_snapshot(
            tracker.completed_calls, run_id=run.run_id, store=parts.store, catalog=parts.catalog
        )

    release = _release(question, parts, snapshot)
    try:
        collection = collect(
            agent_input(question, query=query),
            gate=_agent_gate(parts),
            tool_gate=_tool_gate(question, parts, tracker),
            system_prompt=agent_system_prompt(parts.prompts.texts[ModelRole.AGENT], question.skills),
            limits=parts.limits,
            run=run,
            recorder=parts.ledger,
        )
        return release.decide(collection, query=query)
    except AgentUnavailable:
        published = release.fallback_for_lost_model(query=query)
        if published is None:
            raise
        return published
    except (BudgetExceeded, RunAborted):
        if run.lifecycle.state is not RunState.BUDGET_EXHAUSTED:
            raise
        published = release.fallback_for_exhaustion(snapshot(), query=query)
        if published is None:
            raise
        return published


def _agent_gate(parts: Parts) -> ModelGate:
    return ModelGate(
        model=parts.agent_model,
        run=parts.run,
        recorder=parts.ledger,
        prompt_sha256=parts.prompts.sha256.get(ModelRole.AGENT),
    )


def _tool_gate(question: Question, parts: Parts, tracker: ProgressTracker) -> ToolGate:
    boundary = ToolBoundary(
        run=parts.run,
        store=parts.store,
        recorder=parts.ledger,
        limits=parts.limits.payload,
        incident=question.incident,
    )
    return ToolGate(catalog=parts.catalog, boundary=boundary, tracker=tracker, recorder=parts.ledger)


def _release(question: Question, parts: Parts, snapshot: Callable[[], EvidenceSnapshot]) -> Release:
    return Release(
        run=parts.run,
        store=parts.store,
        catalog=parts.catalog,
        repair_call=repair_call(parts),
        judge=SemanticGuard(judge_call(parts)),
        snapshot=snapshot,
        recorder=parts.ledger,
        skills=tuple(skill.name for skill in question.skills),
        similar_cases=question.similar_cases.case_ids,
        instructions=instructions_of(parts, question.skills),
        language=parts.language,
        notes=(*question.incident.notes, *parts.absent_sources),
        program=parts.program,
    )
