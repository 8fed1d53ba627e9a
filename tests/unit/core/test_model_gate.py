from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    Message,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)
from superbiz_cli.harness.contract.status import CancelReason, RunState
from superbiz_cli.harness.core.budget import BudgetExceeded, BudgetKind
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run, RunAborted
from tests.support.clock import FakeClock
from tests.support.fakes import ListRecorder
from tests.support.runs import start_run

REQUEST = ModelRequest(
    role=ModelRole.AGENT,
    messages=(Message(role="system", content="s" * 90), Message(role="user", content="é" * 30)),
)
REQUEST_BYTES = 150
REPLY = ModelReply(
    content="r" * 60, finish_reason="stop", usage=ReportedUsage(40, 12), model="served-model", cost_usd=0.002
)


@dataclass
class OneReplyModel:
    """A model that takes `took_s`, then runs `meanwhile`, then answers or raises `outcome`."""

    clock: FakeClock
    outcome: ModelReply | Exception = REPLY
    took_s: float = 1.5
    meanwhile: Callable[[], object] = lambda: None
    timeouts: list[float] = field(default_factory=list)
    signals: list[CancelSignal] = field(default_factory=list)

    name = "configured/route"

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        self.timeouts.append(timeout_s)
        self.signals.append(cancel)
        self.clock.advance(self.took_s)
        self.meanwhile()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def recorder() -> ListRecorder:
    return ListRecorder()


@pytest.fixture
def run(clock: FakeClock) -> Run:
    return start_run(clock)


def gate(model: OneReplyModel, run: Run, recorder: ListRecorder) -> ModelGate:
    return ModelGate(model, run, recorder, prompt_sha256="ab12")


def test_a_reply_is_paid_for_recorded_and_returned(
    clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    model = OneReplyModel(clock)
    gated = gate(model, run, recorder).call(REQUEST, timeout_s=20, attempt=2)
    assert gated.reply is REPLY
    assert (gated.model_call_id, gated.duration_ms) == (1, 1500)
    assert (run.budget.model_calls, run.budget.input_tokens, run.budget.output_tokens) == (1, 40, 12)
    (row,) = recorder.model_calls
    assert (row.role, row.model, row.attempt) == (ModelRole.AGENT, "served-model", 2)
    assert (row.request_bytes, row.reply_bytes) == (REQUEST_BYTES, 60)
    assert (row.input_tokens, row.output_tokens, row.estimated) == (40, 12, False)
    assert (row.duration_ms, row.failure, row.finish_reason) == (1500, None, "stop")
    assert (row.prompt_sha256, row.cost_usd) == ("ab12", 0.002)


def test_the_model_gets_the_runs_cancel_signal_and_the_shorter_of_both_times(
    clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    model = OneReplyModel(clock, took_s=0)
    gate(model, run, recorder).call(REQUEST, timeout_s=20)
    clock.advance(295)
    gate(model, run, recorder).call(REQUEST, timeout_s=20)
    assert model.timeouts == [20, 5]
    assert model.signals == [run.cancellation, run.cancellation]


def test_a_reply_without_usage_is_charged_by_its_bytes_and_flagged(
    clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    call = ModelToolCall(id="x", name="query_logs", arguments="a" * 30)
    gate(OneReplyModel(clock, ModelReply("r" * 60, (call,))), run, recorder).call(REQUEST, timeout_s=20)
    (row,) = recorder.model_calls
    assert (row.input_tokens, row.output_tokens, row.estimated) == (REQUEST_BYTES // 3, 30, True)
    assert row.model == "configured/route"
    assert run.budget.output_tokens == 30


def test_a_failed_attempt_is_charged_recorded_and_raised_as_it_is(
    clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    error = ModelUnavailable(RetryFailure.TRANSPORT, http_status=503)
    with pytest.raises(ModelUnavailable) as caught:
        gate(OneReplyModel(clock, error), run, recorder).call(REQUEST, timeout_s=20)
    assert caught.value is error
    (row,) = recorder.model_calls
    assert (row.failure, row.estimated, row.duration_ms) == (RetryFailure.TRANSPORT, True, 1500)
    assert (run.budget.model_calls, run.budget.input_tokens, run.budget.output_tokens) == (1, 50, 1)
    run.check_active()


def test_an_ended_run_calls_no_model_and_spends_nothing(
    clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    run.cancel(CancelReason.USER_REQUESTED)
    model = OneReplyModel(clock)
    with pytest.raises(RunAborted):
        gate(model, run, recorder).call(REQUEST, timeout_s=20)
    assert (model.timeouts, run.budget.model_calls, recorder.model_calls) == ([], 0, [])


@pytest.mark.parametrize("outcome", [REPLY, ModelUnavailable(RetryFailure.CANCELLED)])
def test_a_cancel_while_waiting_ends_the_run_and_the_attempt_is_still_in_the_ledger(
    outcome: ModelReply | Exception, clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    model = OneReplyModel(clock, outcome, meanwhile=lambda: run.cancel(CancelReason.USER_REQUESTED))
    with pytest.raises(RunAborted) as caught:
        gate(model, run, recorder).call(REQUEST, timeout_s=20)
    assert caught.value.state is RunState.CANCELLED
    assert len(recorder.model_calls) == 1
    assert run.budget.input_tokens > 0


@pytest.mark.parametrize("outcome", [REPLY, ModelUnavailable(RetryFailure.TIMEOUT)])
def test_a_deadline_while_waiting_is_a_timed_out_run_and_not_a_failed_attempt(
    outcome: ModelReply | Exception, clock: FakeClock, run: Run, recorder: ListRecorder
) -> None:
    with pytest.raises(RunAborted) as caught:
        gate(OneReplyModel(clock, outcome, took_s=300), run, recorder).call(REQUEST, timeout_s=400)
    assert caught.value.state is RunState.TIMED_OUT


def test_the_call_that_is_not_in_the_budget_is_not_made(clock: FakeClock, recorder: ListRecorder) -> None:
    run = start_run(clock, limits=BudgetLimits(max_model_calls=1))
    model = OneReplyModel(clock)
    gate(model, run, recorder).call(REQUEST, timeout_s=20)
    with pytest.raises(BudgetExceeded) as caught:
        gate(model, run, recorder).call(REQUEST, timeout_s=20)
    assert (caught.value.kind, caught.value.attempted) == (BudgetKind.MODEL_CALLS, 2)
    assert (len(model.timeouts), len(recorder.model_calls)) == (1, 1)
    assert run.lifecycle.state is RunState.BUDGET_EXHAUSTED
    assert run.cancellation.reason is CancelReason.BUDGET_EXHAUSTED


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        (BudgetLimits(max_input_tokens=39), BudgetKind.INPUT_TOKENS),
        (BudgetLimits(max_output_tokens=11), BudgetKind.OUTPUT_TOKENS),
        (BudgetLimits(max_total_tokens=51), BudgetKind.TOTAL_TOKENS),
    ],
)
def test_tokens_beyond_the_budget_are_recorded_and_the_reply_is_withheld(
    limits: BudgetLimits, kind: BudgetKind, clock: FakeClock, recorder: ListRecorder
) -> None:
    run = start_run(clock, limits=limits)
    with pytest.raises(BudgetExceeded) as caught:
        gate(OneReplyModel(clock), run, recorder).call(REQUEST, timeout_s=20)
    assert caught.value.kind is kind
    assert (run.budget.input_tokens, run.budget.output_tokens) == (40, 12)
    assert len(recorder.model_calls) == 1
    assert run.lifecycle.state is RunState.BUDGET_EXHAUSTED


def test_a_provider_that_reports_nothing_runs_out_of_tokens_all_the_same(
    clock: FakeClock, recorder: ListRecorder
) -> None:
    run = start_run(clock, limits=BudgetLimits(max_input_tokens=120))
    silent = gate(OneReplyModel(clock, ModelReply("r")), run, recorder)
    silent.call(REQUEST, timeout_s=20)
    silent.call(REQUEST, timeout_s=20)
    with pytest.raises(BudgetExceeded):
        silent.call(REQUEST, timeout_s=20)


def test_a_failed_attempt_that_exhausts_the_budget_ends_the_run(
    clock: FakeClock, recorder: ListRecorder
) -> None:
    run = start_run(clock, limits=BudgetLimits(max_input_tokens=49))
    failing = OneReplyModel(clock, ModelUnavailable(RetryFailure.TRANSPORT))
    with pytest.raises(BudgetExceeded):
        gate(failing, run, recorder).call(REQUEST, timeout_s=20)
    assert run.lifecycle.state is RunState.BUDGET_EXHAUSTED
    assert [row.failure for row in recorder.model_calls] == [RetryFailure.TRANSPORT]


def test_a_cancelled_attempt_that_exhausts_the_budget_too_stays_cancelled(
    clock: FakeClock, recorder: ListRecorder
) -> None:
    run = start_run(clock, limits=BudgetLimits(max_input_tokens=1))
    model = OneReplyModel(clock, meanwhile=lambda: run.cancel(CancelReason.USER_REQUESTED))
    with pytest.raises(RunAborted) as caught:
        gate(model, run, recorder).call(REQUEST, timeout_s=20)
    assert caught.value.state is RunState.CANCELLED
