"""Statements on `diagnosis_case` and `run_feedback`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, and_, delete, desc, func, insert, or_, select
from sqlalchemy.dialects import mysql, sqlite

from superbiz_cli.adapters.sql_audit.run_rows import AnyRow
from superbiz_cli.adapters.sql_audit.schema import diagnosis_case, run_feedback
from superbiz_cli.harness.audit.case_library import AmbiguousCase, CasePage, Feedback, FoundCase, Verdict
from superbiz_cli.harness.contract.case import Case

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_AFTER_EVERY_ID = "~"  # greater than each character of an id
_SHOWN_WHEN_AMBIGUOUS = 5
_case = diagnosis_case.c
_COLUMNS = (
    _case.case_id,
    _case.run_id,
    _case.symptoms,
    _case.root_cause,
    _case.solution,
    _case.services,
    _case.documents,
    _case.note,
    _case.created_at,
)


def insert_case(connection: Connection, case: Case, *, owner: str, term_weight: float) -> int:
    """Write one case; returns its number, which no other case ever gets."""
    result = connection.execute(
        insert(diagnosis_case).values(
            case_id=case.case_id,
            run_id=case.run_id,
            owner=owner,
            symptoms=_list_text(case.symptoms),
            root_cause=case.root_cause,
            solution=case.solution,
            services=_list_text(case.services),
            documents=_list_text(case.documents),
            note=case.note,
            term_weight=term_weight,
            created_at=case.created_at,
        )
    )
    number: int = result.inserted_primary_key[0]  # type: ignore[index]  # an insert always has one
    return number


def of_ids(connection: Connection, case_ids: Collection[str]) -> dict[str, Case]:
    """Return the known ones of these cases by their ids."""
    rows = connection.execute(select(*_COLUMNS).where(_case.case_id.in_(case_ids))).all()
    return {row.case_id: _case_of(row) for row in rows}


def of_numbers(connection: Connection, numbers: Collection[int]) -> dict[int, Case]:
    """Return the cases of these numbers that still exist."""
    rows = connection.execute(select(_case.number, *_COLUMNS).where(_case.number.in_(numbers))).all()
    return {row.number: _case_of(row) for row in rows}


def of_run(connection: Connection, run_id: str) -> Case | None:
    """Return the case that was made from this Run."""
    row = connection.execute(select(*_COLUMNS).where(_case.run_id == run_id).limit(1)).first()
    return None if row is None else _case_of(row)


def term_weights(connection: Connection, numbers: Collection[int]) -> dict[int, float]:
    """Return the weight of each of these cases that still exists."""
    rows = connection.execute(select(_case.number, _case.term_weight).where(_case.number.in_(numbers)))
    return {row.number: row.term_weight for row in rows}


def count(connection: Connection) -> int:
    """Count all cases."""
    return connection.execute(select(func.count()).select_from(diagnosis_case)).scalar_one()


def find(connection: Connection, case_id: str) -> FoundCase:
    """Return the case of this id, or the only one whose id begins with it."""
    if not _ID.fullmatch(case_id):
        return None
    exact = connection.execute(select(*_COLUMNS).where(_case.case_id == case_id)).first()
    if exact is not None:
        return _case_of(exact)
    prefixed = and_(_case.case_id >= case_id, _case.case_id < case_id + _AFTER_EVERY_ID)
    rows = connection.execute(select(*_COLUMNS).where(prefixed).limit(_SHOWN_WHEN_AMBIGUOUS)).all()
    match rows:
        case []:
            return None
        case [only]:
            return _case_of(only)
        case _:
            return AmbiguousCase(tuple(row.case_id for row in rows))


def page(connection: Connection, *, limit: int, before: str | None) -> CasePage:
    """Return up to `limit` cases, newest first, along the index on the time."""
    statement = select(*_COLUMNS)
    if before is not None:
        cursor = connection.execute(
            select(_case.created_at, _case.number).where(_case.case_id == before)
        ).first()
        if cursor is None:
            return CasePage(())
        older = or_(_case.created_at < cursor.created_at, _case.number < cursor.number)
        statement = statement.where(_case.created_at <= cursor.created_at, older)
    rows = connection.execute(
        statement.order_by(desc(_case.created_at), desc(_case.number)).limit(limit + 1)
    ).all()
    return CasePage(tuple(_case_of(row) for row in rows[:limit]), more=len(rows) > limit)


def delete_ids(connection: Connection, case_ids: Collection[str]) -> int:
    """Delete these cases; returns how many there were."""
    return connection.execute(delete(diagnosis_case).where(_case.case_id.in_(case_ids))).rowcount


def delete_of_run(connection: Connection, run_id: str) -> None:
    """Delete the case that was made from this Run."""
    connection.execute(delete(diagnosis_case).where(_case.run_id == run_id))


def write_feedback(connection: Connection, feedback: Feedback, *, owner: str) -> None:
    """Write what was said of a Run in the place of what was said before."""
    said = {
        "verdict": feedback.verdict.value,
        "note": feedback.note,
        "root_cause": feedback.root_cause,
        "solution": feedback.solution,
        "owner": owner,
        "created_at": feedback.given_at,
    }
    values = {"run_id": feedback.run_id, **said}
    if connection.dialect.name == "sqlite":
        new = sqlite.insert(run_feedback).values(values)
        connection.execute(new.on_conflict_do_update(index_elements=[run_feedback.c.run_id], set_=said))
    else:
        connection.execute(mysql.insert(run_feedback).values(values).on_duplicate_key_update(said))


def read_feedback(connection: Connection, run_id: str) -> Feedback | None:
    """Return what was said of a Run last."""
    row = connection.execute(select(run_feedback).where(run_feedback.c.run_id == run_id)).first()
    if row is None or row.verdict not in {verdict.value for verdict in Verdict}:
        return None
    return Feedback(
        run_id=row.run_id,
        verdict=Verdict(row.verdict),
        given_at=row.created_at,
        note=row.note,
        root_cause=row.root_cause,
        solution=row.solution,
    )


def _case_of(row: AnyRow) -> Case:
    return Case(
        case_id=row.case_id,
        symptoms=_texts(row.symptoms),
        root_cause=row.root_cause,
        created_at=row.created_at,
        solution=row.solution,
        services=_texts(row.services),
        documents=_texts(row.documents),
        note=row.note,
        run_id=row.run_id,
    )


def _list_text(texts: tuple[str, ...]) -> str:
    return json.dumps(texts, ensure_ascii=False)


def _texts(stored: str) -> tuple[str, ...]:
    """Read a list of texts; a damaged one is empty, so that one row never costs a listing."""
    try:
        value: Any = json.loads(stored)
    except ValueError:
        return ()
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def values_of(case: Case) -> Mapping[str, object]:
    """Return what makes two cases the same: everything but when it was kept."""
    return {name: getattr(case, name) for name in case.__slots__ if name != "created_at"}
