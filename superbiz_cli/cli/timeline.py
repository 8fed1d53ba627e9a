"""One recorded run, from its trace: what happened when, what it took, and whether the record is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import assert_never
from zoneinfo import ZoneInfo

from superbiz_cli.cli.markdown import table
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.page import Page
from superbiz_cli.cli.pager import page_out
from superbiz_cli.cli.render import render_result
from superbiz_cli.cli.result_json import document
from superbiz_cli.cli.rows import Listing
from superbiz_cli.cli.stages import words
from superbiz_cli.cli.streams import json_text
from superbiz_cli.cli.trace_rows import row_of
from superbiz_cli.cli.wrap import pad
from superbiz_cli.harness.audit.chain import ChainBroken, ChainIncomplete, ChainIntact, ChainVerdict
from superbiz_cli.harness.audit.replay import Replay, TimelineEntry, TimeSplit, TokenCheck
from superbiz_cli.harness.audit.rows import RunDetails, RunSummary

SCHEMA = "superbiz.trace/v1"

_GOOD = frozenset({"SUCCESS"})
_HALF = frozenset({"FALLBACK"})
_BAR_CELLS = 24
LONGEST_DEADLINE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RunView:
    """What is shown of one run, in which time zone, and whether with the published content."""

    replay: Replay
    zone_name: str
    with_result: bool = False

    @property
    def summary(self) -> RunSummary:
        """The run's own row."""
        return self.replay.run.summary


def run_listing(runs: Sequence[RunSummary], zone_name: str) -> Listing:
    """Return the rows of `trace list`."""
    zone = ZoneInfo(zone_name)
    return Listing(
        header=("RUN", "STARTED", "OUTCOME", "TOOK", "QUESTION"),
        cells=[
            (
                run.run_id,
                _local(run.started_at, zone),
                outcome_of(run),
                _took(run.duration_ms),
                run.query,
            )
            for run in runs
        ],
        records=[summary_record(run) for run in runs],
        nothing="no run has been recorded yet; begin with: superbiz demo",
    )


def write_run(view: RunView, invocation: Invocation) -> None:
    """Write one run in the format that was asked for."""
    streams = invocation.streams
    match invocation.format:
        case Format.JSON:
            streams.result(json_text(run_document(view)))
        case Format.NDJSON:
            for entry in view.replay.timeline:
                streams.result(json_text(_event(entry), indent=None))
        case Format.MARKDOWN:
            rows = [(row.offset, row.stage, row.label, row.text) for row in map(row_of, view.replay.timeline)]
            title = f"## Run {view.summary.run_id}: {outcome_of(view.summary)}\n\n"
            streams.result(title + table(("Time", "Stage", "Event", "Details"), rows))
        case Format.TEXT:
            text = _page(view, streams.result_width).render(color=streams.result_in_color)
            if view.with_result and (result := view.replay.run.result()) is not None:
                published = render_result(result, width=streams.result_width, color=streams.result_in_color)
                text = f"{text}\n{published}"
            page_out(text, streams, use_pager=invocation.use_pager)


def run_document(view: RunView) -> dict[str, object]:
    """Return the document of `trace show --json`. What was not asked for is null."""
    replay = view.replay
    result = replay.run.result()
    return {
        "schema": SCHEMA,
        "run": summary_record(view.summary),
        "events": [_event(entry) for entry in replay.timeline],
        "time": asdict(replay.time),
        "chain": chain_record(replay.chain),
        "tokens": asdict(replay.tokens),
        "rows": [asdict(count) for count in replay.counts],
        "details": asdict(replay.details) if replay.details is not None else None,
        "reasoning": [asdict(text) for text in replay.reasoning] if replay.reasoning is not None else None,
        "result": document(result) if result is not None and view.with_result else None,
    }


def outcome_of(run: RunSummary, *, now: datetime | None = None) -> str:
    """Return how the run ended, that it has not, or that its process ended without saying so.

    No deadline is longer than a day: what began before that is not running any more.
    """
    if run.release_outcome is not None:
        return run.release_outcome
    if run.completed_at is not None:
        return run.run_state
    age = (datetime.now(UTC) if now is None else now) - run.started_at
    return "running" if age <= LONGEST_DEADLINE else "abandoned"


def _page(view: RunView, width: int) -> Page:
    page = Page(width)
    run, replay = view.summary, view.replay
    outcome = outcome_of(run)
    style = "bold green" if outcome in _GOOD else "bold yellow" if outcome in _HALF else "bold red"
    page.line(
        f"run {run.run_id}   ", (outcome, style), f"   {_period(run, ZoneInfo(view.zone_name))}", indent=""
    )
    page.paragraph(f'"{run.query}"', indent="", style="dim")
    why = run.fallback_type or run.failure_code
    because = f" · {words(why)}" if why else ""
    page.paragraph(f"session {run.session_id} · model {run.model}{because}", indent="")
    page.blank()
    rows = map(row_of, replay.timeline)
    page.columns(
        [(f"{row.offset:>7}", row.stage, (row.label, row.style), (row.text, "dim")) for row in rows],
        indent="",
    )
    if replay.details is not None:
        _details(page, replay.details)
    for text in replay.reasoning or ():
        page.heading(f"Step {text.step_no} ({text.role})")
        page.paragraph(text.text)
    page.blank()
    _times(page, replay.time)
    page.paragraph(f"{chain_text(replay.chain)} · {_tokens_text(replay.tokens)}", style="dim")
    for count in replay.counts:
        if count.missing:
            page.paragraph(
                f"gap: {count.missing} of {count.recorded} {words(count.kind)} are not stored", style="red"
            )
    return page


def _details(page: Page, details: RunDetails) -> None:
    if details.model_calls:
        page.heading("Model calls")
        page.columns(
            [
                (
                    call.role,
                    call.model,
                    f"attempt {call.attempt}",
                    f"{call.input_tokens:,} in · {call.output_tokens:,} out",
                    f"{'estimated · ' if call.estimated else ''}{call.duration_ms / 1000:.1f} s"
                    f"{f' · {words(call.failure)}' if call.failure else ''}",
                )
                for call in details.model_calls
            ]
        )
    if details.tool_invocations:
        page.heading("Tool calls")
        page.columns(
            [
                (
                    call.tool_name,
                    call.tool_call_id,
                    words(call.error_code or call.evidence_status),
                    f"{call.agent_result_bytes:,} B · {call.duration_ms / 1000:.1f} s",
                )
                for call in details.tool_invocations
            ]
        )


def _times(page: Page, time: TimeSplit) -> None:
    """Show where the time went, as bars on one scale."""
    spent = (("model", time.model_ms), ("tools", time.tools_ms), ("guards", time.guards_ms))
    longest = max(ms for _, ms in spent)
    for name, ms in spent:
        cells = round(_BAR_CELLS * ms / longest) if longest else 0
        page.line(f"{name:<7}", (pad("█" * cells or "▏", _BAR_CELLS), "cyan"), f" {ms / 1000:.1f} s")


def chain_text(verdict: ChainVerdict) -> str:
    """Return in words whether the record is the one that was written."""
    match verdict:
        case ChainIntact(events, sealed):
            return f"chain intact ({events} events{'' if sealed else ', not finished'})"
        case ChainIncomplete(events, recorded):
            return f"chain incomplete: {events} of {recorded} events are left"
        case ChainBroken(sequence_no, fault):
            return f"chain broken at event {sequence_no}: {words(fault.value)}"
        case _:
            assert_never(verdict)


def chain_record(verdict: ChainVerdict) -> dict[str, object]:
    """Return the same for machines: the verdict INTACT, INCOMPLETE or BROKEN, and its numbers."""
    return {"verdict": type(verdict).__name__.removeprefix("Chain").upper(), **asdict(verdict)}


def _tokens_text(tokens: TokenCheck) -> str:
    if tokens.consistent is None:
        return f"{tokens.ledger_tokens:,} tokens so far"
    if tokens.consistent:
        return f"ledger = budget = steps ({tokens.ledger_tokens:,} tokens)"
    return (
        f"tokens differ: ledger {tokens.ledger_tokens:,}, budget {tokens.budget_tokens or 0:,}, "
        f"agent steps {tokens.step_tokens:,} of {tokens.agent_tokens:,}"
    )


def _event(entry: TimelineEntry) -> dict[str, object]:
    return {
        "sequence_no": entry.sequence_no,
        "at_ms": entry.at_ms,
        "stage": entry.stage,
        "type": entry.type,
        "attributes": dict(entry.attributes),
        "digest": entry.digest,
    }


def summary_record(run: RunSummary) -> dict[str, object]:
    """Return one run's row for machines."""
    return {
        "run_id": run.run_id,
        "session_id": run.session_id,
        "query": run.query,
        "model": run.model,
        "intent": run.intent,
        "run_state": run.run_state,
        "release_outcome": run.release_outcome,
        "fallback_type": run.fallback_type,
        "failure_code": run.failure_code,
        "started_at": run.started_at.isoformat(),
        "completed_at": run.completed_at.isoformat() if run.completed_at else None,
        "duration_ms": run.duration_ms,
        "usage": run.usage.model_dump() if run.usage else None,
    }


def _period(run: RunSummary, zone: ZoneInfo) -> str:
    begin = run.started_at.astimezone(zone)
    if run.completed_at is None:
        return f"{begin:%Y-%m-%d %H:%M:%S} → (not finished)"
    return (
        f"{begin:%Y-%m-%d %H:%M:%S} → {run.completed_at.astimezone(zone):%H:%M:%S}   {_took(run.duration_ms)}"
    )


def _local(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def _took(duration_ms: int | None) -> str:
    return "" if duration_ms is None else f"{duration_ms / 1000:.1f} s"
