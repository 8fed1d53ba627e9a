"""Layer 7: values."""

from __future__ import annotations

import math

import pytest

from tests.support.sql_shop import limited, plan, refusal

BY_ID = "SELECT id FROM tickets WHERE id = ?"


@pytest.mark.parametrize(
    "value", ["", "x' OR '1'='1", "用户%s?`:p0", 0, -(2**63), 2**64 - 1, 1.5, -0.0, True, None]
)
def test_plain_values_are_kept_as_they_are(value: object) -> None:
    (kept,) = plan(BY_ID, value).parameters

    assert kept is value or kept == value


@pytest.mark.parametrize(
    "value",
    [
        [1],
        (1, 2),
        {"a": 1},
        b"x",
        math.nan,
        math.inf,
        -math.inf,
        2**64,
        -(2**63) - 1,
        "\ud800",
        "x" * 4_097,
        object(),
    ],
)
def test_other_values_are_refused(value: object) -> None:
    assert refusal(BY_ID, value) == "parameter_type"


@pytest.mark.parametrize("values", [(), (1, 2)])
def test_there_are_as_many_values_as_placeholders(values: tuple[int, ...]) -> None:
    assert refusal(BY_ID, *values) == "parameter_count"


def test_the_number_of_values_is_limited() -> None:
    def listed(count: int) -> str:
        return f"SELECT id FROM tickets WHERE id IN ({', '.join(['?'] * count)})"

    assert plan(listed(100), *range(100)).canonical
    assert refusal(listed(101), *range(101)) == "parameter_count"


@pytest.mark.parametrize(("wanted", "asked"), [(None, 6), (1, 1), (5, 5), (6, 6), (7, 6), (10**9, 6)])
def test_at_most_one_row_more_than_may_be_shown_is_asked_for(wanted: int | None, asked: int) -> None:
    source = limited(max_rows=5)

    plain, with_limit = "SELECT id FROM tickets", "SELECT id FROM tickets LIMIT ?"
    made = plan(plain, source=source) if wanted is None else plan(with_limit, wanted, source=source)

    assert made.row_limit == asked


@pytest.mark.parametrize("value", [0, -1, 1.0, 1.5, "5", True, None])
def test_limit_is_a_positive_integer(value: object) -> None:
    assert refusal("SELECT id FROM tickets LIMIT ?", value) == "limit_not_allowed"
