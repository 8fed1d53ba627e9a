"""Every state of the product, one enum for each orthogonal layer, and the mappings between them.

Layers: technical (RunState), evidence (InvocationStatus, EvidenceStatus, AnalysisKind),
collection (CollectionState, InformationGain, StopReason, SemanticVerdict), release
(ReleaseOutcome, FallbackType, FailureStage) and protocol (RunStatus, FailureCode, Intent).
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never


class RunState(StrEnum):
    """Technical state of one Run. RUNNING is the only one that is not terminal."""

    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TIMED_OUT = "TIMED_OUT"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"


class CancelReason(StrEnum):
    """Why a Run was asked to end early."""

    USER_REQUESTED = "USER_REQUESTED"
    CLIENT_DISCONNECTED = "CLIENT_DISCONNECTED"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    INTERNAL_FAILURE = "INTERNAL_FAILURE"


class InvocationStatus(StrEnum):
    """Life of one canonical invocation: PROJECTING -> READY | ERROR, never back."""

    PROJECTING = "PROJECTING"
    READY = "READY"
    ERROR = "ERROR"


class EvidenceStatus(StrEnum):
    """What a completed tool call objectively holds."""

    EVIDENCE_FOUND = "EVIDENCE_FOUND"
    NO_EVIDENCE = "NO_EVIDENCE"
    ERROR = "ERROR"


class AnalysisKind(StrEnum):
    """What an analysis item says: something was seen, or nothing was found in a scope."""

    NORMAL = "NORMAL"
    NEGATIVE_OBSERVATION = "NEGATIVE_OBSERVATION"


class RelevanceLevel(StrEnum):
    """Rating of a whole knowledge lookup; absent means none."""

    PRECISE = "PRECISE"
    REFERENCE = "REFERENCE"


class CollectionState(StrEnum):
    """Whether more searching is still worth it."""

    COLLECTING = "COLLECTING"
    SATURATED = "SATURATED"


class InformationGain(StrEnum):
    """Rating of one observation: by the model if it is not empty, else by code."""

    GAINED = "GAINED"
    NO_GAIN = "NO_GAIN"


class StopReason(StrEnum):
    """Why the harness ended the collection of evidence."""

    INFORMATION_SATURATED = "INFORMATION_SATURATED"
    BUDGET_LIMIT_REACHED = "BUDGET_LIMIT_REACHED"
    PROGRESS_PROTOCOL_VIOLATED = "PROGRESS_PROTOCOL_VIOLATED"


class SemanticVerdict(StrEnum):
    """The isolated judge's answer: support, not truth."""

    SUPPORTED = "SUPPORTED"
    UNSUPPORTED = "UNSUPPORTED"


class ReleaseOutcome(StrEnum):
    """What the publishing point decided."""

    SUCCESS = "SUCCESS"
    FALLBACK = "FALLBACK"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class FallbackType(StrEnum):
    """Why only a safe fallback was published."""

    EVIDENCE_VALIDATION_FAILED = "EVIDENCE_VALIDATION_FAILED"
    SEMANTIC_UNSUPPORTED = "SEMANTIC_UNSUPPORTED"
    SEMANTIC_UNAVAILABLE = "SEMANTIC_UNAVAILABLE"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    MISSING_REQUIRED_CONTEXT = "MISSING_REQUIRED_CONTEXT"


class FailureStage(StrEnum):
    """Where the diagnosis fell back."""

    DIAGNOSIS_INPUT = "DIAGNOSIS_INPUT"
    DIAGNOSIS_COLLECTION = "DIAGNOSIS_COLLECTION"
    EVIDENCE_VALIDATION = "EVIDENCE_VALIDATION"
    SEMANTIC_VALIDATION = "SEMANTIC_VALIDATION"


class RunStatus(StrEnum):
    """Progress shown to the user while a Run works."""

    ROUTING = "ROUTING"
    SYSTEM_RESPONDING = "SYSTEM_RESPONDING"
    KNOWLEDGE_SEARCHING = "KNOWLEDGE_SEARCHING"
    KNOWLEDGE_ANSWERING = "KNOWLEDGE_ANSWERING"
    DIAGNOSIS_RUNNING = "DIAGNOSIS_RUNNING"
    SAFETY_VALIDATING = "SAFETY_VALIDATING"


class FailureCode(StrEnum):
    """Stable reason of a Run that published nothing."""

    ROUTING_UNAVAILABLE = "ROUTING_UNAVAILABLE"
    SYSTEM_CHAT_UNAVAILABLE = "SYSTEM_CHAT_UNAVAILABLE"
    KNOWLEDGE_UNAVAILABLE = "KNOWLEDGE_UNAVAILABLE"
    DIAGNOSIS_UNAVAILABLE = "DIAGNOSIS_UNAVAILABLE"
    RUN_PERSISTENCE_FAILED = "RUN_PERSISTENCE_FAILED"
    RUN_CANCELLED = "RUN_CANCELLED"
    RUN_TIMED_OUT = "RUN_TIMED_OUT"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    INTERNAL_FAILURE = "INTERNAL_FAILURE"


class Intent(StrEnum):
    """What the user wants, as the router says."""

    SYSTEM_CHAT = "SYSTEM_CHAT"
    KNOWLEDGE_QUERY = "KNOWLEDGE_QUERY"
    DIAGNOSIS = "DIAGNOSIS"


def terminal_state_for(reason: CancelReason) -> RunState:
    """Return the terminal state that a cancellation for `reason` writes."""
    match reason:
        case CancelReason.DEADLINE_EXCEEDED:
            return RunState.TIMED_OUT
        case CancelReason.BUDGET_EXHAUSTED:
            return RunState.BUDGET_EXHAUSTED
        case CancelReason.INTERNAL_FAILURE:
            return RunState.FAILED
        case CancelReason.USER_REQUESTED | CancelReason.CLIENT_DISCONNECTED:
            return RunState.CANCELLED
        case _:
            assert_never(reason)


def evidence_accepted_by(kind: AnalysisKind) -> EvidenceStatus:
    """Return the only evidence status that an analysis item of `kind` may cite."""
    match kind:
        case AnalysisKind.NORMAL:
            return EvidenceStatus.EVIDENCE_FOUND
        case AnalysisKind.NEGATIVE_OBSERVATION:
            return EvidenceStatus.NO_EVIDENCE
        case _:
            assert_never(kind)


def failure_code_for(state: RunState) -> FailureCode:
    """Return the failure code of a Run that ended in `state` with nothing published."""
    match state:
        case RunState.CANCELLED:
            return FailureCode.RUN_CANCELLED
        case RunState.TIMED_OUT:
            return FailureCode.RUN_TIMED_OUT
        case RunState.BUDGET_EXHAUSTED:
            return FailureCode.BUDGET_EXHAUSTED
        case RunState.FAILED | RunState.RUNNING | RunState.SUCCESS:
            return FailureCode.INTERNAL_FAILURE
        case _:
            assert_never(state)
