"""`superbiz trace`: earlier runs, as a list and one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.harness.audit.archive import RunArchive
    from superbiz_cli.harness.audit.rows import StoredRun

_ALL = 1_000_000
_NOTHING = "no run has been recorded yet"


def list_runs(
    ctx: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="At most N runs; -1 for all.")
    ] = 20,
    session: Annotated[
        str | None, typer.Option("--session", "-s", metavar="ID", help="Only runs of this session.")
    ] = None,
) -> int:
    """List earlier runs, the newest first.

    Examples:
      superbiz trace list
      superbiz trace list --limit 100 --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import write_listing
    from superbiz_cli.cli.timeline import run_listing
    from superbiz_cli.harness.audit.rows import RunFilter

    with open_archive(loaded.settings) as archive:
        page = archive.recent_runs(RunFilter(session_id=session), limit=_ALL if limit < 0 else max(1, limit))
    write_listing(run_listing(page.runs, loaded.settings.ui.zone_name), invocation)
    if page.more:
        invocation.streams.note(f"note: only the newest {len(page.runs)} runs; pass --limit -1 for all")
    return 0


def show_run(
    ctx: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="Id of the run, or its beginning; the last one if not given."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also the model calls, agent steps and tool calls.")
    ] = False,
    reasoning: Annotated[
        bool, typer.Option("--reasoning", help="Also what the model wrote, if it was kept.")
    ] = False,
    result: Annotated[bool, typer.Option("--result", help="Also what was published.")] = False,
) -> int:
    """Show one run step by step.

    Examples:
      superbiz trace show
      superbiz trace show 7f3k --details

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.timeline import RunView, write_run
    from superbiz_cli.harness.audit.replay import ReplayDepth, replay_run

    depth = ReplayDepth.REASONING if reasoning else ReplayDepth.DETAILS if details else ReplayDepth.TIMELINE
    with open_archive(loaded.settings) as archive:
        replay = replay_run(archive, find_run(archive, run), depth=depth)
    pages = invocation.use_pager and loaded.settings.ui.pager == "auto"
    write_run(
        RunView(replay, loaded.settings.ui.zone_name, with_result=result),
        replace(invocation, use_pager=pages),
    )
    return 0


def verify(
    ctx: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="Id of the run, or its beginning; all runs if not given."),
    ] = None,
) -> int:
    """Check that the records are the ones that were written.

    Every event is chained to the one before it by its hash. Ends with 1 if a chain is broken or
    incomplete.

    Examples:
      superbiz trace verify
      superbiz trace verify 7f3k --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.cli.timeline import chain_record, chain_text
    from superbiz_cli.harness.audit.chain import ChainIntact
    from superbiz_cli.harness.audit.replay import replay_run

    with open_archive(loaded.settings) as archive:
        wanted = (
            [find_run(archive, run)]
            if run is not None
            else [find_run(archive, row.run_id) for row in archive.recent_runs(limit=_ALL).runs]
        )
        verdicts = [(stored.summary.run_id, replay_run(archive, stored).chain) for stored in wanted]
    cells = [(run_id, chain_text(verdict)) for run_id, verdict in verdicts]
    records = [{"run_id": run_id, **chain_record(verdict)} for run_id, verdict in verdicts]
    write_listing(Listing(("RUN", "VERDICT"), cells, records, nothing=_NOTHING), invocation)
    intact = all(isinstance(verdict, ChainIntact) for _, verdict in verdicts)
    return ExitCode.SUCCESS if intact else ExitCode.FAILED


def export(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, or its beginning.")],
    reasoning: Annotated[
        bool, typer.Option("--reasoning", help="Also what the model wrote, if it was kept.")
    ] = False,
) -> int:
    """Write everything that is recorded of one run as one JSON document.

    Examples:
      superbiz trace export 7f3k -o run.json

    """
    invocation = Invocation.of(ctx)
    if invocation.format not in (Format.TEXT, Format.JSON):
        raise SuperbizError(
            ErrorCode.USAGE, "an export is always one JSON document", hint="leave --format out"
        )
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.streams import json_text
    from superbiz_cli.cli.timeline import RunView, run_document
    from superbiz_cli.harness.audit.replay import ReplayDepth, replay_run

    depth = ReplayDepth.REASONING if reasoning else ReplayDepth.DETAILS
    with open_archive(loaded.settings) as archive:
        replay = replay_run(archive, find_run(archive, run), depth=depth)
    invocation.streams.result(json_text(run_document(RunView(replay, "UTC", with_result=True))))
    return 0


def prune(
    ctx: typer.Context,
    before: Annotated[
        str, typer.Option("--before", metavar="TIME", help="Remove runs that started before, such as 90d.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without being asked.")] = False,
) -> int:
    """Remove old runs with everything that is recorded of them.

    Examples:
      superbiz trace prune --before 90d --dry-run
      superbiz trace prune --before 2026-01-01 --yes

    """
    invocation = Invocation.of(ctx)
    if not dry_run and not yes:
        raise SuperbizError(
            ErrorCode.USAGE,
            "nothing is removed without --yes",
            hint="look first with --dry-run, then add --yes",
        )
    loaded = invocation.load_settings()

    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.cli.times import parse_time

    zone = ZoneInfo(loaded.settings.ui.zone_name)
    limit = parse_time(before, now=datetime.now(UTC), zone=zone, what="--before")
    with open_archive(loaded.settings) as archive:
        count = archive.prune(before=limit, dry_run=dry_run)
    record = {
        "before": limit.isoformat(),
        "dry_run": dry_run,
        "runs": count.runs,
        "sessions": count.sessions,
    }
    cells = [("would be removed" if dry_run else "removed", str(count.runs), str(count.sessions))]
    write_listing(Listing(("", "RUNS", "SESSIONS"), cells, [record]), invocation)
    return 0


def find_run(archive: RunArchive, run: str | None) -> StoredRun:
    """Return the run of this id or unique beginning, or the newest one. Raises SuperbizError."""
    from superbiz_cli.harness.audit.rows import AmbiguousRun

    wanted = run
    if wanted is None:
        newest = archive.recent_runs(limit=1).runs
        if not newest:
            raise SuperbizError(ErrorCode.NOT_FOUND, _NOTHING, hint="begin with: superbiz demo")
        wanted = newest[0].run_id
    found = archive.find_run(wanted)
    match found:
        case None:
            raise SuperbizError(
                ErrorCode.NOT_FOUND,
                f"there is no run '{wanted}'",
                hint="superbiz trace list shows the recorded runs",
            )
        case AmbiguousRun():
            raise SuperbizError(
                ErrorCode.AMBIGUOUS,
                f"more than one run begins with '{wanted}'",
                hint=f"write more of it: {', '.join(found.run_ids)}",
            )
        case _:
            return found
