"""What the tool gate writes down: codes, counters, ids and hashes, never a word of the model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from superbiz_cli.harness.audit.events import Scalar, TraceEvent, TraceType
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.status import InformationGain, StopReason
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName
from superbiz_cli.harness.progress.protocol import ViolationType
from superbiz_cli.harness.progress.tracker import ProgressTracker


class Rejection(StrEnum):
    """Why a request of legal form never reached a back end."""

    DUPLICATE_SCOPE = "DUPLICATE_SCOPE"
    INVALID_REQUEST = "INVALID_REQUEST"
    ONE_CALL_PER_TURN = "ONE_CALL_PER_TURN"
    COLLECTION_STOPPED = "COLLECTION_STOPPED"


class ProgressCause(StrEnum):
    """What moved the progress."""

    RATING = "RATING"
    RESULT = "RESULT"
    REPETITION = "REPETITION"
    FAILURE = "FAILURE"
    VIOLATION = "VIOLATION"


@dataclass(frozen=True, slots=True)
class GateAudit:
    """Writes the decisions of one tool gate to the trace."""

    recorder: Recorder
    tracker: ProgressTracker

    def rejected(
        self,
        reason: Rejection | ViolationType,
        *,
        tool: ToolName | None,
        scope: str | None = None,
        same_as: str | None = None,
    ) -> None:
        """Write that a request was answered without a back end. `scope` is `tool#hash`."""
        attributes: dict[str, Scalar] = {
            "reason": reason.value,
            "tool": tool.value if tool else None,
            "scope": scope,
            "same_as": same_as,
        }
        self.recorder.emit(TraceEvent(TraceType.TOOL_REQUEST_REJECTED, attributes))

    def progressed(
        self,
        cause: ProgressCause,
        *,
        gain: InformationGain | None = None,
        tool_call_id: str | None = None,
        error_code: ToolErrorCode | None = None,
    ) -> None:
        """Write a step of the progress with the counters after it. `gain` None: not rated (yet)."""
        counters = self.tracker.counters
        attributes: dict[str, Scalar] = {
            "cause": cause.value,
            "information_gain": gain.value if gain else None,
            "tool_call_id": tool_call_id,
            "error_code": error_code.value if error_code else None,
            "state": self.tracker.state.value,
            "consecutive_no_gain": counters.no_gain,
            "consecutive_violations": counters.violations,
            "consecutive_failures": counters.failures,
        }
        self.recorder.emit(TraceEvent(TraceType.PROGRESS_RECORDED, attributes))

    def stopped(self, reason: StopReason) -> None:
        """Write that the model is being told to stop; it may still hand in a draft."""
        attributes: dict[str, Scalar] = {
            "reason": reason.value,
            "delivered": True,
            "completed_calls": len(self.tracker.completed_calls),
        }
        self.recorder.emit(TraceEvent(TraceType.COLLECTION_STOPPED, attributes))
