"""Elasticsearch and OpenSearch as a log source: `_search` with a time range and the terms as filters.

API: https://www.elastic.co/guide/en/elasticsearch/reference/current/search-search.html. A term matches as
a phrase of whole words in any field, because that is what the index can answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from superbiz_cli.adapters.log_files.json_event import read_time
from superbiz_cli.adapters.log_files.source import LogSource, SourceAnswer
from superbiz_cli.adapters.log_files.stamps import SECOND_US, epoch_stamp
from superbiz_cli.adapters.log_http import HttpRequest, LogStore, LogStoreFailed
from superbiz_cli.adapters.log_remote import Total, search_engine
from superbiz_cli.adapters.remote_event import event_of_fields
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.logs.contract import LogEvent, LogQuery, TimeWindow, from_us
from superbiz_cli.harness.tool.logs.tally import EventTally

TIME_FIELD = "@timestamp"
_MILLISECOND_US = 1000


class ElasticsearchSource:
    """See `log_files.source.SourceReader`. `index` names the indices, `*` by default."""

    def __init__(self, source: LogSource) -> None:
        self._source = source

    def search(self, query: LogQuery, tally: EventTally, *, run: Run) -> SourceAnswer:
        """Count and sample the matching documents."""
        engine = _Engine(self._source, query, run)
        return search_engine(engine, self._source, query, tally, run=run)


class _Engine:
    def __init__(self, source: LogSource, query: LogQuery, run: Run) -> None:
        self._source = source
        self._query = query
        self._store = LogStore(source, run, scheme="ApiKey")
        self._time = source.time_field or TIME_FIELD
        self.remarks: list[str] = []
        if query.terms:
            self.remarks.append("terms match whole words here")

    def total(self, window: TimeWindow) -> Total:
        answer = self._search(window, size=0)
        total = _mapping(_mapping(answer.get("hits")).get("total"))
        count, relation = total.get("value"), total.get("relation", "eq")
        if isinstance(count, bool) or not isinstance(count, int):
            raise LogStoreFailed("the answer has no count")
        has_failed_shards = self._note_shards(answer)
        is_cut = relation != "eq" or bool(answer.get("timed_out")) or has_failed_shards
        return Total(count, is_exact=not is_cut)

    def events(self, window: TimeWindow, limit: int, *, newest_first: bool = False) -> list[LogEvent]:
        order = "desc" if newest_first else "asc"
        hits = _hits(self._search(window, size=limit, order=order))
        events = [event for hit in hits if (event := self._event(_mapping(hit))) is not None]
        return events[::-1] if newest_first else events

    def reaches_back(self, at_us: int) -> bool:
        return bool(_hits(self._ask({"lte": from_us(at_us).isoformat()}, [], size=1, order="asc")))

    def _event(self, hit: Mapping[str, Any]) -> LogEvent | None:
        fields = _mapping(hit.get("_source"))
        return event_of_fields(fields, self._source, self._at_us(fields, hit.get("sort")))

    def _at_us(self, fields: Mapping[str, Any], sort: Any) -> int | None:
        """Return the time by which the store found the document, as exactly as the document writes it.

        The sort value is in milli- or nanoseconds, as the field is mapped.
        """
        first = sort[0] if isinstance(sort, list) and sort else None
        found = epoch_stamp(first) if isinstance(first, int) and not isinstance(first, bool) else None
        written = read_time(_dig(fields, self._time), self._source.zones)
        if written is None:
            return None if found is None else found.wall_us
        written_us = written.wall_us - (written.offset_s or 0) * SECOND_US
        is_same = found is None or abs(written_us - found.wall_us) < _MILLISECOND_US
        return written_us if is_same or found is None else found.wall_us

    def _search(self, window: TimeWindow, *, size: int, order: str = "asc") -> Mapping[str, Any]:
        time_range = {
            "gte": from_us(window.start_us).isoformat(),
            "lte": from_us(window.end_us).isoformat(),
        }
        phrases = [
            {"multi_match": {"query": term, "type": "phrase", "fields": ["*"], "lenient": True}}
            for term in self._query.terms
        ]
        return self._ask(time_range, phrases, size=size, order=order)

    def _ask(
        self, time_range: Mapping[str, str], filters: Sequence[Mapping[str, Any]], *, size: int, order: str
    ) -> Mapping[str, Any]:
        bounds = {**time_range, "format": "strict_date_optional_time"}
        body = {
            "size": size,
            "track_total_hits": size == 0,
            "query": {"bool": {"filter": [{"range": {self._time: bounds}}, *filters]}},
            "sort": [{self._time: {"order": order, "unmapped_type": "date"}}],
        }
        path = f"/{quote(self._source.index or '*', safe='*,-')}/_search"
        params = {"ignore_unavailable": "true"}
        answer = _mapping(self._store.ask(HttpRequest("POST", path, params, json.dumps(body))))
        if _mapping(answer.get("_shards")).get("total") == 0:  # else a mistyped name would look like silence
            raise LogStoreFailed("there is no such index, or this user may not read it")
        return answer

    def _note_shards(self, answer: Mapping[str, Any]) -> bool:
        shards = _mapping(answer.get("_shards"))
        failed = shards.get("failed", 0)
        if not isinstance(failed, int) or not failed:
            return False
        self.remarks.append(f"{failed} of {shards.get('total', '?')} shards did not answer")
        return True


def _hits(answer: Mapping[str, Any]) -> list[Any]:
    hits = _mapping(answer.get("hits")).get("hits")
    if not isinstance(hits, list):
        raise LogStoreFailed("the answer has no hits")
    return hits


def _dig(fields: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path whose dots separate names, or are in them."""
    if path in fields:
        return fields[path]
    outer, dot, inner = path.partition(".")
    return _dig(_mapping(fields.get(outer)), inner) if dot else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
