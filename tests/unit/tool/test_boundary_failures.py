from __future__ import annotations

import logging

import pytest

from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.evidence import ReadResult
from superbiz_cli.harness.contract.limits import BudgetLimits, PayloadLimits
from superbiz_cli.harness.contract.status import (
    CancelReason,
    EvidenceStatus,
    InvocationStatus,
    RunState,
)
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolReady
from superbiz_cli.harness.core.budget import BudgetExceeded, BudgetKind
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.tool.boundary import ToolBoundary
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault
from superbiz_cli.harness.tool.port import (
    CallContext,
    Projection,
    ProjectionFailed,
    ToolExecutionFailed,
    ToolRejected,
)
from tests.support.fakes import (
    FakeEvidenceTool,
    FakeRequest,
    InMemoryInvocationStore,
    Scripted,
    failing,
    found,
)
from tests.support.tool_bench import REQUEST_JSON, Bench, failed, tool

SECRET = "hunter2"


@pytest.fixture
def bench() -> Bench:
    return Bench()


class TestFailure:
    """Phases 2 to 5: whatever fails is marked in the record and shown as one stable code."""

    @staticmethod
    def assert_marked(bench: Bench, code: ToolErrorCode, *, raw: bool) -> None:
        record = bench.marked
        assert (record.status, record.evidence_status, record.error_code) == (
            InvocationStatus.ERROR,
            EvidenceStatus.ERROR,
            code,
        )
        assert (record.raw_response is not None) == raw
        assert not record.is_referencable_by("run-1")
        (row,) = bench.recorder.tool_invocations
        assert (row.status, row.evidence_status, row.error_code, row.agent_result_bytes) == (
            InvocationStatus.ERROR,
            EvidenceStatus.ERROR,
            code,
            0,
        )
        (event,) = bench.recorder.events
        assert event.type is TraceType.TOOL_INVOCATION
        assert (event.attributes["status"], event.attributes["error_code"]) == ("ERROR", code.value)
        assert event.attributes["tool_invocation_id"] == 1
        assert event.display["count"] == 0

    def test_a_back_end_that_fails_is_an_execution_error_with_its_category(self, bench: Bench) -> None:
        outcome = bench.execute(tool(failing(ToolExecutionFailed("connection_lost"))))
        assert outcome == failed(ToolErrorCode.TOOL_EXECUTION_ERROR, "connection_lost")
        self.assert_marked(bench, ToolErrorCode.TOOL_EXECUTION_ERROR, raw=False)
        bench.run.check_active()

    def test_a_back_end_may_say_that_its_result_is_too_large(self, bench: Bench) -> None:
        error = ToolExecutionFailed(code=ToolErrorCode.RESULT_TOO_LARGE)
        assert bench.execute(tool(failing(error))) == failed(ToolErrorCode.RESULT_TOO_LARGE)
        self.assert_marked(bench, ToolErrorCode.RESULT_TOO_LARGE, raw=False)

    def test_a_back_end_that_rejects_the_request_late_makes_it_invalid(self, bench: Bench) -> None:
        outcome = bench.execute(tool(failing(ToolRejected("unknown_column"))))
        assert outcome == failed(ToolErrorCode.INVALID_REQUEST, "unknown_column")
        self.assert_marked(bench, ToolErrorCode.INVALID_REQUEST, raw=False)

    @pytest.mark.parametrize(
        ("script", "code", "raw"),
        [
            (failing(OSError(SECRET)), ToolErrorCode.TOOL_EXECUTION_ERROR, False),
            (Scripted(projection_error=KeyError(SECRET)), ToolErrorCode.PROJECTION_ERROR, True),
        ],
    )
    def test_no_text_of_a_library_leaves_the_boundary(
        self,
        script: Scripted,
        code: ToolErrorCode,
        raw: bool,
        bench: Bench,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        with caplog.at_level(logging.DEBUG):
            outcome = bench.execute(tool(script))
        assert outcome == failed(code)
        self.assert_marked(bench, code, raw=raw)
        written = [bench.recorder.events, bench.recorder.tool_invocations, bench.record]
        assert SECRET not in f"{outcome} {written} {caplog.text}"

    def test_a_raw_response_that_is_no_text_is_an_execution_error(self, bench: Bench) -> None:
        class Garbled(FakeEvidenceTool):
            def fetch(self, request: FakeRequest, context: CallContext) -> str:
                return "\udcff"

        assert bench.execute(Garbled()) == failed(ToolErrorCode.TOOL_EXECUTION_ERROR)
        self.assert_marked(bench, ToolErrorCode.TOOL_EXECUTION_ERROR, raw=False)

    def test_a_raw_response_may_be_as_large_as_a_record_and_no_larger(self) -> None:
        payload = PayloadLimits(canonical_record_bytes=2000)
        for raw_bytes, code in ((2000, None), (2001, ToolErrorCode.RESULT_TOO_LARGE)):
            bench = Bench(payload=payload)
            bench.store.max_record_bytes = 10_000
            outcome = bench.execute(tool(Scripted(raw_bytes=raw_bytes)))
            if code is None:
                assert isinstance(outcome, ToolReady)
            else:
                assert outcome == failed(code)
                self.assert_marked(bench, code, raw=False)
                assert bench.run.budget.run_bytes == len(REQUEST_JSON)

    def test_an_oversize_raw_response_is_never_projected(self) -> None:
        projected: list[str] = []

        class Watched(FakeEvidenceTool):
            def project(self, request: FakeRequest, raw_response: str, *, tool_call_id: str) -> Projection:
                projected.append(raw_response)
                return super().project(request, raw_response, tool_call_id=tool_call_id)

        bench = Bench(payload=PayloadLimits(canonical_record_bytes=100))
        outcome = bench.execute(Watched(results=[Scripted(raw_bytes=101)]))
        assert outcome == failed(ToolErrorCode.RESULT_TOO_LARGE)
        assert projected == []

    @pytest.mark.parametrize(
        ("max_run_bytes", "raw"),
        [(len(REQUEST_JSON) + 499, True), (len(REQUEST_JSON) + 501, True)],
        ids=["for the raw response", "for the agent result"],
    )
    def test_bytes_that_are_not_in_the_budget_end_the_run(self, max_run_bytes: int, raw: bool) -> None:
        bench = Bench(limits=BudgetLimits(max_run_bytes=max_run_bytes))
        outcome = bench.execute(tool(Scripted(raw_bytes=500)))
        assert outcome == failed(ToolErrorCode.BUDGET_EXHAUSTED)
        self.assert_marked(bench, ToolErrorCode.BUDGET_EXHAUSTED, raw=raw)
        assert bench.run.lifecycle.state is RunState.BUDGET_EXHAUSTED

    def test_a_budget_exhausted_inside_the_back_end_ends_the_run_too(self, bench: Bench) -> None:
        error = BudgetExceeded(BudgetKind.RUN_BYTES, limit=1, attempted=2)
        assert bench.execute(tool(failing(error))) == failed(ToolErrorCode.BUDGET_EXHAUSTED)
        self.assert_marked(bench, ToolErrorCode.BUDGET_EXHAUSTED, raw=False)
        assert bench.run.exhaustion is error

    @pytest.mark.parametrize(
        "script",
        [
            Scripted(projection_error=ProjectionFailed()),
            Scripted(declared=EvidenceStatus.ERROR),
            Scripted(agent_result=""),
            Scripted(agent_result="no json"),
            Scripted(agent_result="{}"),
            Scripted(agent_result='{"tool_call_id":"\udcff"}'),
            Scripted(count=0),
            Scripted(status=EvidenceStatus.NO_EVIDENCE, count=1),
        ],
        ids=["failed", "declares ERROR", "blank", "no JSON", "empty", "no text", "count 0", "count 1"],
    )
    def test_what_cannot_be_projected_and_read_again_is_a_projection_error(
        self, script: Scripted, bench: Bench
    ) -> None:
        assert bench.execute(tool(script)) == failed(ToolErrorCode.PROJECTION_ERROR)
        self.assert_marked(bench, ToolErrorCode.PROJECTION_ERROR, raw=True)

    def test_an_agent_result_of_another_call_is_a_projection_error(self, bench: Bench) -> None:
        result = (
            '{"evidence_status":"NO_EVIDENCE","returned_count":0,"tool_call_id":"ev-9","truncated":false}'
        )
        script = Scripted(status=EvidenceStatus.NO_EVIDENCE, agent_result=result)
        assert bench.execute(tool(script)) == failed(ToolErrorCode.PROJECTION_ERROR)

    def test_an_agent_result_has_a_limit_of_its_own(self) -> None:
        size = len(result_of(found()).encode())
        assert isinstance(
            Bench(payload=PayloadLimits(agent_result_bytes=size)).execute(tool(found())), ToolReady
        )
        bench = Bench(payload=PayloadLimits(agent_result_bytes=size - 1))
        assert bench.execute(tool(found())) == failed(ToolErrorCode.RESULT_TOO_LARGE)
        self.assert_marked(bench, ToolErrorCode.RESULT_TOO_LARGE, raw=False)

    def test_a_record_that_does_not_fit_the_store_is_too_large_and_marked_without_its_raw_part(self) -> None:
        bench = Bench()
        bench.store.max_record_bytes = 500
        assert bench.execute(tool(Scripted(raw_bytes=490))) == failed(ToolErrorCode.RESULT_TOO_LARGE)
        self.assert_marked(bench, ToolErrorCode.RESULT_TOO_LARGE, raw=False)

    @pytest.mark.parametrize(
        "fault",
        [StoreFault.UNAVAILABLE, StoreFault.ABSENT, StoreFault.CORRUPT, StoreFault.ILLEGAL_TRANSITION],
    )
    def test_a_store_that_fails_at_the_end_is_a_store_error_and_nothing_can_be_cited(
        self, fault: StoreFault, bench: Bench, caplog: pytest.LogCaptureFixture
    ) -> None:
        bench.store.faults["complete"] = fault
        with caplog.at_level(logging.WARNING):
            assert bench.execute(tool()) == failed(ToolErrorCode.STORE_ERROR)
        assert bench.marked.status is InvocationStatus.PROJECTING
        assert not bench.marked.is_referencable_by("run-1")
        assert fault.value in caplog.text
        (row,) = bench.recorder.tool_invocations
        assert row.error_code is ToolErrorCode.STORE_ERROR

    def test_a_store_that_fails_once_is_told_of_the_error_afterwards(self) -> None:
        class FailsOnce(InMemoryInvocationStore):
            def complete(self, record: CanonicalInvocation) -> None:
                if record.status is InvocationStatus.READY:
                    raise StoreError(StoreFault.UNAVAILABLE)
                super().complete(record)

        bench = Bench()
        bench.store = FailsOnce(clock=bench.clock)
        bench.boundary = ToolBoundary(
            bench.run, bench.store, bench.recorder, bench.payload, bench.boundary.incident
        )
        assert bench.execute(tool()) == failed(ToolErrorCode.STORE_ERROR)
        self.assert_marked(bench, ToolErrorCode.STORE_ERROR, raw=False)


class TestEndedRun:
    """A Run that ends during a call: the truth is marked, and RunAborted passes through."""

    def cancel(self, context: CallContext) -> None:
        context.run.cancel(CancelReason.USER_REQUESTED)

    def test_a_back_end_that_notices_passes_the_end_on(self, bench: Bench) -> None:
        def cancelled(context: CallContext) -> None:
            self.cancel(context)
            context.run.check_active()

        with pytest.raises(RunAborted):
            bench.execute(tool(Scripted(on_fetch=cancelled)))
        TestFailure.assert_marked(bench, ToolErrorCode.RUN_INACTIVE, raw=False)

    @pytest.mark.parametrize("error", [None, OSError("torn connection"), ToolExecutionFailed("torn")])
    def test_a_cancel_explains_whatever_the_back_end_does_then(
        self, error: Exception | None, bench: Bench
    ) -> None:
        with pytest.raises(RunAborted) as caught:
            bench.execute(tool(Scripted(on_fetch=self.cancel, error=error)))
        assert caught.value.state is RunState.CANCELLED
        TestFailure.assert_marked(bench, ToolErrorCode.RUN_INACTIVE, raw=error is None)

    def test_a_deadline_that_passes_during_the_call_is_a_timeout_and_no_tool_error(
        self, bench: Bench
    ) -> None:
        with pytest.raises(RunAborted) as caught:
            bench.execute(tool(Scripted(delay_s=301, error=ToolExecutionFailed("timeout"))))
        assert caught.value.state is RunState.TIMED_OUT
        TestFailure.assert_marked(bench, ToolErrorCode.RUN_INACTIVE, raw=False)

    def test_a_cancel_during_the_projection_publishes_nothing(self, bench: Bench) -> None:
        class CancelledWhileProjecting(FakeEvidenceTool):
            def read(self, agent_result: str, *, tool_call_id: str) -> ReadResult:
                bench.run.cancel(CancelReason.USER_REQUESTED)
                return super().read(agent_result, tool_call_id=tool_call_id)

        with pytest.raises(RunAborted):
            bench.execute(CancelledWhileProjecting())
        TestFailure.assert_marked(bench, ToolErrorCode.RUN_INACTIVE, raw=True)

    def test_a_store_that_cannot_mark_does_not_hide_the_end(self, bench: Bench) -> None:
        bench.store.faults["complete"] = StoreFault.UNAVAILABLE
        with pytest.raises(RunAborted):
            bench.execute(tool(Scripted(on_fetch=self.cancel)))


def result_of(script: Scripted) -> str:
    outcome = Bench().execute(tool(script))
    assert isinstance(outcome, ToolReady)
    return outcome.agent_result
