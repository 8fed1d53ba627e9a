"""ClickHouse as a log source: SQL over HTTP, read only, every value a parameter.

Interface: https://clickhouse.com/docs/interfaces/http. The table's own columns tell which one is the time
and which are texts, so that no mapping has to be configured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.adapters.log_http import HttpRequest, LogStore, LogStoreFailed
from superbiz_cli.adapters.log_remote import Total, search_engine
from superbiz_cli.adapters.remote_event import event_of_fields
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogEvent, LogQuery, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally

_TIME_NAMES = ("timestamp", "time", "ts", "event_time", "@timestamp", "datetime", "log_time", "created_at")
_FIELD_NAMES = {  # columns of the OpenTelemetry exporter and of system.text_log, under the names of JSON logs
    "Body": "message",
    "SeverityText": "level",
    "ServiceName": "service",
    "logger_name": "logger",
}
_AT_US = "__at_us"


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
        self._store = LogStore(source, run)
        self._columns: tuple[str, tuple[str, ...]] | None = None
        self.remarks: list[str] = []

    def total(self, window: TimeWindow) -> Total:
        rows = self._select("count() AS matches", window, limit=1, ordered=False)
        try:
            return Total(int(rows[0]["matches"]))
        except (IndexError, KeyError, TypeError, ValueError):
            raise LogStoreFailed("the answer has no count") from None

    def events(self, window: TimeWindow, limit: int) -> list[LogEvent]:
        time, _ = self._table_columns()
        rows = self._select(
            f"*, toUnixTimestamp64Micro(toDateTime64({_quoted(time)}, 6)) AS {_AT_US}", window, limit=limit
        )
        events = [self._event(row) for row in rows]
        return [event for event in events if event is not None]

    def _event(self, row: Mapping[str, Any]) -> LogEvent | None:
        try:
            at_us = int(row[_AT_US])
        except (KeyError, TypeError, ValueError):
            return None
        fields = {_FIELD_NAMES.get(name, name): value for name, value in row.items() if name != _AT_US}
        return event_of_fields(fields, self._source, at_us)

    def _select(
        self, what: str, window: TimeWindow, *, limit: int, ordered: bool = True
    ) -> list[Mapping[str, Any]]:
        time, texts = self._table_columns()
        text = f"concatWithSeparator('\\n', {', '.join(f'toString({_quoted(name)})' for name in texts)})"
        conditions = [
            f"toDateTime64({_quoted(time)}, 6) >= fromUnixTimestamp64Micro({{start:Int64}})",
            f"toDateTime64({_quoted(time)}, 6) <= fromUnixTimestamp64Micro({{end:Int64}})",
            *(
                f"positionCaseInsensitiveUTF8({text}, {{term{n}:String}}) > 0"
                for n in range(len(self._terms))
            ),
        ]
        order = f"ORDER BY {_quoted(time)}" if ordered else ""
        sql = " ".join(
            (
                "SELECT",
                what,
                "FROM",
                self._table(),
                "WHERE",
                " AND ".join(conditions),
                order,
                "LIMIT {limit:UInt32}",
            )
        )
        params = {
            "param_start": str(window.start_us),
            "param_end": str(window.end_us),
            "param_limit": str(limit),
        }
        params |= {f"param_term{n}": _escaped(term) for n, term in enumerate(self._terms)}
        return self._rows(sql, params)

    def _table_columns(self) -> tuple[str, tuple[str, ...]]:
        """Return the column of the time, and those that hold texts."""
        if self._columns is None:
            described = self._rows(f"DESCRIBE TABLE {self._table()}", {})
            types = {str(row.get("name")): str(row.get("type")) for row in described}
            wanted = self._source.time_field
            times = [name for name, kind in types.items() if "DateTime" in kind and wanted in (None, name)]
            times.sort(
                key=lambda name: _TIME_NAMES.index(name.lower()) if name.lower() in _TIME_NAMES else 99
            )
            texts = [name for name, kind in types.items() if "String" in kind or "Enum" in kind]
            if not times or not texts:
                raise LogStoreFailed("the table has no time or no text column")
            self._columns = times[0], tuple(texts)
        return self._columns

    def _table(self) -> str:
        return ".".join(_quoted(part) for part in (self._source.index or "logs").split("."))

    def _rows(self, sql: str, params: Mapping[str, str]) -> list[Mapping[str, Any]]:
        settings = {
            "default_format": "JSON",
            "readonly": "1",
            "max_execution_time": str(max(1, int(self._source.timeout_s))),
            "output_format_json_quote_64bit_integers": "0",
        }
        request = HttpRequest("POST", "/", {**settings, **params}, sql, content_type="text/plain")
        answer = self._store.ask(request)
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise LogStoreFailed("the answer has no rows")
        return rows


def _time_rank(name: str) -> int:
    lowered = name.lower()
    return _TIME_NAMES.index(lowered) if lowered in _TIME_NAMES else len(_TIME_NAMES)


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def _escaped(text: str) -> str:
    """Return a text as a query parameter: ClickHouse reads them in its TSV escaping."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
