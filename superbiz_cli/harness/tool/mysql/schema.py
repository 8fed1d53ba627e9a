"""An allow-list to start from: what the schema holds, for a person to prune."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from superbiz_cli.harness.tool.mysql.sensitive import is_sensitive_name

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column as information_schema tells it."""

    schema: str
    table: str
    column: str
    type: str


def schema_skeleton(columns: Sequence[SchemaColumn]) -> str:
    """Return the `allowed` tables of a data source as TOML, for the configuration file.

    Columns whose names say that they hold a secret are left out, each named in a comment.
    """
    return "\n".join(_lines(columns)) + "\n"


def column_types(columns: Sequence[SchemaColumn]) -> dict[str, str]:
    """Return the types by "schema.table.column", for `DataSource.types`."""
    return {f"{item.schema}.{item.table}.{item.column}": item.type for item in columns}


def _lines(columns: Sequence[SchemaColumn]) -> Iterator[str]:
    yield "# Prune this to what a diagnosis needs; a column that is not listed does not exist for the model."
    for schema, in_schema in groupby(columns, key=lambda item: item.schema):
        yield f"[mysql.data_sources.allowed.{_key(schema)}]"
        for table, items in groupby(in_schema, key=lambda item: item.table):
            names = [item.column for item in items]
            shown = [name for name in names if not is_sensitive_name(name)]
            hidden = [name for name in names if is_sensitive_name(name)]
            if hidden:
                yield f"# {_comment(table)}: left out {', '.join(_comment(name) for name in hidden)}"
            yield f"{_key(table)} = [{', '.join(json.dumps(name, ensure_ascii=False) for name in shown)}]"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _comment(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in name)
