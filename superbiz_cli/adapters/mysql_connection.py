"""Opening a PyMySQL connection that can only read, and naming what went wrong on it by number."""

from __future__ import annotations

import math
import ssl
from collections.abc import Iterator, Sequence
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.converters import encoders
from pymysql.cursors import Cursor, SSCursor

from superbiz_cli.adapters.mysql_address import MysqlAddress, TlsMode
from superbiz_cli.harness.tool.mysql.contract import ExecutionFault
from superbiz_cli.harness.tool.mysql.expressions import Column, OutputColumn

# All that one query may make us read: beyond it the result is an error, not a part of the truth.
MAX_READ_BYTES = 33_554_432
SQL_MODE = "ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION"

_FAULTS = {
    ExecutionFault.ACCESS_DENIED: (1044, 1045, 1142, 1143, 1227, 1370, 1698, 3118),
    ExecutionFault.SCHEMA_MISMATCH: (1049, 1054, 1109, 1146),
    ExecutionFault.NOT_GROUPED: (1055, 1056, 1140, 1463, 3065, 3066),
    ExecutionFault.TIMEOUT: (1205, 1317, 1969, 3024),
    ExecutionFault.VALUE_NOT_CONVERTIBLE: (
        *(1264, 1265, 1267, 1270, 1271, 1292, 1366, 1411, 1525, 1690, 3854, 3988),
    ),
    ExecutionFault.ENCRYPTION: (2026, 3159),
    ExecutionFault.UNAVAILABLE: (1040, 1053, 1129, 2002, 2003, 2005, 2006, 2013, 2014),
}
_FAULT_OF_CODE = {code: fault for fault, codes in _FAULTS.items() for code in codes}
# As many warnings as MySQL 8 keeps: those of a kind that does no harm must not hide the others.
MAX_WARNINGS = 1_024
# Division by zero gives NULL, as SQL says it should: no reason to doubt the other rows.
_HARMLESS_WARNINGS = frozenset({1365})


class TooManyBytes(Exception):
    """The server has more to say than is read: one huge cell can be all of it."""


class _EncryptionMissing(Exception):
    """The account's password may travel encrypted only, and the connection is not."""


class _Connection(pymysql.Connection):
    """The driver's connection with two differences.

    It encrypts if the server can: the driver's own context would load all CAs, and then check none.
    It reads a bounded number of bytes, and counts them before they are in memory.
    """

    def __init__(self, *, max_read_bytes: int, **options: Any) -> None:
        self._may_read_bytes = max_read_bytes
        super().__init__(**options)

    def _create_ssl_ctx(self, sslp: object) -> ssl.SSLContext:
        return sslp if isinstance(sslp, ssl.SSLContext) else _unverified_context()

    def _read_bytes(self, num_bytes: int) -> Any:
        self._may_read_bytes -= num_bytes
        if self._may_read_bytes < 0:
            raise TooManyBytes
        return super()._read_bytes(num_bytes)  # type: ignore[misc]


def tls_context(address: MysqlAddress) -> ssl.SSLContext | None:
    """Return the context that `connect` needs, to be made once; None if TLS is not demanded."""
    match address.tls:
        case TlsMode.DISABLED | TlsMode.PREFERRED:
            return None
        case TlsMode.REQUIRED:
            return _unverified_context()
        case TlsMode.VERIFY_CA | TlsMode.VERIFY_IDENTITY:
            context = ssl.create_default_context(cafile=address.ca_file)
            # The certificates that a server makes for itself do not pass the strict check of Python 3.13.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
            context.check_hostname = address.tls is TlsMode.VERIFY_IDENTITY
            return context


def connect(address: MysqlAddress, *, tls: ssl.SSLContext | None, timeout_s: float) -> Any:
    """Open a connection. `timeout_s` bounds connecting and every single read and write."""
    try:
        return _Connection(
            max_read_bytes=MAX_READ_BYTES,
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
    except RuntimeError as error:  # the driver's word for a password that it cannot encrypt by itself
        raise _EncryptionMissing from error


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
    cause = getattr(error, "original_exception", error)
    if isinstance(cause, ssl.SSLError | _EncryptionMissing):
        return ExecutionFault.ENCRYPTION
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


def rows_of(cursor: Any, outputs: Sequence[OutputColumn]) -> Iterator[Sequence[Any]]:
    """Yield the rows of an executed query, with bits as integers.

    A server sends a column of bits as bytes, but MIN and MAX of one as digits, under the same type.
    """
    is_plain = [isinstance(output.expression, Column) for output in outputs]
    bits = [place for place, column in enumerate(cursor.description) if column[1] == FIELD_TYPE.BIT]
    for row in cursor.fetchall_unbuffered():
        cells = list(row)
        for place in bits:
            if cells[place] is not None:
                cells[place] = int.from_bytes(cells[place], "big") if is_plain[place] else int(cells[place])
        yield cells


def leave_rows_unread(connection: Any) -> bool:
    """Whether rows are left on the connection; they are given up, or the driver would fetch them all."""
    result = getattr(connection, "_result", None)
    if result is None or not result.unbuffered_active:
        return False
    result.unbuffered_active = False
    return True


def _limits(version: str, timeout_s: float) -> str:
    waiting = f"lock_wait_timeout = {max(1, math.ceil(timeout_s))}"
    if "mariadb" in version.lower():
        return f"max_statement_time = {timeout_s:.3f}, max_error_count = {MAX_WARNINGS}, {waiting}"
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
    return readers
