"""URLs of data sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli.adapters.mysql_address import AddressError, MysqlAddress, TlsMode
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.adapters.sql_sources import open_source
from superbiz_cli.adapters.sqlite_source import SqliteSource


def test_a_url_names_server_account_and_trust() -> None:
    address = MysqlAddress.from_url("mysql://r%40o:p%2Fw@db:3307/shop?tls=verify-ca&ca=/etc/ca.pem")

    assert address == MysqlAddress(
        "db", "r@o", port=3307, password="p/w", tls=TlsMode.VERIFY_CA, ca_file="/etc/ca.pem"
    )
    assert "p/w" not in repr(address)


def test_a_password_from_elsewhere_beats_that_of_the_url() -> None:
    address = MysqlAddress.from_url("mariadb+pymysql://ro:old@db", password="new")

    assert (address.password, address.port, address.tls) == ("new", 3306, TlsMode.PREFERRED)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("postgres://db/shop", "looks like mysql://"),
        ("mysql:///shop", "looks like mysql://"),
        ("mysql://db:port/shop", "cannot be read"),
        ("mysql://db/shop?tls=maybe", "tls is one of"),
        ("mysql://db/shop?user=x", "unknown option user"),
        ("sqlite:///", "sqlite:///file.db"),
    ],
)
def test_another_url_is_explained(url: str, complaint: str) -> None:
    with pytest.raises(AddressError, match=complaint):
        open_source(url)


def test_a_url_opens_the_right_source(tmp_path: Path) -> None:
    assert isinstance(open_source("mysql://ro@db/shop", password="x"), MysqlSource)
    assert isinstance(open_source(f"sqlite:///{tmp_path}/x.db"), SqliteSource)
