"""Alembic's entry: runs the migrations on the connection that `migrate` hands over."""

from __future__ import annotations

from alembic import context

from superbiz_cli.adapters.sql_audit.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    target_metadata=metadata,
)
with context.begin_transaction():
    context.run_migrations()
