"""`superbiz trace verify`, `export` and `prune`: keeping the record honest, portable and small."""

from __future__ import annotations

from typing import Annotated

import typer

from superbiz_cli.cli.completion import complete_run
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.trace import ALL_RUNS, NOTHING, find_run
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError


def verify(
    ctx: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="Id of the run, or its beginning; all runs if not given.",
            autocompletion=complete_run,
        ),
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
            else [find_run(archive, row.run_id) for row in archive.recent_runs(limit=ALL_RUNS).runs]
        )
        verdicts = [(stored.summary.run_id, replay_run(archive, stored).chain) for stored in wanted]
    cells = [(run_id, chain_text(verdict)) for run_id, verdict in verdicts]
    records = [{"run_id": run_id, **chain_record(verdict)} for run_id, verdict in verdicts]
    write_listing(Listing(("RUN", "VERDICT"), cells, records, nothing=NOTHING), invocation)
    intact = all(isinstance(verdict, ChainIntact) for _, verdict in verdicts)
    return ExitCode.SUCCESS if intact else ExitCode.FAILED


def export(
    ctx: typer.Context,
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Id of the run, or its beginning.", autocompletion=complete_run),
    ],
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
