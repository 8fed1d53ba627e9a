"""Rarity and correction of terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.knowledge.vocabulary import Vocabulary, count_frequencies, edit_distance

VOCABULARY = Vocabulary({"leader": 3, "ladder": 9, "kubepodcrashlooping": 1, "pool": 50, "连接": 4}, 100)


def test_rare_terms_weigh_more_than_common_ones_and_unknown_ones_most() -> None:
    assert VOCABULARY.idf("pool") < VOCABULARY.idf("leader") < VOCABULARY.idf("unheard")
    assert Vocabulary({"every": 9}, 3).idf("every") > 0


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ledaer", "leader"),
        ("leadr", "leader"),
        ("leaderr", "leader"),
        ("kubepodcrashloping", "kubepodcrashlooping"),
        ("kubepodcraslopping", "kubepodcrashlooping"),
        ("leader", None),
        ("xyzzy", None),
        ("pol", None),
        ("p00l", None),
        ("aeader", None),
    ],
)
def test_a_mistyped_term_is_taken_for_the_nearest_known_one(typed: str, meant: str | None) -> None:
    assert VOCABULARY.closest(typed) == meant


def test_of_equally_near_terms_the_commonest_wins() -> None:
    assert Vocabulary({"cat5e": 1, "cats": 1, "cars": 7}, 10).closest("caps") == "cars"


def test_frequencies_count_chunks_not_occurrences() -> None:
    assert count_frequencies([["a", "a", "b"], ["a"]]) == {"a": 2, "b": 1}


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_is_symmetric_and_zero_only_for_equal_words(left: str, right: str) -> None:
    distance = edit_distance(left, right, 10)
    assert distance == edit_distance(right, left, 10)
    assert (distance == 0) == (left == right)
    assert distance <= max(len(left), len(right))


@given(st.text("abc", max_size=8), st.text("abc", max_size=8), st.integers(0, 3))
def test_a_limit_only_ends_the_count_early(left: str, right: str, limit: int) -> None:
    assert min(edit_distance(left, right, limit), limit + 1) == min(edit_distance(left, right, 20), limit + 1)
