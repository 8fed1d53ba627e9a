"""The shipped skills over the committed table of questions, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.skill_files import load_skills
from superbiz_cli.harness.application.skills import match_skills, rank_skills
from superbiz_cli.harness.contract.skill import Skill

TABLE = Path(__file__).with_name("skill_queries.tsv")
NONE = "none"


@pytest.fixture(scope="module")
def skills() -> tuple[Skill, ...]:
    return load_skills([assets.skills_root()]).skills


@pytest.fixture(scope="module")
def table() -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return [(wanted, query) for wanted, query in rows]


def best(query: str, skills: tuple[Skill, ...]) -> str:
    ranked = rank_skills(query, skills)
    return ranked[0].skill.name.removeprefix("diagnose-") if ranked else NONE


def test_the_table_is_large_enough_and_names_only_shipped_skills(
    table: list[tuple[str, str]], skills: tuple[Skill, ...]
) -> None:
    assert len(table) >= 60
    assert sum(wanted == NONE for wanted, _ in table) >= 12
    assert {f"diagnose-{wanted}" for wanted, _ in table if wanted != NONE} == {skill.name for skill in skills}


def test_nine_of_ten_questions_get_the_right_skill_first(
    table: list[tuple[str, str]], skills: tuple[Skill, ...]
) -> None:
    asked = [(wanted, query) for wanted, query in table if wanted != NONE]
    missed = [(wanted, query) for wanted, query in asked if best(query, skills) != wanted]
    assert len(missed) <= len(asked) // 10, missed


def test_at_most_one_of_ten_other_questions_activates_a_skill(
    table: list[tuple[str, str]], skills: tuple[Skill, ...]
) -> None:
    others = [query for wanted, query in table if wanted == NONE]
    activated = [query for query in others if match_skills(query, skills)]
    assert len(activated) <= len(others) // 10, activated


def test_the_question_of_the_demo_activates_one_skill_only(skills: tuple[Skill, ...]) -> None:
    """Two skills cost twice the prompt in every turn."""
    for query in ("payment service times out since 10:02", "支付服务从 10:02 开始超时"):
        assert [skill.name for skill in match_skills(query, skills)] == ["diagnose-mysql-connection-pool"]
