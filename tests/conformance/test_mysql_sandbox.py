"""The sandbox on a real server: what was accepted needs the column grants only, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from superbiz_cli.adapters import mysql_connection as driver
from superbiz_cli.adapters.mysql_address import MysqlAddress, TlsMode
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.mysql.contract import CellValue, DataSource, QueryRefused
from superbiz_cli.harness.tool.mysql.grants import FindingKind, account_findings, grant_statements
from superbiz_cli.harness.tool.mysql.policy import plan_query
from superbiz_cli.harness.tool.mysql.schema import schema_skeleton
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.mysql_scratch import Scratch, create_given_schema, scratch_server
from tests.support.sql_lines import given_source, sql_lines
from tests.support.sql_own_attacks import Line
from tests.support.sql_own_queries import BENIGN
from tests.support.sql_shop import SOURCE, plan
from tests.support.sql_store import ROWS, TABLES

# Answers of a server about a query that should have been refused: permissions and syntax.
VALIDATOR_BUGS = {"access_denied", "schema_mismatch", "query_failed", "data_source_unavailable"}

pytestmark = pytest.mark.mariadb


@pytest.fixture(scope="module")
def server() -> Iterator[Scratch]:
    with scratch_server("box") as scratch:
        yield scratch


@pytest.fixture(scope="module")
def given(server: Scratch) -> DataSource:
    """The given schema with forbidden tables and columns, under names of our own."""
    create_given_schema(server)
    secrets = given_source(schema=server.name("shop"), with_secrets=True)
    full = server.create_account("full")
    server.execute(*grant_statements(secrets, user=full.user))
    return secrets


def start() -> Run:
    return Run.start(session_id="s", deadline_s=60, limits=BudgetLimits())


def as_written(sql: str, source: DataSource) -> str:
    """Point a given query at the scratch schema."""
    return sql.replace("shop.", f"{source.default_schema}.").replace("`shop`", f"`{source.default_schema}`")


def accepted(source: DataSource) -> Iterator[tuple[str, list[object], int]]:
    """Every given query that the validator lets through, with the least number of its rows."""
    for file in ("benign.jsonl", "edge.jsonl", "redaction.jsonl", "attacks.jsonl"):
        for line in sql_lines(file):
            sql = as_written(line["sql"], source)
            try:
                plan_query(source, sql, line["params"])
            except QueryRefused:
                continue
            yield sql, line["params"], line.get("rows_at_least", 0)


def run_or_fault(mysql: MysqlSource, source: DataSource, sql: str, params: list[object]) -> int | str | None:
    """Return the number of rows, or the word for why there are none."""
    try:
        return len(mysql.run(plan_query(source, sql, params), run=start()).rows)
    except ToolExecutionFailed as failed:
        return failed.category


def test_column_grants_are_enough_for_every_accepted_query(server: Scratch, given: DataSource) -> None:
    full = MysqlSource(server.account("full"))
    queries = list(accepted(given))

    for sql, params, rows_at_least in queries:
        outcome = run_or_fault(full, given, sql, params)
        assert outcome not in VALIDATOR_BUGS, sql
        assert rows_at_least == 0 or (isinstance(outcome, int) and outcome >= rows_at_least), sql
    assert len(queries) > 50


def test_the_given_account_is_enough_for_the_benign_queries(server: Scratch, given: DataSource) -> None:
    source = given_source(schema=given.default_schema)
    readonly = MysqlSource(replace(server.account("ro"), password=server.account("ro").user))

    for line in sql_lines("benign.jsonl"):
        made = plan_query(source, as_written(line["sql"], source), line["params"])
        assert len(readonly.run(made, run=start()).rows) >= line["rows_at_least"]


def test_a_privileged_account_changes_nothing(server: Scratch, given: DataSource) -> None:
    privileged = MysqlSource(server.root)
    before = server.state()

    for sql, params, _ in accepted(given):
        assert run_or_fault(privileged, given, sql, params) not in VALIDATOR_BUGS, sql

    assert server.state() == before
    assert before["checksums"]


@pytest.fixture(scope="module")
def kinds(server: Scratch) -> DataSource:
    """One row with a value of every type, and one with the odd values."""
    columns = {
        "id": "INT",
        "big": "BIGINT UNSIGNED",
        "money": "DECIMAL(30,3)",
        "ratio": "DOUBLE",
        "flags": "BIT(12)",
        "at": "DATETIME(6)",
        "day": "DATE",
        "span": "TIME",
        "year_": "YEAR",
        "doc": "JSON",
        "raw": "BLOB",
        "fixed": "BINARY(3)",
        "text_": "TEXT",
        "kind": "ENUM('a','b')",
        "tags": "SET('x','y')",
        "latin": "VARCHAR(8) CHARACTER SET latin1",
    }
    definition = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
    schema = server.create(
        "kinds",
        f"CREATE TABLE samples({definition})",
        "SET SESSION sql_mode = ''",
        "INSERT INTO samples VALUES (1, 18446744073709551615, 12345678901234567.125, 1.5, b'101', "
        "'2026-11-30 10:00:00.123456', '2026-11-30', '-838:59:59', 2026, '{\"a\": [1, \"用\"]}', "
        "x'00FF10', 'abc', '😀 用户', 'b', 'x,y', 'é')",
        "INSERT INTO samples VALUES (2, 0, 0.500, -0.0, b'0', '0000-00-00 00:00:00', '0000-00-00', "
        "'00:00:00', 0, 'null', '', '', '', NULL, '', '')",
    )
    return DataSource("kinds", schema, {schema: {"samples": tuple(columns)}})


def test_values_of_every_type_arrive_without_loss(server: Scratch, kinds: DataSource) -> None:
    names = kinds.allowed[kinds.default_schema]["samples"]
    listed = ", ".join(f"`{name}`" for name in names)

    table = MysqlSource(server.root).run(
        plan_query(kinds, f"SELECT {listed} FROM samples ORDER BY id"), run=start()
    )

    first, second = table.rows
    assert dict(zip(names, first, strict=True)) == {
        "id": 1,
        "big": 18446744073709551615,
        "money": "12345678901234567.125",
        "ratio": 1.5,
        "flags": 5,
        "at": "2026-11-30 10:00:00.123456",
        "day": "2026-11-30",
        "span": "-838:59:59",
        "year_": 2026,
        "doc": '{"a": [1, "用"]}',
        "raw": "AP8Q",
        "fixed": "YWJj",
        "text_": "😀 用户",
        "kind": "b",
        "tags": "x,y",
        "latin": "é",
    }
    odd: dict[str, CellValue] = dict(zip(names, second, strict=True))
    assert (odd["at"], odd["day"], odd["money"], odd["kind"]) == (
        "0000-00-00 00:00:00.000000",
        "0000-00-00",
        0.5,
        None,
    )


def test_aggregates_of_every_type_arrive_without_loss(server: Scratch, kinds: DataSource) -> None:
    listed = ("flags", "at", "span", "year_", "raw", "kind", "big")
    outputs = ", ".join(f"MAX({name}), MIN({name})" for name in listed[:2])
    rest = ", ".join(f"MIN({name})" for name in listed[2:])
    sums = "SUM(flags), SUM(big), AVG(flags), COUNT(DISTINCT flags)"

    [row] = (
        MysqlSource(server.root)
        .run(plan_query(kinds, f"SELECT {outputs}, {rest}, {sums} FROM samples"), run=start())
        .rows
    )

    assert row == (
        *(5, 0, "2026-11-30 10:00:00.123456", "0000-00-00 00:00:00.000000"),
        *("-838:59:59", 0, "", "b", 0),
        *(5, 18446744073709551615, 2.5, 2),
    )


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT id FROM samples WHERE at > ?", ("yesterday",)),
        ("SELECT id FROM samples WHERE text_ = ?", (0,)),
        ("SELECT id FROM samples WHERE day = ?", ("2026-13-45",)),
        ("SELECT id FROM samples WHERE day BETWEEN ? AND ?", ("yesterday", "today")),
        ("SELECT id FROM samples WHERE at > ?", ("2026-11-30T10:30:00Z",)),
        ("SELECT id FROM samples WHERE id IN (?, ?)", (1, "x")),
        ("SELECT id FROM samples WHERE latin = ?", ("用户",)),
        ("SELECT SUM(text_ > ?) FROM samples", (1,)),
        ("SELECT text_ + id FROM samples", ()),
        ("SELECT id FROM samples ORDER BY text_ + id", ()),
    ],
)
def test_a_value_that_the_server_cannot_convert_is_an_error_and_no_result(
    sql: str, values: tuple[object, ...], server: Scratch, kinds: DataSource
) -> None:
    with pytest.raises(ToolExecutionFailed) as caught:
        MysqlSource(server.root).run(plan_query(kinds, sql, values), run=start())

    assert caught.value.category == "value_not_convertible"


def test_division_by_zero_is_null_and_no_error(server: Scratch, kinds: DataSource) -> None:
    made = plan_query(kinds, "SELECT id / big FROM samples WHERE id = ?", [2])

    assert MysqlSource(server.root).run(made, run=start()).rows == ((None,),)


@pytest.fixture(scope="module")
def store(server: Scratch) -> DataSource:
    """The data source of `sql_shop` with an account that has its column grants."""
    names = {"store": server.create("store", *TABLES, *ROWS)}
    names["ledger"] = server.create("ledger", "CREATE TABLE entries(id INT, ticket_id INT, total INT)")
    source = replace(
        SOURCE,
        default_schema=names["store"],
        allowed={names[schema]: tables for schema, tables in SOURCE.allowed.items()},
    )
    worker = server.create_account("worker")
    server.execute(*grant_statements(source, user=worker.user))
    return source


@pytest.mark.parametrize("line", BENIGN, ids=lambda line: line[0][:60])
def test_a_reasonable_query_of_our_own_runs_with_column_grants(
    server: Scratch, store: DataSource, line: Line
) -> None:
    sql, values = line
    for schema in SOURCE.allowed:
        sql = sql.replace(f"{schema}.", f"{server.name(schema)}.").replace(
            f"`{schema}`", f"`{server.name(schema)}`"
        )

    outcome = run_or_fault(MysqlSource(server.account("worker")), store, sql, list(values))

    assert isinstance(outcome, int), outcome


def test_a_session_can_neither_write_nor_leave_read_only_mode(server: Scratch) -> None:
    schema = server.create("readonly", "CREATE TABLE t(id INT)")
    with closing(driver.connect(server.root, tls=None, timeout_s=3)) as connection:
        driver.begin_read_only(connection, timeout_s=3)
        for statement in (f"INSERT INTO {schema}.t VALUES (1)", f"CREATE TABLE {schema}.u(id INT)"):
            with pytest.raises(Exception) as caught:  # noqa: PT011 - the driver is not imported here
                connection.query(statement)
            assert caught.value.args[0] == 1792


def test_the_printed_grants_make_a_fitting_account(server: Scratch, given: DataSource) -> None:
    source = given_source(schema=given.default_schema)
    fitting = server.create_account("fitting")
    server.execute(*grant_statements(source, user=fitting.user))

    assert account_findings(MysqlSource(fitting).grants(), source) == ()
    kinds = {finding.kind for finding in account_findings(MysqlSource(server.root).grants(), source)}
    assert {FindingKind.CAN_WRITE, FindingKind.READS_BEYOND} <= kinds


def test_the_skeleton_shows_what_the_account_can_see(server: Scratch, store: DataSource) -> None:
    source = MysqlSource(server.account("worker"))

    assert "tickets = [" in schema_skeleton(source.schema_columns(store.default_schema))
    assert source.schema_columns("no_such_schema") == ()
    assert source.server_version()


@pytest.mark.parametrize(
    ("address", "category"),
    [
        (MysqlAddress("127.0.0.1", "nobody", port=9), "data_source_unavailable"),
        (MysqlAddress("no-such-host.invalid", "nobody"), "data_source_unavailable"),
    ],
)
def test_an_unreachable_server_is_named_without_its_words(address: MysqlAddress, category: str) -> None:
    with pytest.raises(ToolExecutionFailed) as caught:
        MysqlSource(address).run(plan("SELECT id FROM tickets"), run=start())

    assert (caught.value.category, caught.value.__cause__) == (category, None)


def test_a_wrong_password_is_access_denied(server: Scratch, store: DataSource) -> None:
    wrong = replace(server.account("worker"), password="wrong")

    with pytest.raises(ToolExecutionFailed) as caught:
        MysqlSource(wrong).run(plan("SELECT id FROM tickets", source=store), run=start())
    with pytest.raises(ToolExecutionFailed):
        MysqlSource(wrong).grants()

    assert caught.value.category == "access_denied"


def test_required_tls_never_falls_back_to_plain_text(server: Scratch, store: DataSource) -> None:
    """The test server has no certificate; where one has, the query simply runs."""
    has_tls = server.execute("SHOW VARIABLES LIKE 'have_ssl'")[0][1] == "YES"
    strict = replace(server.account("worker"), tls=TlsMode.REQUIRED)

    if has_tls:
        assert MysqlSource(strict).server_version()
    else:
        with pytest.raises(ToolExecutionFailed):
            MysqlSource(strict).server_version()
