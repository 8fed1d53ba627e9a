"""From the URL of a data source to what runs its queries."""

from __future__ import annotations

from pathlib import Path

from superbiz_cli.adapters.mysql_address import AddressError, MysqlAddress
from superbiz_cli.adapters.mysql_source import MysqlSource
from superbiz_cli.adapters.sqlite_source import SqliteSource

_SQLITE = "sqlite:///"


def open_source(url: str, *, password: str | None = None) -> MysqlSource | SqliteSource:
    """Return the executor of `mysql://user@host/schema` or `sqlite:///file.db`; nothing is connected yet.

    Raises AddressError with a sentence for the user.
    """
    if url.startswith(_SQLITE):
        path = url.removeprefix(_SQLITE)
        if not path:
            raise AddressError("the URL of a SQLite data source looks like sqlite:///file.db")
        return SqliteSource(Path(path))
    return open_address(MysqlAddress.from_url(url, password=password))


def open_address(address: MysqlAddress) -> MysqlSource:
    """Return the executor of a server. Raises AddressError if its CA file is not there."""
    if address.ca_file is not None and not Path(address.ca_file).is_file():
        raise AddressError(f"the CA file {address.ca_file} cannot be read")
    return MysqlSource(address)
