"""`doctor` about log sources: how new the newest event is, how files are understood, who does not answer."""

from __future__ import annotations

import gzip
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.flow_world import World
from tests.support.log_server import Asked, serving
from tests.support.run_cli import run_cli


@pytest.fixture
def world(tmp_path: Path, superbiz_home: Path) -> World:
    return World(tmp_path / "world", superbiz_home)


def told(world: World, name: str = "logs app") -> dict[str, Any]:
    rows = run_cli("doctor", "--json", "--config", str(world.config)).json()
    [check] = [row for row in rows if row["name"] == name]
    return dict(check)


def remote(world: World, url: str) -> None:
    world.with_logs = False
    source = {"name": "es", "topic": "APPLICATION", "kind": "elasticsearch", "url": url, "index": "app"}
    world.settings["[logs.sources]"] = source


def test_a_source_of_files_is_told_with_its_newest_event(world: World) -> None:
    check = told(world)
    assert check["status"] == "ok"
    assert "1 file(s)" in check["detail"]
    assert "newest event 2026-11-30 10:10:00" in check["detail"]
    assert "understood as iso" in check["detail"]


def test_a_compressed_file_is_understood_too(world: World) -> None:
    plain = world.logs / "app.log"
    (world.logs / "old.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert "newest event 2026-11-30 10:10:00" in told(world)["detail"]


def test_a_source_whose_files_state_no_time_is_a_warning(world: World) -> None:
    (world.logs / "app.log").write_text("hello\nworld\n")
    check = told(world)
    assert check["status"] == "warn"
    assert "no event with a time" in check["detail"]
    assert "logs inspect" in check["fix"]


def test_a_source_with_nothing_at_its_path_is_a_warning(world: World) -> None:
    shutil.rmtree(world.logs)
    check = told(world)
    assert check["status"] == "warn"
    assert "nothing at" in check["detail"]


def test_a_remote_source_is_asked_for_its_newest_event(world: World) -> None:
    newest = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)

    def answer(_asked: Asked) -> tuple[int, Any]:
        hits = [{"_id": "1", "_source": {"@timestamp": newest.isoformat(), "message": "up"}, "sort": [1]}]
        return 200, {
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "failed": 0},
            "hits": {"total": {"value": 1, "relation": "eq"}, "hits": hits},
        }

    with serving(answer) as server:
        remote(world, server.url)
        check = told(world, "logs es")
    assert check["status"] == "ok"
    told_at = datetime.fromisoformat(check["detail"].partition("newest event ")[2].partition(" · ")[0])
    assert told_at == newest


@pytest.mark.parametrize("status", [401, 500])
def test_a_remote_source_that_refuses_is_a_warning_without_its_words(world: World, status: int) -> None:
    with serving(lambda _asked: (status, "secret-words")) as server:
        remote(world, server.url)
        check = told(world, "logs es")
    assert check["status"] == "warn"
    assert "secret-words" not in check["detail"]
    assert "source es" in check["fix"]


def test_a_remote_source_that_is_gone_is_a_warning(world: World) -> None:
    remote(world, "http://127.0.0.1:9")
    check = told(world, "logs es")
    assert check["status"] == "warn"
    assert "cannot be reached" in check["detail"]
