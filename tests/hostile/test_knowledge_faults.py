"""The embedded knowledge store is damaged, emptied or held: the diagnosis goes on without it, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.flow_books import balanced
from tests.support.flow_turns import asks_logs, calls, diagnosis, draft, item, says, script
from tests.support.flow_world import World
from tests.support.knowledge import write
from tests.support.run_cli import run_cli

POOL = "# Pool\nWhen the connection pool is exhausted, look for slow statements first."
ASKS = calls(
    {
        "id": "call_1",
        "name": "lookup_knowledge",
        "arguments": json.dumps({"previous_observation": None, "input": {"query": "connection pool"}}),
    }
)
CAUSE = "Slow statements come first."
CITES = says(
    draft(
        item("the runbook names slow statements"),
        conclusion={"text": CAUSE, "based_on_analysis_ids": ["A1"]},
    )
)


@pytest.fixture
def shelf(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose knowledge base holds one runbook, found by words only."""
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__PROVIDER", "none")
    assert run_cli("kb", "ingest", str(write(tmp_path / "docs", pool=POOL))).code == 0
    return world


def store_files(world: World) -> list[Path]:
    """The files of the embedded store, but for its summary and lock."""
    folders = [path for path in world.home.iterdir() if path.is_dir()]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    return files


DAMAGES = {
    "garbage": lambda path: path.write_bytes(b"no store" * 100),
    "empty": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
}


def test_a_sound_store_is_read(shelf: World) -> None:
    """Without it the others could all be failures."""
    flow = shelf.ask(script(ASKS, CITES), "--json")
    assert flow.code == 0, flow.err


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_knowledge_store_never_ends_in_a_defect(shelf: World, damage: str) -> None:
    for path in store_files(shelf):
        DAMAGES[damage](path)
    flow = shelf.ask(script(ASKS, CITES), "--json")
    assert flow.code in (0, 3, 4), flow.err
    assert (CAUSE in flow.out) == (flow.code == 0)
    assert "Traceback" not in flow.err
    if flow.code != 4:
        balanced(flow)
    searched = run_cli("kb", "search", "connection pool")
    assert searched.code in (0, 4), searched.err
    assert "Traceback" not in searched.err
    assert "internal error" not in searched.err
    without = shelf.ask(diagnosis(), "--json")
    assert without.code == 0, without.err


def test_a_knowledge_store_that_vanished_is_said_and_the_logs_still_serve(shelf: World) -> None:
    for path in store_files(shelf):
        path.unlink()
    flow = shelf.ask(script(asks_logs(), says(draft())), "--json")
    assert flow.code == 0, flow.err
    assert "Traceback" not in flow.err
