"""Where a MySQL or MariaDB server is, who we are there, and how far its certificate is trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qs, unquote, urlsplit

DEFAULT_PORT = 3306
_SCHEMES = ("mysql", "mariadb", "mysql+pymysql", "mariadb+pymysql")


class TlsMode(StrEnum):
    """How the connection is encrypted.

    PREFERRED encrypts if the server can; REQUIRED refuses plain text; VERIFY_CA and VERIFY_IDENTITY
    also check the server's certificate, and its name.
    """

    DISABLED = "disabled"
    PREFERRED = "preferred"
    REQUIRED = "required"
    VERIFY_CA = "verify-ca"
    VERIFY_IDENTITY = "verify-identity"


class AddressError(ValueError):
    """The URL is not one of a MySQL server. The message is ours and holds no password."""


@dataclass(frozen=True, slots=True)
class MysqlAddress:
    """A server and an account. The password is not shown by repr."""

    host: str
    user: str
    port: int = DEFAULT_PORT
    password: str = field(default="", repr=False)
    tls: TlsMode = TlsMode.PREFERRED
    ca_file: str | None = None

    @classmethod
    def from_url(cls, url: str, *, password: str | None = None) -> MysqlAddress:
        """Read `mysql://user@host:port/database?tls=required&ca=FILE`; `password` beats that of the URL.

        The database of the URL is not opened: queries name their schemas. Raises AddressError.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or DEFAULT_PORT
        except ValueError:
            raise AddressError("the URL of the data source cannot be read") from None
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise AddressError("the URL of a MySQL data source looks like mysql://user@host:3306/schema")
        options = parse_qs(parts.query)
        if unknown := set(options) - {"tls", "ca"}:
            raise AddressError(f"unknown option {sorted(unknown)[0]} in the URL; tls and ca are known")
        try:
            tls = TlsMode(options.get("tls", ["preferred"])[0])
        except ValueError:
            raise AddressError(f"tls is one of {', '.join(TlsMode)}") from None
        return cls(
            host=parts.hostname,
            user=unquote(parts.username or ""),
            port=port,
            password=unquote(parts.password or "") if password is None else password,
            tls=tls,
            ca_file=options.get("ca", [None])[0],
        )
