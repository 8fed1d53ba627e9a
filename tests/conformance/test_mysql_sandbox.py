"""The sandbox on a real server: what was accepted needs the column grants only, and changes nothing."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from superbiz_cli.adapters.mysql_address import MysqlAddress, TlsMode
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.tool.mysql.contract import CellValue, DataSource, QueryLimits, QueryRefused
from superbiz_cli.harness.tool.mysql.grants import FindingKind, account_findings, grant_statements
from superbiz_cli.harness.tool.mysql.policy import plan_query
from superbiz_cli.harness.tool.mysql.schema import schema_skeleton
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.mysql_scratch import Scratch, scratch_server, statements_of
from tests.support.sql_lines import given_source, sql_folder, sql_lines
from tests.support.sql_shop import plan
from tests.support.sql_store import ENDLESS, NUMBERS, TABLES

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
    folder = sql_folder()
    renames = {
        "shop": server.name("shop"),
        "hr": server.name("hr"),
        "app": server.account("app").user,
        "ro": server.account("ro").user,
    }
    server.execute(*statements_of((folder / "schema.sql").read_text("utf-8"), renames))
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
    }
    definition = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
    schema = server.create(
        "kinds",
        f"CREATE TABLE samples({definition})",
        "SET SESSION sql_mode = ''",
        "INSERT INTO samples VALUES (1, 18446744073709551615, 12345678901234567.125, 1.5, b'101', "
        "'2026-11-30 10:00:00.123456', '2026-11-30', '-838:59:59', 2026, '{\"a\": [1, \"用\"]}', "
        "x'00FF10', 'abc', '😀 用户', 'b', 'x,y')",
        "INSERT INTO samples VALUES (2, 0, 0.500, -0.0, b'0', '0000-00-00 00:00:00', '0000-00-00', "
        "'00:00:00', 0, 'null', '', '', '', NULL, '')",
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
    }
    odd: dict[str, CellValue] = dict(zip(names, second, strict=True))
    assert (odd["at"], odd["day"], odd["money"], odd["kind"]) == (
        "0000-00-00 00:00:00.000000",
        "0000-00-00",
        0.5,
        None,
    )


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT id FROM samples WHERE at > ?", ("yesterday",)),
        ("SELECT id FROM samples WHERE text_ = ?", (0,)),
        ("SELECT id FROM samples WHERE day = ?", ("2026-13-45",)),
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
def endless(server: Scratch) -> DataSource:
    schema = server.create("endless", *TABLES, NUMBERS)
    server.create_account("worker", f"SELECT ON {schema}.*")
    limits = QueryLimits(timeout_s=60)
    return DataSource("endless", schema, {schema: {"numbers": ("id", "same")}}, limits=limits)


def test_a_cancel_kills_the_query_on_the_server(server: Scratch, endless: DataSource) -> None:
    worker, run = server.account("worker"), start()
    cancelled_at, was_working = [0.0], [False]

    def cancel_when_working() -> None:
        was_working[0] = server.wait_for_processes(worker.user, working=True)
        cancelled_at[0] = time.monotonic()
        run.cancel(CancelReason.USER_REQUESTED)

    canceller = threading.Thread(target=cancel_when_working)
    canceller.start()
    with pytest.raises(RunAborted):
        MysqlSource(worker).run(plan(ENDLESS, source=endless), run=run)
    took_s = time.monotonic() - cancelled_at[0]
    canceller.join()

    assert was_working[0]
    assert took_s < 1
    assert server.wait_for_processes(worker.user, working=False, seconds=1)


def test_nothing_is_left_after_a_query(server: Scratch, endless: DataSource) -> None:
    worker = server.account("worker")
    MysqlSource(worker).run(plan("SELECT id FROM numbers", source=endless), run=start())

    assert server.wait_for_processes(worker.user, working=False, seconds=1)


def test_a_session_can_neither_write_nor_leave_read_only_mode(server: Scratch) -> None:
    from superbiz_cli.adapters import mysql_connection as driver

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


def test_the_skeleton_shows_what_the_account_can_see(server: Scratch, endless: DataSource) -> None:
    source = MysqlSource(server.account("worker"))

    assert "numbers = [" in schema_skeleton(source.schema_columns(endless.default_schema))
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


def test_a_wrong_password_is_access_denied(server: Scratch, endless: DataSource) -> None:
    wrong = replace(server.account("worker"), password="wrong")

    with pytest.raises(ToolExecutionFailed) as caught:
        MysqlSource(wrong).run(plan("SELECT id FROM numbers", source=endless), run=start())
    with pytest.raises(ToolExecutionFailed):
        MysqlSource(wrong).grants()

    assert caught.value.category == "access_denied"


def test_required_tls_never_falls_back_to_plain_text(server: Scratch, endless: DataSource) -> None:
    """The test server has no certificate; where one has, the query simply runs."""
    has_tls = server.execute("SHOW VARIABLES LIKE 'have_ssl'")[0][1] == "YES"
    strict = replace(server.account("worker"), tls=TlsMode.REQUIRED)

    if has_tls:
        assert MysqlSource(strict).server_version()
    else:
        with pytest.raises(ToolExecutionFailed):
            MysqlSource(strict).server_version()


def test_a_server_that_never_answers_does_not_hold_the_run() -> None:
    run = start()
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = MysqlAddress("127.0.0.1", "nobody", port=silent.getsockname()[1])
        timer = threading.Timer(0.1, run.cancel, [CancelReason.USER_REQUESTED])
        began = time.monotonic()
        timer.start()
        with pytest.raises(RunAborted):
            MysqlSource(address).run(plan("SELECT id FROM tickets"), run=run)

        assert time.monotonic() - began < 1
        timer.join()
