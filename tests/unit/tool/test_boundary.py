from __future__ import annotations

import pytest

from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.limits import BudgetLimits, PayloadLimits
from superbiz_cli.harness.contract.status import (
    CancelReason,
    EvidenceStatus,
    Intent,
    InvocationStatus,
    RelevanceLevel,
    RunState,
)
from superbiz_cli.harness.contract.tool_call import (
    ControlView,
    ToolErrorCode,
    ToolFailed,
    ToolName,
    ToolReady,
)
from superbiz_cli.harness.core.budget import BudgetKind
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreFault
from superbiz_cli.harness.tool.port import CallContext
from tests.support.fakes import FakeEvidenceTool, Scripted, found, nothing
from tests.support.tool_bench import CALL_ID, REQUEST_JSON, Bench, failed, tool

SECRET = "hunter2"


@pytest.fixture
def bench() -> Bench:
    return Bench()


class TestSuccess:
    def test_a_call_goes_through_all_phases_and_leaves_a_ready_record(self, bench: Bench) -> None:
        script = Scripted(payload={"excerpt": "pool exhausted"}, count=3, truncated=True, delay_s=1.25)
        outcome = bench.execute(tool(script))
        assert isinstance(outcome, ToolReady)
        assert outcome.control == ControlView(EvidenceStatus.EVIDENCE_FOUND, None, 3, truncated=True)
        assert bench.record == CanonicalInvocation(
            run_id="run-1",
            tool_call_id=CALL_ID,
            tool_name=ToolName.QUERY_LOGS,
            request=REQUEST_JSON,
            status=InvocationStatus.READY,
            started_at="2026-11-30T10:15:00+00:00",
            evidence_status=EvidenceStatus.EVIDENCE_FOUND,
            raw_response='{"call":0,"padding":""}',
            agent_result=outcome.agent_result,
            completed_at="2026-11-30T10:15:01.250000+00:00",
        )
        assert bench.marked.is_referencable_by("run-1")

    def test_nothing_found_is_a_ready_result_too(self, bench: Bench) -> None:
        outcome = bench.execute(tool(nothing()))
        assert isinstance(outcome, ToolReady)
        assert outcome.control == ControlView(EvidenceStatus.NO_EVIDENCE)
        assert bench.marked.status is InvocationStatus.READY
        assert bench.marked.is_referencable_by("run-1")

    def test_the_back_end_gets_the_run_and_the_incident(self, bench: Bench) -> None:
        contexts: list[CallContext] = []
        bench.execute(tool(Scripted(on_fetch=contexts.append)))
        assert contexts == [CallContext(bench.run, bench.boundary.incident)]

    def test_the_record_is_begun_before_the_back_end_runs(self, bench: Bench) -> None:
        seen: list[CanonicalInvocation] = []
        bench.execute(tool(Scripted(on_fetch=lambda _context: seen.append(bench.marked))))
        assert [record.status for record in seen] == [InvocationStatus.PROJECTING]

    def test_request_raw_response_and_agent_result_are_paid_for(self, bench: Bench) -> None:
        outcome = bench.execute(tool(Scripted(raw_bytes=500)))
        assert isinstance(outcome, ToolReady)
        spent = len(REQUEST_JSON) + 500 + len(outcome.agent_result.encode())
        assert bench.run.budget.run_bytes == spent
        assert bench.run.budget.calls_per_tool == {"query_logs": 1}

    def test_the_audit_row_and_the_event_hold_identity_status_and_sizes(self, bench: Bench) -> None:
        script = Scripted(relevance=RelevanceLevel.PRECISE, count=2, truncated=True, delay_s=0.2)
        outcome = bench.execute(tool(script), step_id=7)
        assert isinstance(outcome, ToolReady)
        (row,) = bench.recorder.tool_invocations
        assert (row.tool_name, row.tool_call_id, row.step_id) == (ToolName.QUERY_LOGS, CALL_ID, 7)
        assert (row.status, row.evidence_status, row.error_code) == (
            InvocationStatus.READY,
            EvidenceStatus.EVIDENCE_FOUND,
            None,
        )
        assert (row.request_bytes, row.raw_bytes) == (len(REQUEST_JSON), 23)
        assert row.agent_result_bytes == len(outcome.agent_result.encode())
        assert (row.duration_ms, row.truncated, row.relevance_level) == (200, True, RelevanceLevel.PRECISE)
        (event,) = bench.recorder.events
        assert event.type is TraceType.TOOL_INVOCATION
        assert event.attributes == {
            "tool": "query_logs",
            "tool_call_id": CALL_ID,
            "status": "READY",
            "evidence_status": "EVIDENCE_FOUND",
            "error_code": None,
            "raw_bytes": 23,
            "agent_result_bytes": row.agent_result_bytes,
            "duration_ms": 200,
            "scope": "query_logs#32eb5a43",
            "tool_invocation_id": 1,
        }
        assert event.display == {
            "scope": "pool exhausted",
            "count": 2,
            "relevance": "PRECISE",
            "truncated": True,
        }

    def test_what_is_persisted_of_a_call_holds_no_query_and_no_evidence(self, bench: Bench) -> None:
        bench.execute(tool(found(excerpt=SECRET)))
        persisted = f"{bench.recorder.tool_invocations} {[dict(e.attributes) for e in bench.recorder.events]}"
        assert "pool" not in persisted
        assert SECRET not in persisted

    def test_the_branch_is_named_in_the_events_if_it_is_given(self) -> None:
        bench = Bench(branch=Intent.KNOWLEDGE_QUERY)
        bench.execute(tool())
        bench.execute(tool(), read_only=False)
        assert [event.attributes["branch"] for event in bench.recorder.events] == ["KNOWLEDGE_QUERY"] * 2

    def test_the_declared_status_is_handed_up_for_comparison_with_the_written_one(self, bench: Bench) -> None:
        script = Scripted(status=EvidenceStatus.EVIDENCE_FOUND, declared=EvidenceStatus.NO_EVIDENCE)
        outcome = bench.execute(tool(script))
        assert isinstance(outcome, ToolReady)
        assert outcome.control.evidence_status is EvidenceStatus.NO_EVIDENCE
        reread = tool().read(outcome.agent_result, tool_call_id=CALL_ID)
        assert reread.control.evidence_status is EvidenceStatus.EVIDENCE_FOUND


class TestAdmission:
    """Phase 1: whatever fails here costs no back end and leaves no record."""

    @staticmethod
    def assert_rejected(bench: Bench, fake: FakeEvidenceTool, code: ToolErrorCode) -> None:
        assert fake.requests == []
        assert bench.record is None
        assert bench.recorder.tool_invocations == []
        (event,) = bench.recorder.events
        assert event.type is TraceType.TOOL_REQUEST_REJECTED
        assert event.attributes == {"tool": "query_logs", "tool_call_id": CALL_ID, "error_code": code.value}
        assert event.display == {}

    def test_a_call_of_another_run_is_a_run_mismatch(self, bench: Bench) -> None:
        fake = tool()
        assert bench.execute(fake, run_id="run-2") == failed(ToolErrorCode.RUN_MISMATCH)
        self.assert_rejected(bench, fake, ToolErrorCode.RUN_MISMATCH)

    def test_a_call_that_is_not_authorized_is_refused(self, bench: Bench) -> None:
        fake = tool()
        assert bench.execute(fake, authorized=False) == failed(ToolErrorCode.UNAUTHORIZED)
        self.assert_rejected(bench, fake, ToolErrorCode.UNAUTHORIZED)

    def test_a_call_that_would_write_is_refused(self, bench: Bench) -> None:
        fake = tool()
        assert bench.execute(fake, read_only=False) == failed(ToolErrorCode.NOT_READ_ONLY)
        self.assert_rejected(bench, fake, ToolErrorCode.NOT_READ_ONLY)

    @pytest.mark.parametrize(
        "text", ["", "null", "[]", '"query"', "{", '{"a":1,"a":2}', '{"a":NaN}', "\ud800"]
    )
    def test_a_request_that_is_no_json_object_is_invalid(self, text: str, bench: Bench) -> None:
        fake = tool()
        assert bench.execute(fake, request_json=text) == failed(ToolErrorCode.INVALID_REQUEST)
        self.assert_rejected(bench, fake, ToolErrorCode.INVALID_REQUEST)

    @pytest.mark.parametrize("call_id", ["", "a b", "a:b", "x" * 129, "ev-1\n", "../x", "é"])
    def test_an_id_of_another_shape_is_refused_and_not_written_down(self, call_id: str, bench: Bench) -> None:
        fake = tool()
        outcome = bench.execute(fake, tool_call_id=call_id)
        assert outcome == ToolFailed(call_id, ToolName.QUERY_LOGS, ToolErrorCode.INVALID_TOOL_CALL_ID)
        assert fake.requests == []
        (event,) = bench.recorder.events
        assert event.attributes["tool_call_id"] is None

    @pytest.mark.parametrize("call_id", ["a", "A-z_0.9", "x" * 128])
    def test_an_id_of_the_legal_shape_is_accepted(self, call_id: str, bench: Bench) -> None:
        assert isinstance(bench.execute(tool(), tool_call_id=call_id), ToolReady)

    def test_the_checks_come_in_their_order(self, bench: Bench) -> None:
        everything_wrong = {"run_id": "run-2", "authorized": False, "read_only": False}
        codes = []
        for right in (None, "run_id", "authorized", "read_only"):
            everything_wrong.pop(right or "", None)
            outcome = bench.execute(tool(), request_json="[]", tool_call_id="a b", **everything_wrong)  # type: ignore[arg-type]
            assert isinstance(outcome, ToolFailed)
            codes.append(outcome.code)
        assert codes == [
            ToolErrorCode.RUN_MISMATCH,
            ToolErrorCode.UNAUTHORIZED,
            ToolErrorCode.NOT_READ_ONLY,
            ToolErrorCode.INVALID_REQUEST,
        ]
        assert bench.run.budget.tool_calls == 0

    def test_the_same_id_twice_is_a_duplicate_and_the_first_record_stays(self, bench: Bench) -> None:
        fake = tool(found(), nothing())
        bench.execute(fake)
        first = bench.record
        assert bench.execute(fake) == failed(ToolErrorCode.DUPLICATE_TOOL_CALL)
        assert len(fake.requests) == 1
        assert bench.record == first
        assert [event.type for event in bench.recorder.events] == [
            TraceType.TOOL_INVOCATION,
            TraceType.TOOL_REQUEST_REJECTED,
        ]

    @pytest.mark.parametrize(
        ("limits", "kind"),
        [
            (BudgetLimits(max_tool_calls=0), BudgetKind.TOOL_CALLS),
            (BudgetLimits(max_calls_per_tool=0), BudgetKind.CALLS_PER_TOOL),
            (BudgetLimits(max_run_bytes=len(REQUEST_JSON) - 1), BudgetKind.RUN_BYTES),
        ],
    )
    def test_a_call_beyond_the_budget_ends_the_run_without_a_record(
        self, limits: BudgetLimits, kind: BudgetKind
    ) -> None:
        bench, fake = Bench(limits=limits), tool()
        assert bench.execute(fake) == failed(ToolErrorCode.BUDGET_EXHAUSTED)
        self.assert_rejected(bench, fake, ToolErrorCode.BUDGET_EXHAUSTED)
        assert bench.run.lifecycle.state is RunState.BUDGET_EXHAUSTED
        assert bench.run.exhaustion is not None
        assert bench.run.exhaustion.kind is kind

    def test_a_request_larger_than_a_record_is_refused(self) -> None:
        bench, fake = Bench(payload=PayloadLimits(canonical_record_bytes=len(REQUEST_JSON) - 1)), tool()
        assert bench.execute(fake) == failed(ToolErrorCode.RESULT_TOO_LARGE, "request")
        self.assert_rejected(bench, fake, ToolErrorCode.RESULT_TOO_LARGE)
        assert bench.run.budget.run_bytes == 0

    @pytest.mark.parametrize(
        ("fault", "code"),
        [
            (StoreFault.UNAVAILABLE, ToolErrorCode.STORE_ERROR),
            (StoreFault.CORRUPT, ToolErrorCode.STORE_ERROR),
            (StoreFault.ILLEGAL_TRANSITION, ToolErrorCode.STORE_ERROR),
            (StoreFault.TOO_LARGE, ToolErrorCode.RESULT_TOO_LARGE),
            (StoreFault.DUPLICATE, ToolErrorCode.DUPLICATE_TOOL_CALL),
        ],
    )
    def test_a_store_that_cannot_begin_is_one_stable_code(
        self, fault: StoreFault, code: ToolErrorCode, bench: Bench
    ) -> None:
        fake = tool()
        bench.store.faults["begin"] = fault
        assert bench.execute(fake) == failed(code)
        self.assert_rejected(bench, fake, code)
        bench.run.check_active()

    def test_an_ended_run_starts_nothing(self, bench: Bench) -> None:
        fake = tool()
        bench.run.cancel(CancelReason.USER_REQUESTED)
        with pytest.raises(RunAborted) as caught:
            bench.execute(fake)
        assert caught.value.state is RunState.CANCELLED
        assert bench.run.budget.tool_calls == 0
        self.assert_rejected(bench, fake, ToolErrorCode.RUN_INACTIVE)
