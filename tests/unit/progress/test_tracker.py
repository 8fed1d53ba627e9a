from __future__ import annotations

import pytest

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
from superbiz_cli.harness.progress.tracker import FREE_CONSECUTIVE_FAILURES, Counters, ProgressTracker


def scope(name: str, tool: ToolName = ToolName.QUERY_LOGS) -> Scope:
    return Scope(tool, name)


def find(tracker: ProgressTracker, number: int) -> str:
    call_id = f"ev-{number}"
    tracker.record_completed(
        scope(call_id), tool_call_id=call_id, evidence_status=EvidenceStatus.EVIDENCE_FOUND
    )
    return call_id


def find_nothing(tracker: ProgressTracker, number: int) -> None:
    call_id = f"ev-{number}"
    tracker.record_completed(scope(call_id), tool_call_id=call_id, evidence_status=EvidenceStatus.NO_EVIDENCE)


def gained(call_id: str) -> Rating:
    return Rating(call_id, InformationGain.GAINED)


def no_gain(call_id: str) -> Rating:
    return Rating(call_id, InformationGain.NO_GAIN)


def test_a_fresh_tracker_is_collecting_and_owes_nothing() -> None:
    tracker = ProgressTracker()
    assert tracker.state is CollectionState.COLLECTING
    assert tracker.stop_reason is None
    assert tracker.pending_id is None
    assert tracker.completed_calls == ()
    assert tracker.claim_stop() is None
    assert not tracker.stop_is_delivered


def test_a_result_with_evidence_waits_for_exactly_one_rating() -> None:
    tracker = ProgressTracker()
    call_id = find(tracker, 1)
    assert tracker.pending_id == call_id
    assert tracker.rate(gained(call_id)) is None
    assert tracker.pending_id is None
    assert tracker.rate(gained(call_id)) is ViolationType.UNEXPECTED_PREVIOUS_OBSERVATION


def test_an_empty_result_counts_at_once_and_waits_for_no_rating() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    assert tracker.pending_id is None
    assert tracker.counters.no_gain == 1


def test_two_empty_results_in_a_row_saturate() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    assert tracker.stop_reason is None
    find_nothing(tracker, 2)
    assert tracker.state is CollectionState.SATURATED
    assert tracker.stop_reason is StopReason.INFORMATION_SATURATED


def test_a_gain_in_between_starts_the_count_anew() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    tracker.rate(None)
    tracker.rate(gained(find(tracker, 2)))
    find_nothing(tracker, 3)
    assert tracker.state is CollectionState.COLLECTING


def test_two_results_rated_no_gain_saturate() -> None:
    tracker = ProgressTracker()
    tracker.rate(no_gain(find(tracker, 1)))
    tracker.rate(no_gain(find(tracker, 2)))
    assert tracker.stop_reason is StopReason.INFORMATION_SATURATED


def test_a_result_that_is_found_but_unrated_leaves_the_count_as_it_is() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    find(tracker, 2)
    assert tracker.counters.no_gain == 1


def test_a_repetition_counts_like_an_empty_result() -> None:
    tracker = ProgressTracker()
    tracker.rate(gained(find(tracker, 1)))
    tracker.record_repetition()
    tracker.record_repetition()
    assert tracker.stop_reason is StopReason.INFORMATION_SATURATED


def test_a_completed_scope_is_known_by_the_id_of_its_call() -> None:
    tracker = ProgressTracker()
    call_id = find(tracker, 1)
    assert tracker.has_asked(scope("ev-1"))
    assert tracker.asked_as(scope("ev-1")) == call_id
    assert not tracker.has_asked(scope("something else"))
    assert tracker.asked_as(scope("something else")) is None


def test_only_calls_that_came_back_are_completed_and_they_keep_their_order() -> None:
    tracker = ProgressTracker()
    tracker.rate(gained(find(tracker, 1)))
    tracker.record_failed(scope("broken", ToolName.QUERY_MYSQL), tool_call_id="ev-2")
    find_nothing(tracker, 3)
    assert tracker.completed_calls == (("ev-1", ToolName.QUERY_LOGS), ("ev-3", ToolName.QUERY_LOGS))


def test_two_violations_in_a_row_end_the_collection_with_their_own_reason() -> None:
    tracker = ProgressTracker()
    tracker.record_violation()
    assert tracker.state is CollectionState.COLLECTING
    tracker.record_violation()
    assert tracker.stop_reason is StopReason.PROGRESS_PROTOCOL_VIOLATED
    assert tracker.counters == Counters(no_gain=0, violations=2, failures=0)


def test_a_wrong_rating_is_a_violation_and_the_debt_stays() -> None:
    tracker = ProgressTracker()
    call_id = find(tracker, 1)
    assert tracker.rate(gained("ev-999")) is ViolationType.OUT_OF_ORDER_PREVIOUS_OBSERVATION
    assert tracker.rate(None) is ViolationType.MISSING_PREVIOUS_OBSERVATION
    assert tracker.pending_id == call_id
    assert tracker.stop_reason is StopReason.PROGRESS_PROTOCOL_VIOLATED


def test_a_legal_request_in_between_resets_the_violations() -> None:
    tracker = ProgressTracker()
    tracker.record_violation()
    assert tracker.rate(None) is None
    tracker.record_violation()
    assert tracker.state is CollectionState.COLLECTING


def test_violations_are_not_counted_as_missing_gain() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    tracker.record_violation()
    assert tracker.counters == Counters(no_gain=1, violations=1, failures=0)
    assert tracker.state is CollectionState.COLLECTING


def test_a_failed_call_is_remembered_but_does_not_count_at_first() -> None:
    tracker = ProgressTracker()
    assert not tracker.record_failed(scope("broken"), tool_call_id="ev-1")
    assert tracker.has_asked(scope("broken"))
    assert tracker.asked_as(scope("broken")) == "ev-1"
    assert tracker.counters.no_gain == 0


def test_failures_without_end_saturate_too() -> None:
    tracker = ProgressTracker()
    for number in range(FREE_CONSECUTIVE_FAILURES):
        assert not tracker.record_failed(scope(f"broken {number}"), tool_call_id=None)
    assert tracker.record_failed(scope("broken again"), tool_call_id=None)
    assert tracker.state is CollectionState.COLLECTING
    assert tracker.record_failed(scope("and again"), tool_call_id=None)
    assert tracker.stop_reason is StopReason.INFORMATION_SATURATED


def test_a_call_that_comes_back_ends_the_row_of_failures() -> None:
    tracker = ProgressTracker()
    tracker.record_failed(scope("broken"), tool_call_id="ev-1")
    tracker.rate(gained(find(tracker, 2)))
    assert tracker.counters.failures == 0


def test_the_first_reason_to_stop_stands() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    find_nothing(tracker, 2)
    assert tracker.mark_budget_limit_reached() is StopReason.INFORMATION_SATURATED
    tracker.record_violation()
    tracker.record_violation()
    assert tracker.stop_reason is StopReason.INFORMATION_SATURATED


def test_the_budget_is_a_reason_where_none_stands() -> None:
    tracker = ProgressTracker()
    assert tracker.mark_budget_limit_reached() is StopReason.BUDGET_LIMIT_REACHED
    assert tracker.state is CollectionState.SATURATED


def test_the_order_to_stop_is_handed_out_once() -> None:
    tracker = ProgressTracker()
    find_nothing(tracker, 1)
    find_nothing(tracker, 2)
    assert tracker.claim_stop() is StopReason.INFORMATION_SATURATED
    assert tracker.stop_is_delivered
    assert tracker.claim_stop() is None


def test_a_claim_before_saturation_does_not_use_up_the_order() -> None:
    tracker = ProgressTracker()
    assert tracker.claim_stop() is None
    find_nothing(tracker, 1)
    find_nothing(tracker, 2)
    assert tracker.claim_stop() is StopReason.INFORMATION_SATURATED


def test_the_limits_are_the_ones_given() -> None:
    tracker = ProgressTracker(ProgressLimits(max_consecutive_no_gain=1, max_consecutive_violations=3))
    tracker.record_violation()
    tracker.record_violation()
    assert tracker.state is CollectionState.COLLECTING
    find_nothing(tracker, 1)
    assert tracker.stop_reason is StopReason.INFORMATION_SATURATED


def test_an_errored_call_cannot_be_recorded_as_completed() -> None:
    with pytest.raises(ValueError, match="not a completed call"):
        ProgressTracker().record_completed(
            scope("x"), tool_call_id="ev-1", evidence_status=EvidenceStatus.ERROR
        )


def test_a_call_cannot_complete_while_another_waits_for_its_rating() -> None:
    tracker = ProgressTracker()
    find(tracker, 1)
    with pytest.raises(ValueError, match="still unrated"):
        find(tracker, 2)
