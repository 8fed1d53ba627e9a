"""Grafana Loki as a log source: the terms are line filters, the count is a metric query.

API: https://grafana.com/docs/loki/latest/reference/loki-http-api/ (`query_range`, `query`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.adapters.log_http import HttpRequest, LogStore, LogStoreFailed
from superbiz_cli.adapters.log_remote import Total, search_engine
from superbiz_cli.adapters.remote_event import event_of_line
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogEvent, LogQuery, TimeWindow
from superbiz_cli.harness.tool.logs.tally import EventTally

_DAY_US = 24 * 3600 * 1_000_000  # how far back a query may reach that no store refuses
EVERYTHING = '{service_name=~".+"}'


class LokiSource:
    """See `log_files.source.SourceReader`. `selector` chooses the streams, for example `{app="pay"}`."""

    def __init__(self, source: LogSource) -> None:
        self._source = source

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Count and sample the matching lines."""
        engine = _Engine(self._source, query, run)
        return search_engine(engine, self._source, query, tally, run=run)


class _Engine:
    def __init__(self, source: LogSource, query: LogQuery, run: Run) -> None:
        self._source = source
        self._store = LogStore(source, run)
        filters = "".join(f" |~ {_string('(?i)' + re.escape(term))}" for term in query.terms)
        self._selector = source.selector or EVERYTHING
        self._logql = self._selector + filters
        self.remarks: list[str] = []

    def total(self, window: TimeWindow) -> Total:
        length_ms = max(1, (window.end_us - window.start_us) // 1000 + 1)
        counting = f"sum(count_over_time({self._logql} [{length_ms}ms]))"
        params = {"query": counting, "time": str((window.end_us + 1) * 1000)}
        result = self._result("/loki/api/v1/query", params)
        if not result:
            return Total(0)
        try:
            return Total(int(float(result[0]["value"][1])))
        except (KeyError, IndexError, TypeError, ValueError):
            raise LogStoreFailed("the answer has no count") from None

    def events(self, window: TimeWindow, limit: int, *, newest_first: bool = False) -> list[LogEvent]:
        return self._events(self._logql, window, limit, newest_first=newest_first)

    def reaches_back(self, at_us: int) -> bool:
        return bool(self._events(self._selector, TimeWindow(at_us - _DAY_US, at_us), 1, newest_first=True))

    def _events(self, logql: str, window: TimeWindow, limit: int, *, newest_first: bool) -> list[LogEvent]:
        params = {
            "query": logql,
            "start": str(window.start_us * 1000),
            "end": str((window.end_us + 1) * 1000),  # the end is not included
            "limit": str(limit),
            "direction": "backward" if newest_first else "forward",
        }
        events: list[LogEvent] = []
        for stream in self._result("/loki/api/v1/query_range", params):
            labels = stream.get("stream")
            for entry in stream.get("values") or ():
                events.append(self._event(entry, labels if isinstance(labels, dict) else {}))
        return sorted(events, key=lambda event: event.at_us)

    def _event(self, entry: Any, labels: Mapping[str, str]) -> LogEvent:
        try:
            at_us, line = int(entry[0]) // 1000, str(entry[1])
        except (IndexError, TypeError, ValueError):
            raise LogStoreFailed("the answer has an entry without a time") from None
        return event_of_line(line, labels, self._source, at_us)

    def _result(self, path: str, params: Mapping[str, str]) -> list[Mapping[str, Any]]:
        answer = self._store.ask(HttpRequest("GET", path, params))
        result = answer.get("data", {}).get("result") if isinstance(answer, dict) else None
        if not isinstance(result, list) or not all(isinstance(item, dict) for item in result):
            raise LogStoreFailed("the answer has no result")
        return result


def _string(text: str) -> str:
    """Return a LogQL string: Go's rules, of which JSON's escapes are a part."""
    return json.dumps(text, ensure_ascii=False)
