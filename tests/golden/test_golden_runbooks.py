"""What the retrieval must do on the example runbooks, by kind of question: behaviour, not scores.

`make eval` shows the scores. The passages' vectors ship with the product; the questions are embedded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from superbiz_cli.bootstrap.knowledge_evaluation import evaluate_knowledge
from superbiz_cli.harness.contract.status import RelevanceLevel
from superbiz_cli.knowledge.evaluate.baseline import read_baseline
from superbiz_cli.knowledge.evaluate.evaluation import Judged
from superbiz_cli.settings import load
from tests.support.run_cli import run_cli

GOLDEN = Path(__file__).parent / "runbooks.jsonl"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Judged]:
    """Every query of the golden set, looked up in the example runbooks with the default settings."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("golden")
        patch.setenv("SUPERBIZ_HOME", str(home))
        patch.setenv("SUPERBIZ_CONFIG_DIR", str(home / "no-config"))
        assert run_cli("kb", "ingest", "--examples").code == 0
        evaluated = evaluate_knowledge(load().settings, GOLDEN)
    assert evaluated.unknown == frozenset()
    return evaluated.judged


def of(judged: Sequence[Judged], *kinds: str) -> list[Judged]:
    chosen = [item for item in judged if item.golden.kind in kinds]
    assert chosen
    return chosen


def without_relevant(judged: Sequence[Judged], depth: int) -> list[tuple[str, str, tuple[str, ...]]]:
    """The queries that have no relevant document among the first `depth`."""
    return [
        (item.golden.id, item.golden.query, item.ranking[:depth])
        for item in judged
        if not set(item.ranking[:depth]) & set(item.golden.relevant)
    ]


@pytest.mark.parametrize("kind", ["alert", "identifier", "typo", "symptom"])
def test_the_first_document_answers(kind: str, judged: Sequence[Judged]) -> None:
    assert without_relevant(of(judged, kind), 1) == []


def test_a_question_in_the_other_language_finds_its_document(judged: Sequence[Judged]) -> None:
    assert without_relevant(of(judged, "crosslingual"), 5) == []


def test_a_question_without_an_answer_gets_none(judged: Sequence[Judged]) -> None:
    passed = [item.golden.query for item in of(judged, "no-answer") if item.result.is_found]
    assert passed == []


def test_an_alert_or_an_error_text_passes_the_gate(judged: Sequence[Judged]) -> None:
    held = [item.golden.query for item in of(judged, "alert", "identifier") if not item.result.is_found]
    assert held == []


def test_what_is_called_precise_is_about_the_question(judged: Sequence[Judged]) -> None:
    precise = [item for item in judged if item.result.relevance is RelevanceLevel.PRECISE]
    assert precise
    assert without_relevant(precise, 1) == []


def test_the_order_is_never_that_of_the_ratings(judged: Sequence[Judged]) -> None:
    """Ranking and rating are apart: somewhere a worse rated passage stands before a better one."""
    for item in judged:
        fused = [rated.ranked.fused for rated in item.result.ranking]
        assert fused == sorted(fused, reverse=True)
    ratings = [[rated.quality for rated in item.result.ranking] for item in judged]
    assert any(qualities != sorted(qualities, reverse=True) for qualities in ratings)


@pytest.mark.parametrize("name", ["runbooks", "real"])
def test_the_committed_figures_can_be_compared_with(name: str) -> None:
    report = read_baseline(GOLDEN.parent / f"{name}.baseline.json")
    assert {"alert", "crosslingual", "identifier", "symptom", "typo", "all"} == {
        scores.kind for scores in report.kinds
    }
