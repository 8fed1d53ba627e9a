"""Layer 1: characters and sizes."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.tool.mysql.contract import QueryRefused
from superbiz_cli.harness.tool.mysql.text import MAX_NESTING, MAX_SQL_BYTES, check_text
from tests.support.sql_shop import plan, refusal


def category(sql: str) -> str:
    with pytest.raises(QueryRefused) as caught:
        check_text(sql)
    return caught.value.category.value


@pytest.mark.parametrize(
    "mark", ["-- x", "--", "--\u00a0x", "/* x */", "/*! x */", "/*M! x */", "/*+ x */", "# x", "*/"]
)
def test_every_kind_of_comment_is_refused(mark: str) -> None:
    assert category(f"SELECT id FROM tickets {mark}") == "comment_not_allowed"


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_are_refused_as_literals(quote: str) -> None:
    assert category(f"SELECT id FROM tickets WHERE state = {quote}NEW{quote}") == "literal_not_allowed"


def test_variables_are_refused() -> None:
    assert category("SELECT @@version FROM tickets") == "variable_not_allowed"


@pytest.mark.parametrize("char", list("{}[]:$^&|~\\\x00\x0b\x0c\x7f\u3000\uff49\u0456\u212a\ud800"))
def test_any_other_character_is_refused(char: str) -> None:
    assert category(f"SELECT id{char} FROM tickets") == "character_not_allowed"


@pytest.mark.parametrize("sql", ["", " ", "\n\t\r "])
def test_an_empty_text_is_no_select(sql: str) -> None:
    assert category(sql) == "not_a_select"


def test_the_size_is_counted_in_bytes_and_its_limit_is_inclusive() -> None:
    query = "SELECT id FROM tickets"
    assert plan(query.ljust(MAX_SQL_BYTES)).canonical
    assert refusal(query.ljust(MAX_SQL_BYTES + 1)) == "too_long"


def test_nesting_is_limited_and_its_limit_is_inclusive() -> None:
    def nested(depth: int) -> str:
        return f"SELECT id FROM tickets WHERE {'(' * depth}id = ?{')' * depth}"

    assert plan(nested(MAX_NESTING), 1).canonical
    assert refusal(nested(MAX_NESTING + 1), 1) == "too_deep"


@pytest.mark.parametrize(
    "sql", ["SELECT (id FROM tickets", "SELECT id) FROM tickets", "SELECT )id( FROM tickets"]
)
def test_unbalanced_parentheses_are_refused(sql: str) -> None:
    assert category(sql) == "syntax"
