"""Errors of the drivers, told in our words. Nothing of a library's text is used: it may hold values."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError

from superbiz_cli.adapters.sql_audit.address import Address
from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable

_SQLITE: Mapping[int, AuditFault] = {
    sqlite3.SQLITE_NOTADB: AuditFault.CORRUPT,
    sqlite3.SQLITE_CORRUPT: AuditFault.CORRUPT,
    sqlite3.SQLITE_BUSY: AuditFault.LOCKED,
    sqlite3.SQLITE_LOCKED: AuditFault.LOCKED,
    sqlite3.SQLITE_READONLY: AuditFault.READ_ONLY,
    sqlite3.SQLITE_FULL: AuditFault.FULL,
}
# https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html
_SERVER: Mapping[object, AuditFault] = {
    1044: AuditFault.REFUSED,
    1045: AuditFault.REFUSED,
    1142: AuditFault.REFUSED,
    1698: AuditFault.REFUSED,
    1205: AuditFault.LOCKED,
    1213: AuditFault.LOCKED,
    1290: AuditFault.READ_ONLY,
    1792: AuditFault.READ_ONLY,
    1836: AuditFault.READ_ONLY,
    1021: AuditFault.FULL,
    1114: AuditFault.FULL,
}
_OS: Mapping[int, AuditFault] = {
    errno.ENOSPC: AuditFault.FULL,
    errno.EDQUOT: AuditFault.FULL,
    errno.EROFS: AuditFault.READ_ONLY,
}
# fault -> (sentence, remedy); {where} is the file, or the server and database
_FILE_WORDS: Mapping[AuditFault, tuple[str, str]] = {
    AuditFault.CORRUPT: (
        "The audit database {where} is damaged or is not a database.",
        "move it away (mv {where} {where}.damaged); the next command makes a new one",
    ),
    AuditFault.LOCKED: (
        "The audit database {where} is locked by another program.",
        "wait for that program to end, or set audit.url to another file",
    ),
    AuditFault.READ_ONLY: (
        "The audit database {where} cannot be written.",
        "make the file and its folder writable, or set audit.url to another file",
    ),
    AuditFault.FULL: (
        "There is no space left for the audit database {where}.",
        "free some space, for example with  superbiz trace prune",
    ),
    AuditFault.UNREACHABLE: (
        "The audit database {where} cannot be opened.",
        "check that the path is a file in a folder that you may write to, or set audit.url to another file",
    ),
    AuditFault.REFUSED: (
        "The audit database {where} did not accept a record.",
        "run  superbiz doctor  to check the audit database",
    ),
    AuditFault.NEWER: (
        "The audit database {where} was written by a newer version of superbiz.",
        "upgrade superbiz, or set audit.url to another database",
    ),
}
_SERVER_WORDS: Mapping[AuditFault, tuple[str, str]] = {
    **_FILE_WORDS,
    AuditFault.LOCKED: (
        "The audit database {where} is locked by another session.",
        "wait for that session to end, or set audit.url to another database",
    ),
    AuditFault.READ_ONLY: (
        "The audit database {where} is read-only.",
        "set audit.url to a server that can be written, not to a replica",
    ),
    AuditFault.FULL: (
        "There is no space left for the audit database {where}.",
        "free some space on the server, for example with  superbiz trace prune",
    ),
    AuditFault.UNREACHABLE: (
        "The audit database {where} cannot be reached.",
        "check audit.url, and that the server is up and the database exists",
    ),
    AuditFault.REFUSED: (
        "The audit database {where} refused the account or the statement.",
        "check the user of audit.url, its password variable and its grants on the database",
    ),
}


def unavailable(fault: AuditFault, address: Address) -> AuditUnavailable:
    """Return the error for `fault` at `address`."""
    words = _SERVER_WORDS if address.file is None else _FILE_WORDS
    sentence, remedy = words[fault]
    return AuditUnavailable(
        fault,
        where=address.where,
        sentence=sentence.format(where=address.where),
        remedy=remedy.format(where=address.where),
    )


@contextmanager
def told_in_our_words(address: Address) -> Iterator[None]:
    """Raise AuditUnavailable for whatever the body's drivers raise."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise unavailable(_fault_of(error), address) from None
    except (ValueError, TypeError, OverflowError):  # a value that the driver cannot bind
        raise unavailable(AuditFault.REFUSED, address) from None


def _fault_of(error: BaseException) -> AuditFault:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    match error, cause:
        case ((IntegrityError() | DataError()), _):
            return AuditFault.REFUSED
        case _, sqlite3.Error():
            code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the low byte of the extended code
            return _SQLITE.get(code, AuditFault.UNREACHABLE)
        case DBAPIError(), _:
            return _SERVER.get(next(iter(cause.args), None), AuditFault.UNREACHABLE)
        case OSError(), _:
            return _OS.get(error.errno or 0, AuditFault.UNREACHABLE)
        case _:
            return AuditFault.UNREACHABLE
