"""Values as they stand in sentences."""

from __future__ import annotations

import pytest

from superbiz_cli.adapters.offline.phrases import readable_number


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("29.548559", "29.5"),
        ("2.548559", "2.55"),
        ("0.000412", "0.000412"),
        ("0.00041234", "0.000412"),
        ("0.000000", "0.000000"),
        ("1.234", "1.234"),  # may be a version
        ("3.9.1", "3.9.1"),
        ("4108233", "4108233"),  # may be an identifier
        ("20 of 20", "20 of 20"),
        ("", ""),
    ],
)
def test_a_long_decimal_is_cut_for_the_reader(value: str, written: str) -> None:
    assert readable_number(value) == written
