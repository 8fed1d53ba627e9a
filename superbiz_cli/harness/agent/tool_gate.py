"""The one gate between the model and the evidence tools: five checks around every call, in order.

1. told to stop: whoever was told and asks all the same ends the collection.
2. protocol: a known tool, a well-formed envelope, and the rating that is due, applied.
3. repetition: a scope that has been asked is answered without its back end.
4. the fact boundary; then the declared evidence status must be the one in the result.
5. the completed call is recorded, and the observation built.
"""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from typing import Any, assert_never

from superbiz_cli.harness.agent import observation
from superbiz_cli.harness.agent.envelope import Envelope, EnvelopeRefused, parse_envelope
from superbiz_cli.harness.agent.gate_audit import GateAudit, ProgressCause, Rejection
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.model import ModelToolCall, ToolSpec
from superbiz_cli.harness.contract.status import EvidenceStatus, InformationGain, StopReason
from superbiz_cli.harness.contract.tool_call import (
    ToolErrorCode,
    ToolFailed,
    ToolName,
    ToolOutcome,
    ToolReady,
)
from superbiz_cli.harness.progress.protocol import ViolationType
from superbiz_cli.harness.progress.scope import Scope, rejected_scope, scope_of
from superbiz_cli.harness.progress.tracker import ProgressTracker
from superbiz_cli.harness.tool.boundary import ToolBoundary, ToolCallEnvelope
from superbiz_cli.harness.tool.call_audit import scope_reference
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.port import EvidenceTool, ProjectionFailed, ToolRejected

OBSERVATION_CONTRACT_MISMATCH = "observation_contract_mismatch"


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """The answer to one tool call: its id in the history and the observation.

    `ended` is set when the collection is over and the model is not to be asked again.
    """

    call_id: str
    observation: str
    ended: StopReason | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A well-formed request after the tool's parser: an effective request, or a rejected input."""

    tool: EvidenceTool[Any]
    scope: Scope
    request: Any = None
    rejected_as: str | None = None

    @property
    def reference(self) -> str | None:
        """`tool#hash` of an effective request."""
        return None if self.rejected_as is not None else scope_reference(self.tool, self.request)


class ToolGate:
    """The gate of one collection. Mints the ids that the model is told to cite.

    The ids hold a random part, so that no log line can guess one. Calls that never reach the
    boundary get an id for the history only, of a shape that is never shown for citing.
    """

    def __init__(
        self,
        *,
        catalog: ToolCatalog,
        boundary: ToolBoundary,
        tracker: ProgressTracker,
        recorder: Recorder,
        nonce: str | None = None,
    ) -> None:
        """`nonce` is the random part of the ids, for tests."""
        self.tracker = tracker
        self._catalog = catalog
        self._boundary = boundary
        self._audit = GateAudit(recorder, tracker)
        self._nonce = nonce or _random_nonce()
        self._minted = 0
        self._unrun = 0

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools to offer: none once the model has been told to stop."""
        return () if self.tracker.stop_is_delivered else self._catalog.specs()

    def known(self, name: str) -> ToolName | None:
        """Return the configured tool called `name`, if there is one."""
        tool = self._catalog.get(name)
        return tool.name if tool else None

    def answer(self, call: ModelToolCall, *, step_id: int | None = None) -> GateAnswer:
        """Answer the first tool call of a turn. `step_id` is the ledger row of the turn.

        Raises RunAborted if the Run has ended.
        """
        if self.tracker.stop_is_delivered:
            return self._after_stop(call)
        tool = self._catalog.get(call.name)
        if tool is None:
            return self._illegal(ViolationType.UNKNOWN_TOOL, tool=None)
        try:
            envelope = parse_envelope(call.arguments)
        except EnvelopeRefused as refused:
            return self._illegal(refused.violation, tool=tool.name, missing_field=refused.missing_field)
        return self._answer_envelope(self._parsed(tool, envelope), envelope, step_id)

    def decline(self, call: ModelToolCall) -> GateAnswer:
        """Answer a further tool call of a turn: not run, neither gain nor violation."""
        self._audit.rejected(Rejection.ONE_CALL_PER_TURN, tool=self.known(call.name))
        return GateAnswer(self._unrun_id(), observation.not_run())

    def _after_stop(self, call: ModelToolCall) -> GateAnswer:
        self._audit.rejected(Rejection.COLLECTION_STOPPED, tool=self.known(call.name))
        return GateAnswer(self._unrun_id(), observation.not_run(), self.tracker.stop_reason)

    def _parsed(self, tool: EvidenceTool[Any], envelope: Envelope) -> _Asked:
        try:
            request = tool.parse(envelope.input, incident=self._boundary.incident)
        except ToolRejected as rejected:
            scope = rejected_scope(tool.name, envelope.input)
            return _Asked(tool, scope, rejected_as=rejected.category)
        return _Asked(tool, scope_of(tool, request), request=request)

    def _answer_envelope(self, asked: _Asked, envelope: Envelope, step_id: int | None) -> GateAnswer:
        rating = envelope.rating
        violation = self.tracker.rate(rating)
        if violation is not None:
            return self._broken_rule(violation, asked)
        if rating is not None:
            self._audit.progressed(ProgressCause.RATING, gain=rating.gain, tool_call_id=rating.tool_call_id)
        if (stop := self._claimed_stop()) is not None:
            self._reject(Rejection.COLLECTION_STOPPED, asked)
            return GateAnswer(self._unrun_id(), observation.not_run(stop=stop))
        if self.tracker.has_asked(asked.scope):
            return self._repetition(asked)
        if asked.rejected_as is not None:
            return self._rejection(asked, asked.rejected_as)
        return self._run(asked, step_id)

    def _illegal(
        self, violation: ViolationType, *, tool: ToolName | None, missing_field: str | None = None
    ) -> GateAnswer:
        """Count and answer a request that is not even a well-formed envelope."""
        self.tracker.record_violation()
        self._audit.rejected(violation, tool=tool)
        return self._repair(violation, missing_field)

    def _broken_rule(self, violation: ViolationType, asked: _Asked) -> GateAnswer:
        """Answer a request whose rating is wrong. If it also repeats itself, it counts twice."""
        self._reject(violation, asked)
        if self.tracker.has_asked(asked.scope):
            self.tracker.record_repetition()
        return self._repair(violation, None)

    def _repair(self, violation: ViolationType, missing_field: str | None) -> GateAnswer:
        self._audit.progressed(ProgressCause.VIOLATION)
        text = observation.repair(
            violation,
            expected_id=self.tracker.pending_id,
            missing_field=missing_field,
            available_tools=self._catalog.names,
            stop=self._claimed_stop(),
        )
        return GateAnswer(self._unrun_id(), text)

    def _repetition(self, asked: _Asked) -> GateAnswer:
        self.tracker.record_repetition()
        same_as = self.tracker.asked_as(asked.scope)
        self._reject(Rejection.DUPLICATE_SCOPE, asked, same_as=same_as)
        self._audit.progressed(ProgressCause.REPETITION, gain=InformationGain.NO_GAIN, tool_call_id=same_as)
        stop = self._claimed_stop()
        if asked.rejected_as is not None:
            text = observation.rejection(asked.tool.name, asked.rejected_as, is_repeated=True, stop=stop)
            return GateAnswer(self._unrun_id(), text)
        has_failed = (same_as, asked.tool.name) not in self.tracker.completed_calls
        return GateAnswer(self._unrun_id(), observation.duplicate(same_as, has_failed=has_failed, stop=stop))

    def _rejection(self, asked: _Asked, category: str) -> GateAnswer:
        """Answer an input that the tool's parser rejected: it costs no tool budget, but not for ever."""
        self._reject(Rejection.INVALID_REQUEST, asked)
        self._record_failure(asked, None, ToolErrorCode.INVALID_REQUEST)
        text = observation.rejection(asked.tool.name, category, is_repeated=False, stop=self._claimed_stop())
        return GateAnswer(self._unrun_id(), text)

    def _run(self, asked: _Asked, step_id: int | None) -> GateAnswer:
        self._minted += 1
        call_id = f"ev-{self._nonce}-{self._minted}"
        envelope = ToolCallEnvelope(
            run_id=self._boundary.run.run_id,
            tool_call_id=call_id,
            request=asked.request,
            request_json=asked.tool.request_json(asked.request),
            step_id=step_id,
        )
        outcome = _confirmed(self._boundary.execute(asked.tool, envelope), asked.tool)
        match outcome:
            case ToolReady():
                return self._completed(asked, outcome)
            case ToolFailed(code=ToolErrorCode.BUDGET_EXHAUSTED):
                ended = self.tracker.mark_budget_limit_reached()
                return GateAnswer(call_id, observation.failure(outcome, stop=ended), ended)
            case ToolFailed():
                self._record_failure(asked, call_id, outcome.code)
                return GateAnswer(call_id, observation.failure(outcome, stop=self._claimed_stop()))
            case _:
                assert_never(outcome)

    def _completed(self, asked: _Asked, ready: ToolReady) -> GateAnswer:
        status = ready.control.evidence_status
        self.tracker.record_completed(asked.scope, tool_call_id=ready.tool_call_id, evidence_status=status)
        is_empty = status is EvidenceStatus.NO_EVIDENCE
        self._audit.progressed(
            ProgressCause.RESULT,
            gain=InformationGain.NO_GAIN if is_empty else None,
            tool_call_id=ready.tool_call_id,
        )
        return GateAnswer(ready.tool_call_id, observation.result(ready, stop=self._claimed_stop()))

    def _record_failure(self, asked: _Asked, call_id: str | None, code: ToolErrorCode) -> None:
        is_counted = self.tracker.record_failed(asked.scope, tool_call_id=call_id)
        self._audit.progressed(
            ProgressCause.FAILURE,
            gain=InformationGain.NO_GAIN if is_counted else None,
            tool_call_id=call_id,
            error_code=code,
        )

    def _reject(
        self, reason: Rejection | ViolationType, asked: _Asked, *, same_as: str | None = None
    ) -> None:
        self._audit.rejected(reason, tool=asked.tool.name, scope=asked.reference, same_as=same_as)

    def _claimed_stop(self) -> StopReason | None:
        """Return the reason to stop if this observation is the one that delivers it."""
        reason = self.tracker.claim_stop()
        if reason is not None:
            self._audit.stopped(reason)
        return reason

    def _unrun_id(self) -> str:
        self._unrun += 1
        return f"no-{self._nonce}-{self._unrun}"


def _confirmed(outcome: ToolOutcome, tool: EvidenceTool[Any]) -> ToolOutcome:
    """Return `outcome`, or a failure if its result does not say what its projector declared.

    Two sources of one status that disagree are a defect or a damaged result: never evidence.
    """
    if isinstance(outcome, ToolFailed):
        return outcome
    try:
        read = tool.read(outcome.agent_result, tool_call_id=outcome.tool_call_id).control
    except ProjectionFailed:
        read = None
    if read is not None and read.evidence_status is outcome.control.evidence_status:
        return outcome
    return ToolFailed(
        outcome.tool_call_id,
        outcome.tool_name,
        ToolErrorCode.PROJECTION_ERROR,
        OBSERVATION_CONTRACT_MISMATCH,
    )


def _random_nonce() -> str:
    return base64.b32encode(secrets.token_bytes(5)).decode("ascii").lower()
