"""The projector of query_mysql: rows as the model may see them, and reading that again, strictly.

Cells of sensitive columns are hidden whatever they hold, NULL included; other texts lose credentials
and invisible characters; numbers, booleans and NULL keep their type. Rows are dropped from the end
until the result fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import ValidationError

from superbiz_cli.harness.contract.evidence import ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import (
    JsonValue,
    StrictJsonError,
    StrictModel,
    canonical_json,
    parse_strict_object,
)
from superbiz_cli.harness.contract.tool_call import ControlView
from superbiz_cli.harness.tool.bounds import clip, most_that_fit, text_bytes
from superbiz_cli.harness.tool.mysql.contract import CellValue, MysqlRequest, QueryLimits
from superbiz_cli.harness.tool.mysql.raw import RawColumn, RawResponse, read_raw_response
from superbiz_cli.harness.tool.port import Projection, ProjectionFailed
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.harness.tool.sanitize import sanitize

REDACTED = "[REDACTED]"
MAX_RESULT_BYTES = 65_536
MAX_SOURCE_CHARS = 160
MAX_SHORT_CHARS = 320

_TABLE = re.compile(r"(?:FROM|JOIN) ((?:`\w+`\.)?`\w+`)")


class _Scope(StrictModel):
    data_source: str
    sql: str


class _Column(StrictModel):
    name: str
    source: str


class _Result(StrictModel):
    tool_call_id: str
    scope: _Scope
    evidence_status: str
    returned_count: int
    columns: tuple[_Column, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    truncated: bool


def project_rows(request: MysqlRequest, raw: str, *, tool_call_id: str, redactor: Redactor) -> Projection:
    """Return the agent result of a raw response. Raises ProjectionFailed."""
    response = read_raw_response(raw)
    limits = request.plan.source.limits
    rows = [_visible_row(row, response.columns, limits, redactor) for row in response.rows[: limits.max_rows]]
    kept = most_that_fit(
        len(rows),
        lambda count: (
            text_bytes(_agent_result(request, response, rows[:count], tool_call_id)) <= _room(limits)
        ),
    )
    if kept is None:
        raise ProjectionFailed("the result does not fit even without rows")
    status = EvidenceStatus.EVIDENCE_FOUND if kept else EvidenceStatus.NO_EVIDENCE
    return Projection(_agent_result(request, response, rows[:kept], tool_call_id), status)


def _room(limits: QueryLimits) -> int:
    return min(MAX_RESULT_BYTES, limits.max_bytes)


def _visible_row(
    row: Sequence[CellValue], columns: Sequence[RawColumn], limits: QueryLimits, redactor: Redactor
) -> list[JsonValue]:
    return [
        REDACTED if column.redacted else _visible(cell, limits, redactor)
        for cell, column in zip(row, columns, strict=True)
    ]


def _visible(cell: CellValue, limits: QueryLimits, redactor: Redactor) -> JsonValue:
    return clip(redactor.redact(sanitize(cell)), limits.max_cell_chars) if isinstance(cell, str) else cell


def _agent_result(
    request: MysqlRequest, response: RawResponse, rows: Sequence[list[JsonValue]], tool_call_id: str
) -> str:
    status = EvidenceStatus.EVIDENCE_FOUND if rows else EvidenceStatus.NO_EVIDENCE
    return canonical_json(
        {
            "tool_call_id": tool_call_id,
            "scope": {"data_source": request.data_source, "sql": request.plan.canonical},
            "evidence_status": status.value,
            "returned_count": len(rows),
            "columns": [{"name": column.name, "source": column.source} for column in response.columns],
            "rows": list(rows),
            "truncated": response.truncated or len(rows) < len(response.rows),
        }
    )


def read_rows(agent_result: str, *, tool_call_id: str) -> ReadResult:
    """Return the result in words and its control view. Raises ProjectionFailed if anything disagrees."""
    try:
        payload = parse_strict_object(agent_result, max_bytes=MAX_RESULT_BYTES)
        result = _Result.model_validate_json(agent_result)
    except (StrictJsonError, ValidationError) as error:
        raise ProjectionFailed("not a result of query_mysql") from error
    _check(result, tool_call_id)
    if canonical_json(payload) != agent_result:
        raise ProjectionFailed("not in canonical form")
    return ReadResult(
        tool_call_id=tool_call_id,
        source=clip(_source_in_words(result.scope), MAX_SOURCE_CHARS),
        scope=clip(readable_sql(result.scope.sql), MAX_SHORT_CHARS),
        summary=clip(_summary(result), MAX_SHORT_CHARS),
        excerpt=clip(_row_in_words(result.columns, result.rows[0]), MAX_SHORT_CHARS) if result.rows else "",
        control=ControlView(
            evidence_status=EvidenceStatus(result.evidence_status),
            returned_count=result.returned_count,
            truncated=result.truncated,
        ),
        payload=payload,
        quotable=tuple(clip(_row_in_words(result.columns, row), MAX_SHORT_CHARS) for row in result.rows),
    )


def readable_sql(canonical: str) -> str:
    """Return a canonical query without its quotes, for a person."""
    return canonical.replace("`", "")


def _check(result: _Result, tool_call_id: str) -> None:
    expected = EvidenceStatus.EVIDENCE_FOUND if result.rows else EvidenceStatus.NO_EVIDENCE
    names = [column.name.lower() for column in result.columns]
    if (
        result.tool_call_id != tool_call_id
        or result.evidence_status != expected
        or result.returned_count != len(result.rows)
        or not names
        or len(set(names)) != len(names)
        or any(len(row) != len(names) for row in result.rows)
    ):
        raise ProjectionFailed("the fields of the result do not agree")


def _source_in_words(scope: _Scope) -> str:
    tables = dict.fromkeys(readable_sql(table) for table in _TABLE.findall(scope.sql))
    return f"{scope.data_source}: {', '.join(tables)}"


def _summary(result: _Result) -> str:
    names = ", ".join(column.name for column in result.columns)
    if not result.rows:
        return f"no row ({names})"
    count = f"{len(result.rows)} row{'s' if len(result.rows) > 1 else ''}"
    more = ", more exist" if result.truncated else ""
    return f"{count}{more}: {'; '.join(_row_in_words(result.columns, row) for row in result.rows[:3])}"


def _row_in_words(columns: Sequence[_Column], row: Sequence[CellValue]) -> str:
    return ", ".join(
        f"{column.name}={_cell_in_words(cell)}" for column, cell in zip(columns, row, strict=True)
    )


def _cell_in_words(cell: CellValue) -> str:
    match cell:
        case None:
            return "NULL"
        case bool():
            return "true" if cell else "false"
        case _:
            return str(cell)
