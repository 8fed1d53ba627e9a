"""The shared SQL cases, read from wherever they are; every line of the folder counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryLimits
from tests.support.shared_data import shared_data, shared_lines

# The columns that redaction.jsonl adds to the allow-list, as its README says.
_SENSITIVE = {"users": ("password_hash", "api_token"), "orders": ("secret_coupon",)}


def sql_lines(file: str) -> list[dict[str, Any]]:
    return shared_lines("sql", file)


def sql_folder() -> Path:
    return shared_data("sql")


def given_source(*, schema: str | None = None, with_secrets: bool = False) -> DataSource:
    """The data source of datasource.json; `schema` renames its one schema for a scratch server."""
    value = json.loads((sql_folder() / "datasource.json").read_text("utf-8"))
    default = value["default_schema"]
    allowed = {
        (schema if name == default and schema else name): {
            table: (*columns, *(_SENSITIVE.get(table, ()) if with_secrets else ()))
            for table, columns in tables.items()
        }
        for name, tables in value["allowed"].items()
    }
    return DataSource(
        id=value["id"],
        default_schema=schema or default,
        allowed=allowed,
        limits=QueryLimits(**value["limits"]),
    )
