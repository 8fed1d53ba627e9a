"""Steps that may be repeated.

MySQL commits every DDL statement by itself, so a killed migration leaves its first half behind and
must be able to go on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from alembic import op

from superbiz_cli.adapters.sql_audit.column_types import SERVER_TABLE


def create_table(
    name: str,
    *columns: sa.schema.SchemaItem,
    indexes: Mapping[str, Sequence[str]] | None = None,
    sqlite_autoincrement: bool = False,
) -> None:
    """Create what is missing of a table and its indexes."""
    op.create_table(
        name, *columns, if_not_exists=True, sqlite_autoincrement=sqlite_autoincrement, **SERVER_TABLE
    )
    present = {index["name"] for index in sa.inspect(op.get_bind()).get_indexes(name)}
    for index_name, column_names in (indexes or {}).items():
        if index_name not in present:
            op.create_index(index_name, name, list(column_names))
