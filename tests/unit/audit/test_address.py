"""Addresses of the audit database."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli.adapters.sql_audit.address import parse_address
from superbiz_cli.harness.audit.failure import AuditFault, AuditUnavailable


def test_a_path_is_a_sqlite_file(tmp_path: Path) -> None:
    address = parse_address(tmp_path / "a b?.db", environ={})
    assert address.file == tmp_path / "a b?.db"
    assert address.url.database == str(address.file)
    assert address.where == str(address.file)


def test_a_sqlite_url_names_a_file() -> None:
    assert parse_address("sqlite:////var/lib/superbiz/audit.db", environ={}).file == Path(
        "/var/lib/superbiz/audit.db"
    )


@pytest.mark.parametrize("scheme", ["mysql", "mysql+pymysql", "mariadb"])
def test_a_server_is_reached_by_pymysql_in_utf8mb4(scheme: str) -> None:
    address = parse_address(f"{scheme}://superbiz@db.internal:3307/audit?charset=latin1", environ={})
    assert address.url.drivername in {"mysql+pymysql", "mariadb+pymysql"}
    assert address.url.query["charset"] == "utf8mb4"
    assert address.file is None
    assert address.where == "db.internal:3307/audit"


def test_the_password_comes_from_the_named_variable_and_stays_out_of_what_is_shown() -> None:
    address = parse_address(
        "mysql://superbiz@db/audit?password_env=AUDIT_PW", environ={"AUDIT_PW": "hunter2"}
    )
    assert address.url.password == "hunter2"
    assert "password_env" not in address.url.query
    assert "hunter2" not in address.where + str(address.url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "audit.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////a.db?mode=ro",
        "postgresql://db/audit",
        "mysql://db:port/audit",
        "mysql://superbiz@db",
        "nonsense+driver://db/audit",
    ],
)
def test_what_is_no_audit_address_is_refused_with_the_key_and_the_remedy(url: str) -> None:
    with pytest.raises(AuditUnavailable) as refused:
        parse_address(url, environ={})
    assert refused.value.fault is AuditFault.MISCONFIGURED
    assert refused.value.where == "audit.url"
    assert "sqlite:///FILE" in refused.value.remedy


def test_a_missing_password_variable_is_named() -> None:
    with pytest.raises(AuditUnavailable) as refused:
        parse_address("mysql://superbiz@db/audit?password_env=AUDIT_PW", environ={})
    assert "AUDIT_PW" in str(refused.value)
    assert "AUDIT_PW" in refused.value.remedy
