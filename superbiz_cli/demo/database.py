"""The database side of the incident: a slow-query log and a SQLite snapshot of three tables."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import UTC, timedelta
from pathlib import Path

from superbiz_cli.demo.story import POOL_SIZE, Story

SEARCH_SQL = "SELECT id, order_id, status, amount_cents FROM payments WHERE memo LIKE '%refund april%'"
_REPORT_SQL = "SELECT status, COUNT(*) FROM payments WHERE created_at >= '2026-01-01' GROUP BY status"

# What the SQL tool may read of the snapshot.
ALLOWED_COLUMNS = {
    "payments": ("id", "order_id", "status", "channel", "amount_cents", "created_at"),
    "pool_status": ("captured_at", "service", "pool", "active", "idle", "waiting", "max_size"),
    "table_indexes": ("table_name", "column_name", "index_name"),
}


def slow_query_log(story: Story) -> str:
    """Return a MySQL slow-query log: an hourly report as ever, then the search without an index."""
    entries = [_HEADER]
    randomness = random.Random(4)
    at = story.history_from + timedelta(minutes=7)
    reports = []
    while at < story.now:
        reports.append((at, 1.1 + randomness.random() / 3, 38_000 + randomness.randrange(900), _REPORT_SQL))
        at += timedelta(hours=1)
    searches = [(one.ended, one.seconds, one.rows_examined, SEARCH_SQL) for one in story.statements]
    for ended, seconds, rows, sql in sorted(reports + searches):
        stamp = ended.astimezone(UTC)
        entries.append(
            f"# Time: {stamp.isoformat(timespec='microseconds').replace('+00:00', 'Z')}\n"
            f"# User@Host: payment[payment] @ app-7 [10.20.0.17]  Id:  {randomness.randrange(900, 999)}\n"
            f"# Query_time: {seconds:.6f}  Lock_time: 0.000004 Rows_sent: 3  Rows_examined: {rows}\n"
            f"SET timestamp={int(stamp.timestamp())};\n{sql};\n"
        )
    return "".join(entries)


_HEADER = (
    "/usr/sbin/mysqld, Version: 8.0.39 (MySQL Community Server - GPL). started with:\n"
    "Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock\n"
    "Time                 Id Command    Argument\n"
)


def write_snapshot(path: Path, story: Story) -> None:
    """Write a SQLite file with payments, pool samples and the indexes of the payments table."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            """
            CREATE TABLE payments (id INTEGER PRIMARY KEY, order_id TEXT, status TEXT, channel TEXT,
                                   amount_cents INTEGER, memo TEXT, created_at TEXT);
            CREATE TABLE pool_status (captured_at TEXT, service TEXT, pool TEXT, active INTEGER,
                                      idle INTEGER, waiting INTEGER, max_size INTEGER);
            CREATE TABLE table_indexes (table_name TEXT, column_name TEXT, index_name TEXT);
            """
        )
        connection.executemany("INSERT INTO payments VALUES (?,?,?,?,?,?,?)", _payments(story))
        connection.executemany("INSERT INTO pool_status VALUES (?,?,?,?,?,?,?)", _pool_samples(story))
        connection.executemany(
            "INSERT INTO table_indexes VALUES (?,?,?)",
            [
                ("payments", "id", "PRIMARY"),
                ("payments", "order_id", "idx_order"),
                ("payments", "memo", None),
            ],
        )


def _payments(story: Story) -> list[tuple[int, str, str, str, int, str, str]]:
    randomness = random.Random(5)
    rows = []
    for number, at in enumerate(
        story.moments(40, since=story.history_from, until=story.now, seed=9), start=1
    ):
        stuck = at > story.exhausted_from and randomness.random() < 0.8
        rows.append(
            (
                number,
                f"O-{10_000 + number}",
                "PENDING" if stuck else "PAID",
                randomness.choice(("alipay", "wechat", "unionpay", "card")),
                randomness.randrange(100, 90_000),
                "",
                at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
            )
        )
    return rows


def _pool_samples(story: Story) -> list[tuple[str, str, str, int, int, int, int]]:
    randomness = random.Random(6)
    rows = []
    for at in story.moments(60, since=story.began - timedelta(minutes=20), until=story.now, seed=10):
        full = at >= story.exhausted_from
        active = POOL_SIZE if full else randomness.randrange(2, 7)
        waiting = randomness.randrange(31, 74) if full else 0
        stamp = at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
        rows.append(
            (stamp, "payment-service", "HikariPool-1", active, POOL_SIZE - active, waiting, POOL_SIZE)
        )
    return rows
