"""Cases as a team would keep them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from superbiz_cli.harness.contract.case import Case

CONFIRMED = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def a_case(case_id: str = "case-pool0001", **changes: Any) -> Case:
    """The exhausted pool of the payment service, with `changes`."""
    fields: dict[str, Any] = {
        "symptoms": (
            "payment service times out since 10:00",
            "HikariPool-1 - Connection is not available, request timed out after 30000ms",
        ),
        "root_cause": "The connection pool of payment-service is exhausted by slow statements.",
        "solution": "Kill the statements, add the index on payments.memo",
        "services": ("payment-service",),
        "documents": ("runbook-mysql-pool.md",),
        "run_id": "run0000001",
        "created_at": CONFIRMED,
    }
    return Case(case_id, **{**fields, **changes})


QUEUE = a_case(
    "case-queue001",
    symptoms=("Kafka 消费延迟，订单消息积压",),
    root_cause="A poison message stopped the consumer group of order-events.",
    solution="Skip the offset, fix the parser",
    services=("order-service",),
    documents=(),
    run_id=None,
)
DISK = a_case(
    "case-disk0001",
    symptoms=("database writes fail: no space left on device",),
    root_cause="Binary logs filled the data volume of the MySQL primary.",
    solution="Purge binary logs, set binlog_expire_logs_seconds",
    services=("mysql",),
    documents=(),
    run_id="run0000003",
)
