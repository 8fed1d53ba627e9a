"""Run results: plain ones by name, and any that the product could publish, for hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st
from pydantic import BaseModel

from superbiz_cli.harness.contract.report import (
    Answer,
    CitedText,
    EvidenceRef,
    Failure,
    FallbackFact,
    Judgement,
    Report,
    ReportedAction,
    ReportedAnalysis,
    ReportedLimitations,
    RunResult,
    SafeFallback,
    Usage,
    ValidationIssue,
)
from superbiz_cli.harness.contract.status import (
    AnalysisKind,
    FailureCode,
    FailureStage,
    FallbackType,
    Intent,
    ReleaseOutcome,
    RunState,
)
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName

REPORT = Report(
    conclusion=CitedText(text="The pool is exhausted.", refs=(1,)),
    analysis=(ReportedAnalysis(kind=AnalysisKind.NORMAL, text="37 timeouts from 10:02.", refs=(1,)),),
    action_plan=(
        ReportedAction(action="Restart payment-service", requires_human_confirmation=True, refs=(1,)),
    ),
    limitations=ReportedLimitations(
        checked_scope="application logs 09:45-10:15",
        missing_info=("the slow query log",),
        caveats=("3 of 41 patterns shown",),
    ),
    judgement=Judgement(references_verified=1, references_total=1, verdict="SUPPORTED", reason="quoted"),
)
EVIDENCE = EvidenceRef(
    ref=1,
    tool_call_id="ev-abcdefgh-1",
    tool_name=ToolName.QUERY_LOGS,
    source_type=SourceType.LOGS,
    source="application",
    scope='"payment timeout" 09:45-10:15',
    excerpt="Connection is not available",
)
FALLBACK = SafeFallback(
    type=FallbackType.INSUFFICIENT_EVIDENCE,
    message="The search was stopped.",
    observed_facts=(FallbackFact(text="37 timeouts", ref=1),),
    failure_stage=FailureStage.DIAGNOSIS_COLLECTION,
)
FAILURE = Failure(code=FailureCode.RUN_TIMED_OUT, message="The deadline passed.", hint="use --timeout")

ModelT = TypeVar("ModelT", bound=BaseModel)


def result(run_id: str = "run0000001", session_id: str = "s1", **changes: Any) -> RunResult:
    """A released diagnosis, with `changes`."""
    fields: dict[str, Any] = {
        "run_id": run_id,
        "session_id": session_id,
        "query": "payment service times out",
        "intent": Intent.DIAGNOSIS,
        "run_state": RunState.SUCCESS,
        "release_outcome": ReleaseOutcome.SUCCESS,
        "report": REPORT,
        "evidence": (EVIDENCE,),
        "usage": Usage(model_calls=2, tool_calls=1, input_tokens=300, output_tokens=40, run_bytes=9000),
        "started_at": "2026-11-30T10:15:22+00:00",
        "completed_at": "2026-11-30T10:15:58+00:00",
        "duration_ms": 36_100,
        "model": "openai/gpt-5",
    }
    return RunResult(**{**fields, **changes})


def fallback_result(run_id: str = "run0000001", session_id: str = "s1", **changes: Any) -> RunResult:
    """A safe fallback, with `changes`."""
    fields: dict[str, Any] = {
        "report": None,
        "fallback": FALLBACK,
        "release_outcome": ReleaseOutcome.FALLBACK,
    }
    return result(run_id, session_id, **{**fields, **changes})


def failed_result(run_id: str = "run0000001", session_id: str = "s1", **changes: Any) -> RunResult:
    """A Run that published nothing, with `changes`."""
    fields: dict[str, Any] = {
        "report": None,
        "evidence": (),
        "failure": FAILURE,
        "run_state": RunState.TIMED_OUT,
        "release_outcome": ReleaseOutcome.FAILED,
    }
    return result(run_id, session_id, **{**fields, **changes})


_TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
_COUNT = st.integers(min_value=0, max_value=10**9)
_REFS = st.lists(st.integers(1, 99), max_size=3, unique=True).map(tuple)
_ID = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)


def _some(strategy: st.SearchStrategy[Any], *, least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, min_size=least, max_size=3).map(tuple)


def _of(model: Callable[..., ModelT], /, **fields: Any) -> st.SearchStrategy[ModelT]:
    return st.builds(model, **fields)


_CITED = _of(CitedText, text=_TEXT, refs=_REFS)
_REPORTS = _of(
    Report,
    conclusion=_CITED,
    analysis=_some(
        _of(ReportedAnalysis, kind=st.sampled_from(AnalysisKind), text=_TEXT, refs=_REFS), least=1
    ),
    action_plan=_some(
        _of(ReportedAction, action=_TEXT, requires_human_confirmation=st.booleans(), refs=_REFS)
    ),
    recommendations=_some(_CITED),
    limitations=_of(
        ReportedLimitations, checked_scope=_TEXT, missing_info=_some(_TEXT), caveats=_some(_TEXT)
    ),
    judgement=_of(
        Judgement,
        references_verified=_COUNT,
        references_total=_COUNT,
        verdict=st.just("SUPPORTED"),
        reason=_TEXT,
    ),
    skills=_some(_TEXT),
    similar_cases=_some(_TEXT),
)
_FALLBACKS = _of(
    SafeFallback,
    type=st.sampled_from(FallbackType),
    conclusion=st.none(),
    message=_TEXT,
    verified_sources=_some(_TEXT),
    observed_facts=_some(_of(FallbackFact, text=_TEXT, ref=st.none() | st.integers(1, 99))),
    limitations=_some(_TEXT),
    missing_info=_some(_TEXT),
    next_steps=_some(_TEXT),
    failure_stage=st.sampled_from(FailureStage),
    validation_issues=_some(_of(ValidationIssue, code=_TEXT, target=_TEXT)),
)
_ANSWERS = _of(Answer, statements=_some(_CITED), nothing_found=st.booleans(), near=_some(_TEXT))
_FAILURES = _of(
    Failure,
    code=st.sampled_from(FailureCode),
    message=_TEXT,
    hint=st.none() | _TEXT,
    unavailable=st.none() | st.sampled_from(["model", "store"]),
)
_EVIDENCE = _of(
    EvidenceRef,
    ref=st.integers(1, 99),
    tool_call_id=_ID,
    tool_name=st.sampled_from(ToolName),
    source_type=st.sampled_from(SourceType),
    source=_TEXT,
    scope=_TEXT,
    excerpt=_TEXT,
)
_USAGE = _of(
    Usage,
    model_calls=_COUNT,
    tool_calls=_COUNT,
    input_tokens=_COUNT,
    output_tokens=_COUNT,
    run_bytes=_COUNT,
)
_MOMENTS = st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat())
_FALLBACK_STATES = st.sampled_from([RunState.SUCCESS, RunState.BUDGET_EXHAUSTED])
_FAILED_STATES = st.sampled_from([RunState.FAILED, RunState.TIMED_OUT, RunState.BUDGET_EXHAUSTED])


def run_results() -> st.SearchStrategy[RunResult]:
    """Any result that a Run may have: one content, and the states that go with it."""
    success, state = st.just(ReleaseOutcome.SUCCESS), st.just(RunState.SUCCESS)
    contents: list[dict[str, st.SearchStrategy[Any]]] = [
        {"report": _REPORTS, "release_outcome": success, "run_state": state},
        {"answer": _ANSWERS, "release_outcome": success, "run_state": state},
        {
            "fallback": _FALLBACKS,
            "release_outcome": st.just(ReleaseOutcome.FALLBACK),
            "run_state": _FALLBACK_STATES,
        },
        {
            "failure": _FAILURES,
            "release_outcome": st.just(ReleaseOutcome.FAILED),
            "run_state": _FAILED_STATES,
        },
        {
            "failure": _FAILURES,
            "release_outcome": st.just(ReleaseOutcome.CANCELLED),
            "run_state": st.just(RunState.CANCELLED),
        },
    ]
    results = [
        _of(
            RunResult,
            run_id=_ID,
            session_id=_ID,
            query=_TEXT,
            intent=st.none() | st.sampled_from(Intent),
            evidence=_some(_EVIDENCE),
            usage=_USAGE,
            started_at=_MOMENTS,
            completed_at=_MOMENTS,
            duration_ms=_COUNT,
            model=_TEXT,
            **content,
        )
        for content in contents
    ]
    return st.one_of(results)
