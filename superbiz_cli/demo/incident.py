"""Writes the bundled incident into a folder: logs, database snapshot, and the truth beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from superbiz_cli.demo.application_logs import channel_gateway, order_service, payment_service
from superbiz_cli.demo.database import ALLOWED_COLUMNS, slow_query_log, write_snapshot
from superbiz_cli.demo.story import POOL_SIZE, Story, tell

SKILL = "diagnose-mysql-connection-pool"


@dataclass(frozen=True, slots=True)
class DemoLogSource:
    """One log source as the configuration would name it. `service` is None where the lines name it."""

    name: str
    topic: str
    kind: str
    path: Path
    service: str | None = None


@dataclass(frozen=True, slots=True)
class DemoIncident:
    """The incident on disk. `since` and `until` are aware; `decisive_log` is the file that proves it."""

    folder: Path
    question: str
    question_zh: str
    since: datetime
    until: datetime
    log_sources: tuple[DemoLogSource, ...]
    decisive_log: Path
    database: Path
    allowed_columns: Mapping[str, tuple[str, ...]]
    ground_truth: Path


def create_incident(folder: Path, *, now: datetime) -> DemoIncident:
    """Write the incident as it looks at `now` into `folder`, replacing an earlier one.

    Raises ValueError if `now` is naive, OSError if the folder cannot be written.
    """
    if now.tzinfo is None:
        raise ValueError("now must be aware")
    story = tell(now.replace(microsecond=0))
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    payment = logs / "payment-service.log"
    order = logs / "order-service.jsonl"
    gateway = logs / "channel-gateway.log"
    slow = folder / "mysql-slow.log"
    _write(payment, "\n".join(payment_service(story)) + "\n", story)
    _write(order, "\n".join(order_service(story)) + "\n", story)
    _write(gateway, "\n".join(channel_gateway(story)) + "\n", story)
    _write(slow, slow_query_log(story), story)
    database = folder / "shop.sqlite"
    write_snapshot(database, story)
    truth = folder / "ground-truth.json"
    truth.write_text(json.dumps(_truth(story, payment), indent=2) + "\n", encoding="utf-8")
    since = story.began.strftime("%H:%M")
    return DemoIncident(
        folder=folder,
        question=f"payment service times out since {since}",
        question_zh=f"支付服务从 {since} 开始超时",
        since=story.began,
        until=story.now,
        log_sources=(
            DemoLogSource("payment-service", "APPLICATION", "files", payment, service="payment-service"),
            DemoLogSource("order-service", "APPLICATION", "files", order),
            DemoLogSource("channel-gateway", "APPLICATION", "files", gateway),
            DemoLogSource("mysql-slow", "DATABASE_SLOW_QUERY", "mysql_slow_log", slow),
        ),
        decisive_log=payment,
        database=database,
        allowed_columns=ALLOWED_COLUMNS,
        ground_truth=truth,
    )


def _write(path: Path, text: str, story: Story) -> None:
    """Write a log that was last written to when the story ends, whatever the clock says."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (story.now.timestamp(), story.now.timestamp()))


def _truth(story: Story, decisive_log: Path) -> dict[str, object]:
    refusals = sum(1 for _ in story.moments(5, since=story.exhausted_from, until=story.now, seed=3))
    return {
        "cause": (
            "The connection pool of payment-service is exhausted by a back-office search over payments.memo, "
            "which has no index: every run reads the whole table and keeps its connection for half a minute."
        ),
        "began": story.began.isoformat(),
        "exhausted_from": story.exhausted_from.isoformat(),
        "until": story.now.isoformat(),
        "decisive_log": decisive_log.name,
        "signals": {
            "refused_connections": refusals,
            "pool_size": POOL_SIZE,
            "slow_statements": len(story.statements),
            "slowest_s": max(one.seconds for one in story.statements),
        },
        "background": ["callback rejected: signature mismatch", "settlement batch not ready"],
        "skill": SKILL,
        "expected": {
            "all_files": {"release_outcome": "SUCCESS", "min_cited_log_facts": 3},
            "without_decisive_log": {
                "release_outcome": "FALLBACK",
                "fallback_type": "INSUFFICIENT_EVIDENCE",
            },
        },
        "minutes": int((story.now - story.began) / timedelta(minutes=1)),
    }
