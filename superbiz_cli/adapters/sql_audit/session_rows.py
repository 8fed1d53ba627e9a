"""Statements on `chat_session`: a session is known by its last Run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, desc, exists, func, or_, select
from sqlalchemy.dialects import mysql, sqlite

from superbiz_cli.adapters.sql_audit.run_rows import SUMMARY_COLUMNS, AnyRow, summary_of
from superbiz_cli.adapters.sql_audit.schema import chat_session, diagnosis_run
from superbiz_cli.harness.audit.rows import RunStart, SessionPage, SessionSummary

_session = chat_session.c


def touch(connection: Connection, start: RunStart, *, owner: str) -> None:
    """Create the session of a Run, or mark it as used. Atomic: two Runs may begin in one session."""
    used = {"last_run_at": start.started_at, "last_run_id": start.run_id}
    values = {"session_id": start.session_id, "owner": owner, "created_at": start.started_at, **used}
    if connection.dialect.name == "sqlite":
        connection.execute(
            sqlite.insert(chat_session)
            .values(values)
            .on_conflict_do_update(index_elements=[_session.session_id], set_=used)
        )
    else:
        connection.execute(mysql.insert(chat_session).values(values).on_duplicate_key_update(used))


def latest(connection: Connection, *, owner: str) -> str | None:
    """Return the session that `owner` used last."""
    statement = (
        select(_session.session_id)
        .where(_session.owner == owner)
        .order_by(desc(_session.last_run_at), desc(_session.session_id))
        .limit(1)
    )
    return connection.execute(statement).scalar()


def page(connection: Connection, *, limit: int, before: str | None) -> SessionPage:
    """Return up to `limit` sessions, the most recently used first."""
    statement = _with_last_run()
    if before is not None:
        moment = connection.execute(
            select(_session.last_run_at).where(_session.session_id == before)
        ).scalar()
        if moment is None:
            return SessionPage(())
        statement = statement.where(
            _session.last_run_at <= moment,
            or_(_session.last_run_at < moment, _session.session_id < before),
        )
    ordered = statement.order_by(desc(_session.last_run_at), desc(_session.session_id)).limit(limit + 1)
    rows = connection.execute(ordered).all()
    return SessionPage(tuple(_summary(row) for row in rows[:limit]), more=len(rows) > limit)


def find(connection: Connection, session_id: str) -> SessionSummary | None:
    """Return the session of exactly this id."""
    row = connection.execute(_with_last_run().where(_session.session_id == session_id)).first()
    return None if row is None else _summary(row)


def count_left_empty(connection: Connection, *, before: datetime) -> int:
    """Count the sessions that have no Run since `before`."""
    statement = select(func.count()).select_from(chat_session).where(*_left_empty(before))
    return connection.execute(statement).scalar_one()


def delete_left_empty(connection: Connection, *, before: datetime) -> int:
    """Delete the sessions that have no Run since `before`; returns how many."""
    return connection.execute(delete(chat_session).where(*_left_empty(before))).rowcount


def _left_empty(before: datetime) -> tuple[Any, Any]:
    has_run = exists().where(
        diagnosis_run.c.session_id == _session.session_id, diagnosis_run.c.started_at >= before
    )
    return _session.last_run_at < before, ~has_run


def _with_last_run() -> Select[Any]:
    runs = (
        select(func.count())
        .select_from(diagnosis_run)
        .where(diagnosis_run.c.session_id == _session.session_id)
        .correlate(chat_session)
        .scalar_subquery()
    )
    session_columns = (
        _session.session_id.label("own_session_id"),
        _session.owner,
        _session.created_at,
        _session.last_run_at,
        runs.label("runs"),
    )
    is_last = diagnosis_run.c.run_id == _session.last_run_id
    return select(*session_columns, *SUMMARY_COLUMNS).select_from(
        chat_session.outerjoin(diagnosis_run, is_last)
    )


def _summary(row: AnyRow) -> SessionSummary:
    return SessionSummary(
        session_id=row.own_session_id,
        owner=row.owner,
        created_at=row.created_at,
        last_run_at=row.last_run_at,
        runs=row.runs,
        last_run=None if row.run_id is None else summary_of(row),
    )
