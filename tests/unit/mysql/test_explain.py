"""Each word of query_mysql has a sentence for a person, and the manual lists each."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.tool.mysql.contract import ExecutionFault, Refusal
from superbiz_cli.harness.tool.mysql.explain import FAULT_MEANING, REFUSAL_MEANING, explained
from tests.support.run_cli import REPOSITORY


def test_every_word_has_a_sentence() -> None:
    assert set(REFUSAL_MEANING) == set(Refusal)
    assert set(FAULT_MEANING) == set(ExecutionFault)


@pytest.mark.parametrize("word", [*Refusal, *ExecutionFault])
def test_a_sentence_tells_the_word_and_what_to_do(word: Refusal | ExecutionFault) -> None:
    said = explained(word.value)

    assert said is not None
    message, remedy = said
    assert message.endswith(f"({word.value})")
    assert remedy


def test_another_word_has_none() -> None:
    assert explained("PROJECTION_ERROR") is None


def test_the_manual_lists_every_word_with_its_sentence() -> None:
    manual = (REPOSITORY / "docs" / "query-mysql.md").read_text("utf-8")

    for refusal, meaning in REFUSAL_MEANING.items():
        assert f"| `{refusal.value}` | {meaning} |" in manual
    for fault, (sentence, remedy) in FAULT_MEANING.items():
        assert f"| `{fault.value}` | {sentence} | {remedy} |" in manual
