"""Incidents of tests/incidents as files on disk: a few rules a file instead of thousands of lines."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.harness.tool.logs.contract import LogSourceKind, LogTopic

FOLDER = Path(__file__).parent.parent / "incidents"


@dataclass(frozen=True)
class Incident:
    """One labelled incident. `finding` is text that the conclusion must hold."""

    name: str
    question: str
    question_zh: str
    until: datetime
    since: datetime | None
    finding: str
    decisive: str
    files: dict[str, dict[str, Any]]

    @property
    def skill(self) -> str:
        return self.name

    def sources(self, folder: Path, *, without: str | None = None) -> list[LogSource]:
        """Write the files into `folder` and return them as sources, except `without`."""
        return [self._source(folder, name) for name in self.files if name != without]

    def _source(self, folder: Path, name: str) -> LogSource:
        given = self.files[name]
        path = folder / name
        events = sorted(event for rule in given["events"] for event in self._events(rule, given))
        path.write_text("".join(text for _, text in events), encoding="utf-8")
        os.utime(path, (self.until.timestamp(), self.until.timestamp()))
        return LogSource(
            name=path.stem,
            topic=LogTopic(given.get("topic", "APPLICATION")),
            kind=LogSourceKind(given.get("kind", "files")),
            paths=(str(path),),
            service=given.get("service"),
        )

    def _events(self, rule: dict[str, Any], given: dict[str, Any]) -> list[tuple[datetime, str]]:
        """A rule is {at, text}, or {from, to, every_s, text}; {n} in a text counts."""
        first = self._moment(rule.get("from") or rule["at"])
        last = self._moment(rule.get("to") or rule["at"])
        every = timedelta(seconds=rule.get("every_s", 1))
        events = []
        number = 0
        while first + number * every <= last:
            at = first + number * every
            events.append((at, _written(at, rule, number + 1, given.get("kind", "files"))))
            number += 1
        return events

    def _moment(self, clock: str) -> datetime:
        hours, minutes, seconds = (int(part) for part in clock.split(":"))
        return self.until.replace(hour=hours, minute=minutes, second=seconds, microsecond=0)


def _written(at: datetime, rule: dict[str, Any], number: int, kind: str) -> str:
    if kind == "mysql_slow_log":
        stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return (
            f"# Time: {stamp}\n# User@Host: app[app] @ app-1 []  Id: {number}\n"
            f"# Query_time: {rule['seconds'] + number / 1000:.6f}  Lock_time: {rule.get('lock', 0.0001):.6f} "
            f"Rows_sent: {rule.get('sent', 1)}  Rows_examined: {rule['rows'] + number}\n"
            f"SET timestamp={int(at.timestamp())};\n{rule['sql']};\n"
        )
    text = str(rule["text"]).replace("{n}", str(number))
    return f"{at.isoformat(timespec='milliseconds')} {text}\n"


def load_incidents() -> list[Incident]:
    return [_load(path) for path in sorted(FOLDER.glob("*.yaml"))]


def _load(path: Path) -> Incident:
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Incident(
        name=path.stem,
        question=given["question"],
        question_zh=given["question_zh"],
        until=datetime.fromisoformat(given["until"]),
        since=datetime.fromisoformat(given["since"]) if "since" in given else None,
        finding=given["finding"],
        decisive=given["decisive"],
        files=given["files"],
    )
