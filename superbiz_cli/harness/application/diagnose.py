"""One request from the question to its outcome; the steps are the body of `run_question`.

Always returns exactly one RunResult: whatever goes wrong on the way has a failure code. The first
terminal state wins, so a cancel that arrives while the report is being built still cancels.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from superbiz_cli.harness.application.answers import about_the_tool, no_knowledge_base
from superbiz_cli.harness.application.failure import ended, failure_of
from superbiz_cli.harness.application.guard_calls import router_call
from superbiz_cli.harness.application.intent import route
from superbiz_cli.harness.application.investigate import investigate
from superbiz_cli.harness.application.knowledge_answer import answer_from_knowledge
from superbiz_cli.harness.application.memory import routing_memory
from superbiz_cli.harness.application.parts import Parts, Question
from superbiz_cli.harness.audit.archive import AuditUnavailable
from superbiz_cli.harness.audit.events import Scalar, TraceEvent, TraceType
from superbiz_cli.harness.audit.rows import RoutingEntry, RunStart
from superbiz_cli.harness.contract.report import (
    Answer,
    EvidenceRef,
    Failure,
    Report,
    RunResult,
    SafeFallback,
    Usage,
)
from superbiz_cli.harness.contract.status import FailureCode, Intent, ReleaseOutcome, RunState
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.release.decide import Published, PublishedFallback, PublishedReport

_log = logging.getLogger(__name__)

Content: TypeAlias = Report | SafeFallback | Answer | Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a Run came to: its content, the footnotes of that, and how the question was routed."""

    content: Content
    evidence: tuple[EvidenceRef, ...] = ()
    intent: Intent | None = None


def run_question(question: Question, parts: Parts) -> RunResult:
    """Answer one question: register, route, branch, finish."""
    query = parts.redact(question.query)
    with parts.run.watching_deadline():
        _register(question, parts)
        outcome = _finish(_answer(question, query, parts), parts)
    result = _result(query, outcome, parts)
    if (exhausted := parts.run.exhaustion) is not None:
        parts.ledger.emit(TraceEvent(TraceType.BUDGET_EXHAUSTED, _exhaustion_attributes(exhausted)))
    parts.ledger.emit(TraceEvent(TraceType.RUN_FINISHED, _finish_attributes(result)))
    _keep(result, parts)
    return result


def _register(question: Question, parts: Parts) -> None:
    run, limits = parts.run, parts.limits
    start = RunStart(
        run_id=run.run_id,
        session_id=run.session_id,
        query=question.query,
        model=parts.agent_model.name,
        started_at=run.started_at,
    )
    try:
        parts.archive.start_run(start)
    except AuditUnavailable as error:  # auditing never stops a Run, but its absence is said
        parts.warn(f"This run is not recorded: {error}")
    attributes: dict[str, Scalar] = {
        "deadline_s": limits.time.deadline_s,
        "max_model_calls": limits.budget.max_model_calls,
        "max_tool_calls": limits.budget.max_tool_calls,
        "max_total_tokens": limits.budget.max_total_tokens,
        "model": parts.agent_model.name,
        "guard_model": parts.guard_model.name,
        "skills": ",".join(skill.name for skill in question.skills),
        "skill_matching": question.skill_matching.value,
        "similar_cases": ",".join(question.similar_cases.case_ids),
        "previous_turn": question.previous_turn is not None,
    }
    prompts = {f"prompt_{role.value}_sha256": digest for role, digest in parts.prompts.sha256.items()}
    parts.ledger.emit(TraceEvent(TraceType.RUN_STARTED, {**attributes, **prompts}))


def _answer(question: Question, query: str, parts: Parts) -> Outcome:
    intent: Intent | None = None
    try:
        intent = route(query, recent=_recent(question, parts), call=router_call(parts), recorder=parts.ledger)
        match intent:
            case Intent.SYSTEM_CHAT:
                about = about_the_tool(query, tools=parts.catalog.names, model=parts.agent_model.name)
                return Outcome(about, intent=intent)
            case Intent.KNOWLEDGE_QUERY if ToolName.LOOKUP_KNOWLEDGE not in parts.catalog.names:
                return Outcome(no_knowledge_base(query), intent=intent)
            case Intent.KNOWLEDGE_QUERY:
                answer = answer_from_knowledge(question, query, parts)
                return Outcome(answer.content, answer.evidence, intent)
            case Intent.DIAGNOSIS:
                return _published(investigate(question, query, parts), intent)
    except Exception as error:  # the one failure exit: fail closed, whatever it was
        return Outcome(_failure(error, parts), intent=intent)


def _finish(outcome: Outcome, parts: Parts) -> Outcome:
    """Decide the terminal state; what came first wins over what was about to be published."""
    run = parts.run
    failed = isinstance(outcome.content, Failure)
    if run.lifecycle.finish(RunState.FAILED if failed else RunState.SUCCESS, "finished"):
        return outcome
    exhausted_fallback = run.lifecycle.state is RunState.BUDGET_EXHAUSTED and isinstance(
        outcome.content, SafeFallback
    )
    if failed or exhausted_fallback:
        return outcome
    return Outcome(ended(run.lifecycle.state), intent=outcome.intent)


def _published(published: Published, intent: Intent) -> Outcome:
    match published:
        case PublishedReport(report, evidence):
            return Outcome(report, evidence, intent)
        case PublishedFallback(fallback, evidence):
            return Outcome(fallback, evidence, intent)
        case _:
            assert_never(published)


def _failure(error: BaseException, parts: Parts) -> Failure:
    """Name the failure: what ended the Run comes before what broke because of it."""
    run = parts.run
    if run.lifecycle.is_terminal and run.exhaustion is None:
        return ended(run.lifecycle.state)
    error = run.exhaustion or error
    failure = failure_of(error, model=parts.agent_model.name, guard_model=parts.guard_model.name)
    if failure.code is FailureCode.INTERNAL_FAILURE:
        _log.error("the run failed", exc_info=error)
    return failure


def _recent(question: Question, parts: Parts) -> tuple[RoutingEntry, ...]:
    if not question.use_memory:
        return ()
    try:
        return routing_memory(parts.archive.routing_history(parts.run.session_id), redact=parts.redact)
    except AuditUnavailable:
        return ()


def _result(query: str, outcome: Outcome, parts: Parts) -> RunResult:
    """Build what leaves the harness; `query` is redacted, because a script may keep what it is given."""
    run, content = parts.run, outcome.content
    return RunResult(
        run_id=run.run_id,
        session_id=run.session_id,
        query=query,
        intent=outcome.intent,
        run_state=run.lifecycle.state,
        release_outcome=_release_outcome(content, run.lifecycle.state),
        report=content if isinstance(content, Report) else None,
        fallback=content if isinstance(content, SafeFallback) else None,
        answer=content if isinstance(content, Answer) else None,
        failure=content if isinstance(content, Failure) else None,
        evidence=outcome.evidence,
        usage=Usage(
            model_calls=run.budget.model_calls,
            tool_calls=run.budget.tool_calls,
            input_tokens=run.budget.input_tokens,
            output_tokens=run.budget.output_tokens,
            run_bytes=run.budget.run_bytes,
        ),
        started_at=run.started_at.isoformat(),
        completed_at=run.clock.now().isoformat(),
        duration_ms=round((run.clock.monotonic() - run.began_s) * 1000),
        model=parts.agent_model.name,
    )


def _release_outcome(content: Content, state: RunState) -> ReleaseOutcome:
    match content:
        case Report() | Answer():
            return ReleaseOutcome.SUCCESS
        case SafeFallback():
            return ReleaseOutcome.FALLBACK
        case Failure():
            return ReleaseOutcome.CANCELLED if state is RunState.CANCELLED else ReleaseOutcome.FAILED
        case _:
            assert_never(content)


def _exhaustion_attributes(exhausted: BudgetExceeded) -> dict[str, Scalar]:
    return {
        "kind": exhausted.kind.value,
        "limit": exhausted.limit,
        "attempted": exhausted.attempted,
    }


def _finish_attributes(result: RunResult) -> dict[str, Scalar]:
    return {
        "run_state": result.run_state.value,
        "release_outcome": result.release_outcome.value,
        "failure_code": result.failure.code.value if result.failure else None,
        "model_calls": result.usage.model_calls,
        "tool_calls": result.usage.tool_calls,
        "input_tokens": result.usage.input_tokens,
        "output_tokens": result.usage.output_tokens,
        "run_bytes": result.usage.run_bytes,
    }


def _keep(result: RunResult, parts: Parts) -> None:
    try:
        parts.archive.finish_run(result, parts.ledger.totals)
    except AuditUnavailable as error:
        parts.warn(f"The outcome of this run is not recorded: {error}")
