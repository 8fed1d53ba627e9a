"""What can go wrong in the terms of a user, and how the process ends.

SuperbizError      one clear sentence, what to do next, a code of a closed set
ExitCode           the only source of process exit codes
ErrorCode          the closed set; docs/errors.md lists each
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum


class ExitCode(IntEnum):
    """How the process ends. Shell conventions from 128 on: 128 + signal number."""

    SUCCESS = 0
    FAILED = 1
    USAGE = 2
    FALLBACK = 3
    UNAVAILABLE = 4
    EXHAUSTED = 5
    INTERRUPTED = 130
    CLOSED_PIPE = 141
    HUNG_UP = 129
    TERMINATED = 143


EXIT_MEANING: Mapping[ExitCode, str] = {
    ExitCode.SUCCESS: "a diagnosis or an answer was released",
    ExitCode.FAILED: "nothing could be published (internal failure)",
    ExitCode.USAGE: "the command line or the configuration is wrong",
    ExitCode.FALLBACK: "a safe fallback was released (--exit-zero makes it 0)",
    ExitCode.UNAVAILABLE: "something needed is not available (model, store)",
    ExitCode.EXHAUSTED: "deadline or budget ended the run with nothing to publish",
    ExitCode.INTERRUPTED: "cancelled with Ctrl-C",
    ExitCode.CLOSED_PIPE: "the reader of the output went away",
    ExitCode.HUNG_UP: "cancelled because the terminal went away (SIGHUP)",
    ExitCode.TERMINATED: "cancelled with SIGTERM",
}


class ErrorCode(StrEnum):
    """Why a command could not do its work. Failures inside a Run have codes of their own."""

    USAGE = "USAGE"
    CONFIG_INVALID = "CONFIG_INVALID"
    CONFIG_UNREADABLE = "CONFIG_UNREADABLE"
    CREDENTIAL_IN_CONFIG = "CREDENTIAL_IN_CONFIG"
    CREDENTIAL_MISSING = "CREDENTIAL_MISSING"
    QUERY_INVALID = "QUERY_INVALID"
    SESSION_INVALID = "SESSION_INVALID"
    TIME_INVALID = "TIME_INVALID"
    NOT_FOUND = "NOT_FOUND"
    AMBIGUOUS = "AMBIGUOUS"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    OUTPUT_FAILED = "OUTPUT_FAILED"
    HOME_UNUSABLE = "HOME_UNUSABLE"
    AUDIT_UNAVAILABLE = "AUDIT_UNAVAILABLE"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
    KNOWLEDGE_UNAVAILABLE = "KNOWLEDGE_UNAVAILABLE"
    CHECK_FAILED = "CHECK_FAILED"
    CANCELLED = "CANCELLED"
    INTERNAL = "INTERNAL"


EXIT_OF: Mapping[ErrorCode, ExitCode] = {
    ErrorCode.HOME_UNUSABLE: ExitCode.UNAVAILABLE,
    ErrorCode.AUDIT_UNAVAILABLE: ExitCode.UNAVAILABLE,
    ErrorCode.STORE_UNAVAILABLE: ExitCode.UNAVAILABLE,
    ErrorCode.MODEL_UNAVAILABLE: ExitCode.UNAVAILABLE,
    ErrorCode.SOURCE_UNAVAILABLE: ExitCode.UNAVAILABLE,
    ErrorCode.KNOWLEDGE_UNAVAILABLE: ExitCode.UNAVAILABLE,
    ErrorCode.CHECK_FAILED: ExitCode.FAILED,
    ErrorCode.OUTPUT_FAILED: ExitCode.FAILED,
    ErrorCode.INTERNAL: ExitCode.FAILED,
    ErrorCode.CANCELLED: ExitCode.INTERRUPTED,
}


class SuperbizError(Exception):
    """An expected failure of a command: printed without a traceback.

    `message` is one sentence of ours that says what went wrong and where; `hint` says what to do
    next. Neither ever holds the text of a library's exception. `exit_code` follows from `code`
    unless it is given.
    """

    def __init__(
        self, code: ErrorCode, message: str, *, hint: str | None = None, exit_code: ExitCode | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code if exit_code is not None else EXIT_OF.get(code, ExitCode.USAGE)
