"""One model call of the agent: asked once, paid for, and written down whatever comes back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ReasoningRecord,
    Scalar,
    TraceEvent,
    TraceType,
)
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import (
    Message,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelUnavailable,
    RetryFailure,
    ToolSpec,
)
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.model_gate import GatedReply, ModelGate
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.bounds import clip

MAX_REASONING_CHARS = 65_536


class StepKind(StrEnum):
    """What a turn of the agent was."""

    TOOL_REQUEST = "TOOL_REQUEST"
    DRAFT = "DRAFT"
    INVALID_DRAFT = "INVALID_DRAFT"
    UNANSWERED = "UNANSWERED"


@dataclass(frozen=True, slots=True)
class AgentModel:
    """The agent's model, asked one turn after the other; each turn leaves one step in the ledger."""

    gate: ModelGate
    run: Run
    recorder: Recorder
    times: AttemptLimits

    def ask(self, step_no: int, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...]) -> GatedReply:
        """Send one request; the agent has one attempt a turn.

        Raises ModelUnavailable, BudgetExceeded or RunAborted. What the failed call cost is written
        down as a step of its own with its ledger row, so that steps, ledger and budget agree.
        """
        budget = self.run.budget
        calls, spent_in, spent_out = budget.model_calls, budget.input_tokens, budget.output_tokens
        request = ModelRequest(ModelRole.AGENT, messages, tools)
        charged: list[int | None] = []
        try:
            return self.gate.call(
                request,
                timeout_s=min(self.times.attempt_s, self.times.total_s),
                on_charged=charged.append,
            )
        except Exception as error:
            if budget.model_calls > calls:
                record = AgentStepRecord(
                    step_no=step_no,
                    kind=StepKind.UNANSWERED.value,
                    tool_name=None,
                    model_call_id=next(iter(charged), None),
                    input_tokens=budget.input_tokens - spent_in,
                    output_tokens=budget.output_tokens - spent_out,
                )
                self._write(record, {"failure": _failure_word(error)})
            raise

    def record(self, step_no: int, gated: GatedReply, *, kind: StepKind, tool: ToolName | None) -> int | None:
        """Write down an answered turn; return the id of its ledger row."""
        reply = gated.reply
        record = AgentStepRecord(
            step_no=step_no,
            kind=kind.value,
            tool_name=tool.value if tool else None,
            model_call_id=gated.model_call_id,
            input_tokens=gated.tokens.input_tokens,
            output_tokens=gated.tokens.output_tokens,
        )
        details: dict[str, Scalar] = {
            "tool_calls": len(reply.tool_calls),
            "reply_bytes": reply.size_bytes(),
            "duration_ms": gated.duration_ms,
        }
        self.recorder.reasoning(ReasoningRecord(step_no, ModelRole.AGENT, _words_of(reply)))
        return self._write(record, details)

    def _write(self, record: AgentStepRecord, details: dict[str, Scalar]) -> int | None:
        step_id = self.recorder.agent_step(record)
        attributes: dict[str, Scalar] = {
            "step_no": record.step_no,
            "kind": record.kind,
            "tool": record.tool_name,
            "agent_step_id": step_id,
            "model_call_id": record.model_call_id,
            "input_tokens": record.input_tokens,
            "output_tokens": record.output_tokens,
            **details,
        }
        self.recorder.emit(TraceEvent(TraceType.AGENT_MODEL_STEP, attributes))
        return step_id


def _words_of(reply: ModelReply) -> str:
    calls = (f"{call.name} {call.arguments}" for call in reply.tool_calls)
    return clip("\n".join((reply.content, *calls)), MAX_REASONING_CHARS)


def _failure_word(error: Exception) -> str:
    match error:
        case ModelUnavailable():
            return error.failure.value
        case BudgetExceeded():
            return error.kind.value
        case RunAborted():
            return error.state.value
        case _:
            return RetryFailure.UNKNOWN.value
