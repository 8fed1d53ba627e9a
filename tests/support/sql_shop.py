"""A small data source for the tests of query_mysql, and short ways to ask about a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryLimits, QueryPlan, QueryRefused
from superbiz_cli.harness.tool.mysql.policy import plan_query

ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "store": {
        "tickets": ("id", "owner_id", "state", "price", "opened_at", "offset"),
        "events": ("id", "ticket_id", "kind", "took_ms", "opened_at"),
        "people": ("id", "name", "rank"),
    },
    "ledger": {"entries": ("id", "ticket_id", "total")},
}
SOURCE = DataSource(id="store-ro", default_schema="store", allowed=ALLOWED)
SECRETS = DataSource(
    id="store-all",
    default_schema="store",
    allowed={"store": {"people": ("id", "name", "rank", "password_hash", "apiToken", "API_KEY")}},
)


def limited(**limits: int | float) -> DataSource:
    return replace(SOURCE, limits=QueryLimits(**limits))  # type: ignore[arg-type]


def plan(sql: str, *parameters: object, source: DataSource = SOURCE) -> QueryPlan:
    return plan_query(source, sql, parameters)


def canonical(sql: str, *parameters: object, source: DataSource = SOURCE) -> str:
    return plan(sql, *parameters, source=source).canonical.replace("`", "")


def refusal(sql: str, *parameters: object, source: DataSource = SOURCE) -> str:
    with pytest.raises(QueryRefused) as caught:
        plan_query(source, sql, parameters)
    assert str(caught.value) == caught.value.category.value
    return caught.value.category.value


def refusals(queries: Sequence[str], *, source: DataSource = SOURCE) -> set[str]:
    return {refusal(sql, *([1] * sql.count("?")), source=source) for sql in queries}
