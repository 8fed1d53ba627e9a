"""Canonical invocations in one SQLite file, for a machine without Redis.

Several processes may use the file at once: each change is one statement or one short transaction
under SQLite's own lock. The write-ahead log keeps that lock for well under a millisecond, since a
commit waits for no disk; where a folder cannot have one (some network shares), SQLite's rollback
journal does. Purged records are overwritten with zeros and leave the log, for they hold raw data.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from superbiz_cli.harness.contract.status import InvocationStatus
from superbiz_cli.harness.core.clock import Clock, SystemClock
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault
from superbiz_cli.harness.tool.record_codec import decode_record, encode_record, is_well_formed_key

_SCHEMA = """
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
CREATE TABLE IF NOT EXISTS invocation (
  run_id TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  record BLOB NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (run_id, tool_call_id)
);
CREATE INDEX IF NOT EXISTS invocation_expiry ON invocation (expires_at_ms);
"""
_PURGE = "DELETE FROM invocation WHERE expires_at_ms <= ?"
_INSERT = "INSERT INTO invocation (run_id, tool_call_id, record, expires_at_ms) VALUES (?, ?, ?, ?)"
_COMPARE_AND_SET = """
UPDATE invocation SET record = ?
WHERE run_id = ? AND tool_call_id = ? AND record = ? AND expires_at_ms > ?
"""
_SELECT = "SELECT record FROM invocation WHERE run_id = ? AND tool_call_id = ? AND expires_at_ms > ?"
_MAX_CHECKED_PAGES = 16_384  # 64 MiB, read in well under 0.1 s
_CORRUPT_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_PRIMARY_CODE_MASK = 0xFF  # https://www.sqlite.org/rescode.html: the rest tells the extended code


class SqliteInvocationStore:
    """An `InvocationStore` over one connection, which may be used by one thread at a time."""

    def __init__(
        self, connection: sqlite3.Connection, *, ttl_s: int, max_record_bytes: int, clock: Clock
    ) -> None:
        self._connection = connection
        self._ttl_ms = ttl_s * 1000
        self._max_record_bytes = max_record_bytes
        self._clock = clock

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        ttl_s: int = 7200,
        max_record_bytes: int = 1_048_576,
        lock_timeout_s: float = 0.5,
        clock: Clock | None = None,
    ) -> SqliteInvocationStore:
        """Open or create the file (mode 0600; a missing folder is made with 0700) and purge it.

        `lock_timeout_s` bounds the wait for another process. Raises StoreError: CORRUPT if the file
        is no sound database, UNAVAILABLE if it cannot be used (a symbolic link, another user's, ...).
        """
        with _translated():
            _create_private(path)
            connection = sqlite3.connect(
                path, timeout=lock_timeout_s, isolation_level=None, check_same_thread=False
            )
        store = cls(connection, ttl_s=ttl_s, max_record_bytes=max_record_bytes, clock=clock or SystemClock())
        try:
            store._prepare()
        except StoreError:
            store.close()
            raise
        return store

    def begin(self, record: CanonicalInvocation) -> None:
        """Create a PROJECTING record and purge what has expired; see `InvocationStore.begin`."""
        if record.status is not InvocationStatus.PROJECTING:
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        if not is_well_formed_key(record.run_id, record.tool_call_id):
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        values = (record.run_id, record.tool_call_id, self._encode(record), self._now_ms() + self._ttl_ms)
        self.purge()
        with _translated():
            try:
                self._connection.execute(_INSERT, values)
            except sqlite3.IntegrityError:
                raise StoreError(StoreFault.DUPLICATE) from None

    def complete(self, record: CanonicalInvocation) -> None:
        """Replace the PROJECTING record of the same key; see `InvocationStore.complete`."""
        if record.status is InvocationStatus.PROJECTING:
            raise StoreError(StoreFault.ILLEGAL_TRANSITION)
        begun, completed = self._encode(record.as_begun()), self._encode(record)
        key = (record.run_id, record.tool_call_id)
        with _translated():
            changed = self._connection.execute(_COMPARE_AND_SET, (completed, *key, begun, self._now_ms()))
        if changed.rowcount == 1:
            return
        is_there = self.find(*key) is not None  # raises CORRUPT if that is what it is
        raise StoreError(StoreFault.ILLEGAL_TRANSITION if is_there else StoreFault.ABSENT)

    def find(self, run_id: str, tool_call_id: str) -> CanonicalInvocation | None:
        """Return the record of this exact key; see `InvocationStore.find`."""
        if not is_well_formed_key(run_id, tool_call_id):
            return None
        with _translated():
            row = self._connection.execute(_SELECT, (run_id, tool_call_id, self._now_ms())).fetchone()
        if row is None:
            return None
        if not isinstance(row[0], bytes):
            raise StoreError(StoreFault.CORRUPT)
        return decode_record(row[0], max_bytes=self._max_record_bytes)

    def purge(self) -> None:
        """Delete what has expired, here and from the write-ahead log. Raises StoreError."""
        with _translated():
            purged = self._connection.execute(_PURGE, (self._now_ms(),))
            if purged.rowcount > 0:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        with _translated():
            self._connection.close()

    def _prepare(self) -> None:
        with _translated():
            with suppress(sqlite3.OperationalError):  # another process switches it just now
                self._connection.execute("PRAGMA journal_mode = WAL").fetchall()
            for statement in _SCHEMA.split(";"):
                self._connection.execute(statement)
        self.purge()
        self._refuse_damage()

    def _refuse_damage(self) -> None:
        """Find a damaged page before anything is spent, unless the file is too large to read at once."""
        with _translated():
            [pages] = self._connection.execute("PRAGMA page_count").fetchone()
            if pages > _MAX_CHECKED_PAGES:
                return
            [verdict] = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(StoreFault.CORRUPT)

    def _encode(self, record: CanonicalInvocation) -> bytes:
        return encode_record(record, max_bytes=self._max_record_bytes)

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)


def _create_private(path: Path) -> None:
    """Make the file with mode 0600, or take the group's and the world's rights from an older one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


@contextmanager
def _translated() -> Iterator[None]:
    """Let no exception of the library out: its text may hold values and paths."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE_MASK
        raise StoreError(StoreFault.CORRUPT if code in _CORRUPT_CODES else StoreFault.UNAVAILABLE) from None
    except OSError:
        raise StoreError(StoreFault.UNAVAILABLE) from None
