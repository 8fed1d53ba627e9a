"""What is sent to a server means what was written: the server itself is the judge."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pymysql
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymysql.cursors import Cursor

from superbiz_cli.harness.tool.mysql.contract import DataSource, QueryLimits, QueryRefused
from superbiz_cli.harness.tool.mysql.policy import plan_query
from superbiz_cli.harness.tool.mysql.render import mysql_statement
from tests.support.mysql_scratch import Scratch, create_given_schema, scratch_server
from tests.support.sql_lines import given_source, sql_lines
from tests.support.sql_shop import SOURCE
from tests.support.sql_store import ROWS, TABLES

pytestmark = pytest.mark.mariadb

EVERYTHING = QueryLimits(max_rows=100_000)

NUMBER_COLUMNS = ["id", "owner_id", "price", "`offset`", "tickets.id"]
COLUMNS = [*NUMBER_COLUMNS, "state"]
COMPARISONS = ["=", "<>", "!=", "<", "<=", ">", ">=", "<=>"]


@pytest.fixture(scope="module")
def server() -> Iterator[Scratch]:
    with scratch_server("mean") as scratch:
        scratch.create("store", *TABLES, *ROWS)
        yield scratch


@pytest.fixture(scope="module")
def connection(server: Scratch) -> Iterator[Any]:
    with contextlib.closing(
        pymysql.connect(
            host=server.root.host,
            port=server.root.port,
            user=server.root.user,
            password=server.root.password,
            database=server.name("store"),
            autocommit=True,  # a snapshot from before a table was made could not read it
        )
    ) as opened:
        yield opened


def rows(connection: Any, sql: str, arguments: object) -> list[tuple[Any, ...]]:
    with connection.cursor(Cursor) as cursor:
        cursor.execute(sql, arguments)
        return sorted(cursor.fetchall(), key=repr)


def as_sent(source: DataSource, sql: str, values: list[Any]) -> tuple[str, dict[str, Any]]:
    made = plan_query(replace(source, limits=EVERYTHING), sql, values)
    named = {f"p{position}": value for position, value in enumerate(made.parameters)}
    return mysql_statement(made.select, row_limit=made.row_limit), named


def as_written(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")


def test_every_given_query_gives_the_rows_of_its_own_text(server: Scratch, connection: Any) -> None:
    create_given_schema(server)
    shop = server.name("shop")
    source = given_source(schema=shop)
    connection.select_db(shop)

    for line in sql_lines("benign.jsonl"):
        sql = line["sql"].replace("shop.", f"{shop}.").replace("`shop`", f"`{shop}`")
        assert rows(connection, *as_sent(source, sql, line["params"])) == rows(
            connection, as_written(sql), line["params"]
        ), sql
    connection.select_db(server.name("store"))


@st.composite
def scalars(draw: st.DrawFn) -> str:
    parts = draw(
        st.lists(
            st.sampled_from([*NUMBER_COLUMNS, "?", "- id", "(id + ?)", "+ price"]), min_size=1, max_size=4
        )
    )
    operators = draw(
        st.lists(st.sampled_from("+-*/%") | st.sampled_from(["DIV", "MOD"]), min_size=3, max_size=3)
    )
    text = parts[0]
    for operator, part in zip(operators, parts[1:], strict=False):
        text += f" {operator} {part}"
    return text


@st.composite
def predicates(draw: st.DrawFn) -> str:
    column = draw(st.sampled_from(COLUMNS))
    scalar = draw(scalars())
    negation = draw(st.sampled_from(["", "NOT "]))
    return negation + draw(
        st.sampled_from(
            [
                f"{scalar} {draw(st.sampled_from(COMPARISONS))} {draw(scalars())}",
                f"{column} IS NULL",
                f"{column} IS NOT NULL",
                f"{scalar} IN (?, {draw(scalars())})",
                f"{scalar} NOT IN (?, ?)",
                f"{scalar} BETWEEN ? AND {draw(scalars())}",
                f"{scalar} NOT BETWEEN ? AND ?",
                f"{column} LIKE ?",
                f"{column} NOT LIKE ?",
                column,
            ]
        )
    )


@st.composite
def conditions(draw: st.DrawFn) -> str:
    text = draw(predicates())
    for _ in range(draw(st.integers(0, 3))):
        text += f" {draw(st.sampled_from(['AND', 'OR']))} {draw(predicates())}"
        if draw(st.booleans()):
            text = f"({text})"
    return text


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(condition=conditions(), data=st.data())
def test_any_accepted_condition_selects_what_its_own_text_selects(
    server: Scratch, connection: Any, condition: str, data: st.DataObject
) -> None:
    values = [
        data.draw(st.sampled_from([0, 1, 2, 5, 7.25, "NEW", "5%", None])) for _ in range(condition.count("?"))
    ]
    sql = f"SELECT id, state FROM tickets WHERE {condition}"
    source = replace(
        SOURCE, default_schema=server.name("store"), allowed={server.name("store"): SOURCE.allowed["store"]}
    )
    try:
        sent = as_sent(source, sql, values)
    except QueryRefused:
        return
    assert rows(connection, *sent) == rows(connection, as_written(sql), values)
