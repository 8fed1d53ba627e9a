"""The offline repairer: references change, the reader's text never does."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.adapters.offline.repair import repair_draft

AVAILABLE = [
    {
        "tool_call_id": "ev-a-1",
        "tool_name": "query_logs",
        "evidence_status": "EVIDENCE_FOUND",
        "scope": "APPLICATION logs with pool",
        "summary": "214 matching events; most frequent (214): ERROR payment-service: "
        "Connection is not available, request timed out",
    },
    {
        "tool_call_id": "ev-a-2",
        "tool_name": "query_logs",
        "evidence_status": "EVIDENCE_FOUND",
        "scope": "APPLICATION logs with gateway",
        "summary": "12 matching events; most frequent (12): WARN channel-gateway: signature mismatch",
    },
    {
        "tool_call_id": "ev-a-3",
        "tool_name": "query_logs",
        "evidence_status": "NO_EVIDENCE",
        "scope": "SYSTEM_EVENTS logs with oom",
        "summary": "No event matched in this scope",
    },
]
REFERENCES = {"analysis_id", "tool_call_ids", "based_on_analysis_ids"}


def item(text: str, *ids: str | None, kind: str = "NORMAL", id_: str | None = "a1") -> dict[str, Any]:
    return {"analysis_id": id_, "kind": kind, "text": text, "tool_call_ids": list(ids)}


def draft(*items: dict[str, Any], based_on: list[str | None] | None = None) -> dict[str, Any]:
    return {
        "analysis": list(items),
        "conclusion": {
            "text": "payment-service has no connection available",
            "based_on_analysis_ids": ["a1"] if based_on is None else based_on,
        },
        "action_plan": [],
        "recommendations": [],
        "limitations": {"checked_scope": "logs", "missing_info": [], "caveats": []},
    }


def repair(given_draft: dict[str, Any]) -> Any:
    task = {"task": "repair", "violations": [], "draft": given_draft, "available": AVAILABLE}
    return json.loads(json.dumps(repair_draft(json.loads(json.dumps(task)))))


POOL_TEXT = "payment-service logged 214 events: connection is not available"


def test_an_invented_id_is_replaced_by_the_result_that_shows_the_text() -> None:
    assert repair(draft(item(POOL_TEXT, "ev-invented")))["analysis"][0]["tool_call_ids"] == ["ev-a-1"]


def test_a_valid_id_stays_and_an_invalid_one_beside_it_goes() -> None:
    mended = repair(draft(item(POOL_TEXT, "ev-invented", "ev-a-1", None)))
    assert mended["analysis"][0]["tool_call_ids"] == ["ev-a-1"]


def test_a_missing_literal_brings_the_result_that_holds_it() -> None:
    mended = repair(draft(item("channel-gateway logged 12 times: signature mismatch", "ev-a-1")))
    assert mended["analysis"][0]["tool_call_ids"] == ["ev-a-1", "ev-a-2"]


def test_a_negative_item_gets_only_an_empty_result() -> None:
    mended = repair(
        draft(item("No event of SYSTEM_EVENTS logs matched oom", "ev-a-1", kind="NEGATIVE_OBSERVATION"))
    )
    assert mended["analysis"][0]["tool_call_ids"] == ["ev-a-3"]


def test_what_no_result_shows_is_left_as_it_is() -> None:
    lost = item("search-api restarted 77 times with exit code 137", "ev-invented")
    assert repair(draft(lost))["analysis"][0] == lost


def test_missing_and_repeated_analysis_ids_become_unique() -> None:
    mended = repair(
        draft(
            item(POOL_TEXT, "ev-a-1", id_="a1"),
            item(POOL_TEXT, "ev-a-1", id_="a1"),
            item(POOL_TEXT, "ev-a-1", id_=None),
            item(POOL_TEXT, "ev-a-1", id_=" "),
        )
    )
    ids = [entry["analysis_id"] for entry in mended["analysis"]]
    assert ids[0] == "a1"
    assert len(set(ids)) == 4
    assert all(ids)


def test_a_conclusion_without_a_valid_base_gets_the_nearest_item() -> None:
    items = (item("channel-gateway mismatch", "ev-a-2"), item(POOL_TEXT, "ev-a-1", id_="a2"))
    assert repair(draft(*items, based_on=["zz"]))["conclusion"]["based_on_analysis_ids"] == ["a2"]


def test_a_null_conclusion_stays_null() -> None:
    assert repair({**draft(item(POOL_TEXT, "ev-a-1")), "conclusion": None})["conclusion"] is None


def test_something_that_is_no_draft_comes_back_unchanged() -> None:
    assert repair_draft({"draft": ["x"]}) == ["x"]


texts = st.text(max_size=40)
ids = st.one_of(st.none(), st.sampled_from(["ev-a-1", "ev-a-2", "ev-a-3", "ev-x", ""]))
items = st.builds(
    lambda text, kind, cited, id_: item(text, *cited, kind=kind, id_=id_),
    texts,
    st.sampled_from(["NORMAL", "NEGATIVE_OBSERVATION"]),
    st.lists(ids, max_size=3),
    st.one_of(st.none(), st.sampled_from(["a1", "a2", " "])),
)


@given(st.lists(items, max_size=4), st.lists(st.sampled_from(["a1", "a9"]), max_size=2))
def test_nothing_but_references_ever_changes(given_items: list[dict[str, Any]], based_on: list[str]) -> None:
    before = draft(*given_items, based_on=list(based_on))
    assert without_references(repair(before)) == without_references(before)


@given(st.lists(items, max_size=4))
def test_no_id_that_is_not_available_is_ever_added(given_items: list[dict[str, Any]]) -> None:
    known = {entry["tool_call_id"] for entry in AVAILABLE}
    for before, after in zip(given_items, repair(draft(*given_items))["analysis"], strict=True):
        assert set(after["tool_call_ids"]) - set(before["tool_call_ids"]) <= known


def without_references(value: Any) -> Any:
    match value:
        case dict():
            return {
                key: None if key in REFERENCES else without_references(part) for key, part in value.items()
            }
        case list():
            return [without_references(part) for part in value]
        case _:
            return value
