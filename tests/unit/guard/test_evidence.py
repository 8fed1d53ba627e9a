"""The evidence guard: a test for each of the 20 codes, and what is rebuilt when all references hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.tool_call import SourceType, ToolErrorCode, ToolName
from superbiz_cli.harness.guard.evidence import NO_DRAFT, Rejected, Verified, verify_evidence
from superbiz_cli.harness.guard.rebuild import rebuild
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, InvocationStore, StoreFault
from superbiz_cli.harness.tool.port import ProjectionFailed
from tests.support.drafts import LOG_FACTS, a_catalog, a_draft, a_store, item, logs_record
from tests.support.fakes import FakeEvidenceTool, InMemoryInvocationStore, nothing, ready_record
from tests.support.guarding import RUN_ID


def check(
    draft: Draft,
    *records: CanonicalInvocation,
    store: InvocationStore | None = None,
    catalog: ToolCatalog | None = None,
) -> Verified | Rejected:
    return verify_evidence(
        draft,
        run_id=RUN_ID,
        store=store or a_store(*(records or (logs_record(),))),
        catalog=catalog or a_catalog(),
    )


def codes(result: Verified | Rejected) -> list[tuple[str, str]]:
    assert isinstance(result, Rejected)
    return [(violation.code.value, violation.target) for violation in result.violations]


def test_a_draft_whose_references_hold_is_verified_with_evidence_from_the_store() -> None:
    result = check(a_draft())
    assert isinstance(result, Verified)
    (evidence,) = result.evidence
    assert (evidence.ref, evidence.tool_call_id, evidence.source_type) == (1, "ev-1", SourceType.LOGS)
    assert evidence.summary == "37 events matched"
    assert evidence.payload["match_count"] == 37
    assert evidence.request == {"query": "anything"}
    assert result.ref_of == {"ev-1": 1}


def test_footnotes_follow_the_order_of_first_citation() -> None:
    draft = a_draft(item(cites=["ev-2", "ev-1"]), item(id_="a2", cites=["ev-1", "ev-3", "ev-2"]))
    result = check(draft, logs_record("ev-1"), logs_record("ev-2"), logs_record("ev-3"))
    assert isinstance(result, Verified)
    assert result.ref_of == {"ev-2": 1, "ev-1": 2, "ev-3": 3}


def test_a_missing_draft_has_a_code_of_its_own() -> None:
    assert codes(NO_DRAFT) == [("DRAFT_MISSING", "draft")]


@pytest.mark.parametrize("analysis", [None, []])
def test_a_conclusion_without_analysis_is_refused(analysis: list[Any] | None) -> None:
    found = codes(check(a_draft(analysis=analysis)))
    assert ("ANALYSIS_EMPTY", "analysis") in found


def test_a_draft_without_conclusion_may_have_no_analysis() -> None:
    assert isinstance(check(a_draft(conclusion=None, analysis=[])), Verified)


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_an_item_without_an_id_is_refused(blank: str | None) -> None:
    draft = a_draft(item(id_=blank), item(id_="a1"))
    assert codes(check(draft)) == [("ANALYSIS_ID_MISSING", "analysis[0].analysis_id")]


def test_two_items_of_one_id_are_refused() -> None:
    assert codes(check(a_draft(item(), item()))) == [("ANALYSIS_ID_DUPLICATE", "analysis[1].analysis_id")]


def test_an_item_without_a_kind_is_refused() -> None:
    assert codes(check(a_draft(item(kind=None)))) == [("ANALYSIS_KIND_MISSING", "analysis[0].kind")]


@pytest.mark.parametrize("blank", [None, "", "\t"])
def test_an_item_without_a_text_is_refused(blank: str | None) -> None:
    assert codes(check(a_draft(item(blank)))) == [("ANALYSIS_TEXT_MISSING", "analysis[0].text")]


@pytest.mark.parametrize("cites", [None, []])
def test_an_item_that_cites_nothing_is_refused(cites: list[str] | None) -> None:
    assert codes(check(a_draft(item(cites=cites)))) == [
        ("TOOL_CALL_IDS_MISSING", "analysis[0].tool_call_ids")
    ]


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_citation_is_refused(blank: str | None) -> None:
    draft = a_draft(item(cites=["ev-1", blank]))
    assert codes(check(draft)) == [("TOOL_CALL_ID_BLANK", "analysis[0].tool_call_ids[1]")]


@pytest.mark.parametrize("odd", ["ev-1 ", " ev-1", "ev\n1", "ev-１", "a" * 129, "../ev-1", "ev-1\n"])
def test_a_citation_of_impossible_shape_is_refused(odd: str) -> None:
    assert codes(check(a_draft(item(cites=[odd])))) == [
        ("TOOL_CALL_ID_INVALID", "analysis[0].tool_call_ids[0]")
    ]


@pytest.mark.parametrize("unknown", ["ev-2", "EV-1", "call_42"])
def test_a_citation_of_a_call_that_never_was_is_refused(unknown: str) -> None:
    assert codes(check(a_draft(item(cites=[unknown])))) == [
        ("INVOCATION_NOT_FOUND", "analysis[0].tool_call_ids[0]")
    ]


def test_a_result_of_another_run_is_not_found() -> None:
    draft = a_draft(item(cites=["ev-9"]))
    other = replace(logs_record("ev-9"), run_id="another")
    assert codes(check(draft, other)) == [("INVOCATION_NOT_FOUND", "analysis[0].tool_call_ids[0]")]


@pytest.mark.parametrize("fault", [StoreFault.CORRUPT, StoreFault.UNAVAILABLE])
def test_a_record_that_cannot_be_read_is_refused(fault: StoreFault) -> None:
    store = a_store(logs_record())
    store.faults["find"] = fault
    assert codes(check(a_draft(), store=store)) == [("INVOCATION_UNREADABLE", "analysis[0].tool_call_ids[0]")]


class WrongRecordStore(InMemoryInvocationStore):
    """Answers every question with one record, whatever was asked for."""

    def __init__(self, record: CanonicalInvocation) -> None:
        super().__init__()
        self.record = record

    def find(self, run_id: str, tool_call_id: str) -> CanonicalInvocation | None:
        return self.record


@pytest.mark.parametrize("wrong", [logs_record("ev-2"), replace(logs_record(), run_id="another")])
def test_a_store_that_returns_another_record_is_not_believed(wrong: CanonicalInvocation) -> None:
    found = codes(check(a_draft(), store=WrongRecordStore(wrong)))
    assert found == [("INVOCATION_ID_MISMATCH", "analysis[0].tool_call_ids[0]")]


def test_a_call_that_failed_cannot_be_cited() -> None:
    failed = replace(
        logs_record(),
        status=InvocationStatus.ERROR,
        evidence_status=EvidenceStatus.ERROR,
        agent_result=None,
        error_code=ToolErrorCode.TOOL_EXECUTION_ERROR,
    )
    assert codes(check(a_draft(), failed)) == [
        ("INVOCATION_NOT_REFERENCABLE", "analysis[0].tool_call_ids[0]")
    ]


def test_a_call_that_never_came_back_cannot_be_cited() -> None:
    begun = logs_record().as_begun()
    assert codes(check(a_draft(), begun)) == [("INVOCATION_NOT_REFERENCABLE", "analysis[0].tool_call_ids[0]")]


def test_something_found_cannot_be_cited_as_a_negative_observation() -> None:
    draft = a_draft(item(kind="NEGATIVE_OBSERVATION"))
    assert codes(check(draft)) == [("KIND_EVIDENCE_MISMATCH", "analysis[0].tool_call_ids[0]")]


def test_an_empty_result_cannot_be_cited_as_something_seen() -> None:
    empty = logs_record(script=nothing())
    assert codes(check(a_draft(), empty)) == [("KIND_EVIDENCE_MISMATCH", "analysis[0].tool_call_ids[0]")]


def test_an_empty_result_supports_a_negative_observation() -> None:
    draft = a_draft(item("nothing matched", kind="NEGATIVE_OBSERVATION"))
    assert isinstance(check(draft, logs_record(script=nothing())), Verified)


def test_a_result_of_a_tool_that_is_not_configured_is_refused() -> None:
    found = codes(check(a_draft(), catalog=a_catalog(ToolName.QUERY_MYSQL)))
    assert found == [("TOOL_UNSUPPORTED", "analysis[0].tool_call_ids[0]")]


@pytest.mark.parametrize(
    "agent_result",
    [
        "not json",
        '{"tool_call_id":"ev-2","evidence_status":"EVIDENCE_FOUND","returned_count":1,"truncated":false}',
        '{"tool_call_id":"ev-1","evidence_status":"NO_EVIDENCE","returned_count":0,"truncated":false}',
        '{"tool_call_id":"ev-1","evidence_status":"EVIDENCE_FOUND","returned_count":0,"truncated":false}',
    ],
)
def test_a_projection_that_contradicts_the_record_is_refused(agent_result: str) -> None:
    record = ready_record(RUN_ID, "ev-1", script=LOG_FACTS, agent_result=agent_result)
    assert codes(check(a_draft(), record)) == [("PROJECTION_INVALID", "analysis[0].tool_call_ids[0]")]


def test_a_request_that_cannot_be_read_again_makes_the_projection_invalid() -> None:
    record = replace(logs_record(), request="[1]")
    assert codes(check(a_draft(), record)) == [("PROJECTION_INVALID", "analysis[0].tool_call_ids[0]")]


def test_only_a_record_with_an_agent_result_can_be_rebuilt() -> None:
    with pytest.raises(ProjectionFailed):
        rebuild(logs_record().as_begun(), FakeEvidenceTool(), ref=1)


def test_a_reader_that_answers_for_another_call_is_not_believed() -> None:
    class AbsentMinded(FakeEvidenceTool):
        def read(self, agent_result: str, *, tool_call_id: str) -> Any:
            return replace(super().read(agent_result, tool_call_id=tool_call_id), tool_call_id="ev-7")

    with pytest.raises(ProjectionFailed):
        rebuild(logs_record(), AbsentMinded(), ref=1)


@pytest.mark.parametrize("blank", [None, "", " "])
def test_a_conclusion_without_text_is_refused(blank: str | None) -> None:
    draft = a_draft(conclusion="x").model_dump(mode="json")
    draft["conclusion"]["text"] = blank
    assert codes(check(_draft(draft))) == [("REPORT_TEXT_MISSING", "conclusion.text")]


@pytest.mark.parametrize("based_on", [None, []])
def test_a_conclusion_without_references_is_refused(based_on: Sequence[str] | None) -> None:
    assert codes(check(a_draft(based_on=based_on))) == [
        ("REPORT_REFERENCES_MISSING", "conclusion.based_on_analysis_ids")
    ]


@pytest.mark.parametrize("unknown", ["a9", "A1", "", None])
def test_a_conclusion_based_on_an_unknown_item_is_refused(unknown: str | None) -> None:
    assert codes(check(a_draft(based_on=["a1", unknown]))) == [
        ("REPORT_REFERENCE_UNKNOWN", "conclusion.based_on_analysis_ids[1]")
    ]


def test_a_reference_cannot_name_an_item_without_an_id() -> None:
    found = codes(check(a_draft(item(id_=None), based_on=[""])))
    assert ("REPORT_REFERENCE_UNKNOWN", "conclusion.based_on_analysis_ids[0]") in found


def test_actions_and_recommendations_are_held_to_the_same_rules() -> None:
    draft = a_draft(
        action_plan=[
            {"action": " ", "based_on_analysis_ids": ["a1"]},
            {"action": "look", "based_on_analysis_ids": []},
        ],
        recommendations=[{"text": None, "based_on_analysis_ids": ["a1", "zz"]}],
    )
    assert codes(check(draft)) == [
        ("REPORT_TEXT_MISSING", "action_plan[0].action"),
        ("REPORT_REFERENCES_MISSING", "action_plan[1].based_on_analysis_ids"),
        ("REPORT_TEXT_MISSING", "recommendations[0].text"),
        ("REPORT_REFERENCE_UNKNOWN", "recommendations[0].based_on_analysis_ids[1]"),
    ]


def test_a_draft_without_limitations_is_refused() -> None:
    assert codes(check(a_draft(limitations=None))) == [("LIMITATIONS_MISSING", "limitations")]


def test_all_violations_are_collected() -> None:
    draft = a_draft(
        item(None, id_=None, kind=None, cites=[]),
        item(cites=["call_42"]),
        based_on=[],
        limitations=None,
    )
    assert [code for code, _ in codes(check(draft))] == [
        "ANALYSIS_ID_MISSING",
        "ANALYSIS_KIND_MISSING",
        "ANALYSIS_TEXT_MISSING",
        "TOOL_CALL_IDS_MISSING",
        "INVOCATION_NOT_FOUND",
        "REPORT_REFERENCES_MISSING",
        "LIMITATIONS_MISSING",
    ]


@given(cited=st.lists(st.sampled_from(["ev-1", "ev-2", "ev-3", "nope", " ", "é"]), max_size=6))
def test_a_draft_is_verified_only_if_every_cited_id_is_referencable(cited: list[str]) -> None:
    failed = replace(
        logs_record("ev-3"),
        status=InvocationStatus.PROJECTING,
        evidence_status=None,
        agent_result=None,
        raw_response=None,
        completed_at=None,
    )
    result = check(a_draft(item(cites=cited)), logs_record("ev-1"), logs_record("ev-2"), failed)
    assert isinstance(result, Verified) == (bool(cited) and set(cited) <= {"ev-1", "ev-2"})


def _draft(fields: dict[str, Any]) -> Draft:
    return Draft.model_validate_json(json.dumps(fields))
