"""Order, quality, relevance, selection and packing: ranking and rating stay apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.status import RelevanceLevel
from superbiz_cli.knowledge.fuse import Fusion, FusionMethod, Ranked, fuse
from superbiz_cli.knowledge.pack import header, pack
from superbiz_cli.knowledge.quality import quality
from superbiz_cli.knowledge.rate import Rated, Thresholds, best_quality, rate, relevance_of
from superbiz_cli.knowledge.retrieve import Candidate
from superbiz_cli.knowledge.select import BEYOND_LIMIT, SAME_TEXT, TOO_MANY_OF_DOCUMENT, select
from tests.support.knowledge import CALIBRATION, WordEmbedder, chunk, profile

THRESHOLDS = Thresholds(precise=0.75, reference=0.4)
IDENTITY = WordEmbedder().identity


def candidate(doc: str = "a.md", index: int = 0, content: str = "", **measures: object) -> Candidate:
    return Candidate(chunk(doc, index, content or f"{doc} {index}"), **measures)  # type: ignore[arg-type]


def rated(doc: str, index: int = 0, content: str = "", quality: float = 0.5) -> Rated:
    return Rated(Ranked(candidate(doc, index, content), 1.0), quality)


def order(candidates: list[Candidate], fusion: Fusion) -> list[str]:
    return [item.candidate.chunk.doc_id for item in fuse(candidates, fusion)]


def test_reciprocal_ranks_are_those_of_the_paper() -> None:
    both = candidate("both", dense_rank=1, sparse_rank=3)
    one = candidate("one", sparse_rank=1)
    ranked = fuse([one, both], Fusion(FusionMethod.RRF, dense_weight=0.5, rrf_k=60))
    assert [(item.candidate.chunk.doc_id, round(item.fused, 6)) for item in ranked] == [
        ("both", round(1 / 61 + 1 / 63, 6)),
        ("one", round(1 / 61, 6)),
    ]


def test_the_convex_sum_weighs_scaled_scores() -> None:
    near = candidate("near", cosine=0.9, bm25=0.0, dense_rank=1)
    exact = candidate("exact", cosine=0.1, bm25=8.0, coverage=1.0, sparse_rank=1)
    assert order([near, exact], Fusion(dense_weight=0.6)) == ["near", "exact"]
    assert order([near, exact], Fusion(dense_weight=0.4)) == ["exact", "near"]


def test_words_that_cover_little_of_the_query_leave_the_order_to_meaning() -> None:
    near = candidate("near", cosine=0.9, bm25=0.0, dense_rank=1)
    by_chance = candidate("by chance", cosine=0.1, bm25=8.0, coverage=0.4, sparse_rank=1)
    assert order([near, by_chance], Fusion(dense_weight=0.4)) == ["near", "by chance"]


def test_without_vectors_words_alone_decide() -> None:
    few, many = candidate("few", bm25=1.0), candidate("many", bm25=2.0)
    assert order([few, many], Fusion(dense_weight=1.0)) == ["many", "few"]


def test_nothing_to_fuse_is_nothing() -> None:
    assert fuse([], Fusion()) == []


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 30)), min_size=1, max_size=12),
    st.sampled_from(FusionMethod),
)
def test_a_candidate_that_is_better_in_both_searches_never_comes_later(
    scores: list[tuple[float, float]], method: FusionMethod
) -> None:
    by_cosine = sorted(range(len(scores)), key=lambda i: -scores[i][0])
    by_bm25 = sorted(range(len(scores)), key=lambda i: -scores[i][1])
    candidates = [
        candidate(
            f"{i:02}",
            cosine=cosine,
            bm25=score,
            dense_rank=by_cosine.index(i) + 1,
            sparse_rank=by_bm25.index(i) + 1,
        )
        for i, (cosine, score) in enumerate(scores)
    ]
    fused = {r.candidate.chunk.doc_id: r.fused for r in fuse(candidates, Fusion(method))}
    for i, (cosine, score) in enumerate(scores):
        for j, (other_cosine, other_score) in enumerate(scores):
            if cosine > other_cosine and score > other_score:
                assert fused[f"{i:02}"] >= fused[f"{j:02}"]


def test_quality_rises_with_both_measures_and_knows_no_rank() -> None:
    def of(cosine: float, coverage: float, rank: int = 1) -> float:
        return quality(candidate(cosine=cosine, coverage=coverage, sparse_rank=rank), CALIBRATION, IDENTITY)

    assert of(0.1, 0.1) < of(0.5, 0.1) < of(0.5, 0.9)
    assert of(0.5, 0.5, rank=1) == of(0.5, 0.5, rank=40)


def test_the_whole_query_word_for_word_is_worth_showing_and_never_precise() -> None:
    made = profile()
    far = [candidate(cosine=-0.5, coverage=share) for share in (0.4, 0.75, 1.0)]
    few, most, whole = (quality(item, made.calibration, made.embedder) for item in far)
    assert few < 0.05
    assert 0.2 < most < THRESHOLDS.reference < whole < THRESHOLDS.precise


@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_in_a_larger_collection_the_same_cosine_means_less(one: int, other: int) -> None:
    fitted = replace(CALIBRATION, passages=4_000)
    near = candidate(cosine=0.3, coverage=0.3)
    small, large = (quality(near, fitted, IDENTITY, passages=n) for n in sorted((one, other)))
    assert small >= large
    assert quality(near, fitted, IDENTITY, passages=4_000) == quality(near, CALIBRATION, IDENTITY)


def test_constants_of_another_model_rate_nothing() -> None:
    other = WordEmbedder(name="other").identity
    assert quality(candidate(cosine=1.0, coverage=0.0), CALIBRATION, other) == quality(
        candidate(cosine=-1.0, coverage=0.0), None, other
    )


def test_a_candidate_without_a_vector_is_rated_by_its_words() -> None:
    assert quality(candidate(coverage=1.0), CALIBRATION, IDENTITY) > 0.9
    assert quality(candidate(coverage=0.1), CALIBRATION, IDENTITY) < 0.1


@pytest.mark.parametrize(
    ("best", "level"),
    [
        (0.75, RelevanceLevel.PRECISE),
        (0.7499, RelevanceLevel.REFERENCE),
        (0.4, RelevanceLevel.REFERENCE),
        (0.3999, None),
    ],
)
def test_the_best_candidate_rates_the_lookup_wherever_it_stands(
    best: float, level: RelevanceLevel | None
) -> None:
    items = [rated("a", quality=0.1), rated("b", quality=best)]
    assert best_quality(items) == best
    assert relevance_of(items, THRESHOLDS) is level


def test_rating_changes_no_order() -> None:
    ranking = [Ranked(candidate("bad", cosine=-1.0), 0.9), Ranked(candidate("good", cosine=1.0), 0.1)]
    items = rate(ranking, profile())
    assert [item.ranked.candidate.chunk.doc_id for item in items] == ["bad", "good"]
    assert items[0].quality < items[1].quality


def test_no_candidate_means_no_relevance() -> None:
    assert relevance_of([], THRESHOLDS) is None


def test_two_passages_of_a_document_and_five_in_all_are_chosen() -> None:
    items = [rated("a", i) for i in range(4)] + [rated(f"d{i}") for i in range(6)]
    selected = select(items, return_n=5, max_per_document=2)
    assert [
        (item.ranked.candidate.chunk.doc_id, item.ranked.candidate.chunk.index) for item in selected.chosen
    ] == [("a", 0), ("a", 1), ("d0", 0), ("d1", 0), ("d2", 0)]
    assert selected.left_out["a@r1#2"] == TOO_MANY_OF_DOCUMENT
    assert selected.left_out["d3@r1#0"] == BEYOND_LIMIT


def test_the_same_text_in_two_documents_is_chosen_once() -> None:
    selected = select(
        [rated("a", content="same  text"), rated("b", content="same text")], return_n=5, max_per_document=2
    )
    assert len(selected.chosen) == 1
    assert selected.left_out == {"b@r1#0": SAME_TEXT}


def test_packing_cuts_the_passage_that_does_not_fit_and_drops_what_follows() -> None:
    packed = pack([rated(name, content=name * 300) for name in "abcd"], budget_chars=750)
    assert [passage.is_cut for passage in packed.passages] == [False, False, True]
    assert packed.passages[2].content.endswith("…")
    assert packed.omitted == ("d@r1#0",)
    assert packed.used_chars <= 750
    assert packed.used_chars == sum(len(header(p.chunk)) + len(p.content) for p in packed.passages)


def test_a_passage_of_which_little_would_be_left_is_omitted() -> None:
    packed = pack([rated("a", content="a" * 300), rated("b", content="b" * 300)], budget_chars=350)
    assert [passage.chunk.doc_id for passage in packed.passages] == ["a"]
    assert packed.omitted == ("b@r1#0",)


@given(st.lists(st.integers(1, 900), max_size=8), st.integers(0, 2000))
def test_packing_never_exceeds_its_budget(lengths: list[int], budget: int) -> None:
    items = [rated(f"d{i}", content="x" * length) for i, length in enumerate(lengths)]
    packed = pack(items, budget_chars=budget)
    assert packed.used_chars <= budget
    assert len(packed.passages) + len(packed.omitted) == len(items)
