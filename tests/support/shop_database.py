"""A small shop in a SQLite file, and the configuration that lets query_mysql read a part of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

SECRET = "Hunter2Secret!"


def write_shop(folder: Path) -> Path:
    """Write three payments, two of them stuck since 10:02, and accounts that nobody may read."""
    path = folder / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "CREATE TABLE payments (id INTEGER PRIMARY KEY, status TEXT, note TEXT, api_token TEXT);"
            "CREATE TABLE accounts (id INTEGER PRIMARY KEY, password TEXT);"
        )
        rows = [
            (1, "PAID", "fine", "t-1-canary"),
            (2, "STUCK", f"password={SECRET}", "t-2-canary"),
            (3, "STUCK", None, "t-3-canary"),
        ]
        connection.executemany("INSERT INTO payments VALUES (?, ?, ?, ?)", rows)
        connection.execute("INSERT INTO accounts VALUES (1, ?)", (SECRET,))
    return path


def shop_sections(database: Path, *columns: str) -> dict[str, dict[str, Any]]:
    """Return the sections of the configuration; `columns` of payments are allowed."""
    return {
        "[mysql.data_sources]": {"id": "shop-ro", "url": f"sqlite:///{database}"},
        "mysql.data_sources.allowed.shop": {"payments": list(columns or ("id", "status", "note"))},
    }
