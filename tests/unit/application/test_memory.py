"""Short-term memory: bounded, redacted, and taken only from what was released."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.application.memory import PreviousTurn, cut, previous_turn, routing_memory
from superbiz_cli.harness.audit.rows import RoutingEntry
from superbiz_cli.harness.contract.report import Answer, CitedText, EvidenceRef, RunResult
from superbiz_cli.harness.contract.status import Intent
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName
from tests.support.results import EVIDENCE, REPORT, failed_result, fallback_result, result, run_results


def redact(text: str) -> str:
    return text.replace("hunter2", "[REDACTED]")


def knowledge(ref: int, source: str) -> EvidenceRef:
    return EVIDENCE.model_copy(
        update={
            "ref": ref,
            "tool_name": ToolName.LOOKUP_KNOWLEDGE,
            "source_type": SourceType.KNOWLEDGE,
            "source": source,
        }
    )


def diagnosed(
    *,
    conclusion: str = "The pool is exhausted.",
    scope: str = "logs",
    missing: tuple[str, ...] = (),
    **changes: Any,
) -> RunResult:
    limitations = REPORT.limitations.model_copy(
        update={"checked_scope": scope, "missing_info": missing, "caveats": ("3 of 41 patterns shown",)}
    )
    report = REPORT.model_copy(
        update={"conclusion": CitedText(text=conclusion, refs=(1,)), "limitations": limitations}
    )
    return result(report=report, **changes)


def test_a_released_diagnosis_is_remembered_as_it_was_published() -> None:
    last = diagnosed(missing=("the slow query log",), evidence=(EVIDENCE, knowledge(2, "runbook-pool.md")))
    assert previous_turn(last, redact=redact) == PreviousTurn(
        query="payment service times out",
        conclusion="The pool is exhausted.",
        checked_scope="logs",
        limitations=("the slow query log", "3 of 41 patterns shown"),
        knowledge_documents=("runbook-pool.md",),
    )


def test_memory_holds_no_tool_id_and_no_evidence() -> None:
    turn = previous_turn(diagnosed(), redact=redact)
    assert turn is not None
    assert set(turn.as_json()) == {
        "query",
        "conclusion",
        "checked_scope",
        "limitations",
        "knowledge_documents",
    }
    for hidden in (EVIDENCE.tool_call_id, EVIDENCE.excerpt, EVIDENCE.scope):
        assert hidden not in str(turn.as_json())


@pytest.mark.parametrize(
    "last",
    [
        None,
        fallback_result(),
        failed_result(),
        result(report=None, answer=Answer(statements=()), intent=Intent.KNOWLEDGE_QUERY),
        result(intent=Intent.SYSTEM_CHAT),
    ],
    ids=["nothing", "fallback", "failure", "answer", "no diagnosis"],
)
def test_only_a_released_diagnosis_is_remembered(last: RunResult | None) -> None:
    assert previous_turn(last, redact=redact) is None


def test_each_part_is_bounded() -> None:
    turn = previous_turn(
        diagnosed(
            query="q" * 5000,
            conclusion="c" * 5000,
            scope="s" * 5000,
            missing=("m" * 5000,) * 20,
            evidence=tuple(knowledge(number, f"{'d' * 500}{number}") for number in range(1, 20)),
        ),
        redact=redact,
        max_bytes=1_000_000,
    )
    assert turn is not None
    assert [len(turn.query), len(turn.conclusion), len(turn.checked_scope)] == [2000, 2000, 1000]
    assert [len(text) for text in turn.limitations] == [500] * 10
    assert turn.query.endswith("q…")


def test_at_most_ten_documents_each_once_are_remembered() -> None:
    refs = (knowledge(1, "a, b"), knowledge(2, "b"), *(knowledge(n, f"doc{n}") for n in range(3, 20)))
    turn = previous_turn(diagnosed(evidence=refs), redact=redact)
    assert turn is not None
    assert turn.knowledge_documents == ("a", "b", *(f"doc{n}" for n in range(3, 11)))


def test_texts_are_redacted_before_they_are_cut() -> None:
    turn = previous_turn(
        diagnosed(query=f"{'q' * 1996}hunter2", conclusion="hunter2", scope="hunter2", missing=("hunter2",)),
        redact=redact,
    )
    assert turn is not None
    assert "hunt" not in str(turn.as_json())


def test_what_does_not_fit_is_given_up_from_the_least_important_end() -> None:
    last = diagnosed(
        query="支" * 1000,
        conclusion="池" * 1000,
        scope="查" * 500,
        missing=("缺" * 400,) * 10,
        evidence=(knowledge(1, "a"),),
    )
    whole = previous_turn(last, redact=redact, max_bytes=1_000_000)
    assert whole is not None
    fitted = previous_turn(last, redact=redact)
    assert fitted is not None
    assert fitted.size_bytes() <= 16_384 < whole.size_bytes()
    assert (fitted.query, fitted.conclusion, fitted.checked_scope) == (
        whole.query,
        whole.conclusion,
        whole.checked_scope,
    )
    assert 0 < len(fitted.limitations) < 10
    small = previous_turn(last, redact=redact, max_bytes=3000)
    assert small is not None
    assert (small.limitations, small.knowledge_documents, small.checked_scope) == ((), (), "")
    assert small.conclusion.startswith("池池")


def test_a_limit_that_holds_nothing_leaves_no_memory() -> None:
    assert previous_turn(diagnosed(), redact=redact, max_bytes=10) is None


@given(run_results(), st.integers(0, 400))
def test_memory_never_exceeds_its_limit(last: RunResult, max_bytes: int) -> None:
    turn = previous_turn(last, redact=redact, max_bytes=max_bytes)
    assert turn is None or turn.size_bytes() <= max_bytes


def test_routing_memory_is_the_last_five_short_questions() -> None:
    entries = [RoutingEntry(Intent.DIAGNOSIS, f"question {number}") for number in range(7)]
    entries.append(RoutingEntry(Intent.SYSTEM_CHAT, f"hunter2 {'x' * 500}"))
    remembered = routing_memory(entries, redact=redact)
    assert [entry.query for entry in remembered[:-1]] == [f"question {n}" for n in (3, 4, 5, 6)]
    assert remembered[-1].intent is Intent.SYSTEM_CHAT
    assert remembered[-1].query.startswith("[REDACTED] xxx")
    assert len(remembered[-1].query) == 200


@given(st.text(), st.integers(1, 50))
def test_cut_text_is_short_and_on_one_line(text: str, max_chars: int) -> None:
    short = cut(text, max_chars)
    assert len(short) <= max_chars
    assert short == " ".join(short.split())
    assert short.endswith("…") or short == " ".join(text.split())
