"""Opening a PyMySQL connection that can only read, and naming what went wrong on it by number."""

from __future__ import annotations

import math
import ssl
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.converters import encoders
from pymysql.cursors import Cursor, SSCursor

from superbiz_cli.adapters.mysql_address import MysqlAddress, TlsMode
from superbiz_cli.harness.tool.mysql.contract import ExecutionFault

SQL_MODE = "ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION"

_FAULTS = {
    ExecutionFault.ACCESS_DENIED: (1044, 1045, 1142, 1143, 1227, 1370, 1698, 3118),
    ExecutionFault.SCHEMA_MISMATCH: (1049, 1054, 1109, 1146),
    ExecutionFault.NOT_GROUPED: (1055, 1056, 1140, 1463),
    ExecutionFault.TIMEOUT: (1205, 1317, 1969, 3024),
    ExecutionFault.VALUE_NOT_CONVERTIBLE: (1264, 1265, 1292, 1366, 1411, 1525, 1690),
    ExecutionFault.UNAVAILABLE: (1040, 1053, 1129, 2002, 2003, 2005, 2006, 2013, 2014),
}
_FAULT_OF_CODE = {code: fault for fault, codes in _FAULTS.items() for code in codes}
# Division by zero gives NULL, as SQL says it should: no reason to doubt the other rows.
_HARMLESS_WARNINGS = frozenset({1365})


class _PreferringTls(pymysql.Connection):
    """Encrypts if the server can. The driver's own context would load all CAs, and then check none."""

    def _create_ssl_ctx(self, sslp: object) -> ssl.SSLContext:
        return sslp if isinstance(sslp, ssl.SSLContext) else _unverified_context()


def tls_context(address: MysqlAddress) -> ssl.SSLContext | None:
    """Return the context that `connect` needs, to be made once; None if TLS is not demanded."""
    match address.tls:
        case TlsMode.DISABLED | TlsMode.PREFERRED:
            return None
        case TlsMode.REQUIRED:
            return _unverified_context()
        case TlsMode.VERIFY_CA | TlsMode.VERIFY_IDENTITY:
            context = ssl.create_default_context(cafile=address.ca_file)
            context.check_hostname = address.tls is TlsMode.VERIFY_IDENTITY
            return context


def connect(address: MysqlAddress, *, tls: ssl.SSLContext | None, timeout_s: float) -> Any:
    """Open a connection. `timeout_s` bounds connecting and every single read and write."""
    return _PreferringTls(
        host=address.host,
        port=address.port,
        user=address.user,
        password=address.password,
        charset="utf8mb4",
        conv=_conversions(),
        cursorclass=SSCursor,
        autocommit=None,
        local_infile=False,
        connect_timeout=max(1, math.ceil(timeout_s)),
        read_timeout=max(1, math.ceil(timeout_s)),
        write_timeout=max(1, math.ceil(timeout_s)),
        program_name="superbiz",
        ssl=tls,
        ssl_disabled=address.tls is TlsMode.DISABLED,
    )


def begin_read_only(connection: Any, *, timeout_s: float) -> None:
    """Make the session read-only and bound its statements on the server, whichever server it is.

    The session comes first: a read-only transaction alone would let DDL and account changes pass.
    """
    with connection.cursor(Cursor) as cursor:
        cursor.execute("SELECT VERSION()")
        (version,) = cursor.fetchone()
        cursor.execute("SET SESSION TRANSACTION READ ONLY")
        cursor.execute(f"SET SESSION {_limits(str(version), timeout_s)}, sql_mode = '{SQL_MODE}'")
        cursor.execute("START TRANSACTION READ ONLY")


def fault_of(error: BaseException) -> ExecutionFault:
    """Name a driver's exception by its type and number; its text is never looked at."""
    code = error.args[0] if error.args and isinstance(error.args[0], int) else None
    if isinstance(error, pymysql.err.Error):
        return _FAULT_OF_CODE.get(code or 0, ExecutionFault.FAILED)
    return ExecutionFault.UNAVAILABLE if isinstance(error, OSError) else ExecutionFault.FAILED


def fault_of_warnings(connection: Any, warning_count: int) -> ExecutionFault | None:
    """Return why the rows just read are not to be trusted, or None. Notes do not count."""
    if not warning_count:
        return None
    with connection.cursor(Cursor) as cursor:
        cursor.execute("SHOW WARNINGS")
        codes = [code for level, code, _ in cursor.fetchall() if str(level).lower() != "note"]
    doubtful = [code for code in codes if code not in _HARMLESS_WARNINGS]
    if not doubtful:
        return None
    return _FAULT_OF_CODE.get(doubtful[0], ExecutionFault.VALUE_NOT_CONVERTIBLE)


def _limits(version: str, timeout_s: float) -> str:
    waiting = f"lock_wait_timeout = {max(1, math.ceil(timeout_s))}"
    if "mariadb" in version.lower():
        return f"max_statement_time = {timeout_s:.3f}, {waiting}"
    return f"max_execution_time = {math.ceil(timeout_s * 1000)}, {waiting}"


def _unverified_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _conversions() -> dict[Any, Any]:
    """Read numbers as numbers and everything else as the server writes it.

    Dates stay texts: a zero date, a time beyond 24 hours and microseconds have no other lossless form.
    """
    from decimal import Decimal

    readers: dict[Any, Any] = dict(encoders)
    for kind in ("TINY", "SHORT", "LONG", "LONGLONG", "INT24", "YEAR"):
        readers[getattr(FIELD_TYPE, kind)] = int
    for kind in ("FLOAT", "DOUBLE"):
        readers[getattr(FIELD_TYPE, kind)] = float
    for kind in ("DECIMAL", "NEWDECIMAL"):
        readers[getattr(FIELD_TYPE, kind)] = Decimal
    readers[FIELD_TYPE.BIT] = lambda value: int.from_bytes(value, "big")
    return readers
