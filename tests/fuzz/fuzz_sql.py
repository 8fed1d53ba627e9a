"""Mutates SQL until something gives: `python -m tests.fuzz.fuzz_sql` (make fuzz-sql).

Each mutant of a benign query or an attack must be refused with a word, or become a statement made of
allow-listed names only, which a server runs for an account that has nothing but the column grants,
and which changes nothing for a privileged one. No mutant may crash the validator or hold it for long.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pymysql
from pymysql.cursors import Cursor

from superbiz_cli.adapters import mysql_connection as driver
from superbiz_cli.adapters.mysql_address import MysqlAddress
from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryPlan, QueryRefused
from superbiz_cli.harness.tool.mysql.grants import grant_statements
from superbiz_cli.harness.tool.mysql.policy import plan_query
from superbiz_cli.harness.tool.mysql.render import mysql_statement
from tests.fuzz.sql_mutants import mutants
from tests.support.mysql_scratch import Scratch
from tests.support.services import MARIADB_URL
from tests.support.sql_shop import ALLOWED
from tests.support.sql_store import ROWS, TABLES

SLOW_S = 0.05
MUTANTS = 200_000
# Syntax, unknown column, table or function, and every kind of missing permission.
VALIDATOR_BUGS = frozenset({1044, 1052, 1054, 1064, 1109, 1142, 1143, 1146, 1227, 1305, 1370, 1792})


@dataclass
class Findings:
    """What was seen; `bugs` must stay empty."""

    verdicts: Counter[str] = field(default_factory=Counter)
    faults: Counter[int] = field(default_factory=Counter)
    bugs: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""
    statements: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for a bounded number of mutants and seconds; returns 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    parser.add_argument("--seconds", type=float, default=1_800.0)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args(arguments)
    findings = Findings()
    plan_query(_source("store", "ledger"), "SELECT id FROM tickets")  # the first one imports the parser
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(_server())
        began = time.monotonic()
        count = 0
        for count, (sql, values) in enumerate(mutants(options.seed), start=1):
            _try(sql, values, server, findings)
            if count >= options.mutants or time.monotonic() - began >= options.seconds:
                break
        if server is not None:
            findings.bugs += server.changes()
    _report(findings, count, time.monotonic() - began, has_server=server is not None)
    return 1 if findings.bugs else 0


def _try(sql: str, values: list[Any], server: _Server | None, findings: Findings) -> None:
    source = server.source if server else _source("store", "ledger")
    made, verdict, took_s = _planned(source, sql, values, findings)
    if took_s > SLOW_S:  # once may be the collector of this process; twice is the query
        took_s = min(took_s, _planned(source, sql, values, findings)[2])
    findings.verdicts[verdict] += 1
    if took_s > findings.slowest_s:
        findings.slowest_s, findings.slowest = took_s, sql
    if took_s > SLOW_S:
        findings.bugs.append(f"slow ({took_s * 1000:.0f} ms): {sql!r}"[:500])
    if made is not None:
        _check_plan(made, values, findings)
        if server is not None:
            server.run(made, sql, findings)


def _planned(
    source: DataSource, sql: str, values: list[Any], findings: Findings
) -> tuple[QueryPlan | None, str, float]:
    """Return the plan if there is one, the verdict in a word, and the CPU seconds that it took."""
    began = time.process_time()
    try:
        return plan_query(source, sql, values), "accepted", time.process_time() - began
    except QueryRefused as refused:
        return None, refused.category.value, time.process_time() - began
    except BaseException as error:
        findings.bugs.append(f"crash {type(error).__name__}: {sql!r} {values!r}"[:500])
        return None, "crash", time.process_time() - began


def _check_plan(made: QueryPlan, values: list[Any], findings: Findings) -> None:
    statement = mysql_statement(made.select, row_limit=made.row_limit)
    tables = {table for tables in made.source.allowed.values() for table in tables}
    columns = {
        column for tables in made.source.allowed.values() for listed in tables.values() for column in listed
    }
    known = tables | columns | set(made.source.allowed) | {f"t{number}" for number in range(8)}
    if not set(re.findall(r"`([^`]*)`", statement)) <= known or not statement.startswith("SELECT "):
        findings.bugs.append(f"foreign name: {statement}")
    if plan_query(made.source, made.canonical, values).canonical != made.canonical:
        findings.bugs.append(f"not a fixed point: {made.canonical}")


def _source(store: str, ledger: str) -> DataSource:
    return DataSource("fuzz", store, {store: ALLOWED["store"], ledger: ALLOWED["ledger"]})


class _Server:
    """A scratch schema with one connection for the fitting account and one for a privileged one."""

    def __init__(self, scratch: Scratch) -> None:
        store = scratch.create("store", *TABLES, *ROWS)
        ledger = scratch.create("ledger", "CREATE TABLE entries(id INT, ticket_id INT, total INT)")
        self.source = _source(store, ledger)
        self._scratch = scratch
        fitting = scratch.create_account("fitting")
        scratch.execute(*grant_statements(self.source, user=fitting.user))
        self._connections = [_connect(fitting), _connect(scratch.root)]
        self._seen: set[tuple[str, str]] = set()
        self._before = scratch.state()

    def run(self, made: QueryPlan, sql: str, findings: Findings) -> None:
        statement = mysql_statement(made.select, row_limit=made.row_limit)
        named = {f"p{position}": value for position, value in enumerate(made.parameters)}
        if (statement, repr(named)) in self._seen:
            return
        self._seen.add((statement, repr(named)))
        findings.statements += 1
        for connection in self._connections:
            code = _error_code(connection, statement, named)
            findings.faults[code] += 1
            if code in VALIDATOR_BUGS:
                findings.bugs.append(f"server says {code}: {statement} (from {sql!r})")

    def changes(self) -> list[str]:
        return [] if self._scratch.state() == self._before else ["a statement changed the server"]

    def close(self) -> None:
        for connection in self._connections:
            connection.close()


def _connect(address: MysqlAddress) -> Any:
    connection = driver.connect(address, tls=None, timeout_s=30)
    driver.begin_read_only(connection, timeout_s=5)
    return connection


def _error_code(connection: Any, statement: str, values: dict[str, Any]) -> int:
    try:
        with connection.cursor(Cursor) as cursor:
            cursor.execute(statement, values)
            cursor.fetchall()
    except pymysql.err.Error as error:
        return int(error.args[0])
    return 0


@contextlib.contextmanager
def _server() -> Iterator[_Server | None]:
    root = MysqlAddress.from_url(MARIADB_URL)
    try:
        driver.connect(root, tls=None, timeout_s=2).close()
    except (pymysql.err.Error, OSError):
        if os.environ.get("CI", "").lower() == "true":
            raise
        _say(f"no server at {root.host}:{root.port}: accepted mutants are not run")
        yield None
        return
    scratch = Scratch(root, f"superbiz_fuzz_{os.getpid()}")
    try:
        server = _Server(scratch)
        yield server
        server.close()
    finally:
        scratch.close()


def _report(findings: Findings, count: int, took_s: float, *, has_server: bool) -> None:
    ran = f"{findings.statements} distinct statements run on a server" if has_server else "no server"
    _say(f"{count} mutants in {took_s:.0f} s, {findings.verdicts['accepted']} accepted, {ran}")
    _say(f"slowest {findings.slowest_s * 1000:.1f} ms (CPU), {len(findings.bugs)} bugs")
    _say("verdicts: " + ", ".join(f"{word} {number}" for word, number in findings.verdicts.most_common()))
    _say(f"server codes: {dict(findings.faults.most_common())}")
    for bug in findings.bugs[:20]:
        _say(f"BUG {bug}")


def _say(text: str) -> None:
    sys.stdout.write(text.encode("ascii", "backslashreplace").decode() + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
