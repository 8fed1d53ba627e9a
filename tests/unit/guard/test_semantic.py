"""The judge: what it is shown, what counts as its verdict, and what is never taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.guard.draft_view import draft_view, evidence_view
from superbiz_cli.harness.guard.evidence import Verified, verify_evidence
from superbiz_cli.harness.guard.semantic import (
    SemanticGuard,
    Supported,
    Unavailable,
    Unsupported,
    parse_verdict,
)
from superbiz_cli.harness.retry.attempts import AttemptFailed
from tests.support.drafts import a_catalog, a_draft, a_store, item, logs_record
from tests.support.fakes import ListRecorder, found, ready_record
from tests.support.guarding import RUN_ID, QueuedModel, Turn, a_guard_call, a_run, text_reply, tool_reply

YES = text_reply('{"verdict":"SUPPORTED","reason":"the figures match"}')
NO = text_reply('{"verdict":"UNSUPPORTED","reason":"no cause shown"}')


def verified(draft: Draft, *records: Any) -> Verified:
    result = verify_evidence(
        draft, run_id=RUN_ID, store=a_store(*(records or (logs_record(),))), catalog=a_catalog()
    )
    assert isinstance(result, Verified)
    return result


def judged(*turns: Turn) -> tuple[object, ListRecorder]:
    recorder = ListRecorder()
    draft = a_draft()
    result = verified(draft)
    guard = SemanticGuard(a_guard_call(QueuedModel(turns), recorder=recorder))
    return guard.judge(draft_view(draft, result.ref_of), result.evidence, "why?"), recorder


def test_the_view_numbers_items_and_footnotes_and_holds_no_internal_id() -> None:
    draft = a_draft(
        item("seen", id_="left", cites=["ev-2", "ev-1", "ev-2"]),
        item("also seen", id_="right", cites=["ev-1"]),
        conclusion="cause",
        based_on=["right", "left", "right"],
        action_plan=[
            {"action": "look", "requires_human_confirmation": False, "based_on_analysis_ids": ["left"]}
        ],
        recommendations=[{"text": "index", "based_on_analysis_ids": ["right"]}],
        limitations={"checked_scope": "logs", "missing_info": ["gateway log"], "caveats": ["sampled"]},
    )
    result = verified(draft, logs_record("ev-1"), logs_record("ev-2"))
    view = draft_view(draft, result.ref_of)
    assert view == {
        "analysis": [
            {"kind": "NORMAL", "text": "seen", "evidence": [1, 2]},
            {"kind": "NORMAL", "text": "also seen", "evidence": [2]},
        ],
        "conclusion": {"text": "cause", "analysis": [2, 1]},
        "action_plan": [{"action": "look", "requires_human_confirmation": False, "analysis": [1]}],
        "recommendations": [{"text": "index", "analysis": [2]}],
        "limitations": {"checked_scope": "logs", "missing_info": ["gateway log"], "caveats": ["sampled"]},
    }
    shown = json.dumps([view, evidence_view(result.evidence)])
    assert not any(internal in shown for internal in ("ev-1", "ev-2", "left", "right", "tool_call_id"))


def test_a_draft_without_conclusion_and_limitations_has_a_view_too() -> None:
    view = draft_view(Draft(), {})
    assert (view["conclusion"], view["limitations"], view["analysis"]) == (None, None, [])


def test_the_judge_gets_the_agent_result_by_footnote_with_the_bound_parameters() -> None:
    record = ready_record(RUN_ID, "ev-1", tool=ToolName.QUERY_MYSQL, script=found(rows=[[20]]))
    with_params = type(record)(
        **{**{name: getattr(record, name) for name in record.__slots__}, "request": '{"params":["payment"]}'}
    )
    (shown,) = evidence_view(verified(a_draft(), with_params).evidence)
    assert isinstance(shown, dict)
    assert (shown["ref"], shown["source_type"], shown["evidence_status"]) == (1, "mysql", "EVIDENCE_FOUND")
    assert shown["params"] == ["payment"]
    content = shown["content"]
    assert isinstance(content, dict)
    assert content["rows"] == [[20]]
    assert not {"tool_call_id", "returned_count"} & set(content)


def test_the_judge_is_asked_once_with_the_query_the_view_and_the_evidence() -> None:
    model = QueuedModel([YES])
    draft = a_draft()
    result = verified(draft)
    view = draft_view(draft, result.ref_of)
    SemanticGuard(a_guard_call(model)).judge(view, result.evidence, "why?")
    payload = json.loads(model.requests[0].messages[1].content)
    assert payload == {
        "task": "judge",
        "query": "why?",
        "draft": view,
        "evidence": evidence_view(result.evidence),
    }


def test_a_supported_verdict_is_recorded_and_returned() -> None:
    decision, recorder = judged(YES)
    assert decision == Supported("the figures match")
    assert [(event.type, dict(event.attributes)) for event in recorder.events] == [
        (TraceType.SEMANTIC_ATTEMPT, {"attempt": 1, "failure": None}),
        (TraceType.SEMANTIC_GUARD_DECISION, {"verdict": "SUPPORTED"}),
    ]


def test_an_unsupported_verdict_is_recorded_and_returned() -> None:
    decision, recorder = judged(NO)
    assert decision == Unsupported("no cause shown")
    assert recorder.of(TraceType.SEMANTIC_GUARD_DECISION)[0].attributes == {"verdict": "UNSUPPORTED"}


def test_an_invalid_answer_is_asked_for_once_more() -> None:
    decision, recorder = judged(text_reply('{"verdict":"SUPPORTED","reason":"ok","score":1}'), YES)
    assert decision == Supported("the figures match")
    assert [event.attributes["failure"] for event in recorder.of(TraceType.SEMANTIC_ATTEMPT)] == [
        "SCHEMA_INVALID",
        None,
    ]


@pytest.mark.parametrize(
    "bad",
    [
        text_reply("SUPPORTED because the numbers match"),
        text_reply("I can't fulfil this request."),
        text_reply(""),
        tool_reply(),
        ModelUnavailable(RetryFailure.TRANSPORT, http_status=500),
        ModelUnavailable(RetryFailure.TIMEOUT),
    ],
)
def test_a_judge_that_never_answers_properly_is_unavailable(bad: Turn) -> None:
    decision, recorder = judged(bad, bad)
    assert isinstance(decision, Unavailable)
    (event,) = recorder.of(TraceType.SEMANTIC_UNAVAILABLE)
    assert event.attributes == {"failure": decision.failure.value}
    assert not recorder.of(TraceType.SEMANTIC_GUARD_DECISION)


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("", RetryFailure.PARSE_ERROR),
        ("[]", RetryFailure.PARSE_ERROR),
        (
            '{"verdict":"SUPPORTED","reason":"a"} {"verdict":"UNSUPPORTED","reason":"b"}',
            RetryFailure.PARSE_ERROR,
        ),
        ('{"verdict":"UNSUPPORTED","verdict":"SUPPORTED","reason":"a"}', RetryFailure.PARSE_ERROR),
        ('{"verdict":"SUPPORTED"}', RetryFailure.SCHEMA_INVALID),
        ('{"verdict":"SUPPORTED","reason":"  "}', RetryFailure.SCHEMA_INVALID),
        ('{"verdict":"SUPPORTED","reason":["a"]}', RetryFailure.SCHEMA_INVALID),
        ('{"verdict":"supported","reason":"a"}', RetryFailure.SCHEMA_INVALID),
        ('{"verdict":"PARTIALLY_SUPPORTED","reason":"a"}', RetryFailure.SCHEMA_INVALID),
        ('{"verdict":true,"reason":"a"}', RetryFailure.SCHEMA_INVALID),
    ],
)
def test_anything_but_exactly_a_verdict_and_a_reason_is_refused(text: str, failure: RetryFailure) -> None:
    with pytest.raises(AttemptFailed) as caught:
        parse_verdict(text)
    assert caught.value.failure is failure


def test_a_long_reason_is_cut() -> None:
    decision = parse_verdict(json.dumps({"verdict": "UNSUPPORTED", "reason": "x" * 600}))
    assert len(decision.reason) == 500


def test_evidence_that_does_not_fit_is_shown_with_fewer_events() -> None:
    events: list[JsonValue] = [{"message": f"event {number} " + "x" * 900} for number in range(30)]
    draft = a_draft()
    result = verified(draft, logs_record(script=found(events=events)))
    model = QueuedModel([YES])
    call = a_guard_call(model, max_input_bytes=20_000)
    assert isinstance(
        SemanticGuard(call).judge(draft_view(draft, result.ref_of), result.evidence, "q"), Supported
    )
    content = json.loads(model.requests[0].messages[1].content)["evidence"][0]["content"]
    assert (len(content["events"]), content["truncated"]) == (5, True)


def test_evidence_that_never_fits_makes_the_judge_unavailable() -> None:
    draft = a_draft()
    result = verified(draft)
    call = a_guard_call(QueuedModel([]), max_input_bytes=50)
    decision = SemanticGuard(call).judge(draft_view(draft, result.ref_of), result.evidence, "q")
    assert decision == Unavailable(RetryFailure.BUSINESS_REJECTION)


def test_cancel_and_budget_pass_through_the_judge() -> None:
    draft = a_draft()
    result = verified(draft)
    view = draft_view(draft, result.ref_of)
    cancelled = a_run()
    cancelled.cancel(CancelReason.USER_REQUESTED)
    with pytest.raises(RunAborted):
        SemanticGuard(a_guard_call(QueuedModel([]), run=cancelled)).judge(view, result.evidence, "q")
    poor = a_run(limits=BudgetLimits(max_model_calls=0))
    with pytest.raises(BudgetExceeded):
        SemanticGuard(a_guard_call(QueuedModel([]), run=poor)).judge(view, result.evidence, "q")
