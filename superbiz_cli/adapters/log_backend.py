"""The log back end: one query fans out over the configured sources of its topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from zoneinfo import ZoneInfo

from superbiz_cli.adapters.log_files.search import FileSource
from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer, SourceReader
from superbiz_cli.adapters.log_files.survey import SourceSurvey, reaches_back, survey_files
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import (
    LogQuery,
    LogSourceKind,
    LogUnavailable,
    RawLogs,
    SourceTitle,
    from_us,
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

    def survey(self, *, check: Callable[[], None] = lambda: None) -> list[SourceSurvey]:
        """Look at each source quickly; a source that is not made of files is only named."""
        return [
            survey_files(source, check=check)
            if source.paths
            else SourceSurvey(source.name, source.topic.value, source.kind.value)
            for source in self._sources
        ]

    def search(self, query: LogQuery, *, run: Run) -> RawLogs:
        """Search all sources of the topic one after the other into one tally."""
        asked = [source for source in self._sources if source.topic is query.topic]
        if not asked:
            raise LogUnavailable("topic_not_configured")
        tally = EventTally(query.window)
        answers = [READERS[source.kind](source).search(query, tally, run=run) for source in asked]
        if not any(answer.answered for answer in answers):
            raise LogUnavailable("sources_unavailable")
        limitations = [text for answer in answers for text in answer.limitations]
        if not tally.match_count:
            limitations += [text for source in asked if (text := _why_silent(source, query, run))]
        patterns, events = tally.finish()
        if any(pattern.is_new for pattern in patterns) and not _knows_before(asked, answers, query, run):
            patterns = tuple(
                pattern.model_copy(update={"is_new": None}) if pattern.is_new else pattern
                for pattern in patterns
            )
        return RawLogs(
            source_kind="+".join(sorted({source.kind.value for source in asked})),
            match_count=tally.match_count + sum(answer.extra_count for answer in answers),
            count_is_exact=all(answer.count_is_exact for answer in answers),
            patterns=patterns,
            events=events,
            limitations=tuple(limitations),
        )


def _knows_before(
    sources: Sequence[LogSource], answers: Sequence[SourceAnswer], query: LogQuery, run: Run
) -> bool:
    """Whether a source holds events of the time before the window: else nothing can be called new."""
    begin_us = query.window.known_from()
    return any(
        reaches_back(source, begin_us, check=run.check_active)
        if source.paths
        else answer.answered and answer.knows_before
        for source, answer in zip(sources, answers, strict=True)
    )


def _why_silent(source: LogSource, query: LogQuery, run: Run) -> str | None:
    """Return why a source of files has nothing in the window, if it ends before it or begins nowhere."""
    if not source.paths:
        return None
    survey = survey_files(source, check=run.check_active)
    if survey.newest_us is None:
        return f"{source.name}: no line states a time that is understood" if survey.total_bytes else None
    if survey.newest_us >= query.window.start_us:
        return None
    newest = from_us(survey.newest_us).astimezone(ZoneInfo(query.timezone))
    return f"{source.name}: its newest event is at {newest.isoformat(timespec='seconds')}"
