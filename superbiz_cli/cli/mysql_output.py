"""How `superbiz mysql` writes verdicts, rows, grants and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from superbiz_cli.harness.tool.mysql.contract import DataSource
    from superbiz_cli.harness.tool.mysql.policy import QueryVerdict


def write_batch(source: DataSource, file: str, invocation: Invocation) -> None:
    """Write one verdict a line for the lines of a file, or of stdin for "-". Raises SuperbizError."""
    from superbiz_cli.cli.streams import json_text

    for record in _batch_records(source, file):
        if invocation.format in (Format.JSON, Format.NDJSON):
            invocation.streams.result(json_text(record, indent=None))
        else:
            outcome = record["canonical"] if record["accepted"] else record["category"]
            word = "accepted" if record["accepted"] else "refused"
            invocation.streams.result(plain(f"{record['id']}  {word}  {outcome}\n"))


def _batch_records(source: DataSource, file: str) -> Iterator[dict[str, Any]]:
    import sys
    from contextlib import nullcontext
    from pathlib import Path

    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as lines:
            for line in lines:
                if line.strip():
                    yield _batch_record(source, line)
    except OSError:
        raise SuperbizError(
            ErrorCode.NOT_FOUND, f"{file} cannot be read", hint="name a file of JSON lines, or - for stdin"
        ) from None


def _batch_record(source: DataSource, line: bytes) -> dict[str, Any]:
    """Return the verdict on one line; a line that is no request has a refusal of its own."""
    import json

    from superbiz_cli.harness.tool.mysql.contract import Refusal
    from superbiz_cli.harness.tool.mysql.policy import QueryVerdict, check_query

    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        item = None
    asked = item if isinstance(item, dict) else {}
    sql, params = asked.get("sql"), asked.get("params", [])
    if isinstance(sql, str) and isinstance(params, list):
        verdict = check_query(source, sql, params)
    else:
        verdict = QueryVerdict(accepted=False, category=Refusal.INVALID_ARGUMENTS)
    return {"id": asked.get("id"), **_record(verdict)}


def _record(verdict: QueryVerdict) -> dict[str, Any]:
    category = verdict.category.value if verdict.category else None
    return {"accepted": verdict.accepted, "category": category, "canonical": verdict.canonical}


def write_verdict(verdict: QueryVerdict, invocation: Invocation) -> None:
    """Write the verdict on one query; a refusal is explained to people on stderr."""
    from superbiz_cli.cli.streams import json_text

    if invocation.format in (Format.JSON, Format.NDJSON):
        indent = None if invocation.format is Format.NDJSON else 2
        invocation.streams.result(json_text(_record(verdict), indent=indent))
    elif verdict.accepted:
        invocation.streams.result(plain(f"accepted  {verdict.canonical}\n"))
    else:
        from superbiz_cli.harness.tool.mysql.explain import REFUSAL_MEANING

        assert verdict.category is not None
        invocation.streams.result(f"refused  {verdict.category}\n")
        invocation.streams.note(f"note: {REFUSAL_MEANING[verdict.category]}")


def write_rows(result: Mapping[str, Any], invocation: Invocation) -> None:
    """Write a result: exactly what the model would see as JSON, a table of its rows otherwise."""
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.cli.streams import json_text

    if invocation.format is Format.JSON:
        invocation.streams.result(json_text(dict(result)))
        return
    names = tuple(str(column["name"]) for column in result["columns"])
    cells = [tuple(_cell(value) for value in row) for row in result["rows"]]
    records = [dict(zip(names, row, strict=True)) for row in result["rows"]]
    write_listing(Listing(names, cells, records, nothing="no row"), invocation)
    if result["truncated"]:
        invocation.streams.note(f"note: only the first {len(cells)} rows; there are more")


def _cell(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def write_lines(lines: list[str], invocation: Invocation, *, name: str) -> None:
    """Write lines of text; `name` is what a record calls one."""
    from superbiz_cli.cli.rows import Listing, write_listing

    if invocation.format is Format.TEXT:
        invocation.streams.result(plain("".join(f"{line}\n" for line in lines)))
        return
    cells = [(line,) for line in lines]
    write_listing(Listing((name,), cells, [{name: line} for line in lines]), invocation)


def write_columns(columns: list[tuple[str, str, str, str]], invocation: Invocation) -> None:
    """Write (schema, table, column, type) of each column."""
    from superbiz_cli.cli.rows import Listing, write_listing

    header = ("schema", "table", "column", "type")
    records = [dict(zip(header, column, strict=True)) for column in columns]
    write_listing(Listing(header, columns, records), invocation)


def plain(text: str) -> str:
    """Return text from outside without terminal control, line by line."""
    from superbiz_cli.harness.tool.sanitize import sanitize

    return "".join(f"{sanitize(line)}\n" for line in text.splitlines())
