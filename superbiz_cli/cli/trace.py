"""`superbiz trace list` and `trace show`: earlier runs, as a list and one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.completion import complete_run
from superbiz_cli.cli.options import Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.harness.audit.archive import RunArchive
    from superbiz_cli.harness.audit.rows import StoredRun

ALL_RUNS = 1_000_000
NOTHING = "no run has been recorded yet"


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
        page = archive.recent_runs(
            RunFilter(session_id=session), limit=ALL_RUNS if limit < 0 else max(1, limit)
        )
    write_listing(run_listing(page.runs, loaded.settings.ui.zone_name), invocation)
    if page.more:
        invocation.streams.note(f"note: only the newest {len(page.runs)} runs; pass --limit -1 for all")
    return 0


def show_run(
    ctx: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="Id of the run, or its beginning; the last one if not given.",
            autocompletion=complete_run,
        ),
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


def find_run(archive: RunArchive, run: str | None) -> StoredRun:
    """Return the run of this id or unique beginning, or the newest one. Raises SuperbizError."""
    from superbiz_cli.harness.audit.rows import AmbiguousRun

    wanted = run
    if wanted is None:
        newest = archive.recent_runs(limit=1).runs
        if not newest:
            raise SuperbizError(ErrorCode.NOT_FOUND, NOTHING, hint="begin with: superbiz demo")
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
