"""A home, real log files and a configuration, and the command line run over them with a script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from superbiz_cli.bootstrap.run_ids import AUDIT_FILE
from superbiz_cli.bootstrap.stores import CANONICAL_FILE
from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.replay import Replay, ReplayDepth, replay_run
from superbiz_cli.harness.audit.rows import StoredRun
from tests.support.flow_turns import Script
from tests.support.run_cli import Completed, run_cli

QUESTION = "payment service times out since 10:00"
AT = "2026-11-30T10:15:00+08:00"
TIMEOUTS = 37
SECRET = "Hunter2Secret!"


def write_incident(folder: Path) -> None:
    """37 pool timeouts of payment-service from 10:02:11 to 10:09:40 Shanghai time, amid ordinary lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"2026-11-30 09:{minute:02}:00.000 INFO  [order-service] order accepted" for minute in range(46, 60)
    ]
    for number in range(TIMEOUTS):
        at_s = 131 + round(number * 449 / (TIMEOUTS - 1))
        stamp = f"2026-11-30 10:{at_s // 60:02}:{at_s % 60:02}.000"
        lines.append(
            f"{stamp} ERROR [payment-service] HikariPool-1 - Connection is not available,"
            " request timed out after 30000ms"
        )
    lines.append(f"2026-11-30 10:10:00.000 WARN  [payment-service] login failed password={SECRET}")
    (folder / "app.log").write_text("\n".join(lines) + "\n", encoding="utf-8")


@dataclass
class World:
    """One home. `settings` are sections of the configuration file, as TOML values."""

    folder: Path
    home: Path
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    with_logs: bool = True

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_incident(self.logs)

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def config(self) -> Path:
        """The configuration file, written anew."""
        path = self.folder / "config.toml"
        sections = [toml_section(name, values) for name, values in self.settings.items()]
        if self.with_logs:
            source = {"name": "app", "topic": "APPLICATION", "kind": "files", "paths": [str(self.logs)]}
            sections.append(toml_section("[logs.sources]", source))
        path.write_text("\n".join(sections), encoding="utf-8")
        return path

    def script_file(self, script: Script | Mapping[str, Any]) -> Path:
        path = self.folder / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        return path

    def arguments(self, script: Script | None, *flags: str, query: str = QUESTION) -> list[str]:
        """The command line of a diagnosis."""
        model = ["--model", f"scripted:{self.script_file(script)}"] if script is not None else []
        return ["diagnose", query, "--at", AT, "--config", str(self.config), *model, *flags]

    def ask(
        self, script: Script | None, *flags: str, query: str = QUESTION, stdin: bytes | None = None
    ) -> Flow:
        """Diagnose in this process."""
        return Flow(run_cli(*self.arguments(script, *flags, query=query), stdin=stdin), self)

    @property
    def audit_file(self) -> Path:
        return self.home / AUDIT_FILE

    @property
    def store_file(self) -> Path:
        return self.home / CANONICAL_FILE

    def runs(self) -> int:
        """How many Runs are recorded."""
        with closing(self.archive()) as archive:
            return len(archive.recent_runs(limit=1_000).runs)

    def archive(self) -> RunArchive:
        """The audit archive, opened for reading."""
        from superbiz_cli.adapters.sql_audit.archive import open_archive

        return open_archive(self.audit_file, redact=str, owner="tester", keep_reasoning=False, create=False)


@dataclass(frozen=True)
class Flow:
    """How one diagnosis ended, what it wrote, and what the audit holds of the newest Run."""

    completed: Completed
    world: World

    @property
    def code(self) -> int:
        return self.completed.code

    @property
    def out(self) -> str:
        return self.completed.out

    @property
    def err(self) -> str:
        return self.completed.err

    @cached_property
    def document(self) -> dict[str, Any]:
        """The object of --json."""
        value = self.completed.json()
        assert isinstance(value, dict)
        return value

    @cached_property
    def replay(self) -> Replay:
        """The newest Run as the audit database holds it."""
        archive = self.world.archive()
        try:
            [newest] = archive.recent_runs(limit=1).runs
            stored = archive.find_run(newest.run_id)
            assert isinstance(stored, StoredRun)
            return replay_run(archive, stored, depth=ReplayDepth.REASONING)
        finally:
            archive.close()

    def events(self, *types: str) -> list[Mapping[str, Any]]:
        """The attributes of the trace events of these types, in order."""
        return [entry.attributes for entry in self.replay.timeline if entry.type in types]

    @property
    def types(self) -> list[str]:
        return [entry.type for entry in self.replay.timeline]


def toml_section(name: str, values: Mapping[str, Any]) -> str:
    """One table; the values are strings, numbers, booleans and lists, which JSON writes as TOML does."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join([f"[{name}]", *lines, ""])
