"""Builders for guard and release: a Run on a fake clock, a queued model, guarded calls to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from superbiz_cli.harness.audit.recorder import NullRecorder, Recorder
from superbiz_cli.harness.contract.limits import AttemptLimits, BudgetLimits
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
)
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.policy import JUDGE, RetryPolicy
from tests.support.clock import FakeClock

RUN_ID = "run0000001"
JUDGE_TIMES = AttemptLimits(attempt_s=20.0, total_s=45.0)


def a_run(*, limits: BudgetLimits | None = None, run_id: str = RUN_ID) -> Run:
    return Run.start(
        session_id="s",
        deadline_s=300.0,
        limits=limits or BudgetLimits(),
        clock=FakeClock(),
        run_id=run_id,
    )


def text_reply(content: str, *, finish_reason: str | None = "stop") -> ModelReply:
    return ModelReply(content=content, finish_reason=finish_reason)


def tool_reply() -> ModelReply:
    return ModelReply(content="", tool_calls=(ModelToolCall("c1", "query_logs", "{}"),))


Turn = ModelReply | BaseException | Callable[[ModelRequest], ModelReply]


@dataclass
class QueuedModel:
    """Plays its turns in order; running out of them is a defect of the test."""

    turns: Sequence[Turn]
    requests: list[ModelRequest] = field(default_factory=list)
    timeouts_s: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "queued"

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        number = len(self.requests)
        self.requests.append(request)
        self.timeouts_s.append(timeout_s)
        assert number < len(self.turns), "the model was asked more often than the test allows"
        turn = self.turns[number]
        if isinstance(turn, BaseException):
            raise turn
        return turn if isinstance(turn, ModelReply) else turn(request)


def a_guard_call(
    model: QueuedModel,
    *,
    run: Run | None = None,
    recorder: Recorder | None = None,
    role: ModelRole = ModelRole.JUDGE,
    policy: RetryPolicy = JUDGE,
    times: AttemptLimits = JUDGE_TIMES,
    max_input_bytes: int = 100_000,
    max_output_bytes: int = 10_000,
) -> GuardCall:
    run = run or a_run()
    return GuardCall(
        gate=ModelGate(model, run, recorder or NullRecorder()),
        run=run,
        system_prompt="You are a guard.",
        role=role,
        policy=policy,
        times=times,
        max_input_bytes=max_input_bytes,
        max_output_bytes=max_output_bytes,
    )
