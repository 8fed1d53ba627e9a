"""One configured log source, as the composition root builds it from `logs.sources[]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from zoneinfo import ZoneInfo

from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogSourceKind, LogTopic, SourceTitle
from superbiz_cli.harness.tool.logs.tally import EventTally


@dataclass(frozen=True, slots=True)
class LogSource:
    """A named place where logs of one topic are.

    `paths` are files, folders and globs. `timezone` (IANA) applies to times without a zone, `zones` maps
    zone abbreviations to offsets in seconds where they are ambiguous. `encoding` overrides detection.
    `service` names the service of all events; None takes it from the event, else from the file's name.
    The last group is for remote kinds; `token` is the value that a `token_env` names, `time_field` the field
    or column of the time where it is not found by its name. `timeout_s` bounds one request.
    """

    name: str
    topic: LogTopic
    kind: LogSourceKind
    paths: tuple[str, ...] = ()
    timezone: str = "UTC"
    zones: Mapping[str, int] = field(default_factory=dict)
    encoding: str | None = None
    service: str | None = None

    endpoint: str | None = None
    index: str | None = None
    selector: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    time_field: str | None = None
    timeout_s: float = 10.0

    @property
    def title(self) -> SourceTitle:
        """Name, topic and kind, for descriptions."""
        return SourceTitle(name=self.name, topic=self.topic, kind=self.kind)

    @property
    def zone(self) -> ZoneInfo:
        """The zone of times that state none."""
        return ZoneInfo(self.timezone)


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """What one source adds beyond the tally: what it skipped, and whether it could answer at all.

    `extra_count` counts matches that an engine counted but did not send. `knows_before` is False where the
    source holds nothing of the time before the window.
    """

    limitations: tuple[str, ...] = ()
    answered: bool = True
    extra_count: int = 0
    count_is_exact: bool = True
    knows_before: bool = True


class SourceReader(Protocol):
    """Searches one source; there is one for each kind."""

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Add every matching event to `tally`. Never raises for a fault of the source."""
        ...
