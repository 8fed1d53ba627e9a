"""Layer 4: the allow-list, and names that mean one thing."""

from __future__ import annotations

import pytest

from tests.support.sql_shop import canonical, plan, refusal


@pytest.mark.parametrize(
    ("sql", "meant"),
    [
        ("SELECT ID, State FROM tickets", "SELECT tickets.id, tickets.state FROM store.tickets"),
        ("SELECT tickets.id FROM tickets", "SELECT tickets.id FROM store.tickets"),
        ("SELECT store.tickets.id FROM store.tickets", "SELECT tickets.id FROM store.tickets"),
        ("SELECT t.id FROM tickets t", "SELECT t.id FROM store.tickets AS t"),
        ("SELECT people.id FROM tickets AS people", "SELECT people.id FROM store.tickets AS people"),
        ("SELECT total FROM ledger.entries", "SELECT entries.total FROM ledger.entries"),
        (
            "SELECT id x, state AS y FROM tickets",
            "SELECT tickets.id AS x, tickets.state AS y FROM store.tickets",
        ),
        (
            "SELECT state, kind FROM tickets JOIN events ON ticket_id = tickets.id",
            "SELECT tickets.state, events.kind FROM store.tickets INNER JOIN store.events "
            "ON events.ticket_id = tickets.id",
        ),
    ],
)
def test_names_are_written_out_in_full(sql: str, meant: str) -> None:
    assert canonical(sql) == meant


@pytest.mark.parametrize(
    ("sql", "category"),
    [
        ("SELECT id FROM secrets", "table_not_allowed"),
        ("SELECT id FROM Tickets", "table_not_allowed"),
        ("SELECT id FROM STORE.tickets", "table_not_allowed"),
        ("SELECT id FROM ledger.tickets", "table_not_allowed"),
        ("SELECT id FROM entries", "table_not_allowed"),
        ("SELECT id FROM mysql.user", "table_not_allowed"),
        ("SELECT id FROM information_schema.columns", "table_not_allowed"),
        ("SELECT id FROM DUAL", "reserved_word"),
        ("SELECT id FROM def.store.tickets", "syntax"),
        ("SELECT owner FROM tickets", "column_not_allowed"),
        ("SELECT name FROM tickets", "column_not_allowed"),
        ("SELECT _rowid FROM tickets", "column_not_allowed"),
        ("SELECT T.id FROM tickets t", "column_not_allowed"),
        ("SELECT tickets.id FROM tickets t", "column_not_allowed"),
        ("SELECT store.t.id FROM tickets t", "column_not_allowed"),
        ("SELECT store.tickets.id FROM tickets t", "column_not_allowed"),
        ("SELECT ledger.tickets.id FROM tickets", "column_not_allowed"),
        ("SELECT tickets.id.id FROM tickets", "column_not_allowed"),
        ("SELECT id FROM tickets t JOIN events e ON e.ticket_id = t.id", "column_ambiguous"),
        (
            "SELECT t.id FROM tickets t JOIN events e ON e.ticket_id = t.id ORDER BY opened_at",
            "column_ambiguous",
        ),
        (
            "SELECT a.id FROM tickets a JOIN people b ON b.id = c.owner_id JOIN tickets c ON c.id = a.id",
            "column_not_allowed",
        ),
        ("SELECT t.id FROM tickets t JOIN people t ON t.id = t.id", "duplicate_alias"),
        ("SELECT t.id FROM tickets t JOIN people T ON t.id = T.id", "duplicate_alias"),
        ("SELECT tickets.id FROM tickets JOIN tickets ON tickets.id = tickets.id", "duplicate_alias"),
        ("SELECT id, id FROM tickets", "duplicate_output_column"),
        ("SELECT id, state AS ID FROM tickets", "duplicate_output_column"),
        ("SELECT id a, state A FROM tickets", "duplicate_output_column"),
        ("SELECT COUNT(*), count(*) FROM tickets", "duplicate_output_column"),
        ("SELECT id AS x, x FROM tickets", "column_not_allowed"),
        ("SELECT id AS x FROM tickets WHERE x = ?", "column_not_allowed"),
    ],
)
def test_whatever_is_not_listed_or_not_clear_is_refused(sql: str, category: str) -> None:
    assert refusal(sql, *([1] * sql.count("?"))) == category


@pytest.mark.parametrize(
    ("sql", "meant"),
    [
        ("SELECT state AS s, COUNT(*) n FROM tickets GROUP BY s", "GROUP BY s"),
        ("SELECT state AS state, COUNT(*) FROM tickets GROUP BY state", "GROUP BY tickets.state"),
        (
            "SELECT state, COUNT(*) n FROM tickets GROUP BY state HAVING n > ?",
            "GROUP BY tickets.state HAVING n > ?",
        ),
        ("SELECT price AS id FROM tickets ORDER BY id", "ORDER BY id"),
        (
            "SELECT state, COUNT(*) n FROM tickets GROUP BY state ORDER BY n DESC, state",
            "GROUP BY tickets.state ORDER BY n DESC, tickets.state",
        ),
        (
            "SELECT t.opened_at FROM tickets t JOIN events e ON e.ticket_id = t.id ORDER BY opened_at",
            "ORDER BY t.opened_at",
        ),
    ],
)
def test_an_output_column_can_be_named_where_a_server_lets_it(sql: str, meant: str) -> None:
    assert canonical(sql, *([1] * sql.count("?"))).endswith(meant)


@pytest.mark.parametrize(
    ("sql", "category"),
    [
        ("SELECT price AS state, COUNT(*) FROM tickets GROUP BY state", "alias_ambiguous"),
        ("SELECT COUNT(*) AS price FROM tickets HAVING price > ?", "alias_ambiguous"),
        ("SELECT price - id AS diff FROM tickets ORDER BY diff + id", "column_not_allowed"),
        ("SELECT price AS id FROM tickets ORDER BY id + owner_id", "alias_ambiguous"),
        ("SELECT price AS id FROM tickets ORDER BY -(owner_id * id)", "alias_ambiguous"),
        ("SELECT COUNT(*) AS n FROM tickets HAVING SUM(n) > ?", "column_not_allowed"),
    ],
)
def test_an_alias_that_a_server_might_take_for_a_column_is_refused(sql: str, category: str) -> None:
    assert refusal(sql, *([1] * sql.count("?"))) == category


def test_a_name_inside_an_aggregate_is_a_column_whatever_the_output_is_called() -> None:
    sql = (
        "SELECT state, MAX(price) AS price FROM tickets GROUP BY state "
        "HAVING MAX(price) > ? ORDER BY -MAX(price)"
    )
    assert canonical(sql, 1).endswith("HAVING MAX(tickets.price) > ? ORDER BY - MAX(tickets.price)")


def test_results_name_their_columns_and_where_they_come_from() -> None:
    columns = plan(
        "SELECT p.name AS who, COUNT(*), SUM(t.price) / COUNT(t.id), MAX(t.price > ?) AS dear "
        "FROM tickets t LEFT JOIN people p ON p.id = t.owner_id GROUP BY p.name",
        9,
    ).columns

    assert [(column.name, column.source) for column in columns] == [
        ("who", "store.people.name"),
        ("COUNT(*)", "COUNT(*)"),
        ("SUM(price) / COUNT(id)", "SUM(store.tickets.price) / COUNT(store.tickets.id)"),
        ("dear", "MAX(store.tickets.price > ?)"),
    ]
