"""How log files are understood: any files a person names, and the files of the configured sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from superbiz_cli.adapters.log_files.inspect import inspect_logs
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.adapters.log_files.survey import survey_files
from superbiz_cli.bootstrap.sources import display_zone, log_sources
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic
from superbiz_cli.settings import Settings

_ASKED_FOR = timedelta(days=1)
_ASKED_WITHIN_S = 6.0


@dataclass(frozen=True, slots=True)
class SourceReport:
    """One configured source, looked at within seconds whatever its size.

    `newest` is the time of the newest event that was found, in the zone of the display. `shapes` says
    how the files are understood; `kind`s that are asked over a network have none.
    """

    name: str
    topic: str
    kind: str
    places: tuple[str, ...]
    files: int = 0
    total_bytes: int = 0
    newest: datetime | None = None
    shapes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    answered: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the report as it is printed with `--json`."""
        return {
            "name": self.name,
            "topic": self.topic,
            "kind": self.kind,
            "places": list(self.places),
            "files": self.files,
            "bytes": self.total_bytes,
            "newest": None if self.newest is None else self.newest.isoformat(timespec="seconds"),
            "shapes": list(self.shapes),
            "problems": list(self.problems),
        }


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
    return [report_on(source, settings) for source in log_sources(settings)]


def report_on(source: LogSource, settings: Settings) -> SourceReport:
    """Look at one source: at beginnings and ends of files, or ask a remote one for its last day."""
    zone = ZoneInfo(display_zone(settings))
    if not source.paths:
        return _asked(source, zone)
    survey = survey_files(source)
    problems = survey.problems or ([] if survey.files else ["nothing is there"])
    return SourceReport(
        source.name,
        source.topic.value,
        source.kind.value,
        source.paths,
        files=survey.files,
        total_bytes=survey.total_bytes,
        newest=None if survey.newest is None else survey.newest.astimezone(zone),
        shapes=tuple(survey.shapes),
        problems=tuple(problems),
    )


def _asked(source: LogSource, zone: ZoneInfo) -> SourceReport:
    """Ask a remote source what the tool would ask. Its address is not shown: it can hold a password."""
    from superbiz_cli.adapters.log_backend import READERS
    from superbiz_cli.harness.contract.limits import BudgetLimits
    from superbiz_cli.harness.core.run import Run, RunAborted
    from superbiz_cli.harness.tool.logs.contract import LogQuery, TimeWindow
    from superbiz_cli.harness.tool.logs.tally import EventTally

    report = SourceReport(source.name, source.topic.value, source.kind.value, ())
    now = datetime.now(UTC)
    query = LogQuery(source.topic, "", (), TimeWindow.between(now - _ASKED_FOR, now))
    tally = EventTally(query.window)
    run = Run.start(session_id="none", deadline_s=_ASKED_WITHIN_S, limits=BudgetLimits())
    try:
        with run.watching_deadline():
            answer = READERS[source.kind](source).search(query, tally, run=run)
    except RunAborted:
        return replace(report, problems=(f"no answer within {_ASKED_WITHIN_S:.0f} s",), answered=False)
    patterns, _ = tally.finish()
    newest = max((datetime.fromisoformat(pattern.last_seen) for pattern in patterns), default=None)
    nothing = "no event in the last day" if answer.answered and newest is None else None
    return replace(
        report,
        newest=None if newest is None else newest.astimezone(zone),
        problems=(*([nothing] if nothing else []), *answer.limitations),
        answered=answer.answered,
    )
