"""The tracker against a model of its rules, and the promises that must hold in every state."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from superbiz_cli.harness.contract.limits import ProgressLimits
from superbiz_cli.harness.contract.status import (
    CollectionState,
    EvidenceStatus,
    InformationGain,
    StopReason,
)
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.progress.protocol import Rating, ViolationType
from superbiz_cli.harness.progress.scope import Scope
from superbiz_cli.harness.progress.tracker import FREE_CONSECUTIVE_FAILURES, ProgressTracker

GAINS = st.sampled_from(InformationGain)
TOOLS = st.sampled_from(ToolName)


class TrackerMachine(RuleBasedStateMachine):
    """Any order of what a gate can do to a tracker; the row of counted requests is kept beside it.

    `row` holds what counted since the last gain, `illegal` the violations since the last legal
    request, `failed` the failures since a call came back, `idle` both kinds since a request was run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.limits = ProgressLimits()
        self.tracker = ProgressTracker(self.limits)
        self.calls = 0
        self.row = 0
        self.illegal = 0
        self.failed = 0
        self.idle = 0
        self.pending: str | None = None
        self.completed: list[tuple[str, ToolName]] = []
        self.asked: dict[Scope, str | None] = {}
        self.reason: StopReason | None = None
        self.told = 0

    # --- what the model can write into previous_observation

    @precondition(lambda self: self.pending is not None)
    @rule(gain=GAINS)
    def rates_what_is_due(self, gain: InformationGain) -> None:
        assert self.pending is not None
        assert self.tracker.rate(Rating(self.pending, gain)) is None
        self.pending = None
        self.illegal = 0
        if gain is InformationGain.GAINED:
            self.row = 0
        else:
            self.without_gain()

    @rule(gain=GAINS, call_id=st.sampled_from(["ev-0", "call_1", "", "EV-1"]))
    def rates_something_else(self, gain: InformationGain, call_id: str) -> None:
        expected = (
            ViolationType.UNEXPECTED_PREVIOUS_OBSERVATION
            if self.pending is None
            else ViolationType.OUT_OF_ORDER_PREVIOUS_OBSERVATION
        )
        assert self.tracker.rate(Rating(call_id, gain)) is expected
        self.violation()

    @rule()
    def rates_nothing(self) -> None:
        violation = self.tracker.rate(None)
        if self.pending is None:
            assert violation is None
            self.illegal = 0
        else:
            assert violation is ViolationType.MISSING_PREVIOUS_OBSERVATION
            self.violation()

    @rule()
    def writes_no_envelope(self) -> None:
        self.tracker.record_violation()
        self.violation()

    # --- what becomes of a request

    @precondition(lambda self: self.pending is None)
    @rule(tool=TOOLS, finds=st.booleans())
    def completes(self, tool: ToolName, finds: bool) -> None:
        scope, call_id = self.new_scope(tool)
        status = EvidenceStatus.EVIDENCE_FOUND if finds else EvidenceStatus.NO_EVIDENCE
        self.tracker.record_completed(scope, tool_call_id=call_id, evidence_status=status)
        self.asked[scope] = call_id
        self.completed.append((call_id, tool))
        self.failed = self.idle = 0
        if finds:
            self.pending = call_id
        else:
            self.without_gain()

    @rule(tool=TOOLS, is_rejected=st.booleans())
    def fails(self, tool: ToolName, is_rejected: bool) -> None:
        scope, call_id = self.new_scope(tool)
        self.asked[scope] = None if is_rejected else call_id
        self.failed += 1
        self.idle = 0
        is_counted = self.failed > FREE_CONSECUTIVE_FAILURES
        assert self.tracker.record_failed(scope, tool_call_id=self.asked[scope]) is is_counted
        if is_counted:
            self.without_gain()

    @precondition(lambda self: bool(self.asked))
    @rule(data=st.data())
    def repeats(self, data: st.DataObject) -> None:
        scope = data.draw(st.sampled_from(list(self.asked)))
        assert self.tracker.has_asked(scope)
        assert self.tracker.asked_as(scope) == self.asked[scope]
        self.tracker.record_repetition()
        self.without_gain()
        self.reaches_no_back_end()

    @rule()
    def runs_out_of_budget(self) -> None:
        self.reason = self.reason or StopReason.BUDGET_LIMIT_REACHED
        assert self.tracker.mark_budget_limit_reached() is self.reason

    @rule()
    def is_told_to_stop(self) -> None:
        claimed = self.tracker.claim_stop()
        if claimed is not None:
            self.told += 1
            assert claimed is self.reason

    # --- the model of the rules

    def new_scope(self, tool: ToolName) -> tuple[Scope, str]:
        self.calls += 1
        return Scope(tool, f"scope {self.calls}"), f"ev-x-{self.calls}"

    def without_gain(self) -> None:
        self.row += 1
        if self.row >= self.limits.max_consecutive_no_gain:
            self.reason = self.reason or StopReason.INFORMATION_SATURATED

    def violation(self) -> None:
        self.illegal += 1
        if self.illegal >= self.limits.max_consecutive_violations:
            self.reason = self.reason or StopReason.PROGRESS_PROTOCOL_VIOLATED
        self.reaches_no_back_end()

    def reaches_no_back_end(self) -> None:
        self.idle += 1
        if self.idle >= self.limits.max_consecutive_no_gain + self.limits.max_consecutive_violations - 1:
            self.reason = self.reason or StopReason.INFORMATION_SATURATED

    # --- promises

    @invariant()
    def counts_as_the_rules_say(self) -> None:
        counters = self.tracker.counters
        assert (counters.no_gain, counters.violations, counters.failures) == (
            self.row,
            self.illegal,
            self.failed,
        )
        assert self.tracker.pending_id == self.pending
        assert self.tracker.stop_reason is self.reason

    @invariant()
    def is_saturated_exactly_when_a_reason_stands(self) -> None:
        is_saturated = self.tracker.state is CollectionState.SATURATED
        assert is_saturated == (self.tracker.stop_reason is not None)

    @invariant()
    def is_told_to_stop_at_most_once(self) -> None:
        assert self.told <= 1
        assert self.tracker.stop_is_delivered == (self.told == 1)

    @invariant()
    def remembers_exactly_the_calls_that_came_back(self) -> None:
        assert self.tracker.completed_calls == tuple(self.completed)


TestTracker = TrackerMachine.TestCase
TestTracker.settings = settings(max_examples=300, stateful_step_count=30, deadline=None)
