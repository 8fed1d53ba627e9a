"""Bringing the database to the schema of this version: Alembic, imported only when there is work.

Two processes may open a new home at once. The one that gets the lock migrates, the other waits and
finds nothing left to do.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from superbiz_cli.adapters.sql_audit.address import Address
from superbiz_cli.adapters.sql_audit.database import Database
from superbiz_cli.adapters.sql_audit.faults import told_in_our_words, unavailable
from superbiz_cli.harness.audit.failure import AuditFault

# Every revision in order, oldest first: what `migrations/versions` holds, without importing it.
REVISIONS = ("0001", "0002")
HEAD = REVISIONS[-1]
VERSION_TABLE = "superbiz_schema_version"  # not Alembic's own name: a server's database may be shared

_MIGRATIONS = Path(__file__).with_name("migrations")
PATIENCE_S = 15.0
_ANSWER_S = 5.0  # for a server to answer, after it has waited
_RETRY_S = 0.02


def ensure_schema(database: Database) -> None:
    """Migrate the database if it is not at `HEAD`. Raises AuditUnavailable, NEWER among others."""
    revision = current_revision(database)
    if revision == HEAD:
        return
    if revision is not None and revision not in REVISIONS:
        raise unavailable(AuditFault.NEWER, database.address)
    _migrate(database.address)


def current_revision(database: Database) -> str | None:
    """Return the revision of the database, or None if it has never been migrated."""
    with database.read() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    revision = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
    return None if revision is None else str(revision)


def _migrate(address: Address) -> None:
    import alembic.command  # noqa: F401  now: it takes seconds on a busy machine, too long under the lock

    with closing(Database(address, patience_s=PATIENCE_S + _ANSWER_S)) as patient:
        if address.file is None:
            with patient.write() as connection, _server_lock(connection, address):
                _upgrade(connection)
        else:
            _use_write_ahead_log(patient)
            with patient.write() as connection:  # BEGIN IMMEDIATE is the lock; SQLite's DDL rolls back
                _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    if _revision(connection) == HEAD:  # another process was faster; it may be writing its Run by now
        return
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection, "version_table": VERSION_TABLE})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, "head")


def _use_write_ahead_log(database: Database) -> None:
    # Readers and the writer of another process then never block each other. The switch needs the
    # file for itself and does not wait by itself, hence the loop.
    deadline = time.monotonic() + PATIENCE_S
    with told_in_our_words(database.address), closing(database.engine.raw_connection()) as pooled:
        while True:
            try:
                pooled.cursor().execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_S)
            else:
                return


def lock_name(address: Address) -> str:
    """Return the name of the server's lock for this database. MySQL allows 64 characters."""
    return "superbiz_" + hashlib.sha256(str(address.url.database).encode()).hexdigest()[:32]


@contextmanager
def _server_lock(connection: Connection, address: Address) -> Iterator[None]:
    # MySQL commits each DDL statement by itself, so a named lock keeps the other process out.
    name = {"name": lock_name(address)}
    taken = connection.execute(text("SELECT GET_LOCK(:name, :wait)"), {**name, "wait": PATIENCE_S})
    if taken.scalar() != 1:
        raise unavailable(AuditFault.LOCKED, address)
    try:
        yield
    finally:
        connection.execute(text("SELECT RELEASE_LOCK(:name)"), name)
