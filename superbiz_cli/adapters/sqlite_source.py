"""A SQLite file as a data source, for the demo and for development: the same plans, read-only.

The file is opened read-only, the connection refuses writes, and an authorizer lets a statement read
the planned columns and nothing else.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from superbiz_cli.adapters.sql_rows import collect_rows
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.contract import ExecutionFault, QueryPlan, RawTable
from superbiz_cli.harness.tool.mysql.render import sqlite_statement
from superbiz_cli.harness.tool.mysql.schema import SchemaColumn
from superbiz_cli.harness.tool.mysql.traversal import expressions_of, walk
from superbiz_cli.harness.tool.port import ToolExecutionFailed

OPERATIONS_BETWEEN_CHECKS = 2_000

_FUNCTIONS = frozenset({"count", "sum", "avg", "min", "max", "like"})


class SqliteSource:
    """See `contract.QueryExecutor`. The schema of the allow-list is only a name here."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run(self, plan: QueryPlan, *, run: Run) -> RawTable:
        """Run `plan` and return its rows; see the port for what is raised."""
        run.check_active()
        _refuse_what_sqlite_lacks(plan.select)
        give_up_at = time.monotonic() + min(plan.source.limits.timeout_s, run.remaining_s())
        try:
            connection = self._open()
        except sqlite3.Error:
            raise ToolExecutionFailed(ExecutionFault.UNAVAILABLE.value) from None
        unregister = run.cancellation.on_cancel(connection.interrupt)
        try:
            connection.set_authorizer(_authorizer(plan.select))
            connection.set_progress_handler(
                lambda: run.cancellation.is_cancelled or time.monotonic() >= give_up_at,
                OPERATIONS_BETWEEN_CHECKS,
            )
            values = {f"p{position}": value for position, value in enumerate(plan.parameters)}
            cursor = connection.execute(sqlite_statement(plan.select, row_limit=plan.row_limit), values)
            return collect_rows(cursor, plan.source.limits)
        except (sqlite3.Error, OverflowError) as error:
            run.check_active()
            raise ToolExecutionFailed(_fault_of(error).value) from None
        finally:
            unregister()
            connection.close()

    def schema_columns(self) -> tuple[SchemaColumn, ...]:
        """Return all columns of the file's tables. Raises ToolExecutionFailed."""
        query = """
            SELECT 'main', t.name, c.name, lower(c.type)
            FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid
        """
        try:
            connection = self._open()
            try:
                return tuple(SchemaColumn(*row) for row in connection.execute(query))
            finally:
                connection.close()
        except sqlite3.Error:
            raise ToolExecutionFailed(ExecutionFault.UNAVAILABLE.value) from None

    def _open(self) -> sqlite3.Connection:
        uri = f"file:{quote(str(self._path.resolve()))}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, timeout=1.0, check_same_thread=False)
        connection.execute("PRAGMA query_only = ON")
        return connection


def _refuse_what_sqlite_lacks(select: ast.Select) -> None:
    for expression in expressions_of(select):
        for node in walk(expression):
            if isinstance(node, ast.Aggregate) and len(node.arguments) > 1:
                raise ToolExecutionFailed(ExecutionFault.UNSUPPORTED.value)


def _authorizer(
    select: ast.Select,
) -> Callable[[int, str | None, str | None, str | None, str | None], int]:
    """Allow SELECT itself, the grammar's functions, and reading the columns that the query names."""
    readable = {(ref.table.lower(), "") for ref in select.tables}
    for expression in expressions_of(select):
        for node in walk(expression):
            if isinstance(node, ast.Column):
                readable.add((select.tables[node.table].table.lower(), node.column.lower()))

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        is_allowed = (
            action == sqlite3.SQLITE_SELECT
            or (action == sqlite3.SQLITE_READ and ((first or "").lower(), (second or "").lower()) in readable)
            or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS)
        )
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    return authorize


def _fault_of(error: Exception) -> ExecutionFault:
    if isinstance(error, OverflowError):  # SQLite has no integer beyond 63 bits
        return ExecutionFault.VALUE_NOT_CONVERTIBLE
    match getattr(error, "sqlite_errorcode", None):
        case sqlite3.SQLITE_INTERRUPT:
            return ExecutionFault.TIMEOUT
        case sqlite3.SQLITE_AUTH:
            return ExecutionFault.ACCESS_DENIED
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_NOTADB:
            return ExecutionFault.UNAVAILABLE
        case sqlite3.SQLITE_ERROR:
            return ExecutionFault.SCHEMA_MISMATCH
        case _:
            return ExecutionFault.FAILED
