"""Evaluate the configured knowledge base on judged queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from superbiz_cli.bootstrap.knowledge import (
    WRITE_DEADLINE_S,
    knowledge_run,
    knowledge_search,
    knowledge_store,
    searched_scopes,
    translated,
)
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.knowledge.evaluate.evaluation import EvaluationReport, Judged, judge, sum_up
from superbiz_cli.knowledge.evaluate.fit import fit_calibration
from superbiz_cli.knowledge.evaluate.golden import GoldenInvalid, GoldenQuery, read_golden, resolve
from superbiz_cli.knowledge.index import KnowledgeIndex
from superbiz_cli.knowledge.lookup import LookupResult
from superbiz_cli.knowledge.records import Calibration
from superbiz_cli.settings import Settings


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The report, its queries, and judged documents that the collection does not know."""

    report: EvaluationReport
    judged: tuple[Judged, ...]
    unknown: frozenset[str]
    calibrated: bool


def evaluate_knowledge(settings: Settings, golden: Path, *, calibrate: bool = False) -> Evaluated:
    """Look all judged queries up. With `calibrate` the rating is fitted first, and kept.

    Raises SuperbizError.
    """
    queries = _read(golden)
    judged, unknown, index = _judged(settings, queries)
    calibrated = False
    if calibrate:
        calibration = fit_calibration(
            judged, embedder=index.profile.embedder.name, passages=index.vocabulary.chunks
        )
        if calibration is not None:
            _keep(settings, calibration)
            judged, unknown, _ = _judged(settings, queries)
            calibrated = True
    return Evaluated(sum_up(judged), tuple(judged), frozenset(unknown), calibrated)


def _judged(
    settings: Settings, queries: Sequence[GoldenQuery]
) -> tuple[list[Judged], set[str], KnowledgeIndex]:
    run = knowledge_run(deadline_s=WRITE_DEADLINE_S)
    with knowledge_search(settings) as search, translated():
        index = search.index()
        if index is None:
            raise SuperbizError(
                ErrorCode.NOT_FOUND, "the knowledge base is empty", hint="superbiz kb ingest PATH"
            )
        resolved, unknown = resolve(queries, index.documents)

        def look_up(query: str) -> LookupResult:
            result = search.lookup(query, run=run, where=searched_scopes(settings))
            if result is None:
                raise SuperbizError(ErrorCode.NOT_FOUND, "the knowledge base is empty")
            return result

        return judge(resolved, look_up), unknown, index


def _keep(settings: Settings, calibration: Calibration) -> None:
    with knowledge_store(settings, writes=True) as store:
        profile = store.profile()
        if profile is not None:
            store.save_profile(replace(profile, calibration=calibration))


def _read(golden: Path) -> list[GoldenQuery]:
    try:
        return read_golden(golden)
    except (OSError, UnicodeDecodeError):
        raise SuperbizError(
            ErrorCode.NOT_FOUND, f"{golden} cannot be read", hint="name a file of judged queries"
        ) from None
    except GoldenInvalid as error:
        raise SuperbizError(
            ErrorCode.USAGE, f"{golden} {error}", hint="docs/knowledge.md describes the format"
        ) from error
