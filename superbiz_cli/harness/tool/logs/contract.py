"""Shapes of query_logs: the request, the raw response of a back end, and the port to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from superbiz_cli.harness.contract.strict import StrictModel
from superbiz_cli.harness.core.run import Run

DEFAULT_LOOKBACK_MINUTES = 30
MAX_LOOKBACK_MINUTES = 1440
MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LogTopic(StrEnum):
    """What the model asks for; the configuration maps each topic to sources."""

    APPLICATION = "APPLICATION"
    DATABASE_SLOW_QUERY = "DATABASE_SLOW_QUERY"
    SYSTEM_EVENTS = "SYSTEM_EVENTS"


class LogSourceKind(StrEnum):
    """Where events come from. The words are those of `logs.sources[].kind` in the configuration."""

    FILES = "files"
    MYSQL_SLOW_LOG = "mysql_slow_log"
    SYSLOG = "syslog"
    JOURNALD = "journald"
    ELASTICSEARCH = "elasticsearch"
    LOKI = "loki"
    CLICKHOUSE = "clickhouse"


class Level(StrEnum):
    """Severity of an event, normalised over all formats."""

    TRACE = "TRACE"
    DEBUG = "DEBUG"
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"
    FATAL = "FATAL"


def to_us(moment: datetime) -> int:
    """Return an aware time as microseconds since 1970 in UTC."""
    return (moment - _EPOCH) // MICROSECOND


def from_us(at_us: int) -> datetime:
    """Return the aware UTC time of `at_us` microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=at_us)


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """From `start_us` to `end_us`, both included; microseconds since 1970 in UTC."""

    start_us: int
    end_us: int

    @classmethod
    def between(cls, start: datetime, end: datetime) -> TimeWindow:
        """Return the window between two aware times."""
        return cls(to_us(start), to_us(end))

    def contains(self, at_us: int) -> bool:
        """Whether the instant lies in the window."""
        return self.start_us <= at_us <= self.end_us

    def before(self) -> TimeWindow:
        """The equally long window that ends where this one begins."""
        return TimeWindow(self.start_us - (self.end_us - self.start_us), self.start_us - 1)

    def known_from(self) -> int:
        """When a log must have begun for its silence in the time before to say that something is new.

        One that begins within the first half of that time is taken for one that was quiet at first.
        """
        before = self.before()
        return before.start_us + (before.end_us - before.start_us) // 2


@dataclass(frozen=True, slots=True)
class LogQuery:
    """One effective request: the defaults are filled. `terms` must all occur; none means all events.

    `timezone` is the user's zone, in which times are shown.
    """

    topic: LogTopic
    query: str
    terms: tuple[str, ...]
    window: TimeWindow
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One event as a reader understood it.

    `at_us` is its instant in microseconds since 1970, `text` all that terms are searched in (header
    line and continuation lines), `message` what is shown and grouped (header fields taken off).
    """

    at_us: int
    text: str
    message: str
    level: Level | None = None
    service: str | None = None


class RawPattern(StrictModel):
    """Events of one shape in the window. Times are ISO 8601 in UTC; `example` is not yet redacted.

    `is_new` is None where the window before could not be looked at. `is_sampled` tells that only some of
    the matching events were fetched: there are at least `count`, and they may have begun earlier.
    """

    count: int
    first_seen: str
    last_seen: str
    level: str | None
    service: str | None
    example: str
    is_new: bool | None
    peak_minute: str
    peak_count: int
    is_sampled: bool = False


class RawEvent(StrictModel):
    """One sampled event. `pattern` is the index of its pattern."""

    timestamp: str
    level: str | None
    service: str | None
    message: str
    pattern: int


class RawLogs(StrictModel):
    """What a back end answers: everything counted, a bounded sample kept, nothing redacted yet.

    `count_is_exact` is False when the count is a lower bound. `limitations` says what was skipped.
    """

    source_kind: str
    match_count: int
    count_is_exact: bool = True
    patterns: tuple[RawPattern, ...] = ()
    events: tuple[RawEvent, ...] = ()
    limitations: tuple[str, ...] = ()


class LogUnavailable(Exception):
    """No source of the topic could answer. `category` is one word for the model."""

    def __init__(self, category: str) -> None:
        super().__init__(category)
        self.category = category


@dataclass(frozen=True, slots=True)
class SourceTitle:
    """What the tool's description says about one configured source."""

    name: str
    topic: LogTopic
    kind: LogSourceKind


class LogBackend(Protocol):
    """Answers queries from the configured sources of a topic."""

    @property
    def sources(self) -> Sequence[SourceTitle]:
        """The configured sources."""
        ...

    def search(self, query: LogQuery, *, run: Run) -> RawLogs:
        """Search every source of the topic.

        Calls `run.check_active` often enough that a cancel or the deadline ends it within 1 s.
        Raises LogUnavailable when no source could answer, RunAborted when the Run ended.
        """
        ...
