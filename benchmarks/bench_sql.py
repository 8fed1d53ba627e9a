"""Times query_mysql: `python -m benchmarks.bench_sql`.

Prints the validation time of benign queries (p50 and p95), the time of the parser's first import, and
what one query through the sandbox costs over the same statement on a bare PyMySQL connection.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from superbiz_cli.adapters.mysql_address import MysqlAddress
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.mysql.contract import DataSource
from superbiz_cli.harness.tool.mysql.policy import plan_query
from superbiz_cli.harness.tool.mysql.render import mysql_statement
from superbiz_cli.harness.tool.port import ToolExecutionFailed

ROUNDS = 30
URL = os.environ.get("SUPERBIZ_TEST_MARIADB_URL", "mysql+pymysql://root@127.0.0.1:3306")
DATABASE = f"superbiz_bench_{os.getpid()}"
ALLOWED = {
    "tickets": ("id", "owner_id", "state", "price", "opened_at"),
    "events": ("id", "ticket_id", "kind", "took_ms"),
}
QUERIES: Sequence[tuple[str, list[Any]]] = (
    ("SELECT id FROM tickets WHERE id = ?", [7]),
    (
        "SELECT id, state, price FROM tickets WHERE state = ? AND price > ? ORDER BY id DESC LIMIT ?",
        ["NEW", 5, 20],
    ),
    ("SELECT state, COUNT(*) AS n FROM tickets GROUP BY state HAVING n > ? ORDER BY n DESC", [3]),
    (
        "SELECT t.id, e.kind FROM tickets t LEFT JOIN events e ON e.ticket_id = t.id WHERE e.took_ms > ?",
        [100],
    ),
    ("SELECT kind, SUM(took_ms > ?) AS slow, AVG(took_ms) FROM events GROUP BY kind", [1000]),
)


def main() -> None:
    """Run all measurements and print them as text."""
    source = DataSource("bench", DATABASE, {DATABASE: ALLOWED})
    first_ms = _time_ms(lambda: plan_query(source, *QUERIES[0]))
    _say(f"first validation, with the import of the parser: {first_ms:.0f} ms")
    _validation(source)
    try:
        _execution(source)
    except ToolExecutionFailed as failed:
        _say(f"no server to measure on: {failed.category}")


def _validation(source: DataSource) -> None:
    given, own = _given_queries(), [(source, sql, values) for sql, values in QUERIES]
    for label, queries in (("own", own), ("given", given)):
        if queries:
            times = [_time_ms(lambda q=query: plan_query(*q)) for _ in range(ROUNDS) for query in queries]
            cpu = [_cpu_ms(lambda q=query: plan_query(*q)) for _ in range(ROUNDS) for query in queries]
            _say(f"validation, {len(queries)} {label} benign queries: {_quantiles(times)}")
            _say(f"    the same in CPU time: {_quantiles(cpu)}")


def _given_queries() -> list[tuple[DataSource, str, list[Any]]]:
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SUPERBIZ_TEST_DATA") or default) / "sql"
    if not folder.is_dir():
        return []
    config = json.loads((folder / "datasource.json").read_text("utf-8"))
    source = DataSource(config["id"], config["default_schema"], config["allowed"])
    lines = [json.loads(line) for line in (folder / "benign.jsonl").read_text("utf-8").splitlines()]
    return [(source, line["sql"], line["params"]) for line in lines]


def _execution(source: DataSource) -> None:
    from superbiz_cli.adapters import mysql_connection as driver

    address = MysqlAddress.from_url(URL)
    mysql = MysqlSource(address)
    mysql.server_version()
    connection = driver.connect(address, tls=None, timeout_s=10)
    try:
        for statement in _setup():
            connection.query(statement)
        run = Run.start(session_id="bench", deadline_s=600, limits=BudgetLimits())
        plans = [plan_query(source, sql, values) for sql, values in QUERIES]
        bare = [_time_ms(lambda p=made: _bare(connection, p)) for _ in range(ROUNDS) for made in plans]
        fresh = [_time_ms(lambda p=made: _fresh(driver, address, p)) for _ in range(ROUNDS) for made in plans]
        boxed = [_time_ms(lambda p=made: mysql.run(p, run=run)) for _ in range(ROUNDS) for made in plans]
        _say(f"bare PyMySQL, open connection:     {_quantiles(bare)}")
        _say(f"bare PyMySQL, a fresh connection:  {_quantiles(fresh)}")
        _say(f"through the sandbox:               {_quantiles(boxed)}")
        over = statistics.median(boxed) - statistics.median(fresh)
        _say(f"overhead over a bare query on a fresh connection: {over:.2f} ms")
    finally:
        connection.query(f"DROP DATABASE IF EXISTS {DATABASE}")
        connection.close()


def _setup() -> Sequence[str]:
    tickets = ",".join(f"({n},{n % 9},'{'NEW' if n % 3 else 'DONE'}',{n}.5,NOW())" for n in range(300))
    events = ",".join(f"({n},{n % 300},'{'PAY' if n % 2 else 'SHIP'}',{n * 7 % 3000})" for n in range(600))
    return (
        f"CREATE DATABASE {DATABASE}",
        f"CREATE TABLE {DATABASE}.tickets(id INT PRIMARY KEY, owner_id INT, state VARCHAR(16), "
        "price DECIMAL(10,2), opened_at DATETIME)",
        f"CREATE TABLE {DATABASE}.events(id INT PRIMARY KEY, ticket_id INT, kind VARCHAR(16), took_ms INT, "
        "KEY(ticket_id))",
        f"INSERT INTO {DATABASE}.tickets VALUES {tickets}",
        f"INSERT INTO {DATABASE}.events VALUES {events}",
    )


def _bare(connection: Any, made: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            mysql_statement(made.select, row_limit=made.row_limit),
            {f"p{position}": value for position, value in enumerate(made.parameters)},
        )
        list(cursor.fetchall())


def _fresh(driver: Any, address: MysqlAddress, made: Any) -> None:
    connection = driver.connect(address, tls=None, timeout_s=10)
    try:
        _bare(connection, made)
    finally:
        connection.close()


def _time_ms(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def _cpu_ms(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return (time.process_time() - began) * 1000


def _quantiles(times: Sequence[float]) -> str:
    ranked = sorted(times)
    return f"p50 {statistics.median(ranked):.2f} ms, p95 {ranked[int(len(ranked) * 0.95)]:.2f} ms"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
