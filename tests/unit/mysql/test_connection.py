"""What a session is told before a query, for each kind of server, and how a driver's errors are named."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import TracebackType
from typing import Any

import pymysql
import pytest

from superbiz_cli.adapters import mysql_connection as driver
from superbiz_cli.adapters.mysql_address import MysqlAddress, TlsMode
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.harness.tool.port import ToolExecutionFailed


class Recorder:
    """A connection that notes what it is told; `warnings` is what SHOW WARNINGS gives."""

    def __init__(self, version: str = "", warnings: tuple[tuple[str, int, str], ...] = ()) -> None:
        self._version = version
        self._warnings = warnings
        self.told: list[str] = []

    def cursor(self, _kind: type) -> Recorder:
        return self

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def execute(self, sql: str) -> None:
        self.told.append(sql)

    def fetchone(self) -> tuple[str]:
        return (self._version,)

    def fetchall(self) -> tuple[tuple[str, int, str], ...]:
        return self._warnings


@pytest.mark.parametrize(
    ("version", "limits"),
    [
        ("8.4.3", "max_execution_time = 2500, lock_wait_timeout = 3"),
        ("5.7.44-log", "max_execution_time = 2500, lock_wait_timeout = 3"),
        ("8.0.36-0ubuntu0.22.04.1", "max_execution_time = 2500, lock_wait_timeout = 3"),
        (
            "10.11.6-MariaDB-1:10.11.6+maria~ubu2204",
            "max_statement_time = 2.500, max_error_count = 1024, lock_wait_timeout = 3",
        ),
        ("5.5.5-10.6.4-MARIADB", "max_statement_time = 2.500, max_error_count = 1024, lock_wait_timeout = 3"),
    ],
)
def test_a_session_is_read_only_and_bounded_before_anything_else(version: str, limits: str) -> None:
    connection = Recorder(version)

    driver.begin_read_only(connection, timeout_s=2.5)

    assert connection.told == [
        "SELECT VERSION()",
        "SET SESSION TRANSACTION READ ONLY",
        f"SET SESSION {limits}, sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
        "START TRANSACTION READ ONLY",
    ]


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (pymysql.err.OperationalError(1045, "Access denied for 'x'"), "access_denied"),
        (pymysql.err.OperationalError(1142, "SELECT command denied"), "access_denied"),
        (pymysql.err.ProgrammingError(1146, "no table"), "schema_mismatch"),
        (pymysql.err.OperationalError(3024, "maximum execution time exceeded"), "timeout"),
        (pymysql.err.OperationalError(1969, "max_statement_time exceeded"), "timeout"),
        (pymysql.err.OperationalError(1317, "interrupted"), "timeout"),
        (pymysql.err.OperationalError(3065, "not in SELECT list"), "not_grouped"),
        (pymysql.err.OperationalError(1267, "Illegal mix of collations"), "value_not_convertible"),
        (pymysql.err.OperationalError(2003, "Can't connect"), "data_source_unavailable"),
        (pymysql.err.OperationalError(2026, "SSL"), "encryption_failed"),
        (pymysql.err.OperationalError(3159, "insecure transport are prohibited"), "encryption_failed"),
        (pymysql.err.ProgrammingError(1064, "syntax"), "query_failed"),
        (pymysql.err.InternalError("no number"), "query_failed"),
        (ssl.SSLError(1, "bad"), "encryption_failed"),
        (ConnectionResetError(), "data_source_unavailable"),
        (ValueError("1045"), "query_failed"),
    ],
)
def test_an_error_is_named_by_its_type_and_number(error: Exception, word: str) -> None:
    assert driver.fault_of(error).value == word


@pytest.mark.parametrize(
    ("warnings", "word"),
    [
        ((), None),
        ((("Note", 1003, "x"),), None),
        ((("Warning", 1365, "Division by 0"),), None),
        ((("Warning", 1365, "Division by 0"), ("Warning", 1292, "Incorrect")), "value_not_convertible"),
        ((("Warning", 1366, "Incorrect string"),), "value_not_convertible"),
        ((("Warning", 9999, "of another kind"),), "value_not_convertible"),
        ((("Error", 3024, "too long"),), "timeout"),
    ],
)
def test_a_warning_about_the_rows_makes_them_an_error(
    warnings: tuple[tuple[str, int, str], ...], word: str | None
) -> None:
    fault = driver.fault_of_warnings(Recorder(warnings=warnings), len(warnings) or 1)

    assert (fault and fault.value) == word
    assert driver.fault_of_warnings(Recorder(), 0) is None


@contextmanager
def server_that_wants_an_encrypted_password() -> Iterator[int]:
    """Greets like MySQL 8 without TLS, and asks for the whole password of caching_sha2_password."""
    listener = socket.create_server(("127.0.0.1", 0))
    greeting = (
        b"\x0a8.4.3\0"
        + struct.pack("<I", 7)
        + b"saltsalt\0"
        + struct.pack("<HBHH", 0xF7FF, 45, 2, 0x0008)
        + bytes([21])
        + b"\0" * 10
        + b"saltsaltsalt\0"
        + b"caching_sha2_password\0"
    )

    def packet(number: int, body: bytes) -> bytes:
        return struct.pack("<I", len(body))[:3] + bytes([number]) + body

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.sendall(packet(0, greeting))
            peer.recv(4_096)
            peer.sendall(packet(2, b"\x01\x04"))
            peer.recv(4_096)
            peer.sendall(packet(4, b"\x01not a key"))
            peer.recv(4_096)

    thread = threading.Thread(target=serve)
    thread.start()
    with closing(listener):
        yield listener.getsockname()[1]
        thread.join()


@pytest.mark.parametrize("tls", [TlsMode.DISABLED, TlsMode.PREFERRED])
def test_a_password_that_may_only_travel_encrypted_is_a_matter_of_encryption(tls: TlsMode) -> None:
    with server_that_wants_an_encrypted_password() as port:
        source = MysqlSource(MysqlAddress("127.0.0.1", "ro", port=port, password="x", tls=tls))
        with pytest.raises(ToolExecutionFailed) as caught:
            source.server_version()

    assert (caught.value.category, caught.value.__cause__) == ("encryption_failed", None)


def test_rows_that_were_given_up_are_not_fetched() -> None:
    connection: Any = type("Connection", (), {"_result": None})()
    assert driver.leave_rows_unread(connection) is False
    connection._result = type("Result", (), {"unbuffered_active": True})()
    assert driver.leave_rows_unread(connection) is True
    assert driver.leave_rows_unread(connection) is False
