"""What `doctor` says about each log source."""

from __future__ import annotations

import os

from superbiz_cli.bootstrap.log_reports import report_on
from superbiz_cli.bootstrap.port import Check, CheckStatus
from superbiz_cli.bootstrap.sources import log_source, paths_matching
from superbiz_cli.settings import LogSource, Settings

_SHOWN_SHAPES = 3


def log_source_check(source: LogSource, settings: Settings) -> Check:
    """Look at one source of the configuration. Raises SuperbizError for a missing credential."""
    name = f"logs {source.name}"
    if not source.paths:
        return _looked_at(name, source, settings)
    found = [path for pattern in source.paths for path in paths_matching(pattern)]
    if not found:
        return Check(
            name, CheckStatus.WARN, f"nothing at {', '.join(source.paths)}", "check [[logs.sources]] paths"
        )
    unreadable = [path for path in found if not os.access(path, os.R_OK)]
    if unreadable:
        return Check(
            name, CheckStatus.WARN, f"{unreadable[0]} cannot be read", "check the permissions of the file"
        )
    return _looked_at(name, source, settings)


def _looked_at(name: str, source: LogSource, settings: Settings) -> Check:
    """Say what a search would meet: how new the newest event is, and how the files are understood."""
    report = report_on(log_source(source, settings), settings)
    what: list[str] = [source.topic, source.kind]
    if source.paths:
        what.append(f"{report.files} file(s)")
    if report.newest is not None:
        what.append(f"newest event {report.newest.isoformat(' ', 'seconds')}")
    if report.shapes:
        more = len(report.shapes) - _SHOWN_SHAPES
        shown = ", ".join(report.shapes[:_SHOWN_SHAPES])
        what.append(f"understood as {shown}{f' and {more} more' if more > 0 else ''}")
    detail = " · ".join(what)
    if report.newest is not None:
        return Check(name, CheckStatus.OK, detail)
    if not source.paths and report.problems:
        place = "index, table or selector"
        remedy = (
            f"check that the {place} of the source {source.name} is the one that is written to"
            if report.answered
            else f"check url, credential and {place} of the source {source.name}"
        )
        return Check(name, CheckStatus.WARN, f"{detail} · {report.problems[0]}", remedy)
    reason = report.problems[0] if report.problems else "no event with a time was found"
    return Check(name, CheckStatus.WARN, f"{detail} · {reason}", "superbiz logs inspect PATH  says more")
