"""Replaying a Run from what was stored: the timeline, where its time went, and whether it adds up.

Three depths: the timeline, the detail rows that its events point to, and, only when asked for
explicitly, the restricted model texts. Nothing is read but the archive, nothing is guessed: what is
missing is shown as a gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.chain import ChainVerdict, LedgerTotals, StoredEvent, verify_chain
from superbiz_cli.harness.audit.rows import (
    RowCounts,
    RunDetails,
    StoredAgentStep,
    StoredModelCall,
    StoredReasoning,
    StoredRun,
)
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, parse_strict_object

_GUARD_ROLES = {ModelRole.JUDGE, ModelRole.REPAIR}


class ReplayDepth(IntEnum):
    """How much of a Run is replayed."""

    TIMELINE = 1
    DETAILS = 2
    REASONING = 3


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One event. `attributes` is empty when the stored text cannot be read (the chain says so)."""

    sequence_no: int
    at_ms: int
    stage: str
    type: str
    attributes: Mapping[str, JsonValue]
    digest: str


@dataclass(frozen=True, slots=True)
class TimeSplit:
    """Where the time of a Run went, in milliseconds.

    `model_ms` is the agent's, the router's and the answering model, `guards_ms` judge and repair.
    """

    total_ms: int
    model_ms: int
    tools_ms: int
    guards_ms: int


@dataclass(frozen=True, slots=True)
class RowCount:
    """One kind of row: what the ledger recorded (None: unknown), the database holds, and is returned."""

    kind: str
    recorded: int | None
    persisted: int
    returned: int

    @property
    def missing(self) -> int:
        """How many rows were recorded but are not in the database."""
        return max(0, (self.recorded or 0) - self.persisted)


@dataclass(frozen=True, slots=True)
class TokenCheck:
    """Whether the three places that hold token counts agree.

    `consistent` is None while the Run works: its budget is not stored yet. `step_tokens` are those
    of the agent's turns, `agent_tokens` those of the ledger rows that the turns point to.
    """

    ledger_tokens: int
    budget_tokens: int | None
    step_tokens: int
    agent_tokens: int
    consistent: bool | None


@dataclass(frozen=True, slots=True)
class Replay:
    """One Run, reconstructed. `details` and `reasoning` are None unless that depth was asked for."""

    run: StoredRun
    timeline: tuple[TimelineEntry, ...]
    time: TimeSplit
    counts: tuple[RowCount, ...]
    tokens: TokenCheck
    chain: ChainVerdict
    details: RunDetails | None = None
    reasoning: tuple[StoredReasoning, ...] | None = None


def replay_run(
    archive: RunArchive,
    run: StoredRun,
    *,
    depth: ReplayDepth = ReplayDepth.TIMELINE,
    limit: int | None = None,
) -> Replay:
    """Read what is stored of `run` and reconstruct it. Raises AuditUnavailable.

    `limit` bounds the events that are returned; all of them are verified.
    """
    run_id = run.summary.run_id
    return reconstruct(
        run,
        archive.timeline(run_id),
        archive.details(run_id),
        archive.row_counts(run_id),
        reasoning=archive.reasoning(run_id) if depth is ReplayDepth.REASONING else None,
        depth=depth,
        limit=limit,
    )


def reconstruct(
    run: StoredRun,
    events: Sequence[StoredEvent],
    details: RunDetails,
    persisted: RowCounts,
    *,
    reasoning: tuple[StoredReasoning, ...] | None = None,
    depth: ReplayDepth = ReplayDepth.TIMELINE,
    limit: int | None = None,
) -> Replay:
    """Build the replay of a Run from its rows alone."""
    timeline = tuple(_entry(event) for event in events[:limit])
    return Replay(
        run=run,
        timeline=timeline,
        time=_time_split(run, events, details),
        counts=_counts(run.totals, persisted, details, returned_events=len(timeline)),
        tokens=check_tokens(run, details),
        chain=verify_chain(events, totals=run.totals, result_json=run.result_json, seal=run.seal),
        details=details if depth >= ReplayDepth.DETAILS else None,
        reasoning=reasoning,
    )


def check_tokens(run: StoredRun, details: RunDetails) -> TokenCheck:
    """Compare ledger, budget and agent steps: each model call was charged and written exactly once."""
    usage = run.summary.usage
    budget = usage.input_tokens + usage.output_tokens if usage else None
    ledger = sum(map(_call_tokens, details.model_calls))
    calls = {call.id: call for call in details.model_calls}
    claimed = [calls.get(step.model_call_id or 0) for step in details.agent_steps]
    steps_match = all(
        call is not None and _call_tokens(call) == _step_tokens(step)
        for step, call in zip(details.agent_steps, claimed, strict=True)
    )
    written_once = len({call.id for call in claimed if call}) == len(claimed)
    return TokenCheck(
        ledger_tokens=ledger,
        budget_tokens=budget,
        step_tokens=sum(map(_step_tokens, details.agent_steps)),
        agent_tokens=sum(_call_tokens(call) for call in claimed if call),
        consistent=None if budget is None else ledger == budget and steps_match and written_once,
    )


def _entry(event: StoredEvent) -> TimelineEntry:
    try:
        attributes = parse_strict_object(event.attributes_json)
    except StrictJsonError:
        attributes = {}
    return TimelineEntry(
        sequence_no=event.sequence_no,
        at_ms=event.at_ms,
        stage=event.stage,
        type=event.type,
        attributes=attributes,
        digest=event.digest,
    )


def _time_split(run: StoredRun, events: Sequence[StoredEvent], details: RunDetails) -> TimeSplit:
    guards = sum(call.duration_ms for call in details.model_calls if call.role in _GUARD_ROLES)
    last_ms = events[-1].at_ms if events else 0
    return TimeSplit(
        total_ms=last_ms if run.summary.duration_ms is None else run.summary.duration_ms,
        model_ms=sum(call.duration_ms for call in details.model_calls) - guards,
        tools_ms=sum(call.duration_ms for call in details.tool_invocations),
        guards_ms=guards,
    )


def _counts(
    totals: LedgerTotals | None, persisted: RowCounts, details: RunDetails, *, returned_events: int
) -> tuple[RowCount, ...]:
    return (
        RowCount("events", totals.events if totals else None, persisted.events, returned_events),
        RowCount(
            "model_calls",
            totals.model_calls if totals else None,
            persisted.model_calls,
            len(details.model_calls),
        ),
        RowCount(
            "agent_steps",
            totals.agent_steps if totals else None,
            persisted.agent_steps,
            len(details.agent_steps),
        ),
        RowCount(
            "tool_invocations",
            totals.tool_invocations if totals else None,
            persisted.tool_invocations,
            len(details.tool_invocations),
        ),
    )


def _call_tokens(call: StoredModelCall) -> int:
    return call.input_tokens + call.output_tokens


def _step_tokens(step: StoredAgentStep) -> int:
    return step.input_tokens + step.output_tokens
