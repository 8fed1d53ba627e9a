"""The raw response of query_mysql: what the server returned, as JSON for the canonical record."""

from __future__ import annotations

from pydantic import ValidationError

from superbiz_cli.harness.contract.strict import StrictModel, canonical_json
from superbiz_cli.harness.tool.mysql.contract import QueryPlan, RawTable
from superbiz_cli.harness.tool.port import ProjectionFailed


class RawColumn(StrictModel):
    """A column of the raw table; see `contract.ResultColumn`."""

    name: str
    source: str
    redacted: bool


class RawResponse(StrictModel):
    """Rows as they came, bounded by the executor, with nothing hidden yet."""

    columns: tuple[RawColumn, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    truncated: bool


def raw_response(plan: QueryPlan, table: RawTable) -> str:
    """Return the canonical JSON of a result."""
    columns = [
        {"name": column.name, "source": column.source, "redacted": column.redacted} for column in plan.columns
    ]
    return canonical_json({"columns": columns, "rows": table.rows, "truncated": table.truncated})


def read_raw_response(text: str) -> RawResponse:
    """Read a raw response again. Raises ProjectionFailed if it is not one."""
    try:
        response = RawResponse.model_validate_json(text)
    except ValidationError as error:
        raise ProjectionFailed("not a raw table") from error
    if any(len(row) != len(response.columns) for row in response.rows):
        raise ProjectionFailed("a row does not fit its columns")
    return response
