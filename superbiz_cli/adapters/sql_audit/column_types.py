"""Column types that mean the same on SQLite, MySQL and MariaDB.

Migrations use them, too: what is here may be added to, but never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, LargeBinary, String, Text, TypeDecorator
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

_SERVERS = ("mysql", "mariadb")


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time, stored in UTC to the microsecond."""

    impl = DateTime().with_variant(mysql.DATETIME(fsp=6), *_SERVERS)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Drop the zone after having gone to UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


ROW_ID = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER counts up by itself there
LONG_TEXT = Text().with_variant(mysql.LONGTEXT(), *_SERVERS)
LONG_BYTES = LargeBinary().with_variant(mysql.LONGBLOB(), *_SERVERS)
SHA256 = String(64).with_variant(mysql.CHAR(64, charset="ascii", collation="ascii_bin"), *_SERVERS)


def word(length: int) -> TypeEngine[str]:
    """Up to `length` ASCII characters, compared byte by byte: a prefix is a range of the index."""
    return String(length).with_variant(
        mysql.VARCHAR(length, charset="ascii", collation="ascii_bin"), *_SERVERS
    )


ID = word(64)
CODE = word(40)
SERVER_TABLE: Mapping[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
}
