"""Remote stores: what they are asked, how their documented answers are read, and how they fail."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.tool.logs.contract import LogQuery, LogSourceKind, LogTopic, TimeWindow, from_us
from superbiz_cli.harness.tool.logs.terms import parse_terms
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.log_server import Asked, LogServer, serving
from tests.support.logs import NOON, a_run, a_source, ask, search

KINDS = [LogSourceKind.ELASTICSEARCH, LogSourceKind.LOKI, LogSourceKind.CLICKHOUSE]


class Store:
    """A small log store that speaks the three APIs over the same events."""

    def __init__(self, events: list[tuple[datetime, str, str]]) -> None:
        self.events = sorted(events)

    def between(
        self, start_us: int, end_us: int, limit: int, *, newest_first: bool = False
    ) -> list[tuple[datetime, str, str]]:
        inside = [event for event in self.events if from_us(start_us) <= event[0] <= from_us(end_us)]
        return inside[::-1][:limit] if newest_first else inside[:limit]

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.path.endswith("/_search"):
            return 200, self._elasticsearch(asked)
        if asked.path.startswith("/loki/"):
            return 200, self._loki(asked)
        return 200, self._clickhouse(asked)

    def _elasticsearch(self, asked: Asked) -> Any:
        time_range = asked.json["query"]["bool"]["filter"][0]["range"]["@timestamp"]
        start, end = (
            datetime.fromisoformat(time_range.get(key, NOON.replace(year=2000).isoformat()))
            for key in ("gte", "lte")
        )
        is_descending = asked.json["sort"][0]["@timestamp"]["order"] == "desc"
        inside = [event for event in self.events if start <= event[0] <= end][:: -1 if is_descending else 1]
        hits = [
            {
                "_index": "app",
                "_id": str(number),
                "_source": {
                    "@timestamp": at.isoformat(),
                    "message": text,
                    "log": {"level": level},
                    "service": {"name": "pay"},
                },
                "sort": [int(at.timestamp() * 1000)],
            }
            for number, (at, level, text) in enumerate(inside[: asked.json["size"]])
        ]
        return {
            "took": 3,
            "timed_out": False,
            "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
            "hits": {"total": {"value": len(inside), "relation": "eq"}, "hits": hits},
        }

    def _loki(self, asked: Asked) -> Any:
        if asked.path.endswith("/query"):
            end = int(asked.params["time"]) // 1000 - 1
            length_ms = int(asked.params["query"].rpartition("[")[2].partition("ms]")[0])
            count = len(self.between(end - length_ms * 1000 + 1, end, 10**9))
            result = [{"metric": {}, "value": [end / 1e6, str(count)]}] if count else []
            return {"status": "success", "data": {"resultType": "vector", "result": result}}
        start, end = int(asked.params["start"]) // 1000, int(asked.params["end"]) // 1000 - 1
        streams: dict[str, list[list[str]]] = {}
        backward = asked.params["direction"] == "backward"
        for at, level, text in self.between(start, end, int(asked.params["limit"]), newest_first=backward):
            ns = str(int(at.timestamp()) * 10**9 + at.microsecond * 1000)
            streams.setdefault(level, []).append([ns, text])
        result = [
            {"stream": {"service_name": "pay", "level": level}, "values": values}
            for level, values in streams.items()
        ]
        return {"status": "success", "data": {"resultType": "streams", "result": result, "stats": {}}}

    def _clickhouse(self, asked: Asked) -> Any:
        if asked.body.startswith("DESCRIBE"):
            columns = {
                "ts": "DateTime64(3)",
                "level": "LowCardinality(String)",
                "service": "String",
                "message": "String",
            }
            rows: list[dict[str, Any]] = [{"name": name, "type": kind} for name, kind in columns.items()]
            return {"meta": [], "data": rows, "rows": len(rows)}
        start, end = int(asked.params["param_start"]), int(asked.params["param_end"]) - 1
        if "AS found" in asked.body:
            return {"data": [{"found": 1}] if self.between(0, end, 1) else []}
        if "count()" in asked.body:
            return {"data": [{"matches": len(self.between(start, end, 10**9))}], "rows": 1}
        rows = [
            {
                "ts": at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
                "level": level,
                "service": "pay",
                "message": text,
                "__at_us": int(at.timestamp() * 1_000_000),
            }
            for at, level, text in self.between(
                start, end, int(asked.params["param_limit"]), newest_first="DESC" in asked.body
            )
        ]
        return {"data": rows, "rows": len(rows)}


def minutes(value: float) -> datetime:
    return NOON + timedelta(minutes=value)


def remote(server: LogServer, kind: LogSourceKind, **fields: Any) -> Any:
    return a_source(kind=kind, endpoint=server.url, name="far", **fields)


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_s_events_are_counted_grouped_and_shown(kind: LogSourceKind) -> None:
    store = Store(
        [(minutes(-50), "info", "tick 1")]
        + [(minutes(-29 + number), "info", f"tick {number}") for number in range(20)]
        + [(minutes(-5), "error", "connect 10.0.0.7 refused")]
    )
    with serving(store.answer) as server:
        result = ask(remote(server, kind))
    assert result["source_kind"] == kind.value
    assert result["match_count"] == 21
    assert [pattern["count"] for pattern in result["patterns"]] == [20, 1]
    assert [pattern["is_new"] for pattern in result["patterns"]] == [False, True]
    assert result["patterns"][1]["level"] == "ERROR"
    assert {event["service"] for event in result["events"]} == {"pay"}
    assert "10.0.0.7" not in json.dumps(result)
    assert result["events"][-1]["timestamp"] == "2026-11-30T11:55:00+00:00"


@pytest.mark.parametrize("kind", KINDS)
def test_more_events_than_are_fetched_are_counted_by_the_engine_and_sampled_evenly(
    kind: LogSourceKind,
) -> None:
    store = Store(
        [(minutes(-30) + timedelta(milliseconds=200 * n), "info", f"tick {n}") for n in range(8_900)]
    )
    with serving(store.answer) as server:
        result = ask(remote(server, kind))
        fetched = len(server.asked)
    assert result["match_count"] == 8_900
    times = [datetime.fromisoformat(event["timestamp"]) for event in result["events"]]
    assert times[-1] - times[0] > timedelta(minutes=29)
    assert result["patterns"][0]["last_seen"] == store.events[-1][0].isoformat(timespec="milliseconds")
    assert any("even sample of 220 of 8900" in text for text in result["limitations"])
    assert all(pattern["is_sampled"] for pattern in result["patterns"])
    assert fetched <= 17


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_burst_in_one_tenth_of_the_window_both_ends_are_fetched(kind: LogSourceKind) -> None:
    burst = [(minutes(-3) + timedelta(milliseconds=100 * n), "error", f"refused {n}") for n in range(1_700)]
    with serving(Store(burst).answer) as server:
        [pattern] = ask(remote(server, kind))["patterns"]
    assert pattern["first_seen"] == "2026-11-30T11:57:00+00:00"
    assert pattern["last_seen"] == "2026-11-30T11:59:49.900+00:00"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [60, 240])
def test_of_large_events_fewer_are_fetched(kind: LogSourceKind, count: int) -> None:
    trace = " at com.example.Deep" * 20_000
    store = Store(
        [
            (minutes(-30) + timedelta(seconds=1700 // count * n), "error", f"failed{trace}")
            for n in range(count)
        ]
    )
    with serving(store.answer) as server:
        result = ask(remote(server, kind))
    assert result["match_count"] == count
    assert len(result["patterns"]) == 1
    assert any(f" of {count} events" in text for text in result["limitations"]) is (count > 200)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_new_where_the_store_holds_nothing_of_the_time_before(kind: LogSourceKind) -> None:
    young = Store([(minutes(-20), "info", "tick 1"), (minutes(-5), "error", "refused")])
    with serving(young.answer) as server:
        result = ask(remote(server, kind))
    assert not any(pattern.get("is_new") for pattern in result["patterns"])
    old = Store([(minutes(-55), "info", "started"), *young.events])
    with serving(old.answer) as server:
        result = ask(remote(server, kind), query="refused")
    assert [pattern["is_new"] for pattern in result["patterns"]][-1:] == [True]


def test_elasticsearch_is_given_the_window_and_each_term(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Store([(minutes(-5), "info", "x")]).answer) as server:
        result = ask(
            remote(server, LogSourceKind.ELASTICSEARCH, index="app-*", token="t0ken"), query='refused "a b"'
        )
        first = server.asked[0]
    assert first.path == "/app-*/_search"
    assert first.headers["Authorization"] == "ApiKey t0ken"
    filters = first.json["query"]["bool"]["filter"]
    assert filters[0]["range"]["@timestamp"]["gte"] == "2026-11-30T11:30:00+00:00"
    assert [item["multi_match"]["query"] for item in filters[1:]] == ["refused", "a b"]
    assert "far: terms match whole words here" in result["limitations"]


def test_the_configured_field_of_the_time_is_the_one_that_is_asked_for() -> None:
    store = Store([(minutes(-5), "info", "x")])
    with serving(store.answer) as server:
        ask(remote(server, LogSourceKind.CLICKHOUSE, time_field="ts"))
        assert "`ts`" in server.asked[-1].body
        with pytest.raises(ToolExecutionFailed):
            ask(remote(server, LogSourceKind.CLICKHOUSE, time_field="elsewhere"))
    with serving(lambda _asked: (500, "")) as server:
        with pytest.raises(ToolExecutionFailed):
            ask(remote(server, LogSourceKind.ELASTICSEARCH, time_field="at"))
        [filters] = [asked.json["query"]["bool"]["filter"] for asked in server.asked[:1]]
    assert list(filters[0]["range"]) == ["at"]


def test_loki_is_given_each_term_as_a_literal_filter() -> None:
    with serving(Store([]).answer) as server:
        ask(
            remote(server, LogSourceKind.LOKI, selector='{app="pay"}', username="u", password="p"),
            query="a.b(c) 超时",
        )
        first = server.asked[0]
    assert '{app="pay"} |~ "(?i)a\\\\.b\\\\(c\\\\)" |~ "(?i)超时"' in first.params["query"]
    assert first.headers["Authorization"].startswith("Basic ")


def test_clickhouse_is_given_terms_as_parameters_and_may_only_read() -> None:
    with serving(Store([(minutes(-5), "info", "x")]).answer) as server:
        ask(remote(server, LogSourceKind.CLICKHOUSE, index="db.app`logs"), query="o'x\\y {limit}")
        counting = next(asked for asked in server.asked if "count()" in asked.body)
    assert counting.params["param_term0"] == "o'x\\\\y"
    assert counting.params["readonly"] == "1"
    assert "o'x" not in counting.body
    assert "`db`.`app\\`logs`" in counting.body


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "value", "words"),
    [
        (
            400,
            {"error": {"type": "parsing_exception", "reason": "SECRET-REASON"}, "status": 400},
            "did not accept",
        ),
        (401, "SECRET-REASON", "refused the credentials"),
        (404, {"error": {"type": "index_not_found_exception"}}, "no such index"),
        (429, "SECRET-REASON", "rate of requests"),
        (500, "Code: 241. DB::Exception: SECRET-REASON", "failed (500)"),
        (503, "", "failed (503)"),
        (408, "Code: 159. DB::Exception: SECRET-REASON", "took longer than the store allows (408)"),
        (200, "no json SECRET-REASON", "not the JSON"),
        (200, {"unexpected": True}, "the answer has no"),
    ],
)
def test_a_store_that_fails_is_named_and_its_own_words_are_not_shown(
    kind: LogSourceKind, status: int, value: Any, words: str, tmp_path: Any
) -> None:
    (tmp_path / "app.log").write_text(f"{minutes(-5).isoformat()} INFO local\n")
    with serving(lambda asked: (status, value)) as server:
        result = ask(a_source(tmp_path / "app.log"), remote(server, kind))
    assert result["match_count"] == 1
    assert words in result["limitations"][0]
    assert "SECRET-REASON" not in json.dumps(result)


@pytest.mark.parametrize("kind", KINDS)
def test_a_path_and_a_query_of_the_address_are_kept(kind: LogSourceKind) -> None:
    with serving(lambda asked: (500, "")) as server:
        source = a_source(kind=kind, endpoint=f"{server.url}/logs%2Fa/?tenant=7&database=x", name="far")
        with pytest.raises(ToolExecutionFailed):
            ask(source)
    assert {asked.path.startswith("/logs%2Fa/") for asked in server.asked} == {True}
    assert {(asked.params["tenant"], asked.params["database"]) for asked in server.asked} == {("7", "x")}


def test_rows_before_an_exception_of_clickhouse_are_no_answer() -> None:
    """A server that fails behind the first rows has already sent status 200."""
    store = Store([(minutes(-5), "info", "x")])

    def answer(asked: Asked) -> tuple[int, Any]:
        status, value = store.answer(asked)
        is_count = "count()" in asked.body
        return status, value | {"exception": "Code: 241. SECRET-REASON"} if is_count else value

    with serving(answer) as server, pytest.raises(ToolExecutionFailed):
        ask(remote(server, LogSourceKind.CLICKHOUSE))


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_that_cannot_be_reached_leaves_no_answer(kind: LogSourceKind) -> None:
    with serving(lambda asked: (200, {})) as server:
        gone = remote(server, kind)
    with pytest.raises(ToolExecutionFailed) as failure:
        ask(gone)
    assert failure.value.category == "sources_unavailable"


def hanging(server_of: list[LogServer]) -> Callable[[Asked], tuple[int, Any]]:
    def answer(asked: Asked) -> tuple[int, Any]:
        server_of[0].release.wait(20)
        return 200, {}

    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_a_hanging_store_is_left_at_its_time_limit(kind: LogSourceKind) -> None:
    servers: list[LogServer] = []
    with serving(hanging(servers)) as server:
        servers.append(server)
        begin = time.monotonic()
        with pytest.raises(ToolExecutionFailed):
            ask(remote(server, kind, timeout_s=0.3))
        assert time.monotonic() - begin < 2.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_hanging_store_is_left_within_a_second_of_a_cancel(kind: LogSourceKind) -> None:
    servers: list[LogServer] = []
    window = TimeWindow.between(minutes(-30), NOON)
    query = LogQuery(LogTopic.APPLICATION, "", parse_terms(""), window)
    with serving(hanging(servers)) as server:
        servers.append(server)
        run = a_run()
        threading.Timer(0.2, run.cancel, [CancelReason.USER_REQUESTED]).start()
        begin = time.monotonic()
        with pytest.raises(RunAborted):
            search(query, remote(server, kind), run=run)
        assert time.monotonic() - begin < 1.2


def test_a_count_that_is_a_lower_bound_is_said_to_be_one() -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        source = {"@timestamp": minutes(-5).isoformat(), "message": "x"}
        hits = [{"_source": source, "sort": [0]}] if asked.json["size"] else []
        shards = {"total": 5, "successful": 4, "failed": 1}
        total = {"value": 10_000, "relation": "gte"}
        return 200, {"timed_out": True, "_shards": shards, "hits": {"total": total, "hits": hits}}

    with serving(answer) as server:
        result = ask(remote(server, LogSourceKind.ELASTICSEARCH))
    assert result["match_count"] == 10_000
    assert "match_count is a lower bound" in result["limitations"]
    assert "far: 1 of 5 shards did not answer" in result["limitations"]


def test_the_time_zone_of_the_store_does_not_matter() -> None:
    at = datetime(2026, 11, 30, 11, 50, tzinfo=UTC).astimezone()
    with serving(Store([(at, "info", "x")]).answer) as server:
        result = ask(remote(server, LogSourceKind.ELASTICSEARCH), timezone="Asia/Shanghai")
    assert result["events"][0]["timestamp"] == "2026-11-30T19:50:00+08:00"
