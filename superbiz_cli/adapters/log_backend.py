"""The log back end: one query fans out over the configured sources of its topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from superbiz_cli.adapters.log_files.search import FileSource
from superbiz_cli.adapters.log_files.source import LogSource, SourceReader
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import (
    LogQuery,
    LogSourceKind,
    LogUnavailable,
    RawLogs,
    SourceTitle,
)
from superbiz_cli.harness.tool.logs.tally import EventTally

# A new kind of source is one module and one line here.
READERS: Mapping[LogSourceKind, Callable[[LogSource], SourceReader]] = {
    LogSourceKind.FILES: FileSource,
    LogSourceKind.MYSQL_SLOW_LOG: FileSource,
    LogSourceKind.SYSLOG: FileSource,
}


class ConfiguredLogs:
    """See `harness.tool.logs.contract.LogBackend`."""

    def __init__(self, sources: Sequence[LogSource]) -> None:
        self._sources = tuple(sources)

    @property
    def sources(self) -> Sequence[SourceTitle]:
        """The configured sources, in their order."""
        return tuple(source.title for source in self._sources)

    def search(self, query: LogQuery, *, run: Run) -> RawLogs:
        """Search all sources of the topic one after the other into one tally."""
        asked = [source for source in self._sources if source.topic is query.topic]
        if not asked:
            raise LogUnavailable("topic_not_configured")
        tally = EventTally(query.window)
        answers = [READERS[source.kind](source).search(query, tally, run=run) for source in asked]
        if not any(answer.answered for answer in answers):
            raise LogUnavailable("sources_unavailable")
        patterns, events = tally.finish()
        return RawLogs(
            source_kind="+".join(sorted({source.kind.value for source in asked})),
            match_count=tally.match_count + sum(answer.extra_count for answer in answers),
            count_is_exact=all(answer.count_is_exact for answer in answers),
            patterns=patterns,
            events=events,
            limitations=tuple(text for answer in answers for text in answer.limitations),
        )
