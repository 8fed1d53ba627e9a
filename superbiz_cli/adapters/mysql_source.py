"""A MySQL or MariaDB data source: one fresh, read-only connection for each query, killed on a cancel.

The query runs on a thread of its own, so that the caller can leave within a moment whatever the
network does; a second connection ends what the server still works on.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Sequence
from typing import Any

from superbiz_cli.adapters.mysql_address import MysqlAddress
from superbiz_cli.harness.contract.tool_call import ToolErrorCode
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.mysql.contract import ExecutionFault, QueryPlan, RawTable
from superbiz_cli.harness.tool.mysql.render import mysql_statement
from superbiz_cli.harness.tool.mysql.schema import SchemaColumn
from superbiz_cli.harness.tool.port import ToolExecutionFailed

GRACE_S = 1.0
KILL_WAIT_S = 0.3
KILL_CONNECT_S = 1.0

_COLUMNS = """
    SELECT table_schema, table_name, column_name, column_type FROM information_schema.columns
    WHERE table_schema = %s ORDER BY table_schema, table_name, ordinal_position
"""


class MysqlSource:
    """See `contract.QueryExecutor`. Also answers what `doctor` and `mysql grants|schema` ask."""

    def __init__(self, address: MysqlAddress) -> None:
        self._server = _Server(address)

    def run(self, plan: QueryPlan, *, run: Run) -> RawTable:
        """Run `plan` and return its rows; see the port for what is raised."""
        run.check_active()
        running = _RunningQuery(self._server, plan)
        unregister = run.cancellation.on_cancel(running.settled.set)
        try:
            running.start()
            running.settled.wait(min(run.remaining_s(), plan.source.limits.timeout_s + GRACE_S))
        finally:
            unregister()
        outcome = running.outcome
        if outcome is None:
            running.abandon()
        run.check_active()
        match outcome:
            case RawTable():
                return outcome
            case ToolExecutionFailed():
                raise outcome
            case None:
                raise ToolExecutionFailed(ExecutionFault.TIMEOUT.value)

    def server_version(self, *, timeout_s: float = 3.0) -> str:
        """Return VERSION() of the server. Raises ToolExecutionFailed."""
        return str(self._ask("SELECT VERSION()", timeout_s=timeout_s)[0][0])

    def grants(self, *, timeout_s: float = 3.0) -> tuple[str, ...]:
        """Return SHOW GRANTS of the account, for `grants.account_findings` only: it can hold a hash."""
        return tuple(str(row[0]) for row in self._ask("SHOW GRANTS", timeout_s=timeout_s))

    def schema_columns(self, schema: str, *, timeout_s: float = 5.0) -> tuple[SchemaColumn, ...]:
        """Return the columns of `schema` that the account can see. Raises ToolExecutionFailed."""
        rows = self._ask(_COLUMNS, (schema,), timeout_s=timeout_s)
        return tuple(SchemaColumn(*(str(value) for value in row)) for row in rows)

    def _ask(self, sql: str, arguments: tuple[str, ...] = (), *, timeout_s: float) -> Sequence[Sequence[Any]]:
        from superbiz_cli.adapters import mysql_connection as driver

        try:
            connection = self._server.connect(timeout_s=timeout_s)
            try:
                driver.begin_read_only(connection, timeout_s=timeout_s)
                with connection.cursor() as cursor:
                    cursor.execute(sql, arguments or None)
                    rows: Sequence[Sequence[Any]] = cursor.fetchall()
                    return rows
            finally:
                driver.leave_rows_unread(connection)
                connection.close()
        except Exception as error:
            raise ToolExecutionFailed(driver.fault_of(error).value) from None


class _Server:
    """An address with its TLS context, which is made when it is first needed and then kept."""

    def __init__(self, address: MysqlAddress) -> None:
        self._address = address
        self._tls: ssl.SSLContext | None = None

    def connect(self, *, timeout_s: float) -> Any:
        from superbiz_cli.adapters import mysql_connection as driver

        self._tls = self._tls or driver.tls_context(self._address)
        return driver.connect(self._address, tls=self._tls, timeout_s=timeout_s)


class _RunningQuery:
    """One query on a thread of its own. `settled` is set when it ends; others may set it too."""

    def __init__(self, server: _Server, plan: QueryPlan) -> None:
        self._server = server
        self._plan = plan
        self._thread = threading.Thread(target=self._execute, name="mysql-query", daemon=True)
        self._connection: Any = None
        self._is_abandoned = False
        self.settled = threading.Event()
        self.outcome: RawTable | ToolExecutionFailed | None = None

    def start(self) -> None:
        self._thread.start()

    def abandon(self) -> None:
        """End the query on the server and close its connection, without waiting long for either."""
        self._is_abandoned = True
        connection = self._connection
        if connection is None:
            return  # still connecting: the thread closes what it gets
        killer = threading.Thread(target=self._kill, args=(connection,), name="mysql-kill", daemon=True)
        killer.start()
        killer.join(KILL_WAIT_S)
        self._thread.join(KILL_WAIT_S)
        if self._thread.is_alive():
            _shut(connection)

    def _execute(self) -> None:
        from superbiz_cli.adapters import mysql_connection as driver

        try:
            self.outcome = self._fetch(driver)
        except ToolExecutionFailed as failed:
            self.outcome = failed
        except Exception as error:
            self.outcome = ToolExecutionFailed(driver.fault_of(error).value)
        finally:
            self.settled.set()

    def _fetch(self, driver: Any) -> RawTable:
        from superbiz_cli.adapters.sql_rows import collect_rows

        limits = self._plan.source.limits
        connection = self._server.connect(timeout_s=limits.timeout_s + GRACE_S)
        self._connection = connection
        try:
            driver.begin_read_only(connection, timeout_s=limits.timeout_s)
            self._stop_if_abandoned()
            cursor = connection.cursor()
            cursor.execute(*self._statement())
            table = collect_rows(driver.rows_of(cursor, self._plan.select.outputs), limits)
            fault = driver.fault_of_warnings(connection, cursor.warning_count)
            if fault is not None:
                raise ToolExecutionFailed(fault.value)
            return table
        except driver.TooManyBytes:
            raise _too_large() from None
        finally:
            if driver.leave_rows_unread(connection):
                self._kill(connection)
                _shut(connection)
            with contextlib.suppress(Exception):
                connection.close()

    def _statement(self) -> tuple[str, dict[str, Any]]:
        values = {f"p{position}": value for position, value in enumerate(self._plan.parameters)}
        return mysql_statement(self._plan.select, row_limit=self._plan.row_limit), values

    def _kill(self, victim: Any) -> None:
        """End the statement of a connection by another one, and the connection if it goes on."""
        with contextlib.suppress(Exception):
            connection = self._server.connect(timeout_s=KILL_CONNECT_S)
            try:
                connection.query(f"KILL QUERY {victim.thread_id():d}")
                if threading.current_thread() is self._thread:
                    return  # the rows that nobody reads: the caller closes the connection
                self._thread.join(KILL_WAIT_S / 2)
                if self._thread.is_alive():
                    connection.query(f"KILL CONNECTION {victim.thread_id():d}")
            finally:
                connection.close()

    def _stop_if_abandoned(self) -> None:
        if self._is_abandoned:
            raise ToolExecutionFailed(ExecutionFault.TIMEOUT.value)


def _too_large() -> ToolExecutionFailed:
    return ToolExecutionFailed(ExecutionFault.TOO_LARGE.value, code=ToolErrorCode.RESULT_TOO_LARGE)


def _shut(connection: Any) -> None:
    """Wake a thread that is blocked in this connection's socket."""
    sock = getattr(connection, "_sock", None)
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
