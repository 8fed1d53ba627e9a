"""`superbiz session`: chains of runs that share a short-term memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from superbiz_cli.cli.options import Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.harness.audit.archive import RunArchive
    from superbiz_cli.harness.audit.rows import SessionSummary

_ALL = 1_000_000


def list_sessions(
    ctx: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="At most N sessions; -1 for all.")
    ] = 20,
) -> int:
    """List sessions, the most recently used first.

    Examples:
      superbiz session list
      superbiz session list --limit 100 --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.cli.rows import write_listing
    from superbiz_cli.cli.session_view import session_listing

    with open_archive(loaded.settings) as archive:
        page = archive.sessions(limit=_ALL if limit < 0 else max(1, limit))
    write_listing(session_listing(page.sessions, loaded.settings.ui.zone_name), invocation)
    if page.more:
        invocation.streams.note(
            f"note: only the newest {len(page.sessions)} sessions; pass --limit -1 for all"
        )
    return 0


def show_session(
    ctx: typer.Context,
    session: Annotated[
        str | None,
        typer.Argument(metavar="[SESSION]", help="Id of the session; your last one if not given."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="At most N runs; -1 for all.")
    ] = 20,
) -> int:
    """Show the runs of one session, and what its next question will know of them.

    Examples:
      superbiz session show
      superbiz session show shop-oncall --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap import open_archive
    from superbiz_cli.bootstrap.registered_secrets import redactor_for
    from superbiz_cli.cli.session_view import SessionView, write_session
    from superbiz_cli.harness.application.memory import previous_turn, routing_memory
    from superbiz_cli.harness.audit.rows import RunFilter

    redact = redactor_for(loaded.settings).redact
    with open_archive(loaded.settings) as archive:
        summary = _find(archive, session)
        of_session = RunFilter(session_id=summary.session_id)
        view = SessionView(
            summary=summary,
            runs=archive.recent_runs(of_session, limit=_ALL if limit < 0 else max(1, limit)),
            previous_turn=previous_turn(
                archive.last_success(summary.session_id),
                redact=redact,
                max_bytes=loaded.settings.run.payload.previous_turn_bytes,
            ),
            recent=routing_memory(archive.routing_history(summary.session_id), redact=redact),
            zone_name=loaded.settings.ui.zone_name,
        )
    write_session(view, invocation)
    return 0


def _find(archive: RunArchive, session_id: str | None) -> SessionSummary:
    """Return the session of this id, or the one that this user used last. Raises SuperbizError."""
    wanted = archive.latest_session() if session_id is None else session_id
    if wanted is None:
        raise SuperbizError(
            ErrorCode.NOT_FOUND, "no session has been recorded yet", hint="begin with: superbiz demo"
        )
    found = archive.find_session(wanted)
    if found is None:
        raise SuperbizError(
            ErrorCode.NOT_FOUND,
            f"there is no session '{wanted}'",
            hint="superbiz session list shows the recorded sessions",
        )
    return found
