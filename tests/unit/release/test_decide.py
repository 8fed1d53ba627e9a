"""The release tree: one test for each branch, and what never gets out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.agent.outcome import DraftFault, Stopped
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import EvidenceSnapshot
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ModelReply, ModelRequest, ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import CancelReason, FailureStage, FallbackType, StopReason
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.release.decide import (
    NothingPublishable,
    Published,
    PublishedFallback,
    PublishedReport,
)
from tests.support.drafts import LOG_FACTS, a_draft, item, logs_record
from tests.support.fakes import nothing
from tests.support.guarding import Turn, text_reply, tool_reply
from tests.support.releasing import SUPPORTED, UNSUPPORTED, Scene, as_reply

CAUSE = "The connection pool is exhausted"


def fallback(published: Published) -> Any:
    assert isinstance(published, PublishedFallback)
    return published.fallback


# --- SUCCESS ------------------------------------------------------------------------------------


def test_a_draft_that_every_guard_accepts_is_published_as_a_report() -> None:
    scene = Scene(judge=[SUPPORTED], skills=("pool",))
    draft = a_draft(
        action_plan=[
            {"action": "Restart it", "requires_human_confirmation": False, "based_on_analysis_ids": ["a1"]}
        ],
        recommendations=[{"text": "Add an index", "based_on_analysis_ids": ["a1"]}],
        limitations={
            "checked_scope": "application logs",
            "missing_info": ["gateway log"],
            "caveats": ["sampled"],
        },
    )
    published = scene.decide(draft)
    assert isinstance(published, PublishedReport)
    report = published.report
    assert (report.conclusion.text, report.conclusion.refs) == (CAUSE, (1,))
    assert [(part.text, part.refs) for part in report.analysis] == [
        ("37 requests timed out after 30000ms", (1,))
    ]
    assert [(step.action, step.requires_human_confirmation, step.refs) for step in report.action_plan] == [
        ("Restart it", True, (1,))
    ]
    assert [(advice.text, advice.refs) for advice in report.recommendations] == [("Add an index", (1,))]
    assert report.limitations.missing_info == ("gateway log",)
    assert report.limitations.caveats[0] == "sampled"
    assert report.judgement.model_dump() == {
        "references_verified": 1,
        "references_total": 1,
        "verdict": "SUPPORTED",
        "reason": "the figures match",
    }
    assert report.skills == ("pool",)
    assert [(ref.ref, ref.tool_call_id, ref.excerpt) for ref in published.evidence] == [
        (1, "ev-1", "request timed out after 30000ms")
    ]


def test_a_success_is_traced_step_by_step() -> None:
    scene = Scene(judge=[SUPPORTED])
    scene.decide(a_draft())
    assert scene.trace() == [
        (TraceType.EVIDENCE_GUARD_INITIAL, {"violations": 0, "references": 1, "codes": ""}),
        (TraceType.SEMANTIC_ATTEMPT, {"attempt": 1, "failure": None}),
        (TraceType.SEMANTIC_GUARD_DECISION, {"verdict": "SUPPORTED"}),
        (TraceType.RELEASE_DECISION, {"outcome": "SUCCESS"}),
    ]


def test_the_judge_sees_exactly_what_is_published() -> None:
    scene = Scene(judge=[SUPPORTED])
    step = {
        "action": "Kill\x1b[31m it",
        "requires_human_confirmation": False,
        "based_on_analysis_ids": ["a1"],
    }
    draft = a_draft(
        item("37  requests\ntimed out"),
        action_plan=[step],
        recommendations=[{"text": "Restart the pod", "based_on_analysis_ids": ["a1"]}],
        limitations={"checked_scope": "logs\u202e", "missing_info": ["a\u200bb"], "caveats": ["c\td"]},
    )
    published = scene.decide(draft)
    assert isinstance(published, PublishedReport)
    judged = json.loads(scene.judge_model.requests[0].messages[1].content)["draft"]
    report = published.report
    assert judged["conclusion"]["text"] == report.conclusion.text
    assert [part["text"] for part in judged["analysis"]] == ["37 requests timed out"]
    assert [part.text for part in report.analysis] == ["37 requests timed out"]
    assert [(step["action"], step["requires_human_confirmation"]) for step in judged["action_plan"]] == [
        (step.action, step.requires_human_confirmation) for step in report.action_plan
    ]
    assert report.action_plan[0].action == "Kill\\x1b[31m it"
    assert judged["recommendations"] == [] == [*report.recommendations]
    assert judged["limitations"] == report.limitations.model_dump(mode="json")


def test_a_control_character_in_a_claim_is_in_no_evidence() -> None:
    scene = Scene(repair=[text_reply("{}")])
    result = fallback(scene.decide(a_draft(item("3\u200b7 requests timed out"))))
    assert result.validation_issues[0].code == "CLAIM_NOT_IN_EVIDENCE"


# --- references and claims ----------------------------------------------------------------------


def test_references_that_do_not_hold_are_repaired_once_and_checked_again() -> None:
    good = a_draft()
    scene = Scene(judge=[SUPPORTED], repair=[as_reply(good)])
    assert isinstance(scene.decide(a_draft(item(cites=["call_42"]))), PublishedReport)
    assert scene.trace()[:3] == [
        (
            TraceType.EVIDENCE_GUARD_INITIAL,
            {"violations": 1, "references": 1, "codes": "INVOCATION_NOT_FOUND"},
        ),
        (TraceType.EVIDENCE_REPAIR_ATTEMPT, {"attempt": 1, "failure": None}),
        (TraceType.EVIDENCE_GUARD_RECHECK, {"violations": 0, "references": 1, "codes": ""}),
    ]


def test_the_repairer_is_told_what_is_wrong_and_what_may_be_cited() -> None:
    scene = Scene(
        records=[logs_record(), logs_record("ev-2", nothing(summary="none"))], repair=[text_reply("{}")]
    )
    draft = a_draft(item(cites=["call_42"]))
    scene.decide(draft)
    question = json.loads(scene.repair_model.requests[0].messages[1].content)
    assert question["task"] == "repair"
    assert question["violations"] == [
        {"code": "INVOCATION_NOT_FOUND", "target": "analysis[0].tool_call_ids[0]"}
    ]
    assert question["draft"] == draft.model_dump(mode="json")
    assert [
        (one["tool_call_id"], one["evidence_status"], one["summary"]) for one in question["available"]
    ] == [
        ("ev-1", "EVIDENCE_FOUND", "37 events matched"),
        ("ev-2", "NO_EVIDENCE", "none"),
    ]


def test_a_claim_that_is_not_in_the_evidence_is_handled_like_a_false_reference() -> None:
    scene = Scene(repair=[as_reply(a_draft(item("73 requests timed out")))])
    result = fallback(scene.decide(a_draft(item("73 requests timed out"))))
    assert result.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert [(issue.code, issue.target) for issue in result.validation_issues] == [
        ("CLAIM_NOT_IN_EVIDENCE", "analysis[0].text")
    ]
    assert len(scene.repair_model.requests) == 1
    assert not scene.judge_model.requests


def test_a_claim_can_be_mended_by_citing_the_result_that_holds_it() -> None:
    other = logs_record("ev-2", nothing())
    scene = Scene(records=[other, logs_record()], judge=[SUPPORTED], repair=[as_reply(a_draft())])
    wrong = a_draft(item(cites=["ev-2"]))
    assert isinstance(scene.decide(wrong), PublishedReport)


@pytest.mark.parametrize(
    "reply",
    [
        as_reply(a_draft(item("37 requests timed out after 30000ms "))),
        as_reply(a_draft(item("37 requests timed out after 30000mѕ"))),
        as_reply(a_draft(item(kind="NEGATIVE_OBSERVATION"))),
        as_reply(a_draft(conclusion="The pool is exhausted")),
        as_reply(a_draft(conclusion=None)),
        as_reply(a_draft(item(), item(id_="a2"))),
        as_reply(a_draft(action_plan=[{"action": "x", "based_on_analysis_ids": ["a1"]}])),
        as_reply(a_draft(limitations={"checked_scope": "all", "missing_info": [], "caveats": []})),
        text_reply(""),
        text_reply("{}"),
        text_reply("not json"),
        text_reply('{"analysis":1}'),
        tool_reply(),
        ModelUnavailable(RetryFailure.TIMEOUT),
    ],
)
def test_a_repair_that_changes_anything_else_or_is_no_draft_is_refused(reply: Turn) -> None:
    scene = Scene(repair=[reply])
    result = fallback(scene.decide(a_draft(item(cites=["call_42"]))))
    assert result.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert result.validation_issues[0].code == "INVOCATION_NOT_FOUND"
    (attempt,) = scene.recorder.of(TraceType.EVIDENCE_REPAIR_ATTEMPT)
    assert attempt.attributes["failure"] is not None
    assert not scene.recorder.of(TraceType.EVIDENCE_GUARD_RECHECK)


def test_a_repair_may_not_take_a_confirmation_away() -> None:
    def with_step(flag: bool, cites: str) -> Draft:
        step = {"action": "Look", "requires_human_confirmation": flag, "based_on_analysis_ids": ["a1"]}
        return a_draft(item(cites=[cites]), action_plan=[step])

    scene = Scene(repair=[as_reply(with_step(False, "ev-1"))])
    assert fallback(scene.decide(with_step(True, "call_42"))).type is FallbackType.EVIDENCE_VALIDATION_FAILED


def test_a_repair_in_a_whole_message_fence_is_read() -> None:
    scene = Scene(judge=[SUPPORTED], repair=[text_reply(f"```json\n{a_draft().model_dump_json()}\n```")])
    assert isinstance(scene.decide(a_draft(item(cites=["call_42"]))), PublishedReport)


def test_a_repair_that_still_does_not_hold_is_not_repaired_again() -> None:
    scene = Scene(repair=[as_reply(a_draft(item(cites=["call_43"])))])
    result = fallback(scene.decide(a_draft(item(cites=["call_42"]))))
    assert result.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert scene.recorder.of(TraceType.EVIDENCE_GUARD_RECHECK)[0].attributes["violations"] == 1


def test_what_references_cannot_mend_is_not_sent_for_repair() -> None:
    scene = Scene()
    result = fallback(scene.decide(a_draft(limitations=None)))
    assert [issue.code for issue in result.validation_issues] == ["LIMITATIONS_MISSING"]
    assert not scene.repair_model.requests


def test_a_record_that_expired_before_the_release_is_not_published() -> None:
    scene = Scene(repair=[as_reply(a_draft())])
    scene.store.forget(scene.run.run_id, "ev-1")
    result = fallback(scene.decide(a_draft()))
    assert result.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert result.observed_facts == ()
    assert "no longer in the store" in result.limitations[0]


# --- the judge ----------------------------------------------------------------------------------


def test_an_unsupported_conclusion_becomes_a_fallback_without_the_judges_words() -> None:
    scene = Scene(judge=[UNSUPPORTED])
    published = scene.decide(a_draft())
    result = fallback(published)
    assert (result.type, result.failure_stage) == (
        FallbackType.SEMANTIC_UNSUPPORTED,
        FailureStage.SEMANTIC_VALIDATION,
    )
    assert [fact.text for fact in result.observed_facts] == ["37 events matched"]
    assert "JUDGE-REASON" not in result.model_dump_json()
    assert scene.trace()[-1] == (
        TraceType.RELEASE_DECISION,
        {"outcome": "FALLBACK", "fallback_type": "SEMANTIC_UNSUPPORTED"},
    )


def test_a_judge_that_cannot_be_had_is_never_taken_for_agreement() -> None:
    scene = Scene(judge=[text_reply("yes"), ModelUnavailable(RetryFailure.TIMEOUT)])
    result = fallback(scene.decide(a_draft()))
    assert result.type is FallbackType.SEMANTIC_UNAVAILABLE
    assert any("superbiz doctor" in step for step in result.next_steps)


# --- no conclusion, no draft --------------------------------------------------------------------


def test_a_draft_without_conclusion_publishes_the_facts_and_what_is_missing() -> None:
    scene = Scene()
    draft = a_draft(
        conclusion=None,
        limitations={"checked_scope": "", "missing_info": ["log of channel-gateway"], "caveats": []},
    )
    result = fallback(scene.decide(draft))
    assert (result.type, result.failure_stage) == (
        FallbackType.INSUFFICIENT_EVIDENCE,
        FailureStage.DIAGNOSIS_COLLECTION,
    )
    assert result.missing_info == ("log of channel-gateway",)
    assert scene.trace() == [
        (TraceType.EVIDENCE_GUARD_INITIAL, {"violations": 0, "references": 1, "codes": ""}),
        (TraceType.RELEASE_DECISION, {"outcome": "FALLBACK", "fallback_type": "INSUFFICIENT_EVIDENCE"}),
    ]


def test_a_draft_without_conclusion_but_with_false_references_says_so() -> None:
    result = fallback(Scene().decide(a_draft(item(cites=["call_42"]), conclusion=None)))
    assert result.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert result.message.startswith("The draft names no cause")


def test_nothing_searched_but_something_missing_asks_for_it() -> None:
    scene = Scene(records=[])
    draft = a_draft(
        conclusion=None,
        analysis=[],
        limitations={"checked_scope": "", "missing_info": ["order id"], "caveats": []},
    )
    result = fallback(scene.decide(draft))
    assert (result.type, result.failure_stage) == (
        FallbackType.MISSING_REQUIRED_CONTEXT,
        FailureStage.DIAGNOSIS_INPUT,
    )
    assert result.missing_info == ("order id",)


def test_no_fact_and_nothing_missing_publishes_nothing() -> None:
    with pytest.raises(NothingPublishable) as caught:
        Scene(records=[]).decide(a_draft(conclusion=None, analysis=[]))
    assert caught.value.reason is None


@pytest.mark.parametrize("reason", [*StopReason, *DraftFault])
def test_a_stop_without_draft_publishes_the_facts(reason: StopReason | DraftFault) -> None:
    result = fallback(Scene().decide(Stopped(reason)))
    assert result.type is FallbackType.INSUFFICIENT_EVIDENCE
    assert len(result.observed_facts) == 1


@pytest.mark.parametrize("reason", [*StopReason, *DraftFault])
def test_a_stop_without_draft_and_without_facts_publishes_nothing(reason: StopReason | DraftFault) -> None:
    scene = Scene(records=[])
    with pytest.raises(NothingPublishable) as caught:
        scene.decide(Stopped(reason))
    assert caught.value.reason is reason
    assert scene.trace() == []


def test_an_empty_search_is_a_fact_too() -> None:
    scene = Scene(records=[logs_record(script=nothing(summary="No event matched"))])
    result = fallback(scene.decide(Stopped(StopReason.INFORMATION_SATURATED)))
    assert [fact.text for fact in result.observed_facts] == ["No event matched"]


# --- the end of the Run passes through ----------------------------------------------------------


def test_an_exhausted_budget_with_facts_gets_a_fallback() -> None:
    scene = Scene()
    published = scene.release.fallback_for_exhaustion(scene.release.snapshot(), query="why")
    assert published is not None
    assert published.fallback.type is FallbackType.INSUFFICIENT_EVIDENCE
    assert published.fallback.message.startswith("The budget")
    assert [ref.ref for ref in published.evidence] == [1]
    assert scene.recorder.of(TraceType.RELEASE_DECISION)


def test_a_model_that_stopped_answering_leaves_the_facts() -> None:
    published = Scene().release.fallback_for_lost_model(query="why")
    assert published is not None
    assert published.fallback.type is FallbackType.INSUFFICIENT_EVIDENCE
    assert any("superbiz doctor" in step for step in published.fallback.next_steps)


def test_a_model_that_stopped_answering_before_any_fact_leaves_nothing() -> None:
    assert Scene(records=[]).release.fallback_for_lost_model(query="why") is None


def test_an_exhausted_budget_without_facts_gets_none() -> None:
    scene = Scene()
    assert scene.release.fallback_for_exhaustion(EvidenceSnapshot()) is None
    assert scene.trace() == []


@pytest.mark.parametrize("draft", [a_draft(), a_draft(item(cites=["call_42"]))])
def test_budget_exhaustion_in_judge_or_repair_is_not_swallowed(draft: Draft) -> None:
    with pytest.raises(BudgetExceeded):
        Scene(limits=BudgetLimits(max_model_calls=0)).decide(draft)


@pytest.mark.parametrize("draft", [a_draft(), a_draft(item(cites=["call_42"]))])
def test_a_cancel_in_judge_or_repair_is_not_dressed_up_as_a_fallback(draft: Draft) -> None:
    scene = Scene()

    def cancel(_request: ModelRequest) -> ModelReply:
        scene.run.cancel(CancelReason.USER_REQUESTED)
        return SUPPORTED

    scene.judge_model.turns = scene.repair_model.turns = [cancel]
    with pytest.raises(RunAborted):
        scene.decide(draft)
    assert not scene.recorder.of(TraceType.RELEASE_DECISION)


# --- what never gets out ------------------------------------------------------------------------

VERDICTS: list[Turn] = [
    SUPPORTED,
    UNSUPPORTED,
    text_reply("SUPPORTED"),
    ModelUnavailable(RetryFailure.TRANSPORT),
]


@given(
    cites=st.lists(st.sampled_from(["ev-1", "ev-2", "call_42", ""]), max_size=3),
    kind=st.sampled_from(["NORMAL", "NEGATIVE_OBSERVATION"]),
    text=st.sampled_from(["37 requests timed out after 30000ms", "73 requests failed", "slow"]),
    verdict=st.sampled_from(VERDICTS),
    conclusion=st.sampled_from([CAUSE, "pool-service-9 is down", None]),
)
def test_the_conclusion_gets_out_only_if_references_claims_and_judge_agree(
    cites: list[str], kind: str, text: str, verdict: Turn, conclusion: str | None
) -> None:
    scene = Scene(
        records=[logs_record(script=LOG_FACTS), logs_record("ev-2", nothing())],
        judge=[verdict, verdict],
        repair=[text_reply("{}")],
    )
    draft = a_draft(item(text, kind=kind, cites=cites), conclusion=conclusion)
    published = scene.decide(draft)
    holds = cites and set(cites) == ({"ev-1"} if kind == "NORMAL" else {"ev-2"})
    true = text != "73 requests failed" and conclusion == CAUSE
    true = true and (kind == "NORMAL" or text == "slow")
    if holds and true and verdict is SUPPORTED:
        assert isinstance(published, PublishedReport)
    else:
        result = fallback(published)
        shown = result.model_dump_json()
        assert CAUSE not in shown
        assert "pool-service-9" not in shown
        assert text not in shown


# --- while the judge decides ---------------------------------------------------------------------


def test_evidence_that_expires_while_the_judge_decides_is_not_published() -> None:
    scene = Scene()

    def too_late(_request: ModelRequest) -> ModelReply:
        scene.store.forget("run0000001", "ev-1")
        return SUPPORTED

    scene.judge_model.turns = [too_late]
    result = fallback(scene.decide(a_draft()))
    assert result.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert result.validation_issues[0].code == "INVOCATION_NOT_FOUND"
    assert CAUSE not in result.model_dump_json()
    assert scene.trace()[-2:] == [
        (
            TraceType.EVIDENCE_GUARD_RECHECK,
            {"violations": 1, "references": 1, "codes": "INVOCATION_NOT_FOUND"},
        ),
        (
            TraceType.RELEASE_DECISION,
            {"outcome": "FALLBACK", "fallback_type": "EVIDENCE_VALIDATION_FAILED"},
        ),
    ]
