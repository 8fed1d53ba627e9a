"""Connections to the audit database: short transactions that wait no longer than they are told."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event

from superbiz_cli.adapters.sql_audit.address import Address
from superbiz_cli.adapters.sql_audit.faults import told_in_our_words

_READS_ONLY = "superbiz_reads_only"
_RECYCLE_S = 1800


class Database:
    """One engine. `patience_s` bounds how long one statement waits for a lock or for the server.

    All methods raise AuditUnavailable and nothing else.
    """

    def __init__(self, address: Address, *, patience_s: float) -> None:
        self.address = address
        self.engine = (
            _sqlite_engine(address, patience_s) if address.file else _server_engine(address, patience_s)
        )

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads; it never waits for writers of a SQLite file."""
        with told_in_our_words(self.address), self.engine.connect() as connection:
            yield connection.execution_options(**{_READS_ONLY: True})

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is committed as a whole, or not at all."""
        with told_in_our_words(self.address), self.engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection."""
        with told_in_our_words(self.address):
            self.engine.dispose()


def make_private_file(address: Address) -> None:
    """Create the SQLite file for this user alone (0600), or take the rights of others away."""
    path = address.file
    if path is None:
        return
    with told_in_our_words(address):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        _close_to_others(path)


def _close_to_others(path: Path) -> None:
    status = path.stat()
    if status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) & 0o077:
        path.chmod(0o600)


def _sqlite_engine(address: Address, patience_s: float) -> Engine:
    engine = create_engine(address.url)

    def prepare(connection: SqliteConnection, _record: Any) -> None:
        # Transactions are begun by `begin` below: the driver would begin late and only to read,
        # and a transaction that turns from reading to writing can fail without having waited.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {round(patience_s * 1000)}")
        # In WAL mode NORMAL survives a killed process; a power cut may cost the last events.
        connection.execute("PRAGMA synchronous = NORMAL")

    def begin(connection: Connection) -> None:
        reads_only = connection.get_execution_options().get(_READS_ONLY, False)
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")

    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", begin)
    return engine


def _server_engine(address: Address, patience_s: float) -> Engine:
    times = {"connect_timeout": patience_s, "read_timeout": patience_s, "write_timeout": patience_s}
    return create_engine(
        address.url, connect_args=times, isolation_level="READ COMMITTED", pool_recycle=_RECYCLE_S
    )
