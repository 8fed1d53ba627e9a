"""Layer 3: what the grammar accepts means what the server would read."""

from __future__ import annotations

import pytest
import sqlglot

from superbiz_cli.harness.tool.mysql.contract import QueryRefused
from superbiz_cli.harness.tool.mysql.structure import check_structure
from superbiz_cli.harness.tool.mysql.syntax import parse_select, select_of_tree
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


@pytest.mark.parametrize(
    ("sql", "category"),
    [
        ("SELECT * FROM `t`", "star_not_allowed"),
        ("SELECT `t`.* FROM `t`", "syntax"),
        ("SELECT SUM(*) FROM `t`", "star_not_allowed"),
        ("SELECT `a` FROM `t` WHERE *", "star_not_allowed"),
        ("SELECT 1 FROM `t`", "syntax"),
        ("SELECT 'x' FROM `t`", "syntax"),
        ("SELECT SLEEP(:p0) FROM `t`", "function_not_allowed"),
        ("SELECT `a` FROM `t` WHERE UPPER(`a`)", "function_not_allowed"),
        ("SELECT a FROM `t`", "identifier_not_allowed"),
        ("SELECT `a` FROM t", "identifier_not_allowed"),
        ("SELECT `a`", "syntax"),
        ("SELECT FROM `t`", "syntax"),
        ("SELECT `a` FROM `t` CROSS JOIN `u`", "join_type"),
        ("SELECT `a` FROM `t` RIGHT JOIN `u` ON `a` = `b`", "join_type"),
        ("SELECT `a` FROM `t` NATURAL JOIN `u`", "syntax"),
        ("SELECT `a` FROM `t`, `u`", "join_condition"),
        ("SELECT `a` FROM `t` JOIN `u` USING (`a`)", "syntax"),
        ("SELECT `a` FROM (SELECT `b` FROM `u`) AS `t`", "syntax"),
        ("SELECT `a` FROM `t` GROUP BY `a` WITH ROLLUP", "syntax"),
        ("SELECT `a` FROM `t` GROUP BY ROLLUP (`a`)", "syntax"),
        ("SELECT `a` FROM `t` ORDER BY `a` NULLS LAST", "syntax"),
        ("SELECT `a` FROM `t` LIMIT 5", "syntax"),
        ("SELECT `a` FROM `t` LIMIT :p0 OFFSET :p1", "syntax"),
        ("SELECT `a` FROM `t` FETCH FIRST 2 ROWS ONLY", "syntax"),
        ("SELECT `a` FROM `t` LIMIT :x", "placeholder_not_allowed"),
        ("SELECT `a` FROM `t` WHERE `a` = ?", "placeholder_not_allowed"),
        ("SELECT `a` FROM `t` FOR UPDATE", "syntax"),
        ("SELECT `a` INTO `b` FROM `t`", "syntax"),
        ("SELECT COUNT(`a`) OVER () FROM `t`", "syntax"),
        ("SELECT COUNT(`a` ORDER BY `a`) FROM `t`", "syntax"),
        ("SELECT CASE WHEN `a` THEN `b` END FROM `t`", "function_not_allowed"),
        ("SELECT CAST(`a` AS CHAR) FROM `t`", "function_not_allowed"),
        ("SELECT `a` FROM `t` WHERE `a` IN (SELECT `b` FROM `u`)", "syntax"),
        ("SELECT `a` FROM `t` WHERE `a` IN ()", "syntax"),
        ("SELECT `a` FROM `t` WHERE `a` IS TRUE", "syntax"),
        ("SELECT `a` FROM `t` WHERE `a` & `b`", "syntax"),
        ("SELECT `a` FROM `t` WHERE TRUE", "syntax"),
        ("SELECT `a` FROM `t` WHERE `a` = NULL", "syntax"),
        ("SELECT `a` FROM `t` WHERE EXISTS (SELECT `b` FROM `u`)", "function_not_allowed"),
        ("SELECT `a` FROM `t` WHERE `a` LIKE `b` ESCAPE '|'", "syntax"),
        ("SELECT `a` FROM `t` WHERE `a` COLLATE `b` = `c`", "function_not_allowed"),
        ("SELECT DISTINCT ON (`a`) `a` FROM `t`", "syntax"),
        ("SELECT `w`.`x`.`y`.`z`.`a` FROM `t`", "identifier_not_allowed"),
        ("SELECT `x`.`y`.`z`.`a` FROM `t`", "syntax"),
        ("WITH `w` AS (SELECT `a` FROM `t`) SELECT `a` FROM `w`", "syntax"),
        ("SELECT COUNT(DISTINCT) FROM `t`", "aggregate_not_allowed"),
        ("SELECT `a` FROM `t` TABLESAMPLE (10 PERCENT)", "syntax"),
        ("SELECT /*+ BKA(`t`) */ `a` FROM `t`", "syntax"),
        ("SELECT `a` FROM `t` USE INDEX (`i`)", "syntax"),
        ("SELECT HIGH_PRIORITY `a` FROM `t`", "syntax"),
    ],
)
def test_the_grammar_alone_refuses_what_the_words_would_have_stopped(sql: str, category: str) -> None:
    tree = sqlglot.parse_one(sql, read="mysql")
    assert isinstance(tree, sqlglot.exp.Select)

    with pytest.raises(QueryRefused) as caught:
        select_of_tree(tree)

    assert caught.value.category.value == category


def test_empty_clauses_of_a_tree_are_refused() -> None:
    base = sqlglot.parse_one("SELECT `a` FROM `t` GROUP BY `a` ORDER BY `a`", read="mysql")
    assert isinstance(base, sqlglot.exp.Select)
    for clause in ("group", "order"):
        tree = base.copy()
        tree.args[clause].set("expressions", [])
        with pytest.raises(QueryRefused):
            select_of_tree(tree)
    tree = base.copy()
    tree.set("where", sqlglot.exp.Where(this="a"))
    with pytest.raises(QueryRefused):
        select_of_tree(tree)
    tree = base.copy()
    tree.set("expressions", sqlglot.exp.column("a", quoted=True))
    with pytest.raises(QueryRefused):
        select_of_tree(tree)
    tree = base.copy()
    tree.expressions[0] = sqlglot.exp.Neg(this="a")
    tree.set("expressions", [sqlglot.exp.Neg(this="a")])
    with pytest.raises(QueryRefused):
        select_of_tree(tree)
