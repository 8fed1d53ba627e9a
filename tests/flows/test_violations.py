"""EVIDENCE_VALIDATION_FAILED: one flow for each violation that a draft alone can cause."""

from __future__ import annotations

from typing import Any

import pytest

from superbiz_cli.harness.contract.violation import ViolationCode
from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import (
    CONCLUSION,
    INVENTED_ID,
    asks_logs,
    diagnosis,
    draft,
    item,
    says,
    script,
    shown,
)
from tests.support.flow_world import Flow, World

STEP = {"action": "Check the pool", "requires_human_confirmation": True, "based_on_analysis_ids": ["A1"]}

# code -> (the draft that has this fault and no other, what it concerns)
FAULTS: dict[ViolationCode, tuple[dict[str, Any], str]] = {
    ViolationCode.ANALYSIS_EMPTY: (
        draft(analysis=[], conclusion={"text": CONCLUSION, "based_on_analysis_ids": ["A1"]}),
        "analysis",
    ),
    ViolationCode.ANALYSIS_ID_MISSING: (
        draft(item(), item(id_=" ")),
        "analysis[1].analysis_id",
    ),
    ViolationCode.ANALYSIS_ID_DUPLICATE: (draft(item(), item()), "analysis[1].analysis_id"),
    ViolationCode.ANALYSIS_KIND_MISSING: (draft(item(kind=None)), "analysis[0].kind"),
    ViolationCode.ANALYSIS_TEXT_MISSING: (draft(item(" ")), "analysis[0].text"),
    ViolationCode.TOOL_CALL_IDS_MISSING: (draft(item(cites=[])), "analysis[0].tool_call_ids"),
    ViolationCode.TOOL_CALL_ID_BLANK: (draft(item(cites=[""])), "analysis[0].tool_call_ids[0]"),
    ViolationCode.TOOL_CALL_ID_INVALID: (
        draft(item(cites=[f"{shown()} "])),
        "analysis[0].tool_call_ids[0]",
    ),
    ViolationCode.INVOCATION_NOT_FOUND: (
        draft(item(cites=[shown(), INVENTED_ID])),
        "analysis[0].tool_call_ids[1]",
    ),
    ViolationCode.KIND_EVIDENCE_MISMATCH: (
        draft(item(kind="NEGATIVE_OBSERVATION")),
        "analysis[0].tool_call_ids[0]",
    ),
    ViolationCode.REPORT_TEXT_MISSING: (
        draft(conclusion={"text": "", "based_on_analysis_ids": ["A1"]}),
        "conclusion.text",
    ),
    ViolationCode.REPORT_REFERENCES_MISSING: (
        draft(action_plan=[STEP | {"based_on_analysis_ids": []}]),
        "action_plan[0].based_on_analysis_ids",
    ),
    ViolationCode.REPORT_REFERENCE_UNKNOWN: (
        draft(conclusion={"text": CONCLUSION, "based_on_analysis_ids": ["A9"]}),
        "conclusion.based_on_analysis_ids[0]",
    ),
    ViolationCode.LIMITATIONS_MISSING: (draft(limitations=None), "limitations"),
    ViolationCode.CLAIM_NOT_IN_EVIDENCE: (
        draft(item("payment-service logged 999 pool timeouts of 30000 ms")),
        "analysis[0].text",
    ),
}
SHADOWED = {ViolationCode.ANALYSIS_EMPTY: {ViolationCode.REPORT_REFERENCE_UNKNOWN}}


@pytest.mark.parametrize("code", FAULTS)
def test_a_faulty_draft_becomes_a_fallback_that_names_the_fault(world: World, code: ViolationCode) -> None:
    faulty, target = FAULTS[code]
    flow = world.ask(diagnosis(faulty), "--json")
    published = withheld(flow)
    issues = published["fallback"]["validation_issues"]
    assert {"code": code.value, "target": target} in issues
    assert {issue["code"] for issue in issues} - {code.value} <= SHADOWED.get(code, set())
    assert code.value in flow.events("EVIDENCE_GUARD_INITIAL")[0]["codes"]


def test_all_faults_of_a_draft_are_collected_not_only_the_first(world: World) -> None:
    faulty = draft(item("", id_=None, kind=None, cites=[]), limitations=None)
    codes = {
        issue["code"] for issue in withheld(world.ask(diagnosis(faulty)))["fallback"]["validation_issues"]
    }
    assert codes >= {
        "ANALYSIS_ID_MISSING",
        "ANALYSIS_KIND_MISSING",
        "ANALYSIS_TEXT_MISSING",
        "TOOL_CALL_IDS_MISSING",
        "REPORT_REFERENCE_UNKNOWN",
        "LIMITATIONS_MISSING",
    }


def test_a_fault_that_references_cannot_mend_is_not_sent_for_repair(world: World) -> None:
    flow = world.ask(diagnosis(draft(limitations=None), repair=[says(draft())]))
    withheld(flow)
    assert "EVIDENCE_REPAIR_ATTEMPT" not in flow.types


def test_an_id_of_an_earlier_run_in_the_same_store_is_not_found(world: World) -> None:
    earlier = world.ask(diagnosis(), "--json").document["evidence"][0]["tool_call_id"]
    flow = world.ask(diagnosis(draft(item(cites=[earlier]))), "--json")
    assert codes_of(withheld(flow)) == {"INVOCATION_NOT_FOUND"}


def test_an_empty_result_does_not_support_a_statement_that_something_was_seen(world: World) -> None:
    flow = world.ask(script(asks_logs(query="nosuchword"), says(draft(item("the pool ran out")))), "--json")
    assert codes_of(withheld(flow)) == {"KIND_EVIDENCE_MISMATCH"}


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"text": "payment-service logged 37  pool timeouts of 30000 ms"}, "BUSINESS_REJECTION"),
        ({"kind": "NEGATIVE_OBSERVATION"}, "BUSINESS_REJECTION"),
        ({"text": "payment-service logged 37 pool timeouts of 30000 m\u0455"}, "BUSINESS_REJECTION"),
    ],
)
def test_a_repair_that_changes_what_the_reader_sees_is_refused(
    world: World, change: dict[str, str], refusal: str
) -> None:
    repaired = draft(item() | change)
    flow = world.ask(diagnosis(draft(item(cites=[INVENTED_ID])), repair=[says(repaired)]), "--json")
    withheld(flow)
    [attempt] = flow.events("EVIDENCE_REPAIR_ATTEMPT")
    assert attempt["failure"] == refusal
    assert "EVIDENCE_GUARD_RECHECK" not in flow.types


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (says("I cannot do that."), "PARSE_ERROR"),
        (says({"analysis": 1}), "SCHEMA_INVALID"),
        (asks_logs(), "SCHEMA_INVALID"),
        ({"error": "TIMEOUT"}, "TIMEOUT"),
        ({"error": "HTTP", "status": 500}, "TRANSPORT"),
    ],
)
def test_a_repair_that_is_no_draft_is_refused_and_not_asked_for_again(
    world: World, answer: dict[str, Any], refusal: str
) -> None:
    flow = world.ask(diagnosis(draft(item(cites=[INVENTED_ID])), repair=[answer, says(draft())]), "--json")
    withheld(flow)
    assert [attempt["failure"] for attempt in flow.events("EVIDENCE_REPAIR_ATTEMPT")] == [refusal]


def test_a_repair_that_cites_another_invented_id_fails_the_recheck(world: World) -> None:
    wrong = draft(item(cites=[INVENTED_ID]))
    flow = world.ask(diagnosis(wrong, repair=[says(draft(item(cites=["ev-other-1"])))]), "--json")
    assert codes_of(withheld(flow)) == {"INVOCATION_NOT_FOUND"}
    [recheck] = flow.events("EVIDENCE_GUARD_RECHECK")
    assert recheck["violations"] == 1


def test_a_claim_is_sent_once_for_other_references_before_it_is_withheld(world: World) -> None:
    claim = draft(item("payment-service logged 999 pool timeouts of 30000 ms"))
    flow = world.ask(diagnosis(claim, repair=[says(claim)]), "--json")
    assert codes_of(withheld(flow)) == {"CLAIM_NOT_IN_EVIDENCE"}
    assert flow.types.count("EVIDENCE_REPAIR_ATTEMPT") == 1
    assert "SEMANTIC_ATTEMPT" not in flow.types


def test_a_draft_without_conclusion_that_cites_an_invented_id_names_the_fault(world: World) -> None:
    honest = draft(item(cites=[INVENTED_ID]), conclusion=None)
    flow = world.ask(diagnosis(honest), "--json")
    assert codes_of(withheld(flow)) == {"INVOCATION_NOT_FOUND"}


def codes_of(published: Any) -> set[str]:
    return {issue["code"] for issue in published["fallback"]["validation_issues"]}


def withheld(flow: Flow) -> Any:
    """The published fallback of a draft that failed validation."""
    assert flow.code == 3
    published = balanced(flow)
    if flow.out.startswith("{"):
        same_as_stored(flow)
    fallback = published["fallback"]
    assert published["run_state"] == "SUCCESS"
    assert fallback["type"] == "EVIDENCE_VALIDATION_FAILED"
    assert fallback["failure_stage"] == "EVIDENCE_VALIDATION"
    assert fallback["conclusion"] is None
    assert CONCLUSION not in flow.out
    return published
