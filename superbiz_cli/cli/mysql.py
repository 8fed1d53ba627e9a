"""`superbiz mysql`: what query_mysql accepts and returns, and how little its account needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from superbiz_cli.cli.mysql_output import (
    plain,
    write_batch,
    write_columns,
    write_lines,
    write_rows,
    write_verdict,
)
from superbiz_cli.cli.options import Format, Invocation, contradiction
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.harness.contract.strict import JsonValue

SourceArgument = Annotated[
    str, typer.Argument(metavar="DATA_SOURCE", help="Id of a configured data source.", show_default=False)
]
ParamsOption = Annotated[
    str, typer.Option("--params", metavar="JSON", help="Values of the ? in the query, as a JSON array.")
]


def check(
    ctx: typer.Context,
    data_source: SourceArgument,
    sql: Annotated[str | None, typer.Argument(metavar="[SQL]", help="The query.", show_default=False)] = None,
    params: ParamsOption = "[]",
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE", help="Check every line {id, sql, params} of a JSONL file."),
    ] = None,
) -> int:
    """Tell whether a query would be accepted, and as what; nothing is connected.

    Ends with 1 if the one query is refused. With --batch there is one verdict a line, and 0.

    Examples:
      superbiz mysql check shop-ro "SELECT id FROM orders WHERE status = ?" --params '["PAID"]'
      superbiz mysql check shop-ro --batch queries.jsonl --json

    """
    invocation = Invocation.of(ctx)
    if batch is not None and sql is not None:
        raise contradiction("--batch", "SQL")
    if batch is None and sql is None:
        raise SuperbizError(ErrorCode.USAGE, "no query was given", hint="write one, or name a --batch file")
    values = read_params(params)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.data_sources import data_source as source_of
    from superbiz_cli.bootstrap.data_sources import find_entry
    from superbiz_cli.harness.tool.mysql.policy import check_query

    source = source_of(find_entry(loaded.settings, data_source))
    if batch is not None:
        write_batch(source, batch, invocation)
        return ExitCode.SUCCESS
    verdict = check_query(source, sql or "", values)
    write_verdict(verdict, invocation)
    return ExitCode.SUCCESS if verdict.accepted else ExitCode.FAILED


def query(
    ctx: typer.Context,
    data_source: SourceArgument,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="The query.", show_default=False)],
    params: ParamsOption = "[]",
) -> int:
    """Run one query as a model's call is run: checked, bounded and redacted.

    With --json the result is exactly what the model would see.

    Examples:
      superbiz mysql query shop-ro "SELECT status, COUNT(*) AS n FROM orders GROUP BY status"
      superbiz mysql query shop-ro "SELECT id FROM orders WHERE status = ?" --params '["PAID"]' --json

    """
    invocation = Invocation.of(ctx)
    values = read_params(params)
    loaded = invocation.load_settings()

    from datetime import UTC, datetime

    from superbiz_cli.bootstrap.data_sources import find_entry, mysql_tool
    from superbiz_cli.bootstrap.one_call import call_tool
    from superbiz_cli.bootstrap.registered_secrets import redactor_for
    from superbiz_cli.harness.contract.evidence import IncidentWindow
    from superbiz_cli.harness.tool.mysql.explain import explained
    from superbiz_cli.settings import MysqlSettings

    entry = find_entry(loaded.settings, data_source)
    only = loaded.settings.model_copy(update={"mysql": MysqlSettings(data_sources=(entry,))})
    tool = mysql_tool(only, redactor_for(only), asks_types=False)
    assert tool is not None
    incident = IncidentWindow(until=datetime.now(UTC), timezone=only.ui.zone_name)
    payload: dict[str, JsonValue] = {"data_source": data_source, "sql": sql, "params": values}
    result = call_tool(tool, payload, incident=incident, settings=only, explain=explained)
    write_rows(result, invocation)
    return ExitCode.SUCCESS


def grants(
    ctx: typer.Context,
    data_source: SourceArgument,
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="The account.")] = "superbiz_ro",
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="Where the account connects from.")
    ] = "%",
) -> int:
    """Print the grants of an account that can read the allowed columns and nothing else.

    Nothing is connected or changed: an administrator runs the statements.

    Examples:
      superbiz mysql grants shop-ro
      superbiz mysql grants shop-ro --user superbiz --host 10.0.0.5 | mysql -u root -p

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.data_sources import data_source as source_of
    from superbiz_cli.bootstrap.data_sources import find_entry
    from superbiz_cli.harness.tool.mysql.grants import allow_list_findings, grant_statements

    source = source_of(find_entry(loaded.settings, data_source))
    for finding in allow_list_findings(source):
        invocation.streams.note(f"note: {finding.text}")
    write_lines(list(grant_statements(source, user=user, host=host)), invocation, name="statement")
    return ExitCode.SUCCESS


def schema(ctx: typer.Context, data_source: SourceArgument) -> int:
    """Print an allow-list for the configuration, from what the account can see, to be pruned.

    Columns whose names say that they hold a secret are left out.

    Examples:
      superbiz mysql schema shop-ro >> superbiz.toml

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.data_sources import data_source as source_of
    from superbiz_cli.bootstrap.data_sources import find_entry, open_executor, source_columns
    from superbiz_cli.harness.tool.mysql.explain import explained
    from superbiz_cli.harness.tool.mysql.schema import schema_skeleton
    from superbiz_cli.harness.tool.port import ToolExecutionFailed

    entry = find_entry(loaded.settings, data_source)
    try:
        columns = source_columns(source_of(entry), open_executor(entry))
    except ToolExecutionFailed as failed:
        message, hint = explained(failed.category or "") or ("the database tells nothing", None)
        raise SuperbizError(ErrorCode.SOURCE_UNAVAILABLE, f"{data_source}: {message}", hint=hint) from failed
    if not columns:
        invocation.streams.note("note: the account sees no column there; superbiz doctor shows its rights")
    if invocation.format in (Format.JSON, Format.NDJSON):
        write_columns([(c.schema, c.table, c.column, c.type) for c in columns], invocation)
    else:
        invocation.streams.result(plain(schema_skeleton(columns)))
    return ExitCode.SUCCESS


def read_params(text: str) -> list[Any]:
    """Return the values of --params. Raises SuperbizError for what is no JSON array."""
    import json

    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list):
        raise SuperbizError(
            ErrorCode.USAGE, "--params is not a JSON array", hint="""write it like --params '["PAID", 3]'"""
        )
    return values
