"""Evaluation: the figures are those of ir-measures, and a regression is seen."""

from __future__ import annotations

import json
import random
from pathlib import Path

import ir_measures
import pytest
from ir_measures import RR, R, Success, nDCG

from superbiz_cli.knowledge.evaluate.baseline import compare, read_baseline, write_baseline
from superbiz_cli.knowledge.evaluate.evaluation import judge, sum_up
from superbiz_cli.knowledge.evaluate.fit import fit_calibration
from superbiz_cli.knowledge.evaluate.golden import (
    NO_ANSWER,
    GoldenInvalid,
    GoldenQuery,
    known_as,
    read_golden,
    resolve,
)
from superbiz_cli.knowledge.evaluate.measures import (
    area_under_curve,
    hit,
    median,
    ndcg,
    recall,
    reciprocal_rank,
)
from tests.support.knowledge import ingest, search, write
from tests.support.memory_chunks import MemoryStore


def test_every_measure_is_that_of_ir_measures() -> None:
    randomness = random.Random(7)
    docs = [f"d{n}" for n in range(30)]
    for case in range(40):
        relevant = randomness.sample(docs, randomness.randint(1, 6))
        ranking = randomness.sample(docs, randomness.randint(1, 20))
        qrels = [ir_measures.Qrel("q", doc, 1) for doc in relevant]
        run = [ir_measures.ScoredDoc("q", doc, 100.0 - place) for place, doc in enumerate(ranking)]
        expected = ir_measures.calc_aggregate(
            [nDCG @ 10, R @ 5, RR @ 10, Success @ 1, Success @ 5], qrels, run
        )
        assert ndcg(ranking, relevant, 10) == pytest.approx(expected[nDCG @ 10]), case
        assert recall(ranking, relevant, 5) == pytest.approx(expected[R @ 5]), case
        assert reciprocal_rank(ranking, relevant, 10) == pytest.approx(expected[RR @ 10]), case
        assert hit(ranking, relevant, 1) == pytest.approx(expected[Success @ 1]), case
        assert hit(ranking, relevant, 5) == pytest.approx(expected[Success @ 5]), case


def test_the_area_under_the_curve_is_the_chance_to_tell_apart() -> None:
    assert area_under_curve([0.9, 0.8], [0.1]) == 1.0
    assert area_under_curve([0.5], [0.5]) == 0.5
    assert area_under_curve([0.1, 0.9], [0.5]) == 0.5
    assert area_under_curve([], [0.5]) is None
    assert median([3.0, 1.0, 2.0]) == 2.0


def lines(tmp_path: Path, *queries: object) -> Path:
    path = tmp_path / "golden.jsonl"
    path.write_text("\n".join(q if isinstance(q, str) else json.dumps(q) for q in queries), encoding="utf-8")
    return path


def test_judged_queries_are_read_with_what_they_may_leave_out(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"id": "a", "query": "q", "relevant": ["x.md"], "kind": "alert", "note": "ignored"},
        "",
        {"query": "none", "relevant": []},
    )
    assert read_golden(path) == [
        GoldenQuery("a", "q", ("x.md",), "alert"),
        GoldenQuery("3", "none", (), NO_ANSWER),
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{not json", "line 1 is not one JSON object"),
        ({"relevant": []}, 'line 1 has no "query"'),
        ({"query": "q"}, 'line 1 has no "relevant"'),
        ({"query": "q", "relevant": [1]}, 'line 1 has no "relevant"'),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, bad: object, message: str) -> None:
    with pytest.raises(GoldenInvalid, match=message):
        read_golden(lines(tmp_path, bad))


def test_an_empty_file_and_equal_ids_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GoldenInvalid, match="no query"):
        read_golden(lines(tmp_path))
    same = {"id": "a", "query": "q", "relevant": []}
    with pytest.raises(GoldenInvalid, match="same id"):
        read_golden(lines(tmp_path, same, same))


def test_a_name_may_be_shorter_or_longer_at_its_beginning() -> None:
    docs = {"runbooks/redis/slow.md", "slow.md"}
    assert known_as("redis/slow.md", docs) == "runbooks/redis/slow.md"
    assert known_as("slow.md", docs) == "slow.md"
    assert known_as("kb/en/slow.md", docs) == "slow.md"
    assert known_as("other.md", docs) is None


def test_documents_that_are_not_stored_are_told() -> None:
    resolved, unknown = resolve([GoldenQuery("a", "q", ("x.md", "gone.md"), "k")], {"docs/x.md"})
    assert resolved[0].relevant == ("docs/x.md", "gone.md")
    assert unknown == {"gone.md"}


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    made = MemoryStore()
    ingest(
        made,
        write(
            tmp_path,
            pool="# Pool\nThe connection pool of the payment service is exhausted.",
            redis="# Redis\nRedis latency is high because of a big key.",
            kafka="# Kafka\nConsumer lag grows while the group rebalances.",
        ),
    )
    profile = made.profile()
    assert profile is not None
    return made


GOLDEN = [
    GoldenQuery("1", "connection pool exhausted", ("pool.md",), "symptom"),
    GoldenQuery("2", "redis latency", ("redis.md",), "symptom"),
    GoldenQuery("3", "consumer lag of kafka", ("kafka.md",), "alert"),
    GoldenQuery("4", "vacation days of employees", (), NO_ANSWER),
]


def test_a_report_sums_up_by_kind_gate_and_rating(store: MemoryStore) -> None:
    report = sum_up(judge(GOLDEN, lambda query: search(store, query)))
    assert {kind.kind: (kind.queries, kind.ndcg_at_10) for kind in report.kinds} == {
        "alert": (1, 1.0),
        "symptom": (2, 1.0),
        "all": (3, 1.0),
    }
    assert report.gate.no_answer_passed == 0.0
    assert report.gate.auc == 1.0
    assert report.queries == 4


def test_a_fall_of_a_figure_is_seen_and_a_small_one_tolerated(store: MemoryStore, tmp_path: Path) -> None:
    report = sum_up(judge(GOLDEN, lambda query: search(store, query)))
    write_baseline(tmp_path / "baseline.json", report)
    before = read_baseline(tmp_path / "baseline.json")
    assert before == report
    assert [change for change in compare(before, report) if change.worse] == []
    worse = [GoldenQuery(q.id, q.query, ("kafka.md",), q.kind) if q.id == "1" else q for q in GOLDEN]
    changes = compare(before, sum_up(judge(worse, lambda query: search(store, query))))
    assert {change.name for change in changes if change.worse} >= {"symptom nDCG@10", "all nDCG@10"}
    passed = report.model_copy(update={"gate": report.gate.model_copy(update={"no_answer_passed": 0.5})})
    assert [change.name for change in compare(before, passed) if change.worse] == ["no answer passed"]


def test_a_fit_needs_enough_queries_and_rates_relevant_passages_higher(store: MemoryStore) -> None:
    judged = judge(GOLDEN, lambda query: search(store, query))
    assert fit_calibration(judged, embedder="words") is None
    many = [item for item in judged for _ in range(10)]
    fitted = fit_calibration(many, embedder="words")
    assert fitted is not None
    assert fitted.cosine_weight + fitted.coverage_weight > 0
    assert fitted.embedder == "words"
