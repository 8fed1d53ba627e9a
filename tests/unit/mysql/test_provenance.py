"""Layer 6: nothing forged, nothing leaked, nothing accidental."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.tool.mysql.sensitive import is_sensitive_name
from tests.support.sql_shop import SECRETS, plan, refusal


@pytest.mark.parametrize(
    "output",
    [
        "?",
        "? AS state",
        "-?",
        "COUNT(?)",
        "MAX(?)",
        "COUNT(*) * ? + ?",
        "SUM(price * ?)",
        "price + ?",
        "state = ?",
        "COUNT(DISTINCT ?)",
        "SUM(price) > ?",
        "SUM(state = ?) + ?",
    ],
)
def test_a_parameter_cannot_become_a_cell(output: str) -> None:
    sql = f"SELECT {output} FROM tickets"
    assert refusal(sql, *([1] * sql.count("?"))) == "placeholder_in_projection"


@pytest.mark.parametrize(
    "output", ["SUM(state = ?)", "AVG(price > ?)", "SUM(state IN (?, ?))", "SUM(price * ? > id)"]
)
def test_an_aggregate_may_count_comparisons_with_a_parameter(output: str) -> None:
    assert plan(f"SELECT {output} FROM tickets", *([1] * output.count("?"))).canonical


@pytest.mark.parametrize(
    "output",
    [
        "SUM(id = id)",
        "id <=> id",
        "COUNT(DISTINCT price + id >= price + id)",
        "id - id",
        "id / id",
        "id DIV id",
        "(id + price) % (id + price)",
        "COUNT(*) - COUNT(*)",
    ],
)
def test_an_expression_that_is_a_constant_is_refused(output: str) -> None:
    assert refusal(f"SELECT {output} FROM tickets") == "operator_not_allowed"


def test_an_output_is_made_of_few_operands() -> None:
    assert plan(f"SELECT {' + '.join(['id', 'price'] * 4)} FROM tickets").canonical
    assert refusal(f"SELECT {' + '.join(['id', 'price', 'id'] * 3)} FROM tickets") == "too_complex"


@pytest.mark.parametrize(
    "where", ["? = ?", "id = ? OR ? = ?", "NOT (? > ?)", "? IN (?)", "? IS NULL", "? LIKE ?"]
)
def test_every_predicate_looks_at_a_column(where: str) -> None:
    sql = f"SELECT id FROM tickets WHERE {where}"
    assert refusal(sql, *([1] * sql.count("?"))) == "predicate_without_column"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT state FROM tickets GROUP BY ?",
        "SELECT id FROM tickets ORDER BY ?",
        "SELECT id FROM tickets ORDER BY -?",
        "SELECT id FROM tickets GROUP BY id + ?",
    ],
)
def test_a_parameter_does_not_group_or_sort(sql: str) -> None:
    assert refusal(sql, 1) == "placeholder_not_allowed"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM tickets WHERE COUNT(*) > ?",
        "SELECT id FROM tickets t JOIN events e ON e.ticket_id = t.id AND MAX(e.id) > ?",
        "SELECT COUNT(*) FROM tickets GROUP BY COUNT(*)",
        "SELECT SUM(price + MAX(price)) FROM tickets",
        "SELECT COUNT(*) n FROM tickets GROUP BY n",
    ],
)
def test_aggregates_stand_only_where_they_have_a_meaning(sql: str) -> None:
    sql = sql.replace("SELECT id FROM tickets t", "SELECT t.id FROM tickets t")
    assert refusal(sql, *([1] * sql.count("?"))) == "aggregate_not_allowed"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, COUNT(*) FROM tickets",
        "SELECT id, price FROM tickets GROUP BY id",
        "SELECT COUNT(*) FROM tickets ORDER BY id",
        "SELECT COUNT(*) FROM tickets HAVING id > ?",
        "SELECT id FROM tickets HAVING id > ?",
        "SELECT id + price FROM tickets GROUP BY id",
    ],
)
def test_a_value_of_any_row_is_refused(sql: str) -> None:
    assert refusal(sql, *([1] * sql.count("?"))) == "not_grouped"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT state, COUNT(*) FROM tickets GROUP BY state",
        "SELECT id + price AS s, COUNT(*) FROM tickets GROUP BY s",
        "SELECT id + price FROM tickets GROUP BY id, price",
        "SELECT state, COUNT(*) n FROM tickets GROUP BY state HAVING n > ? AND state <> ? ORDER BY n",
        "SELECT COUNT(*) FROM tickets HAVING COUNT(*) > ?",
        "SELECT state = kind, COUNT(*) FROM tickets t JOIN events ON ticket_id = t.id GROUP BY state, kind",
    ],
)
def test_grouped_and_aggregated_values_are_accepted(sql: str) -> None:
    assert plan(sql, *([1] * sql.count("?"))).canonical


@pytest.mark.parametrize(
    ("name", "is_sensitive"),
    [
        ("password", True),
        ("user_passwd", True),
        ("API_KEY", True),
        ("apiKey", True),
        ("api-key", True),
        ("accessToken", True),
        ("client_secret", True),
        ("credentials", True),
        ("secretary_id", True),
        ("pass_count", False),
        ("key", False),
        ("api_version", False),
    ],
)
def test_a_secret_is_known_by_its_name(name: str, is_sensitive: bool) -> None:
    assert is_sensitive_name(name) is is_sensitive


@pytest.mark.parametrize(
    ("outputs", "redacted"),
    [
        ("password_hash", [True]),
        ("id, PASSWORD_HASH AS name", [False, True]),
        ("MIN(apiToken) AS m, MAX(id)", [True, False]),
        ("COUNT(DISTINCT API_KEY) AS n", [True]),
        ("id + password_hash AS p", [True]),
        ("- apiToken AS p", [True]),
        ("name AS my_token", [True]),
    ],
)
def test_a_secret_is_hidden_in_whatever_output_it_stands(outputs: str, redacted: list[bool]) -> None:
    columns = plan(f"SELECT {outputs} FROM people", source=SECRETS).columns

    assert [column.redacted for column in columns] == redacted


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM people WHERE password_hash LIKE ?",
        "SELECT id FROM people WHERE name = ? OR apiToken IS NOT NULL",
        "SELECT id FROM people WHERE API_KEY",
        "SELECT id FROM people ORDER BY password_hash",
        "SELECT password_hash p FROM people ORDER BY p",
        "SELECT password_hash FROM people ORDER BY password_hash",
        "SELECT COUNT(*) n FROM people GROUP BY apiToken",
        "SELECT apiToken, COUNT(*) FROM people GROUP BY apiToken",
        "SELECT `rank` FROM people GROUP BY `rank` HAVING MIN(apiToken) < ?",
        "SELECT MIN(apiToken) m FROM people HAVING m < ?",
        "SELECT SUM(apiToken LIKE ?) FROM people",
        "SELECT password_hash = apiToken FROM people",
        "SELECT a.id FROM people a JOIN people b ON a.apiToken = b.apiToken",
        "SELECT name AS a_token FROM people ORDER BY a_token",
        "SELECT name AS a_token, COUNT(*) FROM people GROUP BY a_token",
        "SELECT name, MAX(id) AS a_token FROM people GROUP BY name HAVING a_token > ?",
    ],
)
def test_a_secret_decides_nothing(sql: str) -> None:
    assert refusal(sql, *(["c4%"] * sql.count("?")), source=SECRETS) == "sensitive_column"
