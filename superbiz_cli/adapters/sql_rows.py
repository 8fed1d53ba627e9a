"""From the rows of a driver to the cells of a raw table: lossless values, bounded while reading."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from superbiz_cli.harness.contract.tool_call import ToolErrorCode
from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.mysql.contract import CellValue, ExecutionFault, QueryLimits, RawTable
from superbiz_cli.harness.tool.port import ToolExecutionFailed

MAX_DRAINED_BYTES = 16_777_216


def collect_rows(rows: Iterable[Sequence[Any]], limits: QueryLimits) -> RawTable:
    """Read `rows` to their end and keep what fits: rows, characters a cell, bytes in all.

    The rest is read and dropped, because a server tells its warnings only after the last row; LIMIT
    keeps that short. Raises ToolExecutionFailed(RESULT_TOO_LARGE) when there is too much to drop.
    """
    kept: list[tuple[CellValue, ...]] = []
    kept_bytes = drained_bytes = 0
    truncated = is_full = False
    for row in rows:
        cells = tuple(cell_value(value) for value in row)
        shown = tuple(_clipped(cell, limits.max_cell_chars) for cell in cells)
        size = sum(_size(cell) for cell in shown)
        drained_bytes += sum(_size(cell) for cell in cells)
        if drained_bytes > MAX_DRAINED_BYTES:
            raise ToolExecutionFailed(ExecutionFault.TOO_LARGE.value, code=ToolErrorCode.RESULT_TOO_LARGE)
        is_full = is_full or len(kept) >= limits.max_rows or kept_bytes + size > limits.max_bytes
        truncated = truncated or is_full or shown != cells
        if not is_full:
            kept.append(shown)
            kept_bytes += size
    return RawTable(tuple(kept), truncated)


def cell_value(value: Any) -> CellValue:
    """Return the JSON value of a driver's value, without losing anything.

    Decimals become integers or floats where those are exact, else texts; bytes become base64;
    whatever JSON has no type for becomes text.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return _decimal(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode("ascii")
        case _:
            return str(value)


def _decimal(value: Decimal) -> CellValue:
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    as_float = float(value)
    return as_float if math.isfinite(as_float) and Decimal(repr(as_float)) == value else str(value)


def _clipped(cell: CellValue, max_chars: int) -> CellValue:
    return clip(cell, max_chars) if isinstance(cell, str) else cell


def _size(cell: CellValue) -> int:
    return len(cell.encode("utf-8", "surrogatepass")) if isinstance(cell, str) else 8
