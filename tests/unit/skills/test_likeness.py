"""Likeness: how much more alike than usual, in any model's vectors."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.application.likeness import MAX_PASSAGE_CHARS, likeness, passage_of
from superbiz_cli.harness.application.skills import match_skills, rank_skills
from superbiz_cli.harness.contract.skill import Skill

POOL = Skill("pool", "Use when a pool is empty.", "text", triggers=("pool empty",))
DISK = Skill("disk", "Use when a disk is full.", "text", triggers=("disk full",))


def at(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


SKILLS = {"pool": at(0), "disk": at(90)}
COHORT = [at(30), at(45), at(60)]


def test_the_nearer_skill_is_more_alike_and_the_middle_is_usual() -> None:
    near = likeness(at(5), SKILLS, COHORT)
    assert near["pool"] > 1
    assert near["disk"] < -1
    usual = likeness(at(45), SKILLS, COHORT)
    assert usual["pool"] == pytest.approx(usual["disk"])
    assert abs(usual["pool"]) < 1


def test_a_model_that_gives_all_texts_much_in_common_counts_the_same() -> None:
    """A constant part in every vector moves every cosine and no likeness."""
    plain = likeness(at(5), SKILLS, COHORT)
    common = math.sqrt(0.8)

    def crowded(vector: list[float]) -> list[float]:
        return [common, *(value * math.sqrt(0.2) for value in vector)]

    shifted = likeness(
        crowded(at(5)),
        {name: crowded(vector) for name, vector in SKILLS.items()},
        [crowded(vector) for vector in COHORT],
    )
    assert shifted == pytest.approx(plain)


def test_a_cohort_without_differences_says_nothing() -> None:
    assert likeness(at(5), {"pool": at(0)}, [at(45), at(45)]) == {}
    assert likeness(at(5), SKILLS, []) == {}


@given(st.floats(0, 360))
def test_any_direction_has_a_finite_likeness_to_every_skill(degrees: float) -> None:
    found = likeness(at(degrees), SKILLS, COHORT)
    assert found.keys() == SKILLS.keys()
    assert all(map(math.isfinite, found.values()))


def test_a_passage_is_bounded_and_names_the_skill() -> None:
    long = Skill("pool-wait", "x" * 5_000, "text")
    assert passage_of(POOL) == "pool. Use when a pool is empty. pool empty"
    assert passage_of(long).startswith("pool wait. xxx")
    assert len(passage_of(long)) == MAX_PASSAGE_CHARS


def test_likeness_decides_between_skills_that_words_find() -> None:
    query = "pool empty, disk full"
    assert match_skills(query, [POOL, DISK], likeness={"pool": -1.0, "disk": 3.0})[0] == DISK
    assert match_skills(query, [POOL, DISK], likeness={"pool": 3.0, "disk": -1.0})[0] == POOL


def test_likeness_activates_what_words_find_in_part_and_nothing_else() -> None:
    assert match_skills("the disk makes noises", [POOL, DISK]) == ()
    for alike, found in ((1.9, ()), (2.0, (DISK,))):
        assert match_skills("the disk makes noises", [POOL, DISK], likeness={"disk": alike}) == found
    assert match_skills("noises", [POOL, DISK], likeness={"disk": 9.0}) == ()
    assert match_skills("how do I clean a disk?", [POOL, DISK], likeness={"disk": 9.0}) == ()


def test_likeness_never_brings_back_a_skill_for_another_product() -> None:
    slow = Skill("mysql-slow", "Use when queries are slow.", "text", triggers=("slow query",))
    assert match_skills("postgres slow query", [slow], likeness={"mysql-slow": 9.0}) == ()


def test_one_likeness_beyond_measure_does_not_outweigh_words() -> None:
    words = rank_skills("disk full", [POOL, DISK])[0].score
    assert rank_skills("disk full", [POOL, DISK], likeness={"disk": 1e9})[0].score <= words + 1.5
