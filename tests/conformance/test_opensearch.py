"""An independent server of OpenSearch's API as a log source: it refuses what OpenSearch would refuse.

Without osmem-server (it exists for Linux, macOS and Windows) these tests are skipped with the reason; with
CI=true they fail.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from superbiz_cli.harness.tool.logs.contract import LogSourceKind
from tests.support.logs import NOON, a_source, ask
from tests.support.services import absent

DAY = "app-2026.11.30"
WORDS = (
    "100% done",
    "a_b",
    "it's here",
    'x="now"',
    "C:\\temp\\new",
    "连接池 超时",
    "/api/v1/pay",
    "ÄRGER Straße",
    "[x]{y}(z)",
    "*",
    "message:x OR 1",
)


@pytest.fixture(scope="module")
def opensearch() -> Iterator[str]:
    if importlib.util.find_spec("osmem_server") is None:
        absent("osmem-server is not installed")
    from osmem_server import OsmemServer

    with OsmemServer.start() as server, closing(server.process.stdout):
        for name, kinds in MAPPINGS.items():
            properties = {field: {"type": kind} for field, kind in kinds.items()}
            body = {"mappings": {"properties": properties}}
            httpx.put(f"{server.url}/{name}", json=body, trust_env=False).raise_for_status()
        lines = [line for index, document in documents() for line in ({"index": {"_index": index}}, document)]
        filled = httpx.post(
            f"{server.url}/_bulk?refresh=true",
            content="".join(json.dumps(line) + "\n" for line in lines),
            headers={"Content-Type": "application/x-ndjson"},
            trust_env=False,
        )
        assert filled.json()["errors"] is False
        yield server.url


MAPPINGS = {
    DAY: {"@timestamp": "date", "message": "text", "status": "integer", "client.ip": "ip"},
    "own-time": {"seen.at": "date", "created": "date", "message": "text"},
    "nanos": {"when_seen": "date_nanos", "message": "text"},
}


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    """A steady service for two hours and a failing one in the last ten minutes before NOON."""
    for n in range(361):
        at = (NOON - timedelta(seconds=20 * n)).isoformat().replace("+00:00", "Z")
        yield (
            DAY,
            {
                "@timestamp": at,
                "message": f"GET /api/cart/{n}",
                "log": {"level": "info"},
                "service": {"name": "cart"},
                "status": 200,
                "client": {"ip": "10.0.0.7"},
            },
        )
    for n in range(1, 41):
        at = (NOON - timedelta(seconds=15 * n)).isoformat()
        failing = {"log": {"level": "error"}, "service": {"name": "pay"}, "status": 503}
        yield DAY, {"@timestamp": at, "message": f"connection refused after {n} ms", **failing}
    for number, word in enumerate(WORDS):
        at = (NOON - timedelta(minutes=10)).isoformat()
        yield "words", {"@timestamp": at, "message": f"n{number}n {word}" if word != "*" else "n9n"}
    for minute in range(1, 90):
        seen = NOON - timedelta(minutes=minute, microseconds=1)
        yield (
            "own-time",
            {"seen": {"at": seen.isoformat()}, "created": "2020-01-01T00:00:00Z", "message": "tick"},
        )
        yield "nanos", {"when_seen": seen.isoformat().replace("+00:00", "123Z"), "message": "tick"}


def source(url: str, index: str, **fields: Any) -> Any:
    return a_source(kind=LogSourceKind.ELASTICSEARCH, name="far", endpoint=url, index=index, **fields)


def test_events_are_counted_grouped_and_compared_with_the_time_before(opensearch: str) -> None:
    result = ask(source(opensearch, "app-*"))
    assert result["match_count"] == 131
    assert [
        (pattern["count"], pattern["level"], pattern["service"], pattern["is_new"])
        for pattern in result["patterns"]
    ] == [(91, "INFO", "cart", False), (40, "ERROR", "pay", True)]
    assert result["limitations"] == []


def test_hours_are_counted_exactly_and_sampled_up_to_the_newest_event(opensearch: str) -> None:
    result = ask(source(opensearch, DAY), since=NOON - timedelta(hours=2))
    assert result["match_count"] == 401
    assert result["limitations"] == ["far: patterns are from an even sample of 220 of 401 events"]
    assert max(pattern["last_seen"] for pattern in result["patterns"]) == "2026-11-30T12:00:00+00:00"


def test_a_window_holds_its_first_and_its_last_second(opensearch: str) -> None:
    minute, second = timedelta(minutes=1), timedelta(seconds=1)
    whole = ask(source(opensearch, DAY), query="cart", since=NOON - minute, until=NOON)
    assert whole["match_count"] == 4
    inner = ask(source(opensearch, DAY), query="cart", since=NOON - minute + second, until=NOON - second)
    assert inner["match_count"] == 2


@pytest.mark.parametrize("number", [number for number, word in enumerate(WORDS) if word != "*"])
def test_a_term_is_literal(opensearch: str, number: int) -> None:
    word = WORDS[number]
    result = ask(source(opensearch, "words"), query=word if '"' in word else f'"{word}"')
    assert [event["message"][: 2 + len(str(number))] for event in result["events"]] == [f"n{number}n"]


def test_a_wildcard_is_none(opensearch: str) -> None:
    assert ask(source(opensearch, "words"), query="*")["match_count"] == 0


@pytest.mark.parametrize(("term", "count"), [("503", 40), ("10.0.0.7", 91), ("refused", 40), ("REFUSED", 40)])
def test_a_term_is_found_in_fields_of_every_type(opensearch: str, term: str, count: int) -> None:
    result = ask(source(opensearch, DAY), query=term)
    assert result["match_count"] == count


@pytest.mark.parametrize("index", ["nowhere", "nowhere-*"])
def test_an_index_that_does_not_exist_is_no_silence(opensearch: str, index: str, tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text(f"{NOON.isoformat()} INFO local\n")
    result = ask(a_source(tmp_path / "app.log"), source(opensearch, index))
    assert result["match_count"] == 1
    assert "far: there is no such index, or this user may not read it" in result["limitations"]


@pytest.mark.parametrize(("index", "field"), [("own-time", "seen.at"), ("nanos", "when_seen")])
def test_the_configured_field_tells_the_time_of_what_is_found(
    opensearch: str, index: str, field: str
) -> None:
    result = ask(source(opensearch, index, time_field=field), since=NOON - timedelta(minutes=10))
    assert result["match_count"] == 9
    assert [pattern["count"] for pattern in result["patterns"]] == [9]
    assert result["events"][-1]["timestamp"] == "2026-11-30T11:58:59.999+00:00"
