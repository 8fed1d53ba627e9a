"""The ReAct loop: ask the model, answer its tool call or read its draft, until one of them ends it.

It always ends: every turn is paid from the budget, fruitless and illegal requests saturate, a model
that was told to stop is asked for a draft only, and an invalid draft is answered once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from superbiz_cli.harness.agent import observation
from superbiz_cli.harness.agent.draft_parser import DraftRefused, parse_draft
from superbiz_cli.harness.agent.history import AnsweredCall, History
from superbiz_cli.harness.agent.outcome import Collection, Completed, DraftFault, Stopped
from superbiz_cli.harness.agent.tool_gate import ToolGate
from superbiz_cli.harness.agent.turn import AgentModel, StepKind
from superbiz_cli.harness.audit.events import Scalar, TraceEvent, TraceType
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.limits import RunLimits, utf8_size
from superbiz_cli.harness.contract.model import ModelReply, ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import RunState, StopReason
from superbiz_cli.harness.core.budget import BudgetExceeded, estimate
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run, RunAborted

_FULL_SIZE_SHARE = 0.5
MAX_ANSWERED_CALLS = 16
"""Further calls of one turn are left out of the history: nobody needs a hundred refusals."""


class AgentUnavailable(Exception):
    """The agent's model gave no reply while the collection was under way.

    What had been observed by then is in the tracker's `completed_calls`. `hint` is our own sentence
    for the user, if there is one.
    """

    def __init__(self, failure: RetryFailure, hint: str | None = None) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.hint = hint


class AgentInputTooLarge(ValueError):
    """The agent's input is larger than its limit: whoever built it has to leave something out."""


def collect(
    agent_input: str,
    *,
    gate: ModelGate,
    tool_gate: ToolGate,
    system_prompt: str,
    limits: RunLimits,
    run: Run,
    recorder: Recorder,
) -> Collection:
    """Let the model collect evidence until it hands in a draft or the harness stops it.

    `agent_input` is the user message, one JSON object. Returns Completed, or Stopped with the reason
    (saturation, protocol, budget, an invalid draft). Raises RunAborted if the Run was cancelled,
    timed out or failed meanwhile, AgentUnavailable if the model gave no reply, and
    AgentInputTooLarge.
    """
    if utf8_size(agent_input) > limits.payload.agent_input_bytes:
        raise AgentInputTooLarge(f"more than {limits.payload.agent_input_bytes} bytes")
    loop = _Loop(
        model=AgentModel(gate, run, recorder, limits.time.agent),
        tool_gate=tool_gate,
        history=History(system_prompt=system_prompt, agent_input=agent_input),
        draft_bytes=limits.payload.draft_bytes,
        run=run,
    )
    try:
        loop.pay(utf8_size(agent_input))
        ending = loop.until_over()
    except BudgetExceeded:
        ending = Stopped(tool_gate.tracker.mark_budget_limit_reached())
    except RunAborted as aborted:
        if aborted.state is not RunState.BUDGET_EXHAUSTED:
            raise
        ending = Stopped(tool_gate.tracker.mark_budget_limit_reached())
    _announce(ending, tool_gate, recorder)
    return ending


@dataclass(slots=True)
class _Loop:
    """One collection while it is under way."""

    model: AgentModel
    tool_gate: ToolGate
    history: History
    draft_bytes: int
    run: Run
    open_fault: DraftFault | None = field(default=None, init=False)
    repair_is_used: bool = field(default=False, init=False)

    def until_over(self) -> Collection:
        """Take turns until one of them ends the collection."""
        step_no = 0
        while True:
            step_no += 1
            ending = self._turn(step_no)
            if ending is not None:
                return ending

    def pay(self, size_bytes: int) -> None:
        """Take `size_bytes` from the run budget. Raises RunAborted or BudgetExceeded."""
        self.run.check_active()
        with self.run.ending_on_exhaustion():
            self.run.budget.reserve_bytes(size_bytes)

    def _save_tokens(self) -> None:
        """Shorten what the model has read before, once the next request would pass half of the budget.

        Every turn sends all results again: at full size some six of them would end the Run.
        """
        budget = self.run.budget
        next_total = budget.input_tokens + estimate(self.history.size_bytes())
        if next_total > budget.limits.max_input_tokens * _FULL_SIZE_SHARE:
            self.history.shorten_earlier()

    def _turn(self, step_no: int) -> Collection | None:
        self._save_tokens()
        try:
            gated = self.model.ask(step_no, self.history.messages, self.tool_gate.specs())
        except ModelUnavailable as error:
            return self._without_reply(error)
        reply = gated.reply
        if reply.tool_calls:
            tool = self.tool_gate.known(reply.tool_calls[0].name)
            step_id = self.model.record(step_no, gated, kind=StepKind.TOOL_REQUEST, tool=tool)
            self.pay(reply.size_bytes())
            return self._answer_calls(reply, step_id)
        read = self._read_draft(reply)
        kind = StepKind.DRAFT if isinstance(read, Draft) else StepKind.INVALID_DRAFT
        self.model.record(step_no, gated, kind=kind, tool=None)
        self.pay(reply.size_bytes())
        return Completed(read) if isinstance(read, Draft) else self._answer_fault(reply, read)

    def _without_reply(self, error: ModelUnavailable) -> Stopped:
        """A collection that is over but for the draft has its reason already."""
        tracker = self.tool_gate.tracker
        if self.open_fault is not None:
            return Stopped(self.open_fault)
        if tracker.stop_is_delivered and tracker.stop_reason is not None:
            return Stopped(tracker.stop_reason)
        raise AgentUnavailable(error.failure, error.hint) from error

    def _answer_calls(self, reply: ModelReply, step_id: int | None) -> Stopped | None:
        self.open_fault = None
        first, *others = reply.tool_calls[:MAX_ANSWERED_CALLS]
        answer = self.tool_gate.answer(first, step_id=step_id)
        if answer.ended is not None:
            return Stopped(answer.ended)
        answered = [AnsweredCall(first, answer.call_id, answer.observation)]
        for call in others:
            declined = self.tool_gate.decline(call)
            answered.append(AnsweredCall(call, declined.call_id, declined.observation))
        self.history.add_calls(reply.content, answered)
        return None

    def _read_draft(self, reply: ModelReply) -> Draft | DraftRefused:
        try:
            return parse_draft(reply.content, max_bytes=self.draft_bytes, finish_reason=reply.finish_reason)
        except DraftRefused as refused:
            return refused

    def _answer_fault(self, reply: ModelReply, refused: DraftRefused) -> Stopped | None:
        if self.repair_is_used:
            return Stopped(refused.fault)
        self.repair_is_used = True
        self.open_fault = refused.fault
        repair = observation.draft_repair(refused.fault, refused.path)
        self.history.add_draft_repair(reply.content, repair, max_chars=self.draft_bytes)
        return None


def _announce(ending: Collection, tool_gate: ToolGate, recorder: Recorder) -> None:
    """Write why the collection was stopped, unless the gate wrote it when it told the model."""
    tracker = tool_gate.tracker
    match ending:
        case Completed():
            return
        case Stopped(reason=StopReason()) if tracker.stop_is_delivered:
            return
        case Stopped(reason=reason):
            attributes: dict[str, Scalar] = {
                "reason": reason.value,
                "delivered": False,
                "completed_calls": len(tracker.completed_calls),
            }
            recorder.emit(TraceEvent(TraceType.COLLECTION_STOPPED, attributes))
        case _:
            assert_never(ending)
