"""Cases as hints: few, short, redacted, clean, and recognisable as hints."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.application.recall import MAX_HINT_BYTES, NOTHING, USE, Recalled, recall
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.contract.strict import canonical_json
from tests.support.cases import CONFIRMED, DISK, QUEUE, a_case
from tests.support.shelf import Shelf

QUESTION = "payment service times out"


def recalled(*cases: Case, query: str = QUESTION, redact: Any = str, **limits: int) -> Recalled:
    return recall(query, Shelf(list(cases)), redact=redact, **limits)


def test_a_hint_says_that_it_is_one() -> None:
    found = recalled(a_case())
    assert found.case_ids == ("case-pool0001",)
    assert found.hints == (
        {
            "case": "case-pool0001",
            "use": USE,
            "symptoms": [
                "payment service times out since 10:00",
                "HikariPool-1 - Connection is not available, request timed out after 30000ms",
            ],
            "root_cause": "The connection pool of payment-service is exhausted by slow statements.",
            "solution": "Kill the statements, add the index on payments.memo",
            "services": ["payment-service"],
            "documents": ["runbook-mysql-pool.md"],
            "confirmed": "2026-11-30",
        },
    )
    assert "not evidence" in USE


def test_a_hint_holds_no_run_id_and_no_note() -> None:
    found = recalled(a_case(run_id="run0000001", note="call ann"))
    assert "run0000001" not in canonical_json(list(found.hints))
    assert "call ann" not in canonical_json(list(found.hints))


def test_at_most_three_cases_are_hints() -> None:
    found = recalled(*(a_case(f"case-{n}") for n in range(9)))
    assert len(found) == len(found.hints) == 3


def test_an_unrelated_question_recalls_nothing() -> None:
    assert recalled(a_case(), QUEUE, DISK, query="what can you do?") == NOTHING


def test_a_hint_is_redacted_again_whatever_was_kept() -> None:
    found = recalled(
        a_case(root_cause="password is hunter2", solution="hunter2", symptoms=(f"{QUESTION} hunter2",)),
        redact=lambda text: text.replace("hunter2", "[REDACTED]"),
    )
    assert len(found) == 1
    assert "hunter2" not in canonical_json(list(found.hints))


def test_a_hint_shows_no_control_or_invisible_character() -> None:
    dark = "\x1b]0;pwned\x07\u202e\u200b\U000e0041"
    found = recalled(a_case(root_cause=f"cause{dark}", solution=dark, services=(dark,), documents=(dark,)))
    text = canonical_json(list(found.hints))
    assert len(found) == 1
    assert not any(char in text for char in "\x1b\x07\u202e\u200b\U000e0041")
    assert "\\\\u202e" in text


def test_what_does_not_fit_is_left_out_whole() -> None:
    cases = [a_case(f"case-{n}") for n in range(3)]
    size = len(canonical_json(recalled(cases[0]).hints[0]).encode())
    assert recalled(*cases, max_bytes=2 * size).case_ids == ("case-0", "case-1")
    assert recalled(*cases, max_bytes=10) == NOTHING


@given(
    st.lists(
        st.builds(
            a_case,
            st.from_regex(r"case-[a-z2-7]{8}", fullmatch=True),
            symptoms=st.lists(st.text().map(lambda text: f"{QUESTION} {text}"), min_size=1).map(tuple),
            root_cause=st.text(),
            solution=st.text(),
            services=st.lists(st.text()).map(tuple),
            documents=st.lists(st.text()).map(tuple),
            created_at=st.just(CONFIRMED),
        ),
        max_size=4,
    )
)
def test_hints_are_always_bounded_json(cases: list[Case]) -> None:
    found = recalled(*cases)
    texts = [canonical_json(hint) for hint in found.hints]
    assert sum(len(text.encode("utf-8", "replace")) for text in texts) <= MAX_HINT_BYTES
    assert all(json.loads(text)["use"] == USE for text in texts)
