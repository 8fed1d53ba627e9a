"""How log files are understood: any files a person names, and the files of the configured sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from superbiz_cli.adapters.log_files.inspect import LogReport, inspect_logs
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.bootstrap.sources import display_zone, log_sources
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic
from superbiz_cli.settings import Settings


@dataclass(frozen=True, slots=True)
class SourceReport:
    """One configured source. `newest` is the time of its latest event as `LogReport.last_ts` writes it."""

    name: str
    topic: str
    kind: str
    places: tuple[str, ...]
    files: int = 0
    events: int = 0
    newest: str | None = None
    shapes: tuple[str, ...] = ()
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the report as it is printed with `--json`."""
        return asdict(self)


def inspect_files(paths: Sequence[str], settings: Settings, *, at: datetime | None) -> list[dict[str, Any]]:
    """Return a report on each log below `paths`, in the form of `logs inspect --json`."""
    source = LogSource(
        name="inspected",
        topic=LogTopic.APPLICATION,
        kind=LogSourceKind.FILES,
        timezone=display_zone(settings),
    )
    return [dict(report.as_json()) for report in inspect_logs(paths, source, at=at)]


def source_reports(settings: Settings) -> list[SourceReport]:
    """Return a report on each configured source. Raises SuperbizError for a missing credential."""
    return [_report(source) for source in log_sources(settings)]


def _report(source: LogSource) -> SourceReport:
    topic, kind = source.topic.value, source.kind.value
    if not source.paths:
        return SourceReport(source.name, topic, kind, ())  # an address from url_env can hold a password
    logs = inspect_logs(source.paths, source)
    read = [log for log in logs if log.problem is None]
    problems = [log.problem for log in logs if log.problem is not None]
    latest = max((log for log in read if log.last_ts), key=_last, default=None)
    return SourceReport(
        source.name,
        topic,
        kind,
        source.paths,
        files=len(read),
        events=sum(log.events for log in read),
        newest=latest.last_ts if latest else None,
        shapes=tuple(dict.fromkeys(shape for log in read for shape in log.shapes)),
        problem=problems[0] if problems else None if logs else "nothing is there",
    )


def _last(log: LogReport) -> str:
    return (log.last_ts or "").removesuffix("Z")
