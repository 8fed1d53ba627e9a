"""One recorded run, from its trace: what happened when, what it took, and whether the record is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
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
from superbiz_cli.cli.trace_rows import attributes_of, row_of
from superbiz_cli.cli.wrap import pad
from superbiz_cli.harness.audit.chain import (
    ChainBroken,
    ChainIncomplete,
    ChainIntact,
    ChainVerdict,
    StoredEvent,
    verify_chain,
)
from superbiz_cli.harness.audit.rows import RunDetails, RunSummary, StoredReasoning, StoredRun

SCHEMA = "superbiz.trace/v1"

_GOOD = frozenset({"SUCCESS"})
_HALF = frozenset({"FALLBACK"})
_BAR_CELLS = 24


@dataclass(frozen=True, slots=True)
class RunView:
    """What is shown of one run. `reasoning` is None unless it was asked for."""

    run: StoredRun
    events: Sequence[StoredEvent]
    details: RunDetails
    reasoning: Sequence[StoredReasoning] | None
    zone_name: str
    with_details: bool = False
    with_result: bool = False

    @property
    def chain(self) -> ChainVerdict:
        """Whether the record is the one that was written."""
        stored = self.run
        return verify_chain(
            self.events, totals=stored.totals, result_json=stored.result_json, seal=stored.seal
        )


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
        records=[_summary(run) for run in runs],
        nothing="no run has been recorded yet; begin with: superbiz demo",
    )


def write_run(view: RunView, invocation: Invocation) -> None:
    """Write one run in the format that was asked for."""
    streams = invocation.streams
    match invocation.format:
        case Format.JSON:
            streams.result(json_text(_document(view)))
        case Format.NDJSON:
            for event in view.events:
                streams.result(json_text(_event(event), indent=None))
        case Format.MARKDOWN:
            rows = [(row.offset, row.stage, row.label, row.text) for row in map(row_of, view.events)]
            title = f"## Run {view.run.summary.run_id}: {outcome_of(view.run.summary)}\n\n"
            streams.result(title + table(("Time", "Stage", "Event", "Details"), rows))
        case Format.TEXT:
            text = _page(view, streams.result_width).render(color=streams.result_in_color)
            if view.with_result and (result := view.run.result()) is not None:
                published = render_result(result, width=streams.result_width, color=streams.result_in_color)
                text = f"{text}\n{published}"
            page_out(text, streams, use_pager=invocation.use_pager)


def outcome_of(run: RunSummary) -> str:
    """Return how the run ended, or that it did not."""
    if run.release_outcome is not None:
        return run.release_outcome
    return "running" if run.completed_at is None else run.run_state


def _page(view: RunView, width: int) -> Page:
    page = Page(width)
    run = view.run.summary
    outcome = outcome_of(run)
    style = "bold green" if outcome in _GOOD else "bold yellow" if outcome in _HALF else "bold red"
    page.line(
        f"run {run.run_id}   ", (outcome, style), f"   {_period(run, ZoneInfo(view.zone_name))}", indent=""
    )
    page.paragraph(f'"{run.query}"', indent="", style="dim")
    why = run.fallback_type or run.failure_code
    page.paragraph(
        f"session {run.session_id} · model {run.model}{f' · {words(why)}' if why else ''}", indent=""
    )
    page.blank()
    _rows(page, view.events)
    if view.with_details:
        _details(page, view.details)
    for text in view.reasoning or ():
        page.heading(f"Step {text.step_no} ({text.role})")
        page.paragraph(text.text)
    page.blank()
    _times(page, view)
    page.paragraph(f"{_chain_text(view.chain)} · {_tokens_text(view)}", style="dim")
    return page


def _rows(page: Page, events: Sequence[StoredEvent]) -> None:
    rows = [row_of(event) for event in events]
    page.columns(
        [(f"{row.offset:>7}", row.stage, (row.label, row.style), (row.text, "dim")) for row in rows],
        indent="",
    )


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


def _times(page: Page, view: RunView) -> None:
    """Show where the time went, as bars on one scale."""
    spent = [
        ("agent model", _seconds(view, {"agent", "answer"})),
        ("guards", _seconds(view, {"router", "judge", "repair"})),
        ("tools", sum(call.duration_ms for call in view.details.tool_invocations) / 1000),
    ]
    longest = max((seconds for _, seconds in spent), default=0.0)
    for name, seconds in spent:
        cells = round(_BAR_CELLS * seconds / longest) if longest else 0
        page.line(f"{name:<12}", (pad("█" * cells or "▏", _BAR_CELLS), "cyan"), f" {seconds:.1f} s")


def _seconds(view: RunView, roles: set[str]) -> float:
    return sum(call.duration_ms for call in view.details.model_calls if call.role in roles) / 1000


def _chain_text(verdict: ChainVerdict) -> str:
    match verdict:
        case ChainIntact(events, sealed):
            return f"chain intact ({events} events{'' if sealed else ', not finished'})"
        case ChainIncomplete(events, recorded):
            return f"chain incomplete: {events} of {recorded} events are left"
        case ChainBroken(sequence_no, fault):
            return f"chain broken at event {sequence_no}: {words(fault.value)}"


def _tokens_text(view: RunView) -> str:
    """Compare the three books that tokens are written into: ledger rows, budget and agent steps."""
    calls, usage = view.details.model_calls, view.run.summary.usage
    ledger = sum(call.input_tokens + call.output_tokens for call in calls)
    if usage is None:
        return f"{ledger:,} tokens so far"
    budget = usage.input_tokens + usage.output_tokens
    steps = sum(step.input_tokens + step.output_tokens for step in view.details.agent_steps)
    agent = sum(call.input_tokens + call.output_tokens for call in calls if call.role == "agent")
    if ledger == budget and steps == agent:
        return f"ledger = budget = steps ({ledger:,} tokens)"
    return f"tokens differ: ledger {ledger:,}, budget {budget:,}, agent steps {steps:,} of {agent:,}"


def _document(view: RunView) -> dict[str, object]:
    result = view.run.result()
    chain = view.chain
    return {
        "schema": SCHEMA,
        "run": _summary(view.run.summary),
        "events": [_event(event) for event in view.events],
        "chain": {"verdict": type(chain).__name__.removeprefix("Chain").upper(), **asdict(chain)},
        "details": asdict(view.details) if view.with_details else None,
        "reasoning": [asdict(text) for text in view.reasoning] if view.reasoning is not None else None,
        "result": document(result) if result is not None and view.with_result else None,
    }


def _event(event: StoredEvent) -> dict[str, object]:
    return {
        "run_id": event.run_id,
        "sequence_no": event.sequence_no,
        "at_ms": event.at_ms,
        "stage": event.stage,
        "type": event.type,
        "attributes": attributes_of(event),
        "digest": event.digest,
    }


def _summary(run: RunSummary) -> dict[str, object]:
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
