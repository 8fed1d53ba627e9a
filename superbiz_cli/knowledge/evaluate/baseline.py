"""Compare an evaluation with a committed one: which figures rose, which fell, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from superbiz_cli.knowledge.evaluate.evaluation import EvaluationReport

TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and now. `worse` tells that it fell by more than the tolerance."""

    name: str
    before: float
    now: float
    worse: bool

    @property
    def delta(self) -> float:
        """How much it changed."""
        return self.now - self.before


def read_baseline(path: Path) -> EvaluationReport:
    """Read an earlier report. Raises OSError, ValueError."""
    return EvaluationReport.model_validate_json(path.read_text(encoding="utf-8"))


def write_baseline(path: Path, report: EvaluationReport) -> None:
    """Write a report, to be compared with later. Raises OSError."""
    path.write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")


def compare(before: EvaluationReport, now: EvaluationReport, *, tolerance: float = TOLERANCE) -> list[Change]:
    """Return the change of every figure that both have; times are not compared, machines differ."""
    figures = dict(_figures(before))
    return [
        Change(name, figures[name], value, worse=(figures[name] - value) * direction > tolerance)
        for name, value, direction in _directed(now)
        if name in figures
    ]


def _figures(report: EvaluationReport) -> Iterator[tuple[str, float]]:
    for name, value, _ in _directed(report):
        yield name, value


def _directed(report: EvaluationReport) -> Iterator[tuple[str, float, int]]:
    """Yield name, value and whether more is better (1) or worse (-1)."""
    for kind in report.kinds:
        yield f"{kind.kind} nDCG@10", kind.ndcg_at_10, 1
        yield f"{kind.kind} Recall@5", kind.recall_at_5, 1
    gate = report.gate
    yield "answerable kept", gate.answerable_kept, 1
    yield "no answer passed", gate.no_answer_passed, -1
    if gate.auc is not None:
        yield "no-answer AUC", gate.auc, 1
    yield "PRECISE is relevant", gate.precise_relevant, 1
    yield "harmful retries", float(report.retry.harmful), -1
