"""Values of a driver become cells without loss, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from superbiz_cli.adapters import sql_rows
from superbiz_cli.adapters.sql_rows import cell_value, collect_rows
from superbiz_cli.harness.contract.tool_call import ToolErrorCode
from superbiz_cli.harness.tool.mysql.contract import QueryLimits
from superbiz_cli.harness.tool.port import ToolExecutionFailed


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**70, 2**70),
        ("用户", "用户"),
        (1.5, 1.5),
        (float("inf"), "inf"),
        (Decimal("12"), 12),
        (Decimal("12.00"), 12),
        (Decimal("12.50"), 12.5),
        (Decimal("0.1"), 0.1),
        (Decimal("123456789012345678.123"), "123456789012345678.123"),
        (Decimal("NaN"), "NaN"),
        (Decimal("1E+400"), 10**400),
        (Decimal("1E-400"), "1E-400"),
        (b"\x00\xff", "AP8="),
        (bytearray(b"a"), "YQ=="),
        (memoryview(b"a"), "YQ=="),
        (date(2026, 11, 30), "2026-11-30"),
        (timedelta(hours=30), "1 day, 6:00:00"),
    ],
)
def test_a_value_is_kept_without_loss(value: Any, cell: Any) -> None:
    kept = cell_value(value)

    assert kept == cell
    assert type(kept) is type(cell)


def test_rows_beyond_the_limit_only_tell_that_there_are_more() -> None:
    limits = QueryLimits(max_rows=2)

    assert collect_rows([(1,), (2,)], limits).truncated is False
    table = collect_rows([(1,), (2,), (3,)], limits)
    assert (table.rows, table.truncated) == (((1,), (2,)), True)


def test_long_cells_are_clipped() -> None:
    table = collect_rows([("abcdef", 1)], QueryLimits(max_cell_chars=4))

    assert (table.rows, table.truncated) == ((("abc…", 1),), True)


def test_after_the_first_row_that_does_not_fit_none_is_kept() -> None:
    table = collect_rows([("aaaa",), ("b" * 20,), ("c",)], QueryLimits(max_bytes=10))

    assert (table.rows, table.truncated) == ((("aaaa",),), True)


def test_every_row_is_read_because_warnings_come_last() -> None:
    read = []

    def rows() -> Iterator[tuple[int]]:
        for number in range(5):
            read.append(number)
            yield (number,)

    collect_rows(rows(), QueryLimits(max_rows=1))

    assert read == [0, 1, 2, 3, 4]


def test_too_much_to_drop_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_rows, "MAX_DRAINED_BYTES", 10)

    with pytest.raises(ToolExecutionFailed) as caught:
        collect_rows([("aaaa",)] * 3, QueryLimits(max_rows=1))

    assert (caught.value.category, caught.value.code) == ("result_too_large", ToolErrorCode.RESULT_TOO_LARGE)
