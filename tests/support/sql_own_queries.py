"""Our own reasonable queries on the data source of `sql_shop`: what an investigator would ask."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.sql_own_attacks import Line

BENIGN: Sequence[Line] = (
    ("SELECT id, state FROM tickets", ()),
    ("select ID, State, PRICE from tickets where STATE = ? order by ID desc limit ?", ("NEW", 2)),
    ("SELECT ALL id FROM tickets", ()),
    ("SELECT DISTINCTROW state FROM tickets", ()),
    (
        "SELECT id FROM tickets WHERE opened_at BETWEEN ? AND ?",
        ("2026-11-30 10:00:00", "2026-11-30 10:10:00"),
    ),
    ("SELECT id FROM tickets WHERE opened_at >= ? AND opened_at < ?", ("2026-11-30", "2026-12-01")),
    ("SELECT id FROM tickets WHERE state NOT IN (?, ?)", ("NEW", "DONE")),
    ("SELECT id FROM tickets WHERE state NOT LIKE ?", ("N%",)),
    ("SELECT id FROM tickets WHERE NOT (state IN (?, ?) AND price > ?)", ("NEW", "DONE", 10)),
    ("SELECT id FROM tickets WHERE state IS NULL OR owner_id IS NOT NULL", ()),
    ("SELECT id FROM tickets WHERE state <=> ?", (None,)),
    ("SELECT id FROM tickets WHERE price = ?", (10.5,)),
    ("SELECT id FROM tickets WHERE owner_id = ?", (True,)),
    ("SELECT id FROM tickets WHERE id IN (id, owner_id, ?)", (3,)),
    ("SELECT id FROM tickets WHERE price * ? > price + owner_id", (2,)),
    ("SELECT id FROM tickets WHERE price / ? >= ? AND id % ? = ?", (2, 5, 2, 1)),
    ("SELECT id FROM tickets WHERE id MOD ? = ? AND id DIV ? = ?", (2, 1, 2, 0)),
    ("SELECT id FROM tickets WHERE -price < ? - -?", (0, 1)),
    ("SELECT id FROM tickets WHERE (((price) > (?)))", (5,)),
    ("SELECT id FROM tickets WHERE id = ? LIMIT ?;", (1, 1_000_000)),
    ("\n  SELECT id\n  FROM tickets\n  WHERE id = ?\n  ;\n", (1,)),
    ("SELECT `tickets`.`id` AS `n` FROM `store`.`tickets` WHERE `store`.`tickets`.`state` = ?", ("NEW",)),
    ("SELECT id AS ticket, price cost, price * id AS total FROM tickets ORDER BY total DESC, ticket", ()),
    ("SELECT events.state FROM tickets AS events WHERE events.state = ?", ("NEW",)),
    ("SELECT id, `offset`, tickets.offset AS o FROM tickets WHERE `offset` = ?", (5,)),
    ("SELECT rank AS `rank`, name FROM people WHERE rank > ?", (0,)),
    ("SELECT total FROM ledger.entries WHERE ledger.entries.id = ?", (1,)),
    (
        "SELECT t.id, e.total FROM tickets t LEFT JOIN ledger.entries e ON e.ticket_id = t.id WHERE t.id < ?",
        (9,),
    ),
    (
        "SELECT t.id, p.name, e.kind FROM tickets t JOIN people p ON p.id = t.owner_id "
        "LEFT JOIN events e ON e.ticket_id = t.id AND e.kind = ? AND e.took_ms > ? "
        "AND e.opened_at >= t.opened_at "
        "WHERE t.state IN (?, ?) ORDER BY t.id, e.kind",
        ("PAY", 10, "NEW", "DONE"),
    ),
    (
        "SELECT t.id FROM tickets t LEFT JOIN events e ON (e.ticket_id = t.id "
        "AND (e.kind = ? OR e.took_ms > ?)) "
        "WHERE e.id IS NULL",
        ("PAY", 100),
    ),
    (
        "SELECT a.id AS a_id, b.id AS b_id FROM tickets a INNER JOIN tickets b "
        "ON a.owner_id = b.owner_id AND a.id < b.id",
        (),
    ),
    ("SELECT COUNT(*) FROM tickets", ()),
    ("SELECT COUNT( * ) AS n, COUNT(id), COUNT(DISTINCT state), COUNT(ALL price) FROM tickets", ()),
    ("SELECT COUNT(DISTINCT state, owner_id) AS pairs FROM tickets", ()),
    ("SELECT AVG(DISTINCT price) AS mean, SUM(price) / COUNT(*) AS ratio FROM tickets WHERE price > ?", (0,)),
    ("SELECT MAX(opened_at), MIN(opened_at) FROM tickets WHERE state = ?", ("NEW",)),
    ("SELECT MAX(price) - MIN(price) AS spread FROM tickets", ()),
    (
        "SELECT state, COUNT(*) AS n FROM tickets GROUP BY state "
        "HAVING COUNT(*) >= ? ORDER BY COUNT(*) DESC, state",
        (1,),
    ),
    (
        "SELECT state, COUNT(*) AS n FROM tickets GROUP BY state HAVING n > ? "
        "AND state IS NOT NULL ORDER BY n",
        (0,),
    ),
    ("SELECT state AS s, owner_id AS o, SUM(price) FROM tickets GROUP BY s, o ORDER BY s, o", ()),
    ("SELECT id % owner_id AS bucket, COUNT(*) AS n FROM tickets GROUP BY id % owner_id ORDER BY bucket", ()),
    (
        "SELECT SUM(state = ?) AS new_ones, SUM(state IS NULL) AS unknown_ones, COUNT(*) AS n FROM tickets",
        ("NEW",),
    ),
    (
        "SELECT kind, AVG(took_ms > ?) AS slow, SUM(took_ms BETWEEN ? AND ?) FROM events GROUP BY kind",
        (100, 1, 50),
    ),
    ("SELECT kind, SUM(kind LIKE ? OR took_ms IN (?, ?)) AS odd FROM events GROUP BY kind", ("P%", 1, 2)),
    (
        "SELECT p.name, COUNT(t.id) AS n FROM people p LEFT JOIN tickets t ON t.owner_id = p.id "
        "GROUP BY p.id, p.name ORDER BY n DESC LIMIT ?",
        (3,),
    ),
    (
        "SELECT DISTINCT t.state, e.kind FROM tickets t JOIN events e "
        "ON e.ticket_id = t.id ORDER BY t.state, e.kind",
        (),
    ),
    ("SELECT id FROM tickets WHERE state = ?", ("'; DROP TABLE tickets; -- %s ? :p0 `x` \\",)),
    ("SELECT id FROM tickets WHERE state = ? OR state LIKE ?", ("用户😀", "%\\_%")),
    ("SELECT id FROM tickets WHERE id < ?", (2**64 - 1,)),
    ("SELECT id FROM tickets WHERE id > ?", (-(2**63),)),
    ("SELECT id FROM tickets WHERE id IN (" + ", ".join("?" * 100) + ")", tuple(range(100))),
    ("SELECT id, price > owner_id AS is_dear FROM tickets", ()),
)
