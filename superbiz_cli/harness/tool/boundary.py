"""The only way to a back end: five phases, one stable error code when any of them fails.

1. admit: preflight, tool budget, request bytes, and the PROJECTING record. A failure leaves none.
2. fetch: the back end's raw response.
3. weigh: the raw response is never truncated; too large is an error.
4. project: what the model may see of it, read again at once by the tool that wrote it.
5. publish: the READY record. Only now there is something that a draft may cite.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import PayloadLimits
from superbiz_cli.harness.contract.status import EvidenceStatus, Intent, InvocationStatus
from superbiz_cli.harness.contract.strict import StrictJsonError, parse_strict_object
from superbiz_cli.harness.contract.tool_call import (
    TOOL_CALL_ID_PATTERN,
    ControlView,
    ToolErrorCode,
    ToolFailed,
    ToolOutcome,
    ToolReady,
)
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.bounds import text_bytes
from superbiz_cli.harness.tool.call_audit import CallAudit, CallFacts
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, InvocationStore, StoreError, StoreFault
from superbiz_cli.harness.tool.port import CallContext, EvidenceTool, ToolExecutionFailed, ToolRejected

_log = logging.getLogger(__name__)

RequestT = TypeVar("RequestT")

_CODE_OF_FAULT: Mapping[StoreFault, ToolErrorCode] = {
    StoreFault.DUPLICATE: ToolErrorCode.DUPLICATE_TOOL_CALL,
    StoreFault.TOO_LARGE: ToolErrorCode.RESULT_TOO_LARGE,
}
_NOTHING_SHOWN = ControlView(EvidenceStatus.ERROR)
_RAW_DOES_NOT_FIT = frozenset({ToolErrorCode.RESULT_TOO_LARGE, ToolErrorCode.STORE_ERROR})


@dataclass(frozen=True, slots=True)
class ToolCallEnvelope(Generic[RequestT]):
    """One accepted tool call: who asks, under which id, and for what.

    `request_json` is `tool.request_json(request)`; `step_id` is the ledger row of the agent's turn.
    """

    run_id: str
    tool_call_id: str
    request: RequestT
    request_json: str
    authorized: bool = True
    read_only: bool = True
    step_id: int | None = None


class _Refused(Exception):
    """A phase failed; carries all that may leave the boundary."""

    def __init__(self, code: ToolErrorCode, category: str | None = None) -> None:
        super().__init__(code.value)
        self.code = code
        self.category = category


@dataclass(slots=True)
class _Call(Generic[RequestT]):
    """One call and what its phases have brought so far."""

    tool: EvidenceTool[RequestT]
    envelope: ToolCallEnvelope[RequestT]
    began_s: float
    begun: CanonicalInvocation
    raw: str = ""
    agent_result: str = ""
    control: ControlView = _NOTHING_SHOWN


@dataclass(frozen=True, slots=True)
class ToolBoundary:
    """Runs the tool calls of one Run, one after the other.

    `branch` is written into the events so that the progress display knows which branch called.
    """

    run: Run
    store: InvocationStore
    recorder: Recorder
    limits: PayloadLimits
    incident: IncidentWindow
    branch: Intent | None = None

    def execute(self, tool: EvidenceTool[RequestT], envelope: ToolCallEnvelope[RequestT]) -> ToolOutcome:
        """Run one call through the five phases; the record, the audit row and the event are written.

        A failure is returned as a stable code, never raised, except RunAborted, which ends the
        collection. Exhausting the budget ends the Run and is returned as BUDGET_EXHAUSTED.
        """
        began_s = self.run.clock.monotonic()
        try:
            begun = self._admit(tool, envelope)
        except _Refused as refused:
            self._audit.rejected(tool.name, envelope.tool_call_id, refused.code)
            return ToolFailed(envelope.tool_call_id, tool.name, refused.code, refused.category)
        except RunAborted:
            self._audit.rejected(tool.name, envelope.tool_call_id, ToolErrorCode.RUN_INACTIVE)
            raise
        call = _Call(tool, envelope, began_s, begun)
        try:
            self._fetch(call)
            self._weigh(call)
            self._project(call)
            self._publish(call)
        except _Refused as refused:
            self._conclude_failure(call, refused)
            return ToolFailed(envelope.tool_call_id, tool.name, refused.code, refused.category)
        except RunAborted:
            self._conclude_failure(call, _Refused(ToolErrorCode.RUN_INACTIVE))
            raise
        self._account(call)
        return ToolReady(envelope.tool_call_id, tool.name, call.agent_result, call.control)

    def _admit(self, tool: EvidenceTool[Any], envelope: ToolCallEnvelope[Any]) -> CanonicalInvocation:
        with self._phase(ToolErrorCode.STORE_ERROR):
            self.run.check_active()
            self._preflight(envelope)
            self.run.budget.reserve_tool_call(tool.name.value)
            if text_bytes(envelope.request_json) > self.limits.canonical_record_bytes:
                raise _Refused(ToolErrorCode.RESULT_TOO_LARGE, "request")
            self._reserve(envelope.request_json)
            begun = CanonicalInvocation(
                run_id=envelope.run_id,
                tool_call_id=envelope.tool_call_id,
                tool_name=tool.name,
                request=envelope.request_json,
                status=InvocationStatus.PROJECTING,
                started_at=self._now(),
            )
            self.store.begin(begun)
            return begun

    def _preflight(self, envelope: ToolCallEnvelope[Any]) -> None:
        if envelope.run_id != self.run.run_id:
            raise _Refused(ToolErrorCode.RUN_MISMATCH)
        if not envelope.authorized:
            raise _Refused(ToolErrorCode.UNAUTHORIZED)
        if not envelope.read_only:
            raise _Refused(ToolErrorCode.NOT_READ_ONLY)
        try:
            parse_strict_object(envelope.request_json)
        except StrictJsonError:
            raise _Refused(ToolErrorCode.INVALID_REQUEST) from None
        if not TOOL_CALL_ID_PATTERN.fullmatch(envelope.tool_call_id):
            raise _Refused(ToolErrorCode.INVALID_TOOL_CALL_ID)

    def _fetch(self, call: _Call[RequestT]) -> None:
        with self._phase(ToolErrorCode.TOOL_EXECUTION_ERROR):
            raw = call.tool.fetch(call.envelope.request, CallContext(self.run, self.incident))
            text_bytes(raw)  # what cannot be encoded cannot be kept
            call.raw = raw

    def _weigh(self, call: _Call[RequestT]) -> None:
        with self._phase(ToolErrorCode.RESULT_TOO_LARGE):
            if text_bytes(call.raw) > self.limits.canonical_record_bytes:
                raise _Refused(ToolErrorCode.RESULT_TOO_LARGE)
            self._reserve(call.raw)

    def _project(self, call: _Call[RequestT]) -> None:
        call_id = call.envelope.tool_call_id
        with self._phase(ToolErrorCode.PROJECTION_ERROR):
            projection = call.tool.project(call.envelope.request, call.raw, tool_call_id=call_id)
            if projection.evidence_status is EvidenceStatus.ERROR:
                raise _Refused(ToolErrorCode.PROJECTION_ERROR)
            text_bytes(projection.agent_result)
            control = call.tool.read(projection.agent_result, tool_call_id=call_id).control
            call.agent_result = projection.agent_result
            # The caller compares the declared status with the one that is written in the result.
            call.control = replace(control, evidence_status=projection.evidence_status)

    def _publish(self, call: _Call[RequestT]) -> None:
        with self._phase(ToolErrorCode.STORE_ERROR):
            if text_bytes(call.agent_result) > self.limits.agent_result_bytes:
                raise _Refused(ToolErrorCode.RESULT_TOO_LARGE)
            self._reserve(call.agent_result)
            self.store.complete(
                replace(
                    call.begun,
                    status=InvocationStatus.READY,
                    evidence_status=call.control.evidence_status,
                    raw_response=call.raw,
                    agent_result=call.agent_result,
                    completed_at=self._now(),
                )
            )

    @contextmanager
    def _phase(self, otherwise: ToolErrorCode) -> Iterator[None]:
        """Turn what goes wrong in the body into a stable code: `otherwise`, if no other fits.

        A Run that ended meanwhile explains every failure, so RunAborted comes before any code.
        """
        try:
            with self.run.ending_on_exhaustion():
                yield
        except (RunAborted, _Refused):
            raise
        except BudgetExceeded:
            raise _Refused(ToolErrorCode.BUDGET_EXHAUSTED) from None
        except ToolRejected as error:
            raise _Refused(ToolErrorCode.INVALID_REQUEST, error.category) from None
        except ToolExecutionFailed as error:
            self.run.check_active()
            raise _Refused(error.code, error.category) from None
        except StoreError as error:
            self.run.check_active()
            raise _Refused(_CODE_OF_FAULT.get(error.fault, ToolErrorCode.STORE_ERROR)) from None
        except Exception as error:  # a library's own exception: its text must not leave
            self.run.check_active()
            _log.warning("%s after %s", otherwise.value, type(error).__name__)
            raise _Refused(otherwise) from None

    def _reserve(self, text: str) -> None:
        self.run.check_active()
        self.run.budget.reserve_bytes(text_bytes(text))

    def _conclude_failure(self, call: _Call[RequestT], refused: _Refused) -> None:
        keep_raw = bool(call.raw) and refused.code not in _RAW_DOES_NOT_FIT
        failed = replace(
            call.begun,
            status=InvocationStatus.ERROR,
            evidence_status=EvidenceStatus.ERROR,
            raw_response=call.raw if keep_raw else None,
            error_code=refused.code,
            completed_at=self._now(),
        )
        try:
            self.store.complete(failed)
        except StoreError as error:  # best effort: an unfinished record cannot be cited either
            _log.warning("a failed call could not be marked: %s", error.fault.value)
        self._account(call, refused)

    def _account(self, call: _Call[RequestT], refused: _Refused | None = None) -> None:
        facts = CallFacts(
            tool_call_id=call.envelope.tool_call_id,
            status=InvocationStatus.ERROR if refused else InvocationStatus.READY,
            control=_NOTHING_SHOWN if refused else call.control,
            error_code=refused.code if refused else None,
            request_bytes=text_bytes(call.envelope.request_json),
            raw_bytes=text_bytes(call.raw),
            agent_result_bytes=0 if refused else text_bytes(call.agent_result),
            duration_ms=round((self.run.clock.monotonic() - call.began_s) * 1000),
            step_id=call.envelope.step_id,
        )
        self._audit.completed(call.tool, call.envelope.request, facts)

    @property
    def _audit(self) -> CallAudit:
        return CallAudit(self.recorder, self.branch)

    def _now(self) -> str:
        return self.run.clock.now().isoformat()
