"""Sessions as a list, and one session with its runs and its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from superbiz_cli.cli.markdown import table
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.page import Page
from superbiz_cli.cli.pager import page_out
from superbiz_cli.cli.rows import Listing
from superbiz_cli.cli.streams import json_text
from superbiz_cli.cli.timeline import outcome_of, run_listing, summary_record
from superbiz_cli.harness.application.memory import PreviousTurn
from superbiz_cli.harness.audit.rows import RoutingEntry, RunPage, SessionSummary

SCHEMA = "superbiz.session/v1"


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session: its newest runs, and what its next question will be given of them."""

    summary: SessionSummary
    runs: RunPage
    previous_turn: PreviousTurn | None
    recent: tuple[RoutingEntry, ...]
    zone_name: str


def session_listing(sessions: Sequence[SessionSummary], zone_name: str) -> Listing:
    """Return the rows of `session list`. Who used a session is shown if several people did."""
    zone = ZoneInfo(zone_name)
    shared = len({session.owner for session in sessions}) > 1
    owner_header = ("OWNER",) if shared else ()
    return Listing(
        header=("SESSION", *owner_header, "LAST USED", "RUNS", "OUTCOME", "LAST QUESTION"),
        cells=[
            (
                session.session_id,
                *((session.owner,) if shared else ()),
                _local(session.last_run_at, zone),
                str(session.runs),
                outcome_of(session.last_run) if session.last_run else "removed",
                session.last_run.query if session.last_run else "",
            )
            for session in sessions
        ],
        records=[session_record(session) for session in sessions],
        nothing="no session has been recorded yet; begin with: superbiz demo",
    )


def session_record(session: SessionSummary) -> dict[str, object]:
    """Return one session for machines. `last_run` is null if that run was removed."""
    return {
        "session_id": session.session_id,
        "owner": session.owner,
        "created_at": session.created_at.isoformat(),
        "last_run_at": session.last_run_at.isoformat(),
        "runs": session.runs,
        "last_run": summary_record(session.last_run) if session.last_run else None,
    }


def write_session(view: SessionView, invocation: Invocation) -> None:
    """Write one session in the format that was asked for; one run a line in NDJSON."""
    streams = invocation.streams
    match invocation.format:
        case Format.JSON:
            streams.result(json_text(_document(view)))
        case Format.NDJSON:
            for run in view.runs.runs:
                streams.result(json_text(summary_record(run), indent=None))
        case Format.MARKDOWN:
            listing = run_listing(view.runs.runs, view.zone_name)
            title = f"## Session {view.summary.session_id}\n\n"
            streams.result(title + table(listing.header, listing.cells))
        case Format.TEXT:
            text = _page(view, streams.result_width).render(color=streams.result_in_color)
            page_out(text, streams, use_pager=invocation.use_pager)
    if view.runs.more:
        streams.note(f"note: only the newest {len(view.runs.runs)} runs; pass --limit -1 for all")


def _document(view: SessionView) -> dict[str, object]:
    recent = [{"intent": entry.intent.value, "query": entry.query} for entry in view.recent]
    return {
        "schema": SCHEMA,
        "session": session_record(view.summary),
        "runs": [summary_record(run) for run in view.runs.runs],
        "memory": {
            "previous_turn": asdict(view.previous_turn) if view.previous_turn else None,
            "recent": recent,
        },
    }


def _page(view: SessionView, width: int) -> Page:
    zone, session = ZoneInfo(view.zone_name), view.summary
    page = Page(width)
    period = f"{_local(session.created_at, zone)} → {_local(session.last_run_at, zone)}"
    plural = "" if session.runs == 1 else "s"
    page.line(f"session {session.session_id}   {session.runs} run{plural}   {period}", indent="")
    page.blank()
    page.columns(
        [(cell, *row) for cell, *row in run_listing(view.runs.runs, view.zone_name).cells], indent=""
    )
    page.heading("What the next question knows")
    turn = view.previous_turn
    if turn is None:
        page.paragraph("Nothing: no diagnosis of this session has been released.")
        return page
    page.paragraph(f"Asked: {turn.query}")
    page.paragraph(f"Found: {turn.conclusion}")
    if turn.checked_scope:
        page.paragraph(f"Checked: {turn.checked_scope}")
    for limitation in turn.limitations:
        page.item("•", limitation)
    if turn.knowledge_documents:
        page.paragraph(f"Documents: {', '.join(turn.knowledge_documents)}")
    return page


def _local(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
