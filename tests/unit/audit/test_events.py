"""What an event tells the user about the progress of a Run."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.audit.events import STAGE_OF, TraceEvent, TraceType, run_status_after
from superbiz_cli.harness.audit.recorder import NullRecorder
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.contract.status import Intent, RunStatus
from tests.support.audit import invocation, model_call


def test_every_type_has_a_stage() -> None:
    assert set(STAGE_OF) == set(TraceType)
    assert len(TraceType) == 17
    assert len(set(STAGE_OF.values())) == 7


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (TraceEvent(TraceType.RUN_STARTED), RunStatus.ROUTING),
        (
            TraceEvent(TraceType.ROUTING_DECISION, {"intent": Intent.DIAGNOSIS.value}),
            RunStatus.DIAGNOSIS_RUNNING,
        ),
        (
            TraceEvent(TraceType.ROUTING_DECISION, {"intent": Intent.SYSTEM_CHAT.value}),
            RunStatus.SYSTEM_RESPONDING,
        ),
        (
            TraceEvent(TraceType.ROUTING_DECISION, {"intent": Intent.KNOWLEDGE_QUERY.value}),
            RunStatus.KNOWLEDGE_SEARCHING,
        ),
        (
            TraceEvent(TraceType.TOOL_INVOCATION, {"branch": Intent.KNOWLEDGE_QUERY.value}),
            RunStatus.KNOWLEDGE_ANSWERING,
        ),
        (TraceEvent(TraceType.TOOL_INVOCATION), None),
        (TraceEvent(TraceType.EVIDENCE_GUARD_INITIAL), RunStatus.SAFETY_VALIDATING),
        (TraceEvent(TraceType.RUN_FINISHED), None),
    ],
)
def test_progress_follows_the_events(event: TraceEvent, status: RunStatus | None) -> None:
    assert run_status_after(event) is status


def test_the_null_recorder_has_no_row_ids() -> None:
    recorder = NullRecorder()
    recorder.emit(TraceEvent(TraceType.RUN_STARTED))
    assert recorder.model_call(model_call(ModelRole.ROUTER)) is None
    assert recorder.tool_invocation(invocation()) is None
