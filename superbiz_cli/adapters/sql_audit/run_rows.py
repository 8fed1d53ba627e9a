"""Statements on `diagnosis_run`: one Run from its start to its outcome."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, and_, desc, exists, func, insert, or_, select, update

from superbiz_cli.adapters.sql_audit.schema import diagnosis_run, run_feedback
from superbiz_cli.harness.audit.case_library import Verdict
from superbiz_cli.harness.audit.chain import LedgerTotals, seal_of
from superbiz_cli.harness.audit.metadata import storable
from superbiz_cli.harness.audit.rows import (
    AmbiguousRun,
    FoundRun,
    RoutingEntry,
    RunFilter,
    RunPage,
    RunStart,
    RunSummary,
    StoredRun,
)
from superbiz_cli.harness.contract.report import RunResult, Usage
from superbiz_cli.harness.contract.status import Intent, ReleaseOutcome, RunState
from superbiz_cli.harness.contract.strict import canonical_json

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_AFTER_EVERY_ID = "~"  # greater than each character of an id
_MODEL_CHARS = 256
_SHOWN_WHEN_AMBIGUOUS = 5

_run = diagnosis_run.c
SUMMARY_COLUMNS = (
    _run.run_id,
    _run.session_id,
    _run.query,
    _run.model,
    _run.run_state,
    _run.started_at,
    _run.completed_at,
    _run.duration_ms,
    _run.intent,
    _run.release_outcome,
    _run.fallback_type,
    _run.failure_code,
    _run.model_calls,
    _run.tool_calls,
    _run.input_tokens,
    _run.output_tokens,
    _run.run_bytes,
)


def insert_started(connection: Connection, start: RunStart, *, query: str) -> None:
    """Write a RUNNING Run with its redacted `query`."""
    connection.execute(
        insert(diagnosis_run).values(
            run_id=start.run_id,
            session_id=start.session_id,
            query=query,
            model=storable(start.model)[:_MODEL_CHARS],
            run_state=RunState.RUNNING.value,
            started_at=start.started_at,
        )
    )


def write_outcome(connection: Connection, result: RunResult, totals: LedgerTotals, *, query: str) -> None:
    """Complete a RUNNING Run, insert one that was never registered, leave a completed one alone."""
    values = _outcome_values(result, totals, query=query)
    is_running = and_(_run.run_id == result.run_id, _run.run_state == RunState.RUNNING.value)
    if connection.execute(update(diagnosis_run).where(is_running).values(values)).rowcount:
        return
    if connection.execute(select(_run.run_id).where(_run.run_id == result.run_id)).first() is None:
        identity = {"run_id": result.run_id, "session_id": result.session_id, "query": query}
        started = {"model": storable(result.model)[:_MODEL_CHARS], "started_at": _time(result.started_at)}
        connection.execute(insert(diagnosis_run).values({**identity, **started, **values}))


def find(connection: Connection, run_id: str) -> FoundRun:
    """Return the Run of this id, or the only one whose id begins with it."""
    if not _ID.fullmatch(run_id):
        return None
    whole = select(*SUMMARY_COLUMNS, *_SEALED_COLUMNS)
    exact = connection.execute(whole.where(_run.run_id == run_id)).first()
    if exact is not None:
        return _stored_run(exact)
    prefixed = and_(_run.run_id >= run_id, _run.run_id < run_id + _AFTER_EVERY_ID)
    newest = connection.execute(
        whole.where(prefixed).order_by(desc(_run.started_at)).limit(_SHOWN_WHEN_AMBIGUOUS)
    ).all()
    match newest:
        case []:
            return None
        case [only]:
            return _stored_run(only)
        case _:
            return AmbiguousRun(tuple(row.run_id for row in newest))


def page(connection: Connection, which: RunFilter, *, limit: int, before: str | None) -> RunPage:
    """Return up to `limit` Runs, newest first, along the index on the start time."""
    statement = select(*SUMMARY_COLUMNS).where(*_conditions(which))
    if before is not None:
        cursor = connection.execute(select(_run.started_at).where(_run.run_id == before)).scalar()
        if cursor is None:
            return RunPage(())
        statement = statement.where(
            _run.started_at <= cursor, or_(_run.started_at < cursor, _run.run_id < before)
        )
    ordered = statement.order_by(desc(_run.started_at), desc(_run.run_id)).limit(limit + 1)
    rows = connection.execute(ordered).all()
    return RunPage(tuple(summary_of(row) for row in rows[:limit]), more=len(rows) > limit)


def last_success_json(connection: Connection, session_id: str) -> str | None:
    """Return the stored result of the session's last released diagnosis that nobody called wrong."""
    called_wrong = exists().where(
        run_feedback.c.run_id == _run.run_id, run_feedback.c.verdict == Verdict.WRONG.value
    )
    statement = (
        select(_run.result_json)
        .where(
            _run.session_id == session_id,
            _run.release_outcome == ReleaseOutcome.SUCCESS.value,
            _run.intent == Intent.DIAGNOSIS.value,
            ~called_wrong,
        )
        .order_by(desc(_run.started_at), desc(_run.run_id))
        .limit(1)
    )
    return connection.execute(statement).scalar()


def routed(connection: Connection, session_id: str, *, limit: int) -> tuple[RoutingEntry, ...]:
    """Return the session's last routed questions, oldest first."""
    statement = (
        select(_run.intent, _run.query)
        .where(_run.session_id == session_id, _run.intent.in_([intent.value for intent in Intent]))
        .order_by(desc(_run.started_at), desc(_run.run_id))
        .limit(limit)
    )
    rows = connection.execute(statement).all()
    return tuple(RoutingEntry(Intent(row.intent), row.query) for row in reversed(rows))


def ids_started_before(connection: Connection, moment: datetime, *, limit: int) -> list[str]:
    """Return the ids of up to `limit` Runs that began before `moment`."""
    statement = select(_run.run_id).where(_run.started_at < moment).order_by(_run.started_at).limit(limit)
    return list(connection.execute(statement).scalars())


def count_started_before(connection: Connection, moment: datetime) -> int:
    """Count the Runs that began before `moment`."""
    statement = select(func.count()).select_from(diagnosis_run).where(_run.started_at < moment)
    return connection.execute(statement).scalar_one()


def summary_of(row: AnyRow) -> RunSummary:
    """Read a row that holds at least `SUMMARY_COLUMNS`."""
    usage = None
    if row.model_calls is not None:
        usage = Usage(
            model_calls=row.model_calls,
            tool_calls=row.tool_calls,
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
            run_bytes=row.run_bytes,
        )
    return RunSummary(
        run_id=row.run_id,
        session_id=row.session_id,
        query=row.query,
        model=row.model,
        run_state=row.run_state,
        started_at=row.started_at,
        completed_at=row.completed_at,
        duration_ms=row.duration_ms,
        intent=row.intent,
        release_outcome=row.release_outcome,
        fallback_type=row.fallback_type,
        failure_code=row.failure_code,
        usage=usage,
    )


_SEALED_COLUMNS = (
    _run.result_json,
    _run.recorded_events,
    _run.recorded_model_calls,
    _run.recorded_agent_steps,
    _run.recorded_tool_invocations,
    _run.trace_head,
    _run.seal,
)


def _outcome_values(result: RunResult, totals: LedgerTotals, *, query: str) -> dict[str, Any]:
    redacted = result.model_copy(update={"query": query})
    result_json = storable(canonical_json(redacted.model_dump(mode="json")))
    return {
        "run_state": result.run_state.value,
        "intent": result.intent.value if result.intent else None,
        "release_outcome": result.release_outcome.value,
        "fallback_type": result.fallback.type.value if result.fallback else None,
        "failure_code": result.failure.code.value if result.failure else None,
        "completed_at": _time(result.completed_at),
        "duration_ms": result.duration_ms,
        **result.usage.model_dump(),
        "result_json": result_json,
        "recorded_events": totals.events,
        "recorded_model_calls": totals.model_calls,
        "recorded_agent_steps": totals.agent_steps,
        "recorded_tool_invocations": totals.tool_invocations,
        "trace_head": totals.head,
        "seal": seal_of(totals, result_json=result_json),
    }


def _stored_run(row: AnyRow) -> StoredRun:
    totals = None
    if row.trace_head is not None:
        totals = LedgerTotals(
            events=row.recorded_events,
            model_calls=row.recorded_model_calls,
            agent_steps=row.recorded_agent_steps,
            tool_invocations=row.recorded_tool_invocations,
            head=row.trace_head,
        )
    return StoredRun(summary_of(row), result_json=row.result_json, totals=totals, seal=row.seal)


def _conditions(which: RunFilter) -> list[ColumnElement[bool]]:
    wanted = {
        _run.session_id: which.session_id,
        _run.release_outcome: which.release_outcome,
        _run.intent: which.intent,
    }
    conditions: list[ColumnElement[bool]] = [
        column == value for column, value in wanted.items() if value is not None
    ]
    if which.since is not None:
        conditions.append(_run.started_at >= which.since)
    if which.until is not None:
        conditions.append(_run.started_at < which.until)
    return conditions


def _time(iso: str) -> datetime:
    return datetime.fromisoformat(iso)
