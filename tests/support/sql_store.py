"""The data source of `sql_shop` as a real database, on SQLite and on a scratch MySQL server."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

TABLES = (
    "CREATE TABLE tickets(id INT PRIMARY KEY, owner_id INT, state VARCHAR(32), price DECIMAL(10,2), "
    "opened_at DATETIME, `offset` INT, internal_note VARCHAR(64))",
    "CREATE TABLE events(id INT PRIMARY KEY, ticket_id INT, kind VARCHAR(32), took_ms INT, "
    "opened_at DATETIME)",
    "CREATE TABLE people(id INT PRIMARY KEY, name VARCHAR(64), `rank` INT, password_hash VARCHAR(64))",
    "CREATE TABLE secrets(id INT PRIMARY KEY, name VARCHAR(64))",
    "CREATE TABLE numbers(id INT PRIMARY KEY, same INT)",
)
ROWS = (
    "INSERT INTO people VALUES (1,'ann',1,'h1'),(2,'用户',2,'h2'),(3,NULL,NULL,NULL)",
    "INSERT INTO tickets VALUES (1,1,'NEW',10.50,'2026-11-30 10:00:00',0,'n'),"
    "(2,1,'DONE',20,'2026-11-30 10:05:00',NULL,'n'),(3,2,'NEW',7.25,'2026-11-30 10:10:00',5,'n'),"
    "(4,9,'50%',0,'2026-11-30 10:15:00',5,'n'),(5,NULL,NULL,NULL,NULL,NULL,'n')",
    "INSERT INTO events VALUES (1,1,'PAY',120,'2026-11-30 10:00:01'),(2,1,'SHIP',80,'2026-11-30 10:00:02'),"
    "(3,3,'PAY',30000,'2026-11-30 10:10:01')",
    "INSERT INTO secrets VALUES (1,'TOPSECRET')",
)
NUMBERS = "INSERT INTO numbers VALUES " + ",".join(f"({number},1)" for number in range(2_000))
# Eight thousand million combinations: minutes on any machine.
ENDLESS = "SELECT COUNT(*) FROM numbers a JOIN numbers b ON b.same = a.same JOIN numbers c ON c.same = b.same"


def create_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in (*TABLES, *ROWS, NUMBERS):
            connection.execute(statement)
        connection.commit()
