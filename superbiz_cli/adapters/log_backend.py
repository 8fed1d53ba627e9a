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


def _files(source: LogSource) -> SourceReader:
    return FileSource(source)


def _journald(source: LogSource) -> SourceReader:
    from superbiz_cli.adapters.journald_logs import JournalSource

    return JournalSource(source)


def _elasticsearch(source: LogSource) -> SourceReader:
    from superbiz_cli.adapters.elasticsearch_logs import ElasticsearchSource

    return ElasticsearchSource(source)


def _loki(source: LogSource) -> SourceReader:
    from superbiz_cli.adapters.loki_logs import LokiSource

    return LokiSource(source)


def _clickhouse(source: LogSource) -> SourceReader:
    from superbiz_cli.adapters.clickhouse_logs import ClickHouseSource

    return ClickHouseSource(source)


# A new kind of source is one module and one line here; a module is loaded when its kind is used.
READERS: Mapping[LogSourceKind, Callable[[LogSource], SourceReader]] = {
    LogSourceKind.FILES: _files,
    LogSourceKind.MYSQL_SLOW_LOG: _files,
    LogSourceKind.SYSLOG: _files,
    LogSourceKind.JOURNALD: _journald,
    LogSourceKind.ELASTICSEARCH: _elasticsearch,
    LogSourceKind.LOKI: _loki,
    LogSourceKind.CLICKHOUSE: _clickhouse,
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
