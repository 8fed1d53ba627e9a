"""From configured databases to those of query_mysql: allow-lists, limits, executors, types."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryLimits
from superbiz_cli.harness.tool.mysql.schema import SchemaColumn, column_types
from superbiz_cli.harness.tool.port import EvidenceTool, ToolExecutionFailed
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.settings import MysqlDataSource, Settings

if TYPE_CHECKING:
    from superbiz_cli.adapters.mysql_source import MysqlSource
    from superbiz_cli.adapters.sqlite_source import SqliteSource

TYPES_WAIT_S = 1.5
MIN_WAIT_S = 0.1


def mysql_tool(
    settings: Settings, redactor: Redactor, *, asks_types: bool = True
) -> EvidenceTool[Any] | None:
    """Return query_mysql over the configured data sources, None without any.

    With `asks_types` the types of columns are asked for, for the sake of a model that reads the
    description; a server that does not answer soon is described without them. Raises SuperbizError
    for a missing credential or a wrong address.
    """
    if not settings.mysql.data_sources:
        return None
    from superbiz_cli.harness.tool.mysql.tool import ConnectedSource, MysqlTool

    give_up_at = time.monotonic() + TYPES_WAIT_S
    connected = []
    for entry in settings.mysql.data_sources:
        executor = open_executor(entry)
        left_s = give_up_at - time.monotonic()
        source = data_source(entry)
        if asks_types:
            source = with_types(source, executor, timeout_s=left_s)
        connected.append(ConnectedSource(source, executor))
    return MysqlTool(connected, redactor=redactor)


def find_entry(settings: Settings, name: str) -> MysqlDataSource:
    """Return the configured data source `name`. Raises SuperbizError (NOT_FOUND)."""
    entries = {entry.id: entry for entry in settings.mysql.data_sources}
    if name in entries:
        return entries[name]
    known = ", ".join(entries) or "none; add [[mysql.data_sources]] to the configuration"
    raise SuperbizError(ErrorCode.NOT_FOUND, f"there is no data source '{name}'", hint=f"configured: {known}")


def data_source(entry: MysqlDataSource) -> DataSource:
    """Return what may be read of a configured data source; needs neither address nor credential."""
    return DataSource(
        id=entry.id,
        default_schema=entry.default_schema or _schema_of(entry),
        allowed=entry.allowed,
        limits=QueryLimits(
            max_rows=entry.limits.max_rows,
            max_cell_chars=entry.limits.max_cell_chars,
            max_bytes=entry.limits.max_bytes,
            timeout_s=entry.limits.timeout_s,
        ),
        description=entry.description or "",
    )


def open_executor(
    entry: MysqlDataSource, *, environ: Mapping[str, str] = os.environ
) -> MysqlSource | SqliteSource:
    """Return what runs the queries of a configured data source; nothing is connected yet.

    Raises SuperbizError for a missing credential or an address that cannot be read.
    """
    from superbiz_cli.adapters.mysql_address import AddressError

    url = entry.url
    if entry.url_env is not None:
        url = _required(entry.url_env, f"{entry.id}: url_env", environ)
    password = None
    if entry.password_env is not None:
        password = _required(entry.password_env, f"{entry.id}: password_env", environ)
    try:
        return _opened(entry, url=url, password=password)
    except AddressError as error:
        raise SuperbizError(
            ErrorCode.CONFIG_INVALID,
            f"mysql.data_sources {entry.id}: {error}",
            hint="mend the entry, or the variable that url_env names",
        ) from error


def _opened(entry: MysqlDataSource, *, url: str | None, password: str | None) -> MysqlSource | SqliteSource:
    from superbiz_cli.adapters.mysql_address import DEFAULT_PORT, MysqlAddress, TlsMode
    from superbiz_cli.adapters.sql_sources import open_address, open_source

    if url is not None:
        return open_source(url, password=password)
    return open_address(
        MysqlAddress(
            host=entry.host or "",
            user=entry.user or "",
            port=entry.port or DEFAULT_PORT,
            password=password or "",
            tls=TlsMode(entry.tls or TlsMode.PREFERRED),
            ca_file=entry.ca_file,
        )
    )


def source_columns(
    source: DataSource, executor: MysqlSource | SqliteSource, *, timeout_s: float = 3.0
) -> tuple[SchemaColumn, ...]:
    """Return the columns of the schemas that the source names. Raises ToolExecutionFailed.

    A SQLite file has no schema name of its own; the source's takes its place.
    """
    from superbiz_cli.adapters.sqlite_source import SqliteSource

    if isinstance(executor, SqliteSource):
        return tuple(replace(item, schema=source.default_schema) for item in executor.schema_columns())
    schemas = list(dict.fromkeys([source.default_schema, *source.allowed]))
    return tuple(
        column
        for schema in schemas
        if schema
        for column in executor.schema_columns(schema, timeout_s=timeout_s)
    )


def with_types(source: DataSource, executor: MysqlSource | SqliteSource, *, timeout_s: float) -> DataSource:
    """Return `source` with the types of its columns, or unchanged if the server does not tell them."""
    if timeout_s < MIN_WAIT_S:
        return source
    columns: Sequence[SchemaColumn] = ()
    with suppress(ToolExecutionFailed):
        columns = source_columns(source, executor, timeout_s=timeout_s)
    return replace(source, types=column_types(columns)) if columns else source


def _schema_of(entry: MysqlDataSource) -> str:
    """Return the schema that bare table names mean: that of the address, else the only one allowed."""
    address = entry.url or ""
    if address and not address.startswith("sqlite:"):
        with suppress(ValueError):
            named = urlsplit(address).path.strip("/")
            if named:
                return named
    if len(entry.allowed) == 1:
        return next(iter(entry.allowed))
    return "main" if address.startswith("sqlite:") else ""


def _required(name: str, key: str, environ: Mapping[str, str]) -> str:
    value = environ.get(name)
    if not value:
        raise SuperbizError(
            ErrorCode.CREDENTIAL_MISSING,
            f"The environment variable {name}, named by mysql.data_sources {key}, is not set.",
            hint=f"export {name}=...",
        )
    return value
