"""A table of questions that was written apart from the skills' triggers: how well they are matched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.skill_files import load_skills
from superbiz_cli.harness.application.skills import MAX_PROMPT_CHARS, match_skills
from superbiz_cli.harness.contract.skill import Skill

TABLE = Path(__file__).with_name("queries.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
FITTING = [row for row in ROWS if row["skill"]]
OTHERS = [row for row in ROWS if not row["skill"]]


@pytest.fixture(scope="module")
def skills() -> tuple[Skill, ...]:
    return load_skills([assets.skills_root()]).skills


def test_the_table_is_large_enough_in_both_languages(skills: tuple[Skill, ...]) -> None:
    assert len(ROWS) >= 60
    assert len(OTHERS) >= 12
    assert {row["skill"] for row in FITTING} == {skill.name for skill in skills}
    for rows in (FITTING, OTHERS):
        chinese = sum(any("一" <= char <= "鿿" for char in row["query"]) for row in rows)
        assert chinese >= len(rows) // 3


def test_the_right_skill_comes_first_for_nine_of_ten(skills: tuple[Skill, ...]) -> None:
    missed = [
        row["query"]
        for row in FITTING
        if [skill.name for skill in match_skills(row["query"], skills)][:1] != [row["skill"]]
    ]
    assert len(missed) <= 0.1 * len(FITTING), missed


def test_at_most_one_of_ten_other_questions_activates_a_skill(skills: tuple[Skill, ...]) -> None:
    activated = [row["query"] for row in OTHERS if match_skills(row["query"], skills)]
    assert len(activated) <= 0.1 * len(OTHERS), activated


def test_active_skills_always_fit_the_prompt(skills: tuple[Skill, ...]) -> None:
    for row in ROWS:
        active = match_skills(row["query"], skills)
        assert len(active) <= 2
        assert sum(len(skill.text) for skill in active) <= MAX_PROMPT_CHARS
