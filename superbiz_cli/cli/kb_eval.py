"""`superbiz kb eval`: how good the retrieval is on judged queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from superbiz_cli.knowledge.evaluate.baseline import Change
    from superbiz_cli.knowledge.evaluate.evaluation import EvaluationReport, Judged

_WORST = 10


def evaluate(
    ctx: typer.Context,
    golden: Annotated[
        Path, typer.Argument(metavar="GOLDEN.jsonl", help="Judged queries, one JSON object a line.")
    ],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Compare with an earlier result; 1 if worse."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Keep the result as a baseline.")
    ] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Fit the rating to these queries and keep it.")
    ] = False,
    misses: Annotated[
        bool, typer.Option("--misses", help="Also list the queries that were answered worst.")
    ] = False,
) -> int:
    """Measure the retrieval on judged queries: order by kind, gate, rating, retry, time.

    A line is {"id", "query", "relevant": [documents], "kind"}; an empty list of relevant documents says
    that the knowledge base holds no answer. docs/knowledge.md describes the format.

    Examples:
      superbiz kb eval golden.jsonl
      superbiz kb eval golden.jsonl --baseline baseline.json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.knowledge_evaluation import evaluate_knowledge
    from superbiz_cli.knowledge.evaluate.baseline import compare, read_baseline, write_baseline

    try:
        before = read_baseline(baseline) if baseline else None
    except (OSError, ValueError):
        raise SuperbizError(
            ErrorCode.USAGE, f"the baseline {baseline} cannot be read", hint="--save FILE writes one"
        ) from None
    evaluated = evaluate_knowledge(loaded.settings, golden, calibrate=calibrate)
    changes = compare(before, evaluated.report) if before else []
    if save:
        try:
            write_baseline(save, evaluated.report)
        except OSError:
            raise SuperbizError(ErrorCode.OUTPUT_FAILED, f"the baseline {save} cannot be written") from None
    if evaluated.unknown:
        names = ", ".join(sorted(evaluated.unknown)[:5])
        invocation.streams.note(f"note: {len(evaluated.unknown)} judged documents are not stored: {names}")
    if calibrate:
        done = "kept with the collection" if evaluated.calibrated else "not done: too few judged queries"
        invocation.streams.note(f"note: calibration {done}")
    _write(evaluated.report, changes, evaluated.judged if misses else (), invocation)
    return ExitCode.FAILED if any(change.worse for change in changes) else ExitCode.SUCCESS


def _write(
    report: EvaluationReport, changes: Sequence[Change], judged: Sequence[Judged], invocation: Invocation
) -> None:
    from superbiz_cli.cli.streams import json_text

    streams = invocation.streams
    if invocation.format in (Format.JSON, Format.NDJSON):
        indent = None if invocation.format is Format.NDJSON else 2
        streams.result(json_text(_record(report, changes, judged), indent=indent))
        return
    from superbiz_cli.cli.rows import aligned

    parts = [aligned(_kinds(report), width=None), aligned(_rating(report), width=None)]
    if changes:
        parts.append(aligned(_changes(changes), width=None))
    if judged:
        parts.append(aligned(_misses(judged), width=streams.result_width))
    streams.result("\n".join(parts))


def _kinds(report: EvaluationReport) -> list[tuple[str, ...]]:
    header = ("kind", "queries", "Hit@1", "Hit@5", "Recall@5", "MRR@10", "nDCG@10")
    rows = [
        (
            kind.kind,
            str(kind.queries),
            *(
                f"{value:.3f}"
                for value in (
                    kind.hit_at_1,
                    kind.hit_at_5,
                    kind.recall_at_5,
                    kind.mrr_at_10,
                    kind.ndcg_at_10,
                )
            ),
        )
        for kind in report.kinds
    ]
    return [header, *rows]


def _rating(report: EvaluationReport) -> list[tuple[str, ...]]:
    gate, retry = report.gate, report.retry
    auc = "-" if gate.auc is None else f"{gate.auc:.3f}"
    return [
        ("gate", f"keeps {gate.answerable_kept:.0%} of {gate.answerable} answerable"),
        ("", f"passes {gate.no_answer_passed:.0%} of {gate.no_answer} without an answer (AUC {auc})"),
        ("precise", f"{gate.precise} lookups, the first document relevant in {gate.precise_relevant:.0%}"),
        (
            "retry",
            f"{retry.narrowed} narrowed, {retry.triggered} repeated: {retry.useful} useful,"
            f" {retry.harmful} harmful",
        ),
        ("time", f"search {report.search_p50_ms:.0f} ms, embedding {report.embed_p50_ms:.0f} ms (median)"),
    ]


def _changes(changes: Sequence[Change]) -> list[tuple[str, ...]]:
    rows = [
        (c.name, f"{c.before:.3f}", f"{c.now:.3f}", f"{c.delta:+.3f}", "worse" if c.worse else "")
        for c in changes
    ]
    return [("figure", "baseline", "now", "change", ""), *rows]


def _misses(judged: Sequence[Judged]) -> list[tuple[str, ...]]:
    rows = [
        (
            item.golden.id,
            item.golden.kind,
            f"{score:.2f}",
            item.golden.query,
            item.ranking[0] if item.ranking else "-",
        )
        for score, item in _worst(judged)
    ]
    return [("id", "kind", "nDCG", "query", "first document"), *rows]


def _worst(judged: Sequence[Judged]) -> list[tuple[float, Judged]]:
    from superbiz_cli.knowledge.evaluate.measures import ndcg

    scored = [
        (ndcg(item.ranking, item.golden.relevant, 10), item) for item in judged if item.golden.is_answerable
    ]
    return sorted(scored, key=lambda pair: (pair[0], pair[1].golden.id))[:_WORST]


def _record(
    report: EvaluationReport, changes: Sequence[Change], judged: Sequence[Judged]
) -> dict[str, object]:
    record: dict[str, object] = report.model_dump(mode="json")
    if changes:
        record["changes"] = [
            {"figure": c.name, "baseline": c.before, "now": c.now, "worse": c.worse} for c in changes
        ]
    if judged:
        record["misses"] = [
            {"id": item.golden.id, "query": item.golden.query, "ndcg": round(score, 4)}
            for score, item in _worst(judged)
        ]
    return record
