"""ClickHouse as a log source: SQL over HTTP, read only, every value a parameter.

Interface: https://clickhouse.com/docs/interfaces/http; codes of exceptions: `src/Common/ErrorCodes.cpp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from superbiz_cli.adapters.clickhouse_table import LogTable, quoted, read_table, ticks_per_s
from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.adapters.log_http import HttpRequest, LogStore, LogStoreFailed
from superbiz_cli.adapters.log_remote import Total, search_engine
from superbiz_cli.adapters.remote_event import event_of_fields
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogEvent, LogQuery, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally

_FIELD_NAMES = {  # columns of the OpenTelemetry exporter and of system.text_log, under the names of JSON logs
    "body": "message",
    "msg": "message",
    "message": "message",
    "level": "level",
    "severitytext": "level",
    "severity_text": "level",
    "loglevel": "level",
    "service": "service",
    "servicename": "service",
    "logger_name": "logger",
}
_NOT_SHOWN = frozenset({"TraceFlags"})  # of a trace, says nothing of the event
_AT_US = "__at_us"
_CODE_HEADER = "X-ClickHouse-Exception-Code"
_MODES = ("timeout_overflow_mode", "read_overflow_mode", "result_overflow_mode", "sort_overflow_mode")
_READ_ONLY = {"readonly": "1"}
# READONLY, SETTING_CONSTRAINT_VIOLATION, UNKNOWN_SETTING
_SETTINGS_REFUSED = frozenset({164, 452, 115})
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0"})
_REASONS = {
    46: "the store is too old: it lacks a function that is needed",
    47: "the table has no such column",
    60: "there is no such table",
    81: "there is no such database",
    158: "the search would read more rows than this user may",
    159: "the search took longer than the store allows",
    160: "the search would take longer than the store allows",
    192: "the store refused the credentials",
    193: "the store refused the credentials",
    194: "the store refused the credentials",
    201: "the quota of this user is used up",
    202: "the store answers too many queries at once",
    241: "the search needed more memory than the store allows",
    307: "the search would read more bytes than this user may",
    396: "the result is larger than this user may have",
    497: "this user may not read the table",
    516: "the store refused the credentials",
}


class ClickHouseSource:
    """See `log_files.source.SourceReader`. `index` is the table, perhaps with its database."""

    def __init__(self, source: LogSource) -> None:
        self._source = source

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Count and sample the matching rows."""
        engine = _Engine(self._source, query, run)
        return search_engine(engine, self._source, query, tally, run=run)


class _Engine:
    def __init__(self, source: LogSource, query: LogQuery, run: Run) -> None:
        self._source = source
        self._terms = query.terms
        self._store = LogStore(source, run, code_header=_CODE_HEADER)
        self._described: LogTable | None = None
        self._settings: dict[str, str] = {
            **_READ_ONLY,
            "max_execution_time": str(max(1, int(source.timeout_s) - 1)),  # it ends before we leave
            **dict.fromkeys(_MODES, "throw"),  # "break" would leave a part of the rows uncounted unsaid
        }
        self.remarks: list[str] = []

    def total(self, window: TimeWindow) -> Total:
        sql = _sql("SELECT count() AS matches FROM", self._name(), "WHERE", self._matching())
        rows = self._rows(sql, self._params(window))
        sets_modes = len(self._settings) > len(_READ_ONLY)
        return Total(_whole(rows, "matches"), is_exact=sets_modes or not self._may_break())

    def events(self, window: TimeWindow, limit: int, *, newest_first: bool = False) -> list[LogEvent]:
        table = self._table()
        names = ", ".join(quoted(name) for name in table.types)
        order = "DESC" if newest_first else "ASC"
        matching = _sql(
            *("SELECT", f"{names}, {table.time.at_us()} AS {_AT_US}"),
            *("FROM", self._name()),
            *("WHERE", self._matching()),
            *("ORDER BY", quoted(table.time.name), order),
            "LIMIT {limit:UInt32}",
        )
        sql = _sql("SELECT", ", ".join((*table.shown(), _AT_US)), "FROM", f"({matching})")
        rows = self._rows(sql, self._params(window) | {"param_limit": str(limit)})
        events = [self._event(row) for row in rows]
        return sorted((event for event in events if event is not None), key=lambda event: event.at_us)

    def reaches_back(self, at_us: int) -> bool:
        time = self._table().time
        _, before = time.conditions()[:2]
        sql = _sql("SELECT 1 AS found FROM", self._name(), "WHERE", before, "LIMIT 1")
        return bool(self._rows(sql, time.params(TimeWindow(at_us, at_us))))

    def _event(self, row: Mapping[str, Any]) -> LogEvent | None:
        try:
            at_us = int(row[_AT_US])
        except (KeyError, TypeError, ValueError):
            return None
        time = self._table().time
        hidden = {_AT_US, time.name, *(name for name, _ in time.rounded), *_NOT_SHOWN}
        fields = {
            _FIELD_NAMES.get(name.lower(), name): value.rstrip("\0") if isinstance(value, str) else value
            for name, value in row.items()
            if name not in hidden
        }
        return event_of_fields(fields, self._source, at_us)

    def _matching(self) -> str:
        table = self._table()
        holding = (table.holds(f"{{term{n}:String}}") for n in range(len(self._terms)))
        return " AND ".join((*table.time.conditions(), *holding))

    def _params(self, window: TimeWindow) -> dict[str, str]:
        terms = {f"param_term{n}": _escaped(term) for n, term in enumerate(self._terms)}
        return self._table().time.params(window) | terms

    def _table(self) -> LogTable:
        if self._described is None:
            table = read_table(self._rows(f"DESCRIBE TABLE {self._name()}", {}), self._source.time_field)
            if table is None:
                raise LogStoreFailed("the table has no time or no text column")
            if table.is_number:
                table = replace(table, time=replace(table.time, ticks_per_s=self._ticks_per_s(table)))
            self._described = table
        return self._described

    def _ticks_per_s(self, table: LogTable) -> int:
        column = quoted(table.time.name)
        sql = _sql(
            "SELECT", f"toInt64({column}) AS tick", "FROM", self._name(), "WHERE", f"{column} > 0", "LIMIT 1"
        )
        rows = self._rows(sql, {})
        ticks = ticks_per_s(_whole(rows, "tick")) if rows else 1
        if ticks is None:
            raise LogStoreFailed("the column of the time holds numbers that are no times since 1970")
        return ticks

    def _name(self) -> str:
        name = self._source.index or "logs"
        database, _, table = name.partition(".")
        return f"{quoted(database)}.{quoted(table)}" if database and table else quoted(name)

    def _may_break(self) -> bool:
        """Whether the user's own settings let a query end early with a part of the rows."""
        modes = ", ".join(f"toString(getSetting('{mode}'))" for mode in _MODES)
        return bool(_whole(self._rows(f"SELECT has([{modes}], 'break') AS breaks", {}), "breaks"))

    def _rows(self, sql: str, params: Mapping[str, str]) -> list[Mapping[str, Any]]:
        """Return the rows of an answer, with as many settings as the user's profile lets one set."""
        while True:
            try:
                return self._ask(sql, params)
            except LogStoreFailed as failure:
                if failure.code not in _SETTINGS_REFUSED or not self._settings:
                    raise
            self._settings = {} if self._settings == _READ_ONLY else dict(_READ_ONLY)

    def _ask(self, sql: str, params: Mapping[str, str]) -> list[Mapping[str, Any]]:
        sent = {"default_format": "JSON", **self._settings, **params}
        try:
            answer = self._store.ask(HttpRequest("POST", "/", sent, sql, content_type="text/plain"))
        except LogStoreFailed as failure:
            if failure.code not in _REASONS:
                raise
            reason = f"{_REASONS[failure.code]} (code {failure.code})"
            raise LogStoreFailed(reason, code=failure.code) from None
        if isinstance(answer, dict) and "exception" in answer:
            raise LogStoreFailed("the store failed while it answered")
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise LogStoreFailed("the answer has no rows")
        return rows


def _sql(*parts: str) -> str:
    return " ".join(parts)


def _whole(rows: list[Mapping[str, Any]], name: str) -> int:
    try:
        return int(rows[0][name])
    except (IndexError, KeyError, TypeError, ValueError):
        raise LogStoreFailed("the answer has no count") from None


def _escaped(text: str) -> str:
    """Return a text as a query parameter: ClickHouse reads them in its TSV escaping."""
    return text.translate(_ESCAPES)
