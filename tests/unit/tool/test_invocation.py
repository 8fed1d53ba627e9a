from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import product

import pytest

from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName
from superbiz_cli.harness.tool.invocation import CanonicalInvocation
from tests.support.fakes import Scripted, ready_record

READY = ready_record("run-1", "ev-1")
BEGUN = READY.as_begun()
FAILED = replace(
    BEGUN,
    status=InvocationStatus.ERROR,
    evidence_status=EvidenceStatus.ERROR,
    error_code=ToolErrorCode.PROJECTION_ERROR,
    completed_at=READY.completed_at,
)
LEGAL = {
    (InvocationStatus.PROJECTING, None),
    (InvocationStatus.READY, EvidenceStatus.EVIDENCE_FOUND),
    (InvocationStatus.READY, EvidenceStatus.NO_EVIDENCE),
    (InvocationStatus.ERROR, EvidenceStatus.ERROR),
}
BASE = {InvocationStatus.PROJECTING: BEGUN, InvocationStatus.READY: READY, InvocationStatus.ERROR: FAILED}


@pytest.mark.parametrize(
    ("status", "evidence_status"), list(product(InvocationStatus, [None, *EvidenceStatus]))
)
def test_four_combinations_of_status_and_evidence_are_legal_and_no_other(
    status: InvocationStatus, evidence_status: EvidenceStatus | None
) -> None:
    if (status, evidence_status) in LEGAL:
        assert replace(BASE[status], evidence_status=evidence_status).evidence_status is evidence_status
    else:
        with pytest.raises(ValueError, match="evidence status"):
            replace(BASE[status], evidence_status=evidence_status)


def test_a_ready_record_has_a_raw_response_and_an_agent_result() -> None:
    with pytest.raises(ValueError, match="raw response"):
        replace(READY, raw_response=None)
    with pytest.raises(ValueError, match="agent result"):
        replace(READY, agent_result=None)


@pytest.mark.parametrize("record", [BEGUN, FAILED])
def test_no_other_record_has_an_agent_result(record: CanonicalInvocation) -> None:
    with pytest.raises(ValueError, match="agent result"):
        replace(record, agent_result="{}")


def test_an_error_code_belongs_to_an_error_and_an_error_has_one() -> None:
    with pytest.raises(ValueError, match="error code"):
        replace(FAILED, error_code=None)
    for record in (BEGUN, READY):
        with pytest.raises(ValueError, match="error code"):
            replace(record, error_code=ToolErrorCode.STORE_ERROR)


def test_a_completion_time_belongs_to_what_is_complete() -> None:
    with pytest.raises(ValueError, match="completion time"):
        replace(BEGUN, completed_at=READY.completed_at)
    for record in (READY, FAILED):
        with pytest.raises(ValueError, match="completion time"):
            replace(record, completed_at=None)


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        READY.agent_result = "{}"  # type: ignore[misc]


@pytest.mark.parametrize("status", [EvidenceStatus.EVIDENCE_FOUND, EvidenceStatus.NO_EVIDENCE])
def test_a_ready_record_may_be_cited_by_its_own_run_only(status: EvidenceStatus) -> None:
    record = ready_record("run-1", "ev-1", script=Scripted(status=status))
    assert record.is_referencable_by("run-1")
    assert not record.is_referencable_by("run-2")


@pytest.mark.parametrize("record", [BEGUN, FAILED, replace(READY, agent_result=" \n")])
def test_an_unfinished_failed_or_blank_record_cannot_be_cited(record: CanonicalInvocation) -> None:
    assert not record.is_referencable_by("run-1")


@pytest.mark.parametrize("record", [READY, FAILED, BEGUN])
def test_a_record_knows_how_it_began(record: CanonicalInvocation) -> None:
    assert record.as_begun() == CanonicalInvocation(
        run_id="run-1",
        tool_call_id="ev-1",
        tool_name=ToolName.QUERY_LOGS,
        request=READY.request,
        status=InvocationStatus.PROJECTING,
        started_at=READY.started_at,
    )
