"""Why the audit database cannot be used, in our own words: never the text of a library."""

from __future__ import annotations

from enum import StrEnum


class AuditFault(StrEnum):
    """Closed set of causes. CORRUPT, NEWER and MISCONFIGURED need a person; the others may pass."""

    UNREACHABLE = "UNREACHABLE"
    REFUSED = "REFUSED"
    LOCKED = "LOCKED"
    READ_ONLY = "READ_ONLY"
    FULL = "FULL"
    CORRUPT = "CORRUPT"
    NEWER = "NEWER"
    MISCONFIGURED = "MISCONFIGURED"


class AuditUnavailable(Exception):
    """The audit database could not do what was asked.

    `str()` is one sentence for the user, `where` the file or the server without credentials, and
    `remedy` the next thing to do.
    """

    def __init__(self, fault: AuditFault, *, where: str, sentence: str, remedy: str) -> None:
        super().__init__(sentence)
        self.fault = fault
        self.where = where
        self.remedy = remedy
