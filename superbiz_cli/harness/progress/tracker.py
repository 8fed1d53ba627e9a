"""The progress tracker: identities and counters that decide when more searching is worthless.

Code decides whether a result is empty, the model rates one that is not, and the tracker alone
decides to stop. It keeps no query, no result and no text; the truth is in the canonical store.

What counts how:

| the request                                       | NO_GAIN | violation | failure |
|---------------------------------------------------|---------|-----------|---------|
| rated GAINED by the next request                  | to 0    | to 0      |         |
| rated NO_GAIN by the next request                 | +1      | to 0      |         |
| ran and found nothing                             | +1      |           | to 0    |
| ran and found something                           | pending |           | to 0    |
| breaks the protocol, whatever it asks             |         | +1        |         |
| asks a scope that has been answered, or has failed| +1      |           |         |
| fails, or is rejected by the tool: 1st, 2nd in row|         |           | +1      |
| fails, or is rejected: every further one in a row | +1      |           | +1      |
| repeats an input that the tool rejected           | +1      |           |         |

A request may stand in two lines: one that breaks the protocol and asks a known scope is both a
violation and without gain. Three violations and repetitions in any order, without a request between
them that reached a back end, are the end too: mixing the two does not stretch a loop. The allowance for
failures lets a model correct a statement twice; without the limit, requests that cost no tool
budget could go on as long as the model budget lasts.
"""

from __future__ import annotations

from dataclasses import dataclass

from superbiz_cli.harness.contract.limits import ProgressLimits
from superbiz_cli.harness.contract.status import (
    CollectionState,
    EvidenceStatus,
    InformationGain,
    StopReason,
)
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.progress.protocol import Rating, ViolationType, violation_of
from superbiz_cli.harness.progress.scope import Scope

FREE_CONSECUTIVE_FAILURES = 2


@dataclass(frozen=True, slots=True)
class Counters:
    """How many requests in a row were fruitless, illegal or failed."""

    no_gain: int = 0
    violations: int = 0
    failures: int = 0


class ProgressTracker:
    """Progress of one collection of evidence. Used by the Run's one working thread."""

    def __init__(self, limits: ProgressLimits | None = None) -> None:
        self._limits = limits or ProgressLimits()
        self._no_gain = 0
        self._violations = 0
        self._failures = 0
        self._idle = 0
        self._pending_id: str | None = None
        self._asked: dict[Scope, str | None] = {}
        self._completed: list[tuple[str, ToolName]] = []
        self._stop_reason: StopReason | None = None
        self._stop_is_delivered = False

    @property
    def state(self) -> CollectionState:
        """SATURATED from the moment on at which a reason to stop stands."""
        return CollectionState.COLLECTING if self._stop_reason is None else CollectionState.SATURATED

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the collection is over; the first reason stands."""
        return self._stop_reason

    @property
    def stop_is_delivered(self) -> bool:
        """Whether the model has been told: from then on every tool request is a hard stop."""
        return self._stop_is_delivered

    @property
    def pending_id(self) -> str | None:
        """The one call whose result waits for a rating, if any."""
        return self._pending_id

    @property
    def counters(self) -> Counters:
        """The counters as they stand."""
        return Counters(self._no_gain, self._violations, self._failures)

    @property
    def completed_calls(self) -> tuple[tuple[str, ToolName], ...]:
        """The calls that came back, empty or not, in order: (tool_call_id, tool)."""
        return tuple(self._completed)

    def has_asked(self, scope: Scope) -> bool:
        """Whether this scope has been answered, has failed or has been rejected before."""
        return scope in self._asked

    def asked_as(self, scope: Scope) -> str | None:
        """Return the id of the call that asked `scope` first, or None if none did."""
        return self._asked.get(scope)

    def rate(self, rating: Rating | None) -> ViolationType | None:
        """Apply what a request says about the previous observation.

        Returns how it breaks the protocol, which is then counted, or None if it is legal.
        """
        violation = violation_of(rating, pending_id=self._pending_id)
        if violation is not None:
            self.record_violation()
            return violation
        self._violations = 0
        if rating is not None:
            self._pending_id = None
            self._apply(rating.gain)
        return None

    def record_violation(self) -> None:
        """Count a request that broke the protocol. A pending rating stays pending."""
        self._violations += 1
        if self._violations >= self._limits.max_consecutive_violations:
            self._saturate(StopReason.PROGRESS_PROTOCOL_VIOLATED)
        self._count_idle()

    def record_repetition(self) -> None:
        """Count a request whose scope has been asked before."""
        self._apply(InformationGain.NO_GAIN)
        self._count_idle()

    def record_completed(self, scope: Scope, *, tool_call_id: str, evidence_status: EvidenceStatus) -> None:
        """Record a call that came back, empty or not.

        Raises ValueError for EvidenceStatus.ERROR, and if a rating is pending: the protocol lets
        no request through before that.
        """
        if evidence_status is EvidenceStatus.ERROR or self._pending_id is not None:
            raise ValueError("not a completed call, or the one before is still unrated")
        self._asked[scope] = tool_call_id
        self._completed.append((tool_call_id, scope.tool))
        self._failures = self._idle = 0
        if evidence_status is EvidenceStatus.EVIDENCE_FOUND:
            self._pending_id = tool_call_id
        else:
            self._apply(InformationGain.NO_GAIN)

    def record_failed(self, scope: Scope, *, tool_call_id: str | None) -> bool:
        """Record a call that failed, or an input that the tool rejected (no id, it never was a call).

        Returns whether it counted as NO_GAIN.
        """
        self._asked[scope] = tool_call_id
        self._idle = 0
        self._failures += 1
        if self._failures <= FREE_CONSECUTIVE_FAILURES:
            return False
        self._apply(InformationGain.NO_GAIN)
        return True

    def mark_budget_limit_reached(self) -> StopReason:
        """Record that the budget ended the collection; return the reason that stands."""
        return self._saturate(StopReason.BUDGET_LIMIT_REACHED)

    def claim_stop(self) -> StopReason | None:
        """Return the stop reason if the model has yet to be told, and count it as told; else None."""
        if self._stop_is_delivered:
            return None
        self._stop_is_delivered = self._stop_reason is not None
        return self._stop_reason

    def _apply(self, gain: InformationGain) -> None:
        if gain is InformationGain.GAINED:
            self._no_gain = 0
            return
        self._no_gain += 1
        if self._no_gain >= self._limits.max_consecutive_no_gain:
            self._saturate(StopReason.INFORMATION_SATURATED)

    def _count_idle(self) -> None:
        """Count a request that reached no back end because it was illegal or a repetition."""
        self._idle += 1
        limits = self._limits
        if self._idle >= limits.max_consecutive_no_gain + limits.max_consecutive_violations - 1:
            self._saturate(StopReason.INFORMATION_SATURATED)

    def _saturate(self, reason: StopReason) -> StopReason:
        if self._stop_reason is None:
            self._stop_reason = reason
        return self._stop_reason
