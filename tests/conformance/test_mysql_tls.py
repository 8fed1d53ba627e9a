"""TLS to a server with a certificate: encrypted as demanded, or not connected at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pymysql.cursors import Cursor

from superbiz_cli.adapters import mysql_connection as driver
from superbiz_cli.adapters.mysql_address import MysqlAddress, TlsMode
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.mysql.contract import DataSource
from superbiz_cli.harness.tool.port import ToolExecutionFailed
from tests.support.flow_world import toml_section
from tests.support.mysql_private import PrivateServer, private_server
from tests.support.run_cli import run_cli
from tests.support.sql_shop import plan

STORE = DataSource("store", "store", {"store": {"tickets": ("id",)}})
ASK = "SELECT id FROM tickets"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    with private_server(tmp_path_factory.mktemp("private")) as started:
        started.execute(
            "CREATE DATABASE store",
            "CREATE TABLE store.tickets(id INT)",
            "INSERT INTO store.tickets VALUES (7)",
            "CREATE USER plain@'%'",
            "CREATE USER secure@'%' REQUIRE SSL",
            "GRANT SELECT (id) ON store.tickets TO plain@'%'",
            "GRANT SELECT (id) ON store.tickets TO secure@'%'",
        )
        yield started


def address(
    server: PrivateServer, tls: TlsMode, *, host: str = "localhost", ca: Path | None = None
) -> MysqlAddress:
    ca_file = None if ca is None else str(ca)
    return MysqlAddress(host, "plain", port=server.port, tls=tls, ca_file=ca_file)


def cipher(at: MysqlAddress) -> str:
    opened = driver.connect(at, tls=driver.tls_context(at), timeout_s=5)
    with closing(opened), opened.cursor(Cursor) as cursor:
        cursor.execute("SHOW STATUS LIKE 'Ssl_cipher'")
        return str(cursor.fetchone()[1])


def ask(at: MysqlAddress) -> tuple[tuple[object, ...], ...]:
    run = Run.start(session_id="s", deadline_s=30, limits=BudgetLimits())
    return MysqlSource(at).run(plan(ASK, source=STORE), run=run).rows


@pytest.mark.parametrize("tls", [TlsMode.PREFERRED, TlsMode.REQUIRED])
def test_a_connection_is_encrypted_where_nobody_asks_whose_server_it_is(
    server: PrivateServer, tls: TlsMode
) -> None:
    assert cipher(address(server, tls))
    assert ask(address(server, tls)) == ((7,),)


def test_a_connection_is_plain_only_where_that_was_said(server: PrivateServer) -> None:
    assert cipher(address(server, TlsMode.DISABLED)) == ""


@pytest.mark.parametrize("tls", [TlsMode.VERIFY_CA, TlsMode.VERIFY_IDENTITY])
def test_a_certificate_of_the_named_authority_is_accepted(server: PrivateServer, tls: TlsMode) -> None:
    assert cipher(address(server, tls, ca=server.ca_file))
    assert ask(address(server, tls, ca=server.ca_file)) == ((7,),)


@pytest.mark.parametrize("tls", [TlsMode.VERIFY_CA, TlsMode.VERIFY_IDENTITY])
@pytest.mark.parametrize("known", [True, False])
def test_a_certificate_of_another_authority_is_refused(
    server: PrivateServer, tls: TlsMode, known: bool
) -> None:
    with pytest.raises(ToolExecutionFailed) as caught:
        ask(address(server, tls, ca=server.other_ca if known else None))

    assert (caught.value.category, caught.value.__cause__) == ("encryption_failed", None)


def test_a_certificate_of_another_name_is_refused_only_where_the_name_counts(server: PrivateServer) -> None:
    by_number = address(server, TlsMode.VERIFY_CA, host="127.0.0.1", ca=server.ca_file)

    assert ask(by_number) == ((7,),)
    with pytest.raises(ToolExecutionFailed) as caught:
        ask(replace(by_number, tls=TlsMode.VERIFY_IDENTITY))
    assert caught.value.category == "encryption_failed"


def test_an_account_that_demands_encryption_gets_it_or_nothing(server: PrivateServer) -> None:
    secure = replace(address(server, TlsMode.PREFERRED), user="secure")

    assert ask(secure) == ((7,),)
    with pytest.raises(ToolExecutionFailed) as caught:
        ask(replace(secure, tls=TlsMode.DISABLED))
    assert caught.value.category == "access_denied"


@pytest.mark.parametrize("form", ["url", "host"])
def test_the_configuration_says_how_far_a_certificate_is_trusted(
    server: PrivateServer, tmp_path: Path, form: str
) -> None:
    def query(ca: Path) -> tuple[int, str]:
        at = {"url": f"mysql://plain@localhost:{server.port}/store?tls=verify-identity&ca={ca}"}
        if form == "host":
            at = {"host": "localhost", "user": "plain", "tls": "verify-identity", "ca_file": str(ca)}
            at["port"] = server.port  # type: ignore[assignment]
        config = tmp_path / "tls.toml"
        config.write_text(
            toml_section("[mysql.data_sources]", {"id": "store", **at})
            + toml_section("mysql.data_sources.allowed.store", {"tickets": ["id"]})
        )
        done = run_cli("mysql", "query", "store", ASK, "--config", str(config))
        return done.code, done.out + done.err

    assert query(server.ca_file) == (0, "id\n7\n")
    code, said = query(server.other_ca)
    assert code == 4
    assert "cannot be encrypted as the address or the account demands (encryption_failed)" in said
    code, said = query(tmp_path / "absent.pem")
    assert code == 2
    assert "absent.pem cannot be read" in said


def test_doctor_tells_that_encryption_is_the_matter(server: PrivateServer, tmp_path: Path) -> None:
    config = tmp_path / "tls.toml"
    url = f"mysql://plain@localhost:{server.port}/store?tls=verify-ca&ca={server.other_ca}"
    config.write_text(
        toml_section("[mysql.data_sources]", {"id": "store", "url": url})
        + toml_section("mysql.data_sources.allowed.store", {"tickets": ["id"]})
    )

    rows = run_cli("doctor", "--json", "--config", str(config)).json()

    [row] = [row for row in rows if row["name"] == "mysql store"]
    assert row["status"] == "warn"
    assert "encryption_failed" in row["detail"]
    assert row["fix"].startswith("check tls and the CA file")
