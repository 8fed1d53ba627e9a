from __future__ import annotations

import pytest
from pydantic import ValidationError

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.model import ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.report import (
    Answer,
    CitedText,
    Failure,
    Judgement,
    Report,
    ReportedLimitations,
    RunResult,
    SafeFallback,
)
from superbiz_cli.harness.contract.status import (
    FailureCode,
    FailureStage,
    FallbackType,
    ReleaseOutcome,
    RunState,
)
from superbiz_cli.harness.contract.tool_call import (
    SOURCE_TYPE_OF,
    TOOL_CALL_ID_PATTERN,
    ToolErrorCode,
    ToolName,
)
from superbiz_cli.harness.contract.violation import ViolationCode

REPORT = Report(
    conclusion=CitedText(text="The pool is exhausted.", refs=(1,)),
    analysis=(),
    limitations=ReportedLimitations(),
    judgement=Judgement(references_verified=1, references_total=1, verdict="SUPPORTED", reason="shown"),
)
FALLBACK = SafeFallback(
    type=FallbackType.INSUFFICIENT_EVIDENCE,
    message="No cause could be proven.",
    failure_stage=FailureStage.DIAGNOSIS_COLLECTION,
)


def result(
    *, report: Report | None = None, fallback: SafeFallback | None = None, answer: Answer | None = None
) -> RunResult:
    return RunResult(
        run_id="run-1",
        session_id="session-1",
        query="why",
        intent=None,
        run_state=RunState.SUCCESS,
        release_outcome=ReleaseOutcome.SUCCESS,
        report=report,
        fallback=fallback,
        answer=answer,
        failure=Failure(code=FailureCode.INTERNAL_FAILURE, message="m")
        if (report, fallback, answer) == (None, None, None)
        else None,
        started_at="2026-11-30T10:15:00+00:00",
        completed_at="2026-11-30T10:15:01+00:00",
        duration_ms=1000,
        model="offline/playbook",
    )


def test_a_result_knows_which_content_it_has() -> None:
    assert result(report=REPORT).content_type == "report"
    assert result(fallback=FALLBACK).content_type == "fallback"
    assert result(answer=Answer(statements=())).content_type == "answer"
    assert result().content_type == "failure"


def test_a_result_survives_the_disk() -> None:
    for written in (result(report=REPORT), result(fallback=FALLBACK)):
        assert RunResult.model_validate_json(written.model_dump_json()) == written


def test_a_fallback_cannot_hold_a_conclusion() -> None:
    with pytest.raises(ValidationError):
        SafeFallback.model_validate({**FALLBACK.model_dump(), "conclusion": "the pool"})


def test_only_a_supported_report_can_be_written() -> None:
    with pytest.raises(ValidationError):
        Judgement.model_validate(
            {"references_verified": 1, "references_total": 1, "verdict": "UNSUPPORTED", "reason": ""}
        )


def test_the_smallest_draft_leaves_every_fault_to_the_guard() -> None:
    draft = Draft.model_validate_json("{}")
    assert (draft.analysis, draft.conclusion, draft.limitations) == (None, None, None)
    assert (draft.action_plan, draft.recommendations) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict":"SUPPORTED"}',
        '{"analysis":{}}',
        '{"analysis":[{"kind":"normal"}]}',
        '{"analysis":[{"id":"a1"}]}',
        '{"analysis":[{"tool_call_ids":"ev-1"}]}',
        '{"analysis":[{"tool_call_ids":[1]}]}',
        '{"conclusion":"the pool"}',
        '{"action_plan":[{"requires_human_confirmation":"false"}]}',
        '{"limitations":{"checked_scope":null}}',
    ],
)
def test_what_is_no_draft_at_all_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Draft.model_validate_json(text)


def test_an_action_that_says_nothing_about_it_needs_confirmation() -> None:
    (action,) = Draft.model_validate_json('{"action_plan":[{"action":"restart"}]}').action_plan
    assert action.requires_human_confirmation


def test_the_evidence_guard_has_twenty_codes_and_the_checks_of_what_is_said_one_each() -> None:
    codes = [code.value for code in ViolationCode]
    assert len(codes) == 22
    assert codes[-2:] == ["CLAIM_NOT_IN_EVIDENCE", "INSTRUCTIONS_DISCLOSED"]


def test_every_tool_reads_a_kind_of_source() -> None:
    assert {tool.value: SOURCE_TYPE_OF[tool].value for tool in ToolName} == {
        "lookup_knowledge": "knowledge",
        "query_logs": "logs",
        "query_mysql": "mysql",
    }


def test_the_boundary_has_twelve_stable_codes() -> None:
    assert len(ToolErrorCode) == 12
    assert all(code.value == code.name for code in ToolErrorCode)


@pytest.mark.parametrize(
    ("call_id", "is_legal"), [("ev-1", True), ("", False), ("a" * 129, False), ("a\n", False)]
)
def test_a_tool_call_id_has_one_shape(call_id: str, is_legal: bool) -> None:
    assert bool(TOOL_CALL_ID_PATTERN.fullmatch(call_id)) == is_legal


def test_an_unavailable_model_carries_a_class_and_no_text_of_the_provider() -> None:
    error = ModelUnavailable(RetryFailure.TRANSPORT, http_status=429, retry_after_s=3.0, hint="wait")
    assert str(error) == "TRANSPORT"
    assert (error.failure, error.http_status, error.retry_after_s, error.hint) == (
        RetryFailure.TRANSPORT,
        429,
        3.0,
        "wait",
    )
