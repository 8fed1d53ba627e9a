"""What is sent: nothing of the model's words, and values only as parameters."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from superbiz_cli.harness.tool.mysql import expressions as ast
from superbiz_cli.harness.tool.mysql.render import mysql_statement, readable, sqlite_statement
from tests.support.sql_shop import ALLOWED, SOURCE, plan

QUERY = (
    "SELECT who.name AS evil_alias, SUM(t.id % ? = ?) AS bad, COUNT(*) AS n FROM tickets AS t "
    "LEFT JOIN people AS who ON who.id = t.owner_id AND NOT who.name LIKE ? WHERE t.price / ? > t.id DIV ? "
    "OR t.state <=> ? GROUP BY evil_alias HAVING bad > ? ORDER BY n DESC LIMIT ?"
)
VALUES = (7, 0, "a%", 2, 3, None, 1, 9)


def test_mysql_gets_its_own_names_and_named_parameters() -> None:
    made = plan(QUERY, *VALUES)

    assert mysql_statement(made.select, row_limit=made.row_limit) == (
        "SELECT `t1`.`name`, SUM((`t0`.`id` %% %(p0)s) = %(p1)s), COUNT(*) FROM `store`.`tickets` AS `t0` "
        "LEFT JOIN `store`.`people` AS `t1` ON `t1`.`id` = `t0`.`owner_id` AND NOT (`t1`.`name` LIKE %(p2)s) "
        "WHERE (`t0`.`price` / %(p3)s) > (`t0`.`id` DIV %(p4)s) OR `t0`.`state` <=> %(p5)s "
        "GROUP BY `t1`.`name` HAVING SUM((`t0`.`id` %% %(p0)s) = %(p1)s) > %(p6)s "
        "ORDER BY COUNT(*) DESC LIMIT 9"
    )


def test_sqlite_divides_and_matches_like_mysql() -> None:
    made = plan(QUERY, *VALUES)

    assert sqlite_statement(made.select, row_limit=made.row_limit) == (
        'SELECT "t1"."name", SUM(("t0"."id" % :p0) = :p1), COUNT(*) FROM "tickets" AS "t0" '
        'LEFT JOIN "people" AS "t1" ON "t1"."id" = "t0"."owner_id" '
        'AND NOT ("t1"."name" LIKE :p2 ESCAPE \'\\\') '
        'WHERE (CAST("t0"."price" AS REAL) / :p3) > (CAST("t0"."id" / :p4 AS INTEGER)) '
        'OR "t0"."state" IS :p5 GROUP BY "t1"."name" HAVING SUM(("t0"."id" % :p0) = :p1) > :p6 '
        "ORDER BY COUNT(*) DESC LIMIT 9"
    )


def test_every_name_that_is_sent_is_of_the_allow_list() -> None:
    made = plan(QUERY, *VALUES)
    known = {"t0", "t1"} | set(ALLOWED)
    for tables in ALLOWED.values():
        known |= set(tables) | {column for columns in tables.values() for column in columns}

    assert set(re.findall(r"`([^`]*)`", mysql_statement(made.select, row_limit=1))) <= known


def test_the_canonical_text_can_be_sent_again_and_is_a_fixed_point() -> None:
    made = plan(QUERY, *VALUES)

    again = plan(made.canonical, *VALUES)

    assert again.canonical == made.canonical
    assert (again.columns, again.row_limit) == (made.columns, made.row_limit)
    assert again.select == made.select


def test_a_schema_with_an_odd_name_is_quoted_for_the_server_and_left_out_for_the_model() -> None:
    odd = "shop-%s`2026"
    source = replace(SOURCE, default_schema=odd, allowed={odd: SOURCE.allowed["store"]})
    made = plan("SELECT id FROM tickets WHERE id = ?", 1, source=source)

    assert made.canonical == "SELECT `tickets`.`id` FROM `tickets` WHERE `tickets`.`id` = ?"
    assert plan(made.canonical, 1, source=source) == made
    assert mysql_statement(made.select, row_limit=9) % {"p0": 1} == (
        "SELECT `t0`.`id` FROM `shop-%s``2026`.`tickets` AS `t0` WHERE `t0`.`id` = 1 LIMIT 9"
    )
    assert made.columns[0].source == f"{odd}.tickets.id"


def test_an_unresolved_name_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="resolved"):
        readable(ast.Name(("x",)))
