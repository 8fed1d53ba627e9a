"""Layer 2: words, signs, and what may stand beside what."""

from __future__ import annotations

import pytest

from superbiz_cli.harness.tool.mysql.structure import MAX_TOKENS
from superbiz_cli.harness.tool.mysql.tokens import Kind, Token, read_tokens
from superbiz_cli.harness.tool.mysql.words import KEYWORDS, MERELY_RESERVED, REFUSED_WORDS
from tests.support.sql_shop import canonical, plan, refusal


def test_a_query_is_split_into_words_and_signs() -> None:
    assert read_tokens("select `id`, COUNT(*) FROM t WHERE a.b!=?;") == (
        Token(Kind.KEYWORD, "SELECT"),
        Token(Kind.NAME, "id"),
        Token(Kind.COMMA, ","),
        Token(Kind.AGGREGATE, "COUNT"),
        Token(Kind.OPEN, "("),
        Token(Kind.STAR, "*"),
        Token(Kind.CLOSE, ")"),
        Token(Kind.KEYWORD, "FROM"),
        Token(Kind.NAME, "t"),
        Token(Kind.KEYWORD, "WHERE"),
        Token(Kind.NAME, "a"),
        Token(Kind.DOT, "."),
        Token(Kind.NAME, "b"),
        Token(Kind.OPERATOR, "<>"),
        Token(Kind.PARAMETER, "?"),
        Token(Kind.SEMICOLON, ";"),
    )


def test_every_word_of_the_grammar_is_ours_to_use_and_no_refused_one_is() -> None:
    assert not KEYWORDS & set(REFUSED_WORDS)


@pytest.mark.parametrize("word", sorted(set(REFUSED_WORDS) - {"OFFSET", "RANK"}))
def test_a_reserved_word_is_never_a_bare_name_but_may_be_one_in_backticks(word: str) -> None:
    assert refusal(f"SELECT id {word} FROM tickets") == REFUSED_WORDS[word].value
    assert refusal(f"SELECT {word}(id) FROM tickets") == REFUSED_WORDS[word].value
    assert canonical(f"SELECT id `{word}` FROM tickets") == f"SELECT tickets.id AS {word} FROM store.tickets"


@pytest.mark.parametrize("word", sorted(REFUSED_WORDS))
def test_after_as_a_word_without_use_in_the_grammar_is_a_name(word: str) -> None:
    sql = f"SELECT id AS {word} FROM tickets"
    if REFUSED_WORDS[word] in MERELY_RESERVED:
        assert canonical(sql) == f"SELECT tickets.id AS {word} FROM store.tickets"
    else:
        assert refusal(sql) == REFUSED_WORDS[word].value


def test_a_listed_column_may_have_a_reserved_name() -> None:
    for written in ("offset", "tickets.offset", "`offset`", "OFFSET"):
        assert canonical(f"SELECT {written} FROM tickets") == "SELECT tickets.offset FROM store.tickets"
    assert canonical("SELECT rank FROM people ORDER BY rank").endswith("ORDER BY people.rank")
    assert refusal("SELECT id FROM tickets LIMIT ? OFFSET ?", 1, 1) == "limit_not_allowed"
    assert refusal("SELECT id FROM tickets OFFSET ?", 1) == "syntax"
    assert refusal("SELECT rank() FROM people") == "function_not_allowed"


def test_an_aggregate_without_parenthesis_is_a_name() -> None:
    assert canonical("SELECT id count FROM tickets") == "SELECT tickets.id AS count FROM store.tickets"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM tickets",
        "SELECT id FROM tickets WHERE price > 1e3",
        "SELECT id FROM tickets WHERE id = 0x31",
        "SELECT id FROM tickets WHERE id = ?1",
        "SELECT id FROM tickets LIMIT 5",
        "SELECT id FROM tickets ORDER BY 1",
        "SELECT TRUE FROM tickets",
        "SELECT NULL FROM tickets",
        "SELECT id FROM tickets WHERE state = NULL",
        "SELECT id FROM tickets WHERE id IN (NULL)",
        "SELECT id FROM tickets WHERE NOT NULL",
    ],
)
def test_values_in_the_text_are_refused(sql: str) -> None:
    assert refusal(sql, *([1] * sql.count("?"))) == "literal_not_allowed"


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("``", "identifier_not_allowed"),
        ("`a``b`", "identifier_not_allowed"),
        ("`a b`", "identifier_not_allowed"),
        ("`store.tickets`", "identifier_not_allowed"),
        ("`id", "identifier_not_allowed"),
        ("`%s`", "identifier_not_allowed"),
        ("`?`", "identifier_not_allowed"),
        ("`1a`", "identifier_not_allowed"),
        ("a" * 65, "identifier_not_allowed"),
        (f"`{'a' * 65}`", "identifier_not_allowed"),
        ("tickets.?", "identifier_not_allowed"),
        ("?.id", "identifier_not_allowed"),
        (".id", "identifier_not_allowed"),
        ("tickets., id", "identifier_not_allowed"),
        ("a.b.c.d.id", "identifier_not_allowed"),
        ("tickets.*", "star_not_allowed"),
        ("*", "star_not_allowed"),
        ("id, *", "star_not_allowed"),
        ("SUM(*)", "star_not_allowed"),
        ("COUNT(tickets.*)", "star_not_allowed"),
        ("COUNT(DISTINCT *)", "star_not_allowed"),
        ("COUNT(* )*", "star_not_allowed"),
        ("id * ", "star_not_allowed"),
    ],
)
def test_odd_names_and_stars_are_refused(name: str, category: str) -> None:
    assert refusal(f"SELECT {name} FROM tickets", *([1] * name.count("?"))) == category


def test_a_name_of_64_characters_is_allowed() -> None:
    assert plan(f"SELECT id {'a' * 64} FROM tickets").columns[0].name == "a" * 64


@pytest.mark.parametrize(
    "operator", ["==", "!", "!!=", "=<", "=>", "<<", ">>", "<=>=", "->", "->>", "=!", "><", "===", "<>="]
)
def test_only_known_comparisons_are_operators(operator: str) -> None:
    assert refusal(f"SELECT id FROM tickets WHERE id {operator} ?", 1) in {"operator_not_allowed", "syntax"}


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO tickets VALUES (?)",
        "(SELECT id FROM tickets)",
        "FROM tickets SELECT id",
        "WITH t AS (SELECT id FROM tickets) SELECT id FROM t",
        "EXPLAIN SELECT id FROM tickets",
        "SELECTED id FROM tickets",
        "; SELECT id FROM tickets",
        "? SELECT id FROM tickets",
    ],
)
def test_a_statement_begins_with_select(sql: str) -> None:
    assert refusal(sql, *([1] * sql.count("?"))) == "not_a_select"


def test_one_trailing_semicolon_is_the_only_one() -> None:
    assert plan("SELECT id FROM tickets ; ").canonical
    assert refusal("SELECT id FROM tickets;;") == "multiple_statements"
    assert refusal("SELECT id FROM tickets; DROP x") == "reserved_word"
    assert refusal("SELECT id FROM tickets; SELECT id FROM tickets") == "multiple_statements"


@pytest.mark.parametrize(
    ("sql", "category"),
    [
        ("SELECT id", "clause_order"),
        ("SELECT id WHERE id = ?", "clause_order"),
        ("SELECT id FROM tickets FROM people", "clause_order"),
        ("SELECT id FROM tickets LIMIT ? WHERE id = ?", "clause_order"),
        ("SELECT id FROM tickets ORDER BY id WHERE id = ?", "clause_order"),
        ("SELECT id FROM tickets HAVING id = ? GROUP BY id", "clause_order"),
        ("SELECT id FROM tickets WHERE id = ? WHERE id = ?", "clause_order"),
        ("SELECT COUNT(id ORDER BY id) FROM tickets", "clause_order"),
        ("SELECT MIN(ORDER BY id) FROM tickets", "clause_order"),
        ("SELECT COUNT(id LIMIT ?) FROM tickets", "clause_order"),
        ("SELECT id FROM (tickets JOIN people ON id = id)", "clause_order"),
        ("SELECT id FROM tickets ON id = id", "clause_order"),
        ("SELECT t.id FROM tickets t WHERE t.id = ? JOIN people p ON p.id = t.id", "clause_order"),
        ("SELECT DISTINCT ON (id) id FROM tickets", "clause_order"),
        ("SELECT id FROM tickets, people", "join_type"),
        ("SELECT id FROM tickets JOIN people", "join_condition"),
        ("SELECT id FROM tickets WHERE id IN (SELECT id FROM people)", "subquery_not_allowed"),
        ("SELECT id FROM (tickets)", "subquery_not_allowed"),
        ("SELECT t.id FROM tickets t JOIN (people) ON t.id = t.id", "subquery_not_allowed"),
        ("SELECT id FROM tickets UNION SELECT id FROM people", "set_operation_not_allowed"),
        ("SELECT id FROM tickets LIMIT", "limit_not_allowed"),
        ("SELECT id FROM tickets LIMIT (?)", "limit_not_allowed"),
        ("SELECT id FROM tickets LIMIT ?, ?", "limit_not_allowed"),
        ("SELECT id FROM tickets LIMIT ? + ?", "limit_not_allowed"),
        ("SELECT id FROM tickets LIMIT id", "limit_not_allowed"),
        ("SELECT id FROM tickets LIMIT ALL", "syntax"),
        ("SELECT id FROM tickets FETCH FIRST ROW ONLY", "offset_not_allowed"),
        ("SELECT id FROM tickets FOR UPDATE", "locking_read_not_allowed"),
        ("SELECT id INTO x FROM tickets", "into_not_allowed"),
        ("SELECT SLEEP(?) FROM tickets", "function_not_allowed"),
        ("SELECT `SLEEP`(?) FROM tickets", "function_not_allowed"),
        ("SELECT store.COUNT(id) FROM tickets", "function_not_allowed"),
        ("SELECT LEFT(state, ?) FROM tickets", "function_not_allowed"),
        ("SELECT id FROM tickets AS t(a, b)", "function_not_allowed"),
        ("SELECT id AS (a, b) FROM tickets", "syntax"),
        ("SELECT id AS FROM tickets", "identifier_not_allowed"),
        ("SELECT id AS ? FROM tickets", "identifier_not_allowed"),
        ("SELECT id, FROM tickets", "syntax"),
        ("SELECT , id FROM tickets", "syntax"),
        ("SELECT FROM tickets", "syntax"),
        ("SELECT DISTINCT FROM tickets", "syntax"),
        ("SELECT id FROM", "syntax"),
        ("SELECT id FROM tickets WHERE", "syntax"),
        ("SELECT id FROM tickets WHERE AND id = ?", "syntax"),
        ("SELECT id FROM tickets WHERE id = ? AND", "syntax"),
        ("SELECT id FROM tickets WHERE id = ? OR OR id = ?", "syntax"),
        ("SELECT id FROM tickets WHERE id = = ?", "syntax"),
        ("SELECT id FROM tickets WHERE = ?", "syntax"),
        ("SELECT id FROM tickets WHERE id LIKE", "syntax"),
        ("SELECT id FROM tickets WHERE LIKE ?", "syntax"),
        ("SELECT id FROM tickets WHERE id NOT ?", "syntax"),
        ("SELECT id FROM tickets WHERE id BETWEEN ?", "syntax"),
        ("SELECT id FROM tickets WHERE id = ? NOT", "syntax"),
        ("SELECT id FROM tickets ORDER BY", "syntax"),
        ("SELECT id FROM tickets ORDER BY ASC", "syntax"),
        ("SELECT id FROM tickets ORDER BY id ASC DESC", "syntax"),
        ("SELECT id + FROM tickets", "syntax"),
        ("SELECT id FROM tickets,", "join_type"),
        ("SELECT COUNT() FROM tickets", "syntax"),
        ("SELECT id FROM tickets WHERE id IN ()", "syntax"),
        ("SELECT state, COUNT(*) FROM tickets GROUP BY HAVING COUNT(*) > ?", "syntax"),
        ("SELECT state FROM tickets GROUP state", "syntax"),
        ("SELECT state FROM tickets SORT BY state", "syntax"),
        ("SELECT state FROM tickets GROUP BY state DESC", "syntax"),
        ("SELECT state DESC FROM tickets", "syntax"),
        ("SELECT state, COUNT(*) FROM tickets GROUP BY DISTINCT state", "syntax"),
        ("SELECT id FROM tickets WHERE ? (id)", "syntax"),
        ("SELECT id FROM tickets WHERE (id)(id)", "syntax"),
        ("SELECT id FROM tickets WHERE id IS ?", "operator_not_allowed"),
        ("SELECT id FROM tickets WHERE id IS", "operator_not_allowed"),
        ("SELECT id FROM tickets t INNER people p ON p.id = t.id", "join_type"),
        ("SELECT id FROM tickets t LEFT people p ON p.id = t.id", "join_type"),
        ("SELECT id FROM tickets t OUTER JOIN people p ON p.id = t.id", "join_type"),
        ("SELECT id FROM tickets t CROSS JOIN people p ON p.id = t.id", "join_type"),
        ("SELECT id FROM tickets t NATURAL JOIN people p ON p.id = t.id", "join_type"),
        ("SELECT id FROM tickets FULL JOIN people p ON p.id = p.id", "join_type"),
        ("SELECT id FROM tickets SEMI JOIN people p ON p.id = p.id", "join_type"),
        ("SELECT t.id FROM tickets t JOIN people p USING (id)", "join_type"),
    ],
)
def test_what_stands_where_it_must_not_is_refused(sql: str, category: str) -> None:
    assert refusal(sql, *([1] * sql.count("?"))) == category


def test_the_number_of_words_is_limited() -> None:
    def listed(count: int) -> str:
        return f"SELECT id FROM tickets WHERE id IN ({', '.join(['id'] * count)})"

    fitting = (MAX_TOKENS - 8) // 2
    assert plan(listed(fitting)).canonical
    assert refusal(listed(fitting + 1)) == "too_complex"
