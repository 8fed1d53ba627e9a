"""Which statement is held against which evidence."""

from __future__ import annotations

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.guard.claims import check_claims
from tests.support.claims import logs, rows
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


POOL_ROW = rows(
    ["ACTIVE", 20, 20],
    columns=["state", "active", "max_size"],
    params=["payment-service"],
    sql="SELECT state FROM ops.pool_status",
)
TIMED_OUT = (
    "ERROR payment-service HikariPool-1 - Connection is not available, request timed out after 30000ms"
)
TIMEOUTS = logs(f"10:02:11 {TIMED_OUT}", f"10:09:40 {TIMED_OUT}", match_count=37)


def test_a_row_is_of_the_service_that_its_bound_parameter_names() -> None:
    draft = a_draft(
        item(
            "payment-service 在 10:02:11 到 10:09:40 之间记录了 37 次 30000 ms 的连接池超时", cites=["ev-1"]
        ),
        item(
            "ops.pool_status shows 20 of 20 connections active for payment-service", id_="a2", cites=["ev-2"]
        ),
        conclusion="payment-service 连接池耗尽（20/20），请求等待 30000 ms 后超时。",
        based_on=["a1", "a2"],
    )
    assert targets(draft, TIMEOUTS, POOL_ROW, query="支付服务从10点开始超时") == []


def test_another_unit_is_another_claim() -> None:
    draft = a_draft(item("37 pool timeouts of 30000 ms", cites=["ev-1"]), conclusion="It waits 30000 s")
    assert targets(draft, TIMEOUTS) == ["conclusion.text"]


def test_what_redaction_removed_cannot_be_claimed() -> None:
    secret = logs("10:02:11 ERROR login failed password=[REDACTED_PASSWORD] from [REDACTED_IP]")
    for text in (
        "The password Hunter2Secret! was rejected",
        "10.1.2.3 is down",
        "ghp_abcdefghijklmnop is used",
    ):
        assert targets(a_draft(item(text, cites=["ev-1"]), conclusion="Logins fail"), secret) == [
            "analysis[0].text"
        ]
    shown = a_draft(item("The host [REDACTED_IP] failed", cites=["ev-1"]), conclusion="Logins fail")
    assert targets(shown, secret) == []
