"""Layer 3: what the grammar accepts means what the server would read."""

from __future__ import annotations

import pytest
import sqlglot

from superbiz_cli.harness.tool.mysql.contract import QueryRefused
from superbiz_cli.harness.tool.mysql.structure import check_structure
from superbiz_cli.harness.tool.mysql.syntax import parse_select
from superbiz_cli.harness.tool.mysql.tokens import read_tokens
from tests.support.sql_shop import canonical, plan, refusal


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("id = ?", "tickets.id = ?"),
        ("(id) IN ((?), ?)", "tickets.id IN (?, ?)"),
        ("id NOT IN (?)", "NOT (tickets.id IN (?))"),
        ("NOT id = ?", "NOT (tickets.id = ?)"),
        ("NOT id = ? AND id < ?", "NOT (tickets.id = ?) AND tickets.id < ?"),
        ("id = ? OR id = ? AND id = ?", "tickets.id = ? OR (tickets.id = ? AND tickets.id = ?)"),
        ("(id = ? OR id = ?) AND id = ?", "(tickets.id = ? OR tickets.id = ?) AND tickets.id = ?"),
        ("id = ? AND id = ? AND id = ?", "tickets.id = ? AND tickets.id = ? AND tickets.id = ?"),
        ("id NOT BETWEEN ? AND ? AND id = ?", "NOT (tickets.id BETWEEN ? AND ?) AND tickets.id = ?"),
        ("id BETWEEN ? AND ? OR id = ?", "(tickets.id BETWEEN ? AND ?) OR tickets.id = ?"),
        ("state LIKE ?", "tickets.state LIKE ?"),
        ("state NOT LIKE ?", "NOT (tickets.state LIKE ?)"),
        ("state IS NULL", "tickets.state IS NULL"),
        ("state IS NOT NULL", "NOT (tickets.state IS NULL)"),
        ("state <=> ?", "tickets.state <=> ?"),
        ("id + price * ? > ?", "(tickets.id + (tickets.price * ?)) > ?"),
        ("id - price - ? > ?", "((tickets.id - tickets.price) - ?) > ?"),
        ("id DIV ? % price = ?", "((tickets.id DIV ?) % tickets.price) = ?"),
        ("id MOD ? = ?", "(tickets.id % ?) = ?"),
        ("id = -?", "tickets.id = (- ?)"),
        ("id = +?", "tickets.id = ?"),
        ("id - -price > ?", "(tickets.id - (- tickets.price)) > ?"),
        ("id", "tickets.id"),
        ("NOT id AND state = ?", "NOT (tickets.id) AND tickets.state = ?"),
    ],
)
def test_a_condition_is_written_out_with_its_precedence(written: str, meant: str) -> None:
    sql = f"SELECT id FROM tickets WHERE {written}"
    values = [1] * sql.count("?")

    text = canonical(sql, *values)

    assert text == f"SELECT tickets.id FROM store.tickets WHERE {meant}"
    assert canonical(text, *values) == text


@pytest.mark.parametrize(
    ("condition", "category"),
    [
        ("id = price = id", "operator_not_allowed"),
        ("id = price < id", "operator_not_allowed"),
        ("(id = price) = ?", "operator_not_allowed"),
        ("(id = price) + ? = id", "operator_not_allowed"),
        ("state LIKE state LIKE ?", "operator_not_allowed"),
        ("id IN (?) IN (?)", "operator_not_allowed"),
        ("id = NOT id", "operator_not_allowed"),
        ("(id IS NULL) IS NULL", "operator_not_allowed"),
        ("- - id = ?", "operator_not_allowed"),
        ("id IN ?", "syntax"),
        ("(id, price) IN ((?, ?))", "syntax"),
        ("(id, price) = (?, ?)", "syntax"),
        ("id id", "syntax"),
        ("id ? ?", "syntax"),
        ("id = ? ?", "syntax"),
        ("id % (price) id", "syntax"),
        ("?", "predicate_without_column"),
        ("id + ?", "predicate_without_column"),
        ("COUNT(*)", "predicate_without_column"),
    ],
)
def test_a_condition_that_servers_read_differently_is_refused(condition: str, category: str) -> None:
    assert refusal(f"SELECT id FROM tickets WHERE {condition}", *([1] * condition.count("?"))) == category


@pytest.mark.parametrize(
    ("outputs", "meant"),
    [
        ("COUNT(*)", "COUNT(*)"),
        ("COUNT ( * )", "COUNT(*)"),
        ("count(ALL id)", "COUNT(tickets.id)"),
        ("COUNT(DISTINCT id, state)", "COUNT(DISTINCT tickets.id, tickets.state)"),
        ("SUM(DISTINCT price)", "SUM(DISTINCT tickets.price)"),
        ("MAX(price) - MIN(price)", "MAX(tickets.price) - MIN(tickets.price)"),
        ("SUM(price) / COUNT(*)", "SUM(tickets.price) / COUNT(*)"),
        ("SUM(state = ?)", "SUM(tickets.state = ?)"),
        ("AVG(price BETWEEN ? AND ?)", "AVG(tickets.price BETWEEN ? AND ?)"),
        ("SUM(state = ? AND price > ?) AS n", "SUM(tickets.state = ? AND tickets.price > ?) AS n"),
    ],
)
def test_aggregates_are_read(outputs: str, meant: str) -> None:
    values = ["x"] * outputs.count("?")
    assert canonical(f"SELECT {outputs} FROM tickets", *values) == f"SELECT {meant} FROM store.tickets"


@pytest.mark.parametrize(
    ("outputs", "category"),
    [
        ("SUM(id, price)", "syntax"),
        ("COUNT(id, price)", "syntax"),
        ("SUM(DISTINCT id, price)", "aggregate_not_allowed"),
        ("COUNT(COUNT(id))", "aggregate_not_allowed"),
        ("(id, price)", "syntax"),
        ("id a b", "syntax"),
    ],
)
def test_odd_outputs_are_refused(outputs: str, category: str) -> None:
    assert refusal(f"SELECT {outputs} FROM tickets") == category


def test_all_and_distinctrow_are_the_defaults_they_are() -> None:
    assert canonical("SELECT ALL id FROM tickets") == "SELECT tickets.id FROM store.tickets"
    assert canonical("SELECT DISTINCTROW id FROM tickets") == "SELECT DISTINCT tickets.id FROM store.tickets"


def test_the_width_of_a_query_is_limited() -> None:
    outputs = ", ".join(f"id AS c{number}" for number in range(65))
    joins = " ".join(f"JOIN people p{number} ON p{number}.id = t.owner_id" for number in range(8))
    assert refusal(f"SELECT {outputs} FROM tickets") == "too_complex"
    assert refusal(f"SELECT t.id FROM tickets t {joins}") == "too_complex"


def test_a_deep_expression_is_refused_and_a_long_chain_is_not() -> None:
    assert refusal(f"SELECT id FROM tickets WHERE id = {' + '.join(['id'] * 60)}") == "too_deep"
    assert refusal(f"SELECT id FROM tickets WHERE {'NOT ' * 60} id = ?", 1) == "too_deep"
    assert plan(f"SELECT id FROM tickets WHERE {' OR '.join(['id = ?'] * 100)}", *range(100)).canonical


def test_a_deep_stack_of_the_caller_changes_nothing() -> None:
    sql = f"SELECT id FROM tickets WHERE {'(' * 24}id = ?{')' * 24}"

    def below(frames: int) -> str:
        return plan(sql, 1).canonical if frames == 0 else below(frames - 1)

    assert below(400) == plan(sql, 1).canonical


def test_whatever_the_parser_does_only_a_refusal_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = check_structure(read_tokens("SELECT id FROM tickets WHERE id = ?"))
    other = sqlglot.parse("SELECT `id` FROM `tickets` WHERE :p0 = :p0", read="mysql")
    for outcome in ([], [None], other, other * 2, RuntimeError("secret"), RecursionError()):

        def parse(*_: object, outcome: object = outcome, **__: object) -> object:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setattr(sqlglot, "parse", parse)
        with pytest.raises(QueryRefused):
            parse_select(tokens)
