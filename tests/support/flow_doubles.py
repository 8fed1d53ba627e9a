"""Doubles between the program and its model or store, for what a script alone cannot cause."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.contract.model import CancelSignal, ModelReply, ModelRequest, ModelRole


@contextmanager
def before_call(role: ModelRole, number: int, act: Callable[[], object]) -> Iterator[None]:
    """Call `act` just before the scripted model answers call `number` (from 1) of `role`."""
    seen = {"calls": 0}
    complete = ScriptedModel.complete

    def watched(
        self: ScriptedModel, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal
    ) -> ModelReply:
        if request.role is role:
            seen["calls"] += 1
            if seen["calls"] == number:
                act()
        return complete(self, request, timeout_s=timeout_s, cancel=cancel)

    with mock.patch.object(ScriptedModel, "complete", watched):
        yield


def change_records(store: Path, **fields: Any) -> None:
    """Replace fields of every record in the embedded canonical store, as nothing legal could."""

    def changed(record: bytes) -> bytes:
        values = {**json.loads(record), **fields}
        text = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return text.encode()

    rewrite_records(store, changed)


def change_agent_result(store: Path, **fields: Any) -> None:
    """Replace fields inside the agent result of every record."""

    def changed(record: bytes) -> bytes:
        values = json.loads(record)
        result = {**json.loads(values["agent_result"]), **fields}
        return json.dumps({**values, "agent_result": json.dumps(result)}).encode()

    rewrite_records(store, changed)


def rewrite_records(store: Path, change: Callable[[bytes], bytes]) -> None:
    """Rewrite the bytes of every record."""
    with closing(sqlite3.connect(store)) as connection, connection:
        for rowid, record in connection.execute("SELECT rowid, record FROM invocation").fetchall():
            connection.execute("UPDATE invocation SET record = ? WHERE rowid = ?", (change(record), rowid))


def expire_records(store: Path) -> None:
    """Let the time to live of every record be over."""
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE invocation SET expires_at_ms = 1")


def records(store: Path) -> list[Mapping[str, Any]]:
    """The records as they are stored."""
    with closing(sqlite3.connect(store)) as connection:
        return [json.loads(row[0]) for row in connection.execute("SELECT record FROM invocation")]
