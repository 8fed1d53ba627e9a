"""Centring, BM25 as an inner product, and the vectors that ship with the product."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from superbiz_cli.knowledge.centre import centred, dot, mean_of, restored
from superbiz_cli.knowledge.lexical import K1, B, bm25, coverage, passage_weights, query_weights
from superbiz_cli.knowledge.means import RunningMeans, has_outgrown, initial_means, outgrown
from superbiz_cli.knowledge.records import LanguageMean
from superbiz_cli.knowledge.remembered import ShippedVectors, digest, read_vectors, write_vectors
from superbiz_cli.knowledge.terms import term_id
from tests.support.knowledge import document

VECTOR = st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4)


@given(VECTOR, VECTOR)
def test_a_centred_vector_has_length_one_and_can_be_restored(vector: list[float], mean: list[float]) -> None:
    moved = [a - b for a, b in zip(vector, mean, strict=True)]
    assume(dot(moved, moved) > 1e-6)
    means = {"en": LanguageMean(mean, 30)}
    dense, spread = centred(vector, "en", means)
    assert math.isclose(dot(dense, dense), 1.0, rel_tol=1e-6)
    assert restored(dense, spread, "en", means) == pytest.approx(vector, abs=1e-6)


def test_a_language_without_a_mean_keeps_its_direction() -> None:
    assert centred([3.0, 4.0], "zh", {}) == ([0.6, 0.8], 5.0)
    assert restored([0.6, 0.8], 5.0, "zh", {}) == pytest.approx([3.0, 4.0])


def test_a_vector_that_is_the_mean_points_nowhere() -> None:
    assert centred([1.0, 2.0], "en", {"en": LanguageMean([1.0, 2.0], 1)}) == ([0.0, 0.0], 0.0)


def test_centring_makes_two_languages_comparable() -> None:
    english, chinese = [1.0, 0.0, 0.1], [0.0, 1.0, 0.1]
    means = {"en": mean_of([[1.0, 0.0, 0.0]]), "zh": mean_of([[0.0, 1.0, 0.0]])}
    assert dot(english, chinese) < 0.1
    assert dot(centred(english, "en", means)[0], centred(chinese, "zh", means)[0]) == pytest.approx(1.0)


def test_a_mean_of_its_own_needs_thirty_passages_unless_there_is_no_other() -> None:
    usual = {"en": LanguageMean([9.0], 0)}
    few, many = [[1.0]] * 29, [[1.0]] * 30
    assert initial_means({"en": few}, usual)["en"] == LanguageMean([9.0], 0)
    assert initial_means({"en": many}, usual)["en"] == LanguageMean((1.0,), 30)
    assert initial_means({"zh": few}, usual)["zh"].sample == 29
    assert initial_means({}, {}) == {}


def test_a_language_outgrows_the_usual_mean() -> None:
    means = {"en": LanguageMean([1.0], 0), "zh": LanguageMean([1.0], 40)}
    documents = [document("a", chunks=20), document("b", chunks=15), document("c", chunks=9, language="zh")]
    assert outgrown(means, documents) == {"en"}
    assert outgrown(means, documents[:1]) == set()


def test_bm25_is_the_formula_of_the_paper() -> None:
    terms = ["pool", "pool", "empty"]
    passage = passage_weights(terms, average_terms=6)
    norm = K1 * (1 - B + B * 3 / 6)
    assert passage[term_id("pool")] == pytest.approx(2 * (K1 + 1) / (2 + norm))
    assert bm25(query_weights({"pool": 2.0, "absent": 5.0}), passage) == pytest.approx(
        2.0 * passage[term_id("pool")]
    )


def test_coverage_is_the_share_of_the_rarity_that_occurs() -> None:
    passage = passage_weights(["pool"], average_terms=6)
    assert coverage(query_weights({"pool": 3.0, "absent": 1.0}), passage) == 0.75
    assert coverage({}, passage) == 0.0


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30))
def test_more_occurrences_never_weigh_less_in_passages_of_one_length(terms: list[str]) -> None:
    padded = terms + ["z"] * (40 - len(terms))
    weights = passage_weights(padded, average_terms=20)
    ordered = sorted("abc", key=terms.count)
    values = [weights.get(term_id(term), 0.0) for term in ordered]
    assert values == sorted(values)


def test_shipped_vectors_are_read_as_they_were_written(tmp_path: Path) -> None:
    shipped = ShippedVectors(
        {digest("a"): (0.5, -0.25)}, {"en": LanguageMean((0.125, 0.0), 7), "zh": LanguageMean((0.0, 1.0), 3)}
    )
    write_vectors(tmp_path / "new" / "v.json", shipped, model="m")
    assert read_vectors(tmp_path / "new" / "v.json", model="m") == shipped
    assert read_vectors(tmp_path / "new" / "v.json", model="other") == ShippedVectors()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"model": "m", "vectors": {"a": "?"}, "means": {}}'])
def test_a_damaged_file_of_vectors_counts_for_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(text)
    assert read_vectors(tmp_path / "v.json", model="m") == ShippedVectors()
    assert read_vectors(tmp_path / "none.json", model="m") == ShippedVectors()


@pytest.mark.parametrize(
    ("sample", "passages", "better"),
    [(None, 29, False), (None, 30, True), (0, 30, True), (29, 30, True), (40, 159, False), (40, 160, True)],
)
def test_a_mean_is_outgrown_by_four_times_as_many_passages(
    sample: int | None, passages: int, better: bool
) -> None:
    mean = None if sample is None else LanguageMean((0.0,), sample)
    assert has_outgrown(mean, passages) is better


@given(st.lists(st.tuples(st.sampled_from(["en", "zh"]), VECTOR), max_size=20))
def test_a_running_mean_is_the_mean(vectors: list[tuple[str, list[float]]]) -> None:
    running = RunningMeans()
    for language, vector in vectors:
        running.add(language, vector)
    for language, mean in running.means().items():
        own = [vector for name, vector in vectors if name == language]
        assert mean.sample == len(own)
        assert mean.vector == pytest.approx(mean_of(own).vector, abs=1e-9)
