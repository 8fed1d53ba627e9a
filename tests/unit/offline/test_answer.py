"""The built-in model's answer to a knowledge question: quotations, without Markdown's frame."""

from __future__ import annotations

import pytest

from superbiz_cli.adapters.offline.answer import answer_question, opening
from superbiz_cli.harness.contract.strict import JsonValue


def test_the_first_three_passages_are_quoted_with_their_numbers() -> None:
    evidence: list[JsonValue] = [{"ref": n, "excerpt": f"Do step{n}."} for n in range(1, 6)]
    answer = answer_question({"task": "answer", "query": "how?", "evidence": evidence})
    assert answer == {
        "statements": [{"text": f"Do step{n}.", "refs": [n]} for n in (1, 2, 3)],
        "nothing_found": False,
    }


@pytest.mark.parametrize(
    "evidence", [[], None, ["x"], [{"ref": "1", "excerpt": "x"}], [{"ref": 1, "excerpt": "# H"}]]
)
def test_without_a_sentence_nothing_is_found(evidence: object) -> None:
    answer = answer_question({"evidence": evidence})  # type: ignore[dict-item]
    assert answer == {"statements": [], "nothing_found": True}


def test_headings_fences_and_the_marks_of_lists_are_no_statements() -> None:
    text = opening(
        "## Do\n\n1. Stop the caller.\n2) Kill it\n- Wait 5 s.\n```sh\nkill 7\n```\n| a |\n|---|\n| b |"
    )
    assert text == "Stop the caller. Kill it; Wait 5 s. kill 7; | a |; | b |"


def test_chinese_sentences_are_joined_without_a_gap() -> None:
    assert opening("## 处置\n1、先限流。再回滚。\n- 最后扩容") == "先限流。再回滚。最后扩容"


def test_whole_sentences_are_kept_up_to_the_limit() -> None:
    text = opening("A short one. " + "word " * 130 + "end.")
    assert text == "A short one."


def test_a_single_endless_sentence_is_cut() -> None:
    assert len(opening("x" * 5_000)) == 600


def test_figures_within_a_sentence_stay() -> None:
    assert opening("Raise it to 1.5 GB. Then wait 30 s.") == "Raise it to 1.5 GB. Then wait 30 s."
