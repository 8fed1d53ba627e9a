"""Run judged queries through lookups and sum up: order by kind, gate, rating, retry, time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from superbiz_cli.harness.contract.status import RelevanceLevel
from superbiz_cli.harness.contract.strict import StrictModel
from superbiz_cli.knowledge.evaluate.golden import GoldenQuery
from superbiz_cli.knowledge.evaluate.measures import (
    area_under_curve,
    hit,
    mean,
    median,
    ndcg,
    recall,
    reciprocal_rank,
)
from superbiz_cli.knowledge.lookup import LookupResult
from superbiz_cli.knowledge.trace import AttemptKind

DEPTH = 10
ALL_KINDS = "all"


class KindScores(StrictModel):
    """Means over the answerable queries of one kind."""

    kind: str
    queries: int
    hit_at_1: float
    hit_at_5: float
    recall_at_5: float
    mrr_at_10: float
    ndcg_at_10: float


class GateScores(StrictModel):
    """What the gate lets through, as shares; `auc` is of the best quality, answerable against not.

    `precise_relevant` is the share of lookups rated PRECISE whose first document is relevant.
    """

    answerable: int
    answerable_kept: float
    no_answer: int
    no_answer_passed: float
    auc: float | None
    precise: int
    precise_relevant: float


class RetryScores(StrictModel):
    """How often a narrowed search was repeated, and how often that won or lost a relevant document."""

    narrowed: int
    triggered: int
    useful: int
    harmful: int


class EvaluationReport(StrictModel):
    """The result of one evaluation. Times are in milliseconds, per lookup."""

    queries: int
    kinds: tuple[KindScores, ...]
    gate: GateScores
    retry: RetryScores
    search_p50_ms: float
    embed_p50_ms: float


@dataclass(frozen=True, slots=True)
class Judged:
    """One query with what the lookup made of it. `ranking` has the documents, each once, the best first."""

    golden: GoldenQuery
    result: LookupResult
    ranking: tuple[str, ...]

    @property
    def best_quality(self) -> float:
        """The quality that the gate saw."""
        return self.result.retrieval.attempts[-1].best_quality


def judge(queries: Iterable[GoldenQuery], look_up: Callable[[str], LookupResult]) -> list[Judged]:
    """Look every query up."""
    return [
        Judged(query, result, document_ranking(result))
        for query in queries
        for result in (look_up(query.query),)
    ]


def document_ranking(result: LookupResult) -> tuple[str, ...]:
    """Return the documents in the fused order, each at the place of its best passage."""
    return tuple(dict.fromkeys(item.ranked.candidate.chunk.doc_id for item in result.ranking))[:DEPTH]


def sum_up(judged: Sequence[Judged]) -> EvaluationReport:
    """Return the report over all judged queries."""
    answerable = [item for item in judged if item.golden.is_answerable]
    kinds = sorted({item.golden.kind for item in answerable})
    scores = [_kind(kind, [item for item in answerable if item.golden.kind == kind]) for kind in kinds]
    attempts = [attempt for item in judged for attempt in item.result.retrieval.attempts]
    return EvaluationReport(
        queries=len(judged),
        kinds=(*scores, _kind(ALL_KINDS, answerable)),
        gate=_gate(answerable, [item for item in judged if not item.golden.is_answerable]),
        retry=_retry(judged),
        search_p50_ms=round(median([attempt.search_ms for attempt in attempts]), 2),
        embed_p50_ms=round(median([item.result.retrieval.embed_ms for item in judged]), 2),
    )


def _kind(kind: str, judged: Sequence[Judged]) -> KindScores:
    def average(measure: Callable[[Sequence[str], Sequence[str], int], float], k: int) -> float:
        return round(mean([measure(item.ranking, item.golden.relevant, k) for item in judged]), 4)

    return KindScores(
        kind=kind,
        queries=len(judged),
        hit_at_1=average(hit, 1),
        hit_at_5=average(hit, 5),
        recall_at_5=average(recall, 5),
        mrr_at_10=average(reciprocal_rank, DEPTH),
        ndcg_at_10=average(ndcg, DEPTH),
    )


def _gate(answerable: Sequence[Judged], no_answer: Sequence[Judged]) -> GateScores:
    precise = [item for item in (*answerable, *no_answer) if item.result.relevance is RelevanceLevel.PRECISE]
    auc = area_under_curve(
        [item.best_quality for item in answerable], [item.best_quality for item in no_answer]
    )
    return GateScores(
        answerable=len(answerable),
        answerable_kept=_share(answerable, lambda item: item.result.is_found),
        no_answer=len(no_answer),
        no_answer_passed=_share(no_answer, lambda item: item.result.is_found),
        auc=None if auc is None else round(auc, 4),
        precise=len(precise),
        precise_relevant=_share(precise, lambda item: hit(item.ranking, item.golden.relevant, 1) > 0),
    )


def _retry(judged: Sequence[Judged]) -> RetryScores:
    narrowed = [item for item in judged if item.result.retrieval.attempts[0].kind is AttemptKind.FILTERED]
    retried = [item for item in judged if item.result.retrieval.fallback_reason is not None]
    gains = [_gain_of_retry(item) for item in retried if item.golden.is_answerable]
    return RetryScores(
        narrowed=len(narrowed),
        triggered=len(retried),
        useful=sum(gain > 0 for gain in gains),
        harmful=sum(gain < 0 for gain in gains),
    )


def _gain_of_retry(item: Judged) -> float:
    first, last = item.result.retrieval.attempts[0], item.result.retrieval.attempts[-1]
    relevant = item.golden.relevant
    return ndcg(last.documents, relevant, DEPTH) - ndcg(first.documents, relevant, DEPTH)


def _share(items: Sequence[Judged], holds: Callable[[Judged], bool]) -> float:
    return round(mean([1.0 if holds(item) else 0.0 for item in items]), 4)
