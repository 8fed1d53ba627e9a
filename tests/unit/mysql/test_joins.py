"""Layer 5: joins relate tables."""

from __future__ import annotations

import pytest

from tests.support.sql_shop import canonical, refusal


@pytest.mark.parametrize(
    "on",
    [
        "e.ticket_id = t.id",
        "t.id = e.ticket_id",
        "(e.ticket_id = t.id)",
        "e.ticket_id = t.id AND e.kind = ?",
        "e.kind = ? AND (e.took_ms > ? AND e.ticket_id = t.id)",
        "e.ticket_id = t.id AND t.id = t.id",
    ],
)
@pytest.mark.parametrize("kind", ["JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN"])
def test_a_join_by_an_equality_of_columns_is_accepted(kind: str, on: str) -> None:
    text = canonical(f"SELECT t.id FROM tickets t {kind} events e ON {on}", *([1] * on.count("?")))

    assert f"{'LEFT' if 'LEFT' in kind else 'INNER'} JOIN store.events AS e ON" in text


@pytest.mark.parametrize(
    "on",
    [
        "t.id = t.id",
        "e.id = e.ticket_id",
        "e.kind = ?",
        "e.ticket_id = t.id OR e.kind = ?",
        "NOT e.ticket_id = t.id",
        "e.ticket_id > t.id",
        "e.ticket_id <=> t.id",
        "e.ticket_id = t.id + ?",
        "e.ticket_id IN (t.id)",
    ],
)
def test_a_join_that_multiplies_rows_is_refused(on: str) -> None:
    sql = f"SELECT t.id FROM tickets t JOIN events e ON {on}"
    assert refusal(sql, *([1] * on.count("?"))) == "join_condition"


def test_each_join_must_relate_its_own_table() -> None:
    tables = "tickets t JOIN events e ON e.ticket_id = t.id JOIN people p ON"
    assert canonical(f"SELECT t.id FROM {tables} p.id = t.owner_id")
    assert refusal(f"SELECT t.id FROM {tables} e.ticket_id = t.id") == "join_condition"
