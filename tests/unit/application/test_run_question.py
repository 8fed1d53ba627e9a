"""One Run from the question to exactly one result, whatever happens on the way."""

from __future__ import annotations

import json

import pytest

from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.rows import RunStart
from superbiz_cli.harness.contract.limits import BudgetLimits, RunLimits
from superbiz_cli.harness.contract.model import ModelReply, ModelRequest, ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import (
    CancelReason,
    FailureCode,
    FallbackType,
    Intent,
    ReleaseOutcome,
    RunState,
)
from superbiz_cli.harness.tool.invocation import StoreFault
from tests.support.asking import Asking
from tests.support.drafts import LOG_FACTS
from tests.support.fakes import FakeEvidenceTool
from tests.support.scripted import call, calls, says

DIAGNOSIS = says('{"intent":"DIAGNOSIS"}')
SUPPORTED = says('{"verdict":"SUPPORTED","reason":"the figures match"}')
SEARCH = calls(call(query="timeout"))
DRAFT = says(
    json.dumps(
        {
            "analysis": [
                {
                    "analysis_id": "a1",
                    "kind": "NORMAL",
                    "text": "37 requests timed out after 30000ms",
                    "tool_call_ids": ["{{id:1}}"],
                }
            ],
            "conclusion": {"text": "The connection pool is exhausted", "based_on_analysis_ids": ["a1"]},
            "limitations": {"checked_scope": "logs", "missing_info": [], "caveats": []},
        }
    )
)


def asking(**replaced: object) -> Asking:
    parts: dict[str, object] = {
        "agent": (SEARCH, DRAFT),
        "guard": (DIAGNOSIS, SUPPORTED),
        "tools": (FakeEvidenceTool(results=[LOG_FACTS]),),
        **replaced,
    }
    return Asking(**parts)  # type: ignore[arg-type]


def test_a_supported_draft_is_published_and_ends_the_run_in_success() -> None:
    result = asking().ask()
    assert result.release_outcome is ReleaseOutcome.SUCCESS
    assert (result.run_state, result.intent) == (RunState.SUCCESS, Intent.DIAGNOSIS)
    assert result.report is not None
    assert result.report.conclusion.refs == (1,)
    assert result.evidence[0].ref == 1


def test_the_last_event_tells_the_state_that_the_result_has() -> None:
    scene = asking()
    result = scene.ask()
    finished = scene.event(TraceType.RUN_FINISHED).event.attributes
    assert finished["run_state"] == result.run_state.value
    assert finished["model_calls"] == result.usage.model_calls == 4
    assert scene.events[-1].event.type is TraceType.RUN_FINISHED


def test_the_models_see_the_redacted_question_only() -> None:
    scene = asking(redact=lambda text: text.replace("hunter2", "[REDACTED]"))
    result = scene.ask("password hunter2 is refused")
    seen = [m.content for r in scene.guard_model.requests + scene.agent_model.requests for m in r.messages]
    assert not [text for text in seen if "hunter2" in text]
    assert result.query == "password [REDACTED] is refused"


def test_a_question_about_the_tool_is_answered_without_the_agent() -> None:
    scene = asking(guard=(says('{"intent":"SYSTEM_CHAT"}'),))
    result = scene.ask("what can you do?")
    assert result.answer is not None
    assert "logs" in result.answer.statements[1].text
    assert scene.agent_model.requests == []


def test_a_knowledge_question_without_a_knowledge_base_is_an_honest_fallback() -> None:
    result = asking(guard=(says('{"intent":"KNOWLEDGE_QUERY"}'),)).ask("怎么重启支付服务？")
    assert result.fallback is not None
    assert result.fallback.type is FallbackType.MISSING_REQUIRED_CONTEXT
    assert "知识库" in result.fallback.message


def test_a_router_without_a_valid_answer_ends_in_routing_unavailable() -> None:
    result = asking(guard=(says("DIAGNOSIS"),)).ask()
    assert result.failure is not None
    assert result.failure.code is FailureCode.ROUTING_UNAVAILABLE
    assert (result.run_state, result.intent) == (RunState.FAILED, None)
    assert result.usage.model_calls == 2


def test_an_unusable_store_is_said_before_the_agent_is_asked() -> None:
    scene = asking()
    scene.store.faults["find"] = StoreFault.UNAVAILABLE
    result = scene.ask()
    assert result.failure is not None
    assert result.failure.unavailable == "store"
    assert scene.agent_model.requests == []


def test_a_model_that_stops_answering_leaves_the_facts() -> None:
    result = asking(agent=(SEARCH, ModelUnavailable(RetryFailure.TRANSPORT))).ask()
    assert result.fallback is not None
    assert result.fallback.type is FallbackType.INSUFFICIENT_EVIDENCE
    assert "stopped answering" in result.fallback.message


def test_a_model_that_never_answers_is_named_as_the_missing_dependency() -> None:
    result = asking(agent=(ModelUnavailable(RetryFailure.TIMEOUT, hint="start it"),)).ask()
    assert result.failure is not None
    assert (result.failure.code, result.failure.unavailable) == (FailureCode.DIAGNOSIS_UNAVAILABLE, "model")
    assert result.failure.message.endswith("start it.")


def test_a_judge_that_breaks_the_budget_leaves_the_facts_and_the_state() -> None:
    scene = asking(limits=RunLimits(budget=BudgetLimits(max_model_calls=3)))
    result = scene.ask()
    assert result.run_state is RunState.BUDGET_EXHAUSTED
    assert result.release_outcome is ReleaseOutcome.FALLBACK
    assert scene.event(TraceType.BUDGET_EXHAUSTED).event.attributes["kind"] == "MODEL_CALLS"


def test_an_exhausted_budget_without_a_fact_is_a_failure() -> None:
    result = asking(limits=RunLimits(budget=BudgetLimits(max_model_calls=1))).ask()
    assert result.failure is not None
    assert result.failure.code is FailureCode.BUDGET_EXHAUSTED
    assert result.run_state is RunState.BUDGET_EXHAUSTED


@pytest.mark.parametrize(
    ("reason", "state", "outcome", "code"),
    [
        (
            CancelReason.USER_REQUESTED,
            RunState.CANCELLED,
            ReleaseOutcome.CANCELLED,
            FailureCode.RUN_CANCELLED,
        ),
        (
            CancelReason.DEADLINE_EXCEEDED,
            RunState.TIMED_OUT,
            ReleaseOutcome.FAILED,
            FailureCode.RUN_TIMED_OUT,
        ),
    ],
)
def test_what_ends_the_run_while_the_judge_decides_wins_over_its_verdict(
    reason: CancelReason, state: RunState, outcome: ReleaseOutcome, code: FailureCode
) -> None:
    scene = asking()

    def end_the_run(_request: ModelRequest) -> ModelReply:
        scene.run.cancel(reason)
        return SUPPORTED

    scene.guard_model.turns[1] = end_the_run
    result = scene.ask()
    assert (result.run_state, result.release_outcome) == (state, outcome)
    assert result.failure is not None
    assert result.failure.code is code
    assert result.report is None


def test_an_unexpected_exception_is_an_internal_failure_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    result = asking(guard=(ValueError("password=hunter2"),)).ask()
    assert result.failure is not None
    assert result.failure.code is FailureCode.INTERNAL_FAILURE
    assert "hunter2" not in result.model_dump_json()
    assert [record.message for record in caplog.records] == ["the run failed"]


class LostArchive(NoArchive):
    """Cannot register a Run."""

    def start_run(self, start: RunStart) -> None:
        raise AuditUnavailable(AuditFault.LOCKED, where="x", sentence="It is locked.", remedy="wait")


def test_a_run_that_cannot_be_registered_goes_on_with_a_warning() -> None:
    scene = asking(archive=LostArchive())
    assert scene.ask().release_outcome is ReleaseOutcome.SUCCESS
    assert scene.warnings == ["This run is not recorded: It is locked."]
