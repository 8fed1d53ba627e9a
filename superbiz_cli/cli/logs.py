"""`superbiz logs`: what query_logs finds, how files are understood, and which sources there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from superbiz_cli.cli.diagnose import AtOption, SinceOption, UntilOption
from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from superbiz_cli.cli.times import StatedWindow
    from superbiz_cli.settings import Settings


def search(
    ctx: typer.Context,
    terms: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TERMS]...", help="All must occur in an event.", show_default=False),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option("--topic", metavar="TOPIC", help="Topic of the sources; the first configured one."),
    ] = None,
    at: AtOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
) -> int:
    """Search the configured logs as a model's call does: counted, grouped and redacted.

    Terms are literal and ignore case; a phrase stands in double quotes inside the argument. Without
    --since the last 30 minutes of the window are searched. With --json the result is exactly what
    the model would see.

    Examples:
      superbiz logs search timeout --since 10:00
      superbiz logs search '"connection pool" exhausted' --at 2026-11-30T10:15+08:00 --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()
    settings = loaded.settings
    stated = _window(settings, at, since, until)

    from superbiz_cli.bootstrap.one_call import call_tool
    from superbiz_cli.bootstrap.registered_secrets import redactor_for
    from superbiz_cli.bootstrap.tools import log_tool
    from superbiz_cli.cli.streams import json_text

    payload = {"topic": topic or _first_topic(settings), "query": " ".join(terms or ())}
    tool = log_tool(settings, redactor_for(settings))
    result = call_tool(tool, payload, incident=stated.window, settings=settings)
    if invocation.format in (Format.JSON, Format.NDJSON):
        indent = None if invocation.format is Format.NDJSON else 2
        invocation.streams.result(json_text(dict(result), indent=indent))
    else:
        invocation.streams.result(_text(result, invocation))
    return ExitCode.SUCCESS


def inspect(
    ctx: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="Files, folders or globs.", show_default=False),
    ],
    at: AtOption = None,
) -> int:
    """Tell how log files are understood: events, times, levels, shapes and what was skipped.

    The files need not be configured. Dates without a year are read as of --at, or of the file's own
    time. Ends with 4 if no file could be read.

    Examples:
      superbiz logs inspect /var/log/app.log
      superbiz logs inspect logs/ --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()
    moment = _moment(loaded.settings, at)

    from superbiz_cli.bootstrap.log_reports import inspect_files
    from superbiz_cli.cli.rows import Listing, write_listing

    records = inspect_files(paths, loaded.settings, at=moment)
    cells = [_report_cells(record) for record in records]
    header = ("FILE", "EVENTS", "FIRST", "LAST", "SKIPPED", "UNDERSTOOD AS")
    write_listing(Listing(header, cells, records, nothing="no file was found"), invocation)
    is_read = not records or any("problem" not in record for record in records)
    return ExitCode.SUCCESS if is_read else ExitCode.UNAVAILABLE


def sources(ctx: typer.Context) -> int:
    """List the configured log sources, with their newest event and how it was understood.

    Only beginnings and ends of files are read; a remote source is asked for its last day.

    Examples:
      superbiz logs sources
      superbiz logs sources --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.bootstrap.log_reports import source_reports
    from superbiz_cli.cli.rows import Listing, write_listing

    reports = source_reports(loaded.settings)
    cells = [
        (
            report.name,
            report.topic,
            report.kind,
            ", ".join(report.places),
            str(report.files),
            "-" if report.newest is None else report.newest.isoformat(" ", "seconds"),
            "; ".join(report.problems[:1]) or ", ".join(report.shapes) or "-",
        )
        for report in reports
    ]
    header = ("NAME", "TOPIC", "KIND", "WHERE", "FILES", "NEWEST", "UNDERSTOOD AS")
    records = [report.as_json() for report in reports]
    nothing = "no source is configured; add [[logs.sources]]"
    write_listing(Listing(header, cells, records, nothing=nothing), invocation)
    return ExitCode.SUCCESS


def _window(settings: Settings, at: str | None, since: str | None, until: str | None) -> StatedWindow:
    from datetime import UTC, datetime

    from superbiz_cli.cli.times import stated_window

    return stated_window(
        query="",
        at=at,
        since=since,
        until=until,
        now=datetime.now(UTC),
        zone_name=settings.ui.zone_name,
    )


def _moment(settings: Settings, at: str | None) -> datetime | None:
    return None if at is None else _window(settings, at, None, None).window.until


def _first_topic(settings: Settings) -> str:
    if not settings.logs.sources:
        raise SuperbizError(
            ErrorCode.NOT_FOUND,
            "no log source is configured",
            hint="add [[logs.sources]] to the configuration; superbiz config init writes an example",
        )
    return settings.logs.sources[0].topic


def _report_cells(record: Mapping[str, Any]) -> tuple[str, ...]:
    understood = record.get("problem") or ", ".join(record["shapes"]) or "-"
    return (
        record["file"],
        str(record["events"]),
        record["first_ts"] or "-",
        record["last_ts"] or "-",
        str(record["skipped"]),
        understood,
    )


def _text(result: Mapping[str, Any], invocation: Invocation) -> str:
    from superbiz_cli.cli.page import Page

    page = Page(invocation.streams.result_width)
    scope = result["scope"]
    count = f"{result['match_count']} matching events"
    page.line((count, "bold"), f"  {scope['topic']}  {scope['start']} to {scope['end']}", indent="")
    if result["patterns"]:
        page.heading("Patterns")
    for pattern in result["patterns"]:
        times = f"{pattern['first_seen']} to {pattern['last_seen']}"
        who = " ".join(word for word in (pattern["level"], pattern["service"]) if word)
        bound = ">=" if pattern.get("is_sampled") else ""
        page.item(f"{bound}{pattern['count']}x", f"{who}  {times}")
        page.paragraph(pattern["example"], indent="    ")
    if result["events"]:
        page.heading("Events")
    for event in result["events"]:
        head = " ".join(word for word in (event["timestamp"], event["level"], event["service"]) if word)
        page.item("·", f"{head}  {event['message']}")
    if result["limitations"]:
        page.heading("Limits")
    for limitation in result["limitations"]:
        page.item("·", limitation)
    return page.render(color=invocation.streams.result_in_color)
