"""Which statement is held against which evidence."""

from __future__ import annotations

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.guard.claims import check_claims
from tests.support.claims import logs
from tests.support.drafts import a_draft, item

PAY = logs(
    "10:02:11 ERROR payment-service timed out after 30000ms",
    "10:02:40 ERROR payment-service timed out after 30000ms",
)
DISK = logs("10:03:00 ERROR disk-monitor usage 97%", ref=2)
REFS = {"ev-1": 1, "ev-2": 2}


def targets(draft: Draft, *evidence: VerifiedEvidence, query: str = "") -> list[str]:
    found = check_claims(draft, evidence or (PAY, DISK), REFS, query=query)
    assert {violation.code for violation in found} <= {"CLAIM_NOT_IN_EVIDENCE"}
    return [violation.target for violation in found]


def test_an_item_is_held_against_what_it_cites_and_nothing_else() -> None:
    assert targets(a_draft(item("Usage was 97 %", cites=["ev-2"]))) == []
    assert targets(a_draft(item("Usage was 97 %", cites=["ev-1"]))) == ["analysis[0].text"]
    assert targets(a_draft(item("Usage was 97 % after 30000ms", cites=["ev-1", "ev-2"]))) == []


def test_the_conclusion_is_held_against_the_evidence_of_its_items() -> None:
    items = [item("It timed out", cites=["ev-1"]), item("A disk filled up", id_="a2", cites=["ev-2"])]
    assert targets(a_draft(*items, conclusion="30000ms and 97 %", based_on=["a1", "a2"])) == []
    assert targets(a_draft(*items, conclusion="30000ms and 97 %", based_on=["a1"])) == ["conclusion.text"]
    assert targets(a_draft(*items, conclusion="30000ms", based_on=["a1", "a9"])) == []


def test_the_conclusion_may_repeat_what_its_items_derived() -> None:
    derived = item("From 10:02:11 to 10:02:40 it lasted 29 s", cites=["ev-1"])
    assert targets(a_draft(derived, conclusion="For 29 s requests timed out, from 10:02:11 on")) == []
    assert targets(
        a_draft(item("It timed out", cites=["ev-1"]), conclusion="For 49 s requests timed out")
    ) == ["conclusion.text"]


def test_the_conclusion_may_not_repeat_what_its_items_invented() -> None:
    found = targets(a_draft(item("It lasted 77 s", cites=["ev-1"]), conclusion="It lasted 77 s"))
    assert found == ["analysis[0].text", "conclusion.text"]


def test_a_draft_without_conclusion_has_only_items_to_check() -> None:
    assert targets(a_draft(item("5 of 9", cites=["ev-1"]), conclusion=None)) == ["analysis[0].text"]
    assert targets(Draft()) == []


def test_a_draft_with_missing_texts_says_nothing_false() -> None:
    draft = a_draft(
        item(None, cites=None), item("", id_="a2", cites=["ev-9", None]), conclusion="x", based_on=None
    )
    assert targets(draft.model_copy(update={"conclusion": draft.conclusion})) == []


def test_the_users_own_words_may_be_repeated_in_both() -> None:
    draft = a_draft(item("Order Q-77 timed out", cites=["ev-1"]), conclusion="Order Q-77 is stuck")
    assert targets(draft) == ["analysis[0].text", "conclusion.text"]
    assert targets(draft, query="why is order Q-77 stuck?") == []
