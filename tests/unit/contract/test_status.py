from __future__ import annotations

from enum import StrEnum

import pytest

from superbiz_cli.harness.contract import status
from superbiz_cli.harness.contract.status import (
    AnalysisKind,
    CancelReason,
    EvidenceStatus,
    FailureCode,
    RunState,
    evidence_accepted_by,
    failure_code_for,
    terminal_state_for,
)

VALUES = {
    "RunState": "RUNNING SUCCESS FAILED CANCELLED TIMED_OUT BUDGET_EXHAUSTED",
    "CancelReason": "USER_REQUESTED CLIENT_DISCONNECTED DEADLINE_EXCEEDED BUDGET_EXHAUSTED INTERNAL_FAILURE",
    "InvocationStatus": "PROJECTING READY ERROR",
    "EvidenceStatus": "EVIDENCE_FOUND NO_EVIDENCE ERROR",
    "AnalysisKind": "NORMAL NEGATIVE_OBSERVATION",
    "RelevanceLevel": "PRECISE REFERENCE",
    "CollectionState": "COLLECTING SATURATED",
    "InformationGain": "GAINED NO_GAIN",
    "StopReason": "INFORMATION_SATURATED BUDGET_LIMIT_REACHED PROGRESS_PROTOCOL_VIOLATED",
    "SemanticVerdict": "SUPPORTED UNSUPPORTED",
    "ReleaseOutcome": "SUCCESS FALLBACK FAILED CANCELLED",
    "FallbackType": "EVIDENCE_VALIDATION_FAILED SEMANTIC_UNSUPPORTED SEMANTIC_UNAVAILABLE"
    " INSUFFICIENT_EVIDENCE MISSING_REQUIRED_CONTEXT",
    "FailureStage": "DIAGNOSIS_INPUT DIAGNOSIS_COLLECTION EVIDENCE_VALIDATION SEMANTIC_VALIDATION",
    "RunStatus": "ROUTING SYSTEM_RESPONDING KNOWLEDGE_SEARCHING KNOWLEDGE_ANSWERING"
    " DIAGNOSIS_RUNNING SAFETY_VALIDATING",
    "FailureCode": "ROUTING_UNAVAILABLE SYSTEM_CHAT_UNAVAILABLE KNOWLEDGE_UNAVAILABLE"
    " DIAGNOSIS_UNAVAILABLE RUN_PERSISTENCE_FAILED RUN_CANCELLED RUN_TIMED_OUT BUDGET_EXHAUSTED"
    " INTERNAL_FAILURE",
    "Intent": "SYSTEM_CHAT KNOWLEDGE_QUERY DIAGNOSIS",
}


def test_every_enum_of_the_layers_is_listed_here() -> None:
    enums = {
        name
        for name, value in vars(status).items()
        if isinstance(value, type) and issubclass(value, StrEnum) and value is not StrEnum
    }
    assert enums == set(VALUES)


@pytest.mark.parametrize("name", VALUES)
def test_the_values_are_a_public_contract_and_equal_their_names(name: str) -> None:
    enum: type[StrEnum] = getattr(status, name)
    assert [member.value for member in enum] == VALUES[name].split()
    assert [member.name for member in enum] == VALUES[name].split()


def test_every_cancel_reason_has_a_terminal_state() -> None:
    assert {reason: terminal_state_for(reason) for reason in CancelReason} == {
        CancelReason.USER_REQUESTED: RunState.CANCELLED,
        CancelReason.CLIENT_DISCONNECTED: RunState.CANCELLED,
        CancelReason.DEADLINE_EXCEEDED: RunState.TIMED_OUT,
        CancelReason.BUDGET_EXHAUSTED: RunState.BUDGET_EXHAUSTED,
        CancelReason.INTERNAL_FAILURE: RunState.FAILED,
    }


def test_a_kind_of_analysis_accepts_one_evidence_status() -> None:
    assert {kind: evidence_accepted_by(kind) for kind in AnalysisKind} == {
        AnalysisKind.NORMAL: EvidenceStatus.EVIDENCE_FOUND,
        AnalysisKind.NEGATIVE_OBSERVATION: EvidenceStatus.NO_EVIDENCE,
    }


def test_a_run_that_published_nothing_has_the_failure_code_of_its_state() -> None:
    assert {state: failure_code_for(state) for state in RunState} == {
        RunState.CANCELLED: FailureCode.RUN_CANCELLED,
        RunState.TIMED_OUT: FailureCode.RUN_TIMED_OUT,
        RunState.BUDGET_EXHAUSTED: FailureCode.BUDGET_EXHAUSTED,
        RunState.FAILED: FailureCode.INTERNAL_FAILURE,
        RunState.RUNNING: FailureCode.INTERNAL_FAILURE,
        RunState.SUCCESS: FailureCode.INTERNAL_FAILURE,
    }
