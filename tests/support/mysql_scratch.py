"""Databases and accounts of a test's own on a real MariaDB or MySQL, removed afterwards."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql
from pymysql.cursors import Cursor

from superbiz_cli.adapters.mysql_address import MysqlAddress
from tests.support.services import mariadb_url
from tests.support.sql_lines import sql_folder

PASSWORD = "scratch"


class Scratch:
    """A server with names of its own; `name("shop")` is the database that a test calls shop."""

    def __init__(self, root: MysqlAddress, prefix: str) -> None:
        self.root = root
        self._prefix = prefix
        self._databases: set[str] = set()
        self._accounts: set[str] = set()

    def name(self, database: str) -> str:
        full = f"{self._prefix}_{database}"
        self._databases.add(full)
        return full

    def account(self, user: str) -> MysqlAddress:
        full = f"{self._prefix}_{user}"
        self._accounts.add(full)
        return MysqlAddress(self.root.host, full, port=self.root.port, password=PASSWORD)

    def execute(self, *statements: str) -> Sequence[Sequence[Any]]:
        """Run statements as root; returns the rows of the last one."""
        connection: Any = pymysql.connect(
            host=self.root.host,
            port=self.root.port,
            user=self.root.user,
            password=self.root.password,
            autocommit=True,
        )
        try:
            with connection.cursor(Cursor) as cursor:
                for statement in statements:
                    cursor.execute(statement)
                rows: Sequence[Sequence[Any]] = cursor.fetchall()
                return rows
        finally:
            connection.close()

    def create(self, database: str, *tables: str) -> str:
        full = self.name(database)
        self.execute(
            f"DROP DATABASE IF EXISTS {full}",
            f"CREATE DATABASE {full} CHARACTER SET utf8mb4",
            f"USE {full}",
            *tables,
        )
        return full

    def create_account(self, user: str, *grants: str) -> MysqlAddress:
        """Create an account with these grants, each "PRIVILEGES ON OBJECT"."""
        address = self.account(user)
        who = f"'{address.user}'@'%'"
        self.execute(
            f"DROP USER IF EXISTS {who}",
            f"CREATE USER {who} IDENTIFIED BY '{PASSWORD}'",
            *(f"GRANT {grant} TO {who}" for grant in grants),
        )
        return address

    def processes(self, user: str) -> list[str]:
        """Statements that connections of this account are working on, "" for an idle one."""
        rows = self.execute(
            f"SELECT COALESCE(info, '') FROM information_schema.processlist WHERE user = '{user}'"
        )
        return [str(row[0]) for row in rows]

    def wait_for_processes(self, user: str, *, working: bool, seconds: float = 10.0) -> bool:
        """Wait until the account is, or is no longer, working on a SELECT or connected."""
        tick = threading.Event()
        for _ in range(int(seconds / 0.02)):
            seen = self.processes(user)
            if working and any(text.startswith("SELECT COUNT") for text in seen):
                return True
            if not working and not seen:
                return True
            tick.wait(0.02)
        return False

    def state(self) -> dict[str, Any]:
        """A picture of everything on the server that a query could have changed.

        Databases and accounts of other tests are left out: they run at the same time.
        """
        ours = f"(%s LIKE '{self._prefix}%%' OR %s NOT LIKE 'superbiz%%')"
        tables = self.execute(
            "SELECT table_schema, table_name, table_type FROM information_schema.tables "
            f"WHERE table_schema LIKE '{self._prefix}%' ORDER BY 1, 2"
        )
        checksums = {
            f"{schema}.{table}": self.execute(f"CHECKSUM TABLE `{schema}`.`{table}`")[0][1]
            for schema, table, kind in tables
            if kind == "BASE TABLE"
        }
        accounts = self.execute(
            "SELECT user, host, authentication_string FROM mysql.user "
            f"WHERE {ours % ('user', 'user')} ORDER BY 1, 2"
        )
        databases = self.execute(
            "SELECT schema_name FROM information_schema.schemata "
            f"WHERE {ours % ('schema_name', 'schema_name')} ORDER BY 1"
        )
        variables = self.execute("SHOW GLOBAL VARIABLES WHERE variable_name NOT LIKE '%gtid%'")
        return {
            "tables": tables,
            "checksums": checksums,
            "accounts": accounts,
            "databases": databases,
            "variables": variables,
            "files": self._files(),
        }

    def _files(self) -> list[str]:
        """The files of our databases and of the folder around them, where this machine has them."""
        [[folder]] = self.execute("SELECT @@datadir")
        try:
            names = [path.name for path in Path(str(folder)).iterdir()]
            ours = [name for name in names if name.startswith(self._prefix)]
            inside = [f"{name}/{path.name}" for name in ours for path in Path(str(folder), name).iterdir()]
        except OSError:
            return []
        passing = re.compile(r"superbiz|.*\.(pid|sock|err)|.*-bin\.\d+|aria_log\.\d+|ib_")
        return sorted([*inside, *(name for name in names if not passing.match(name))])

    def close(self) -> None:
        for account in self._accounts:
            self.execute(
                f"DROP USER IF EXISTS '{account}'@'%'", f"DROP USER IF EXISTS '{account}'@'127.0.0.1'"
            )
        for database in self._databases:
            self.execute(f"DROP DATABASE IF EXISTS {database}")


@contextmanager
def scratch_server(label: str) -> Iterator[Scratch]:
    """Names of our own on the test server. Skips where there is none (fails if CI=true)."""
    scratch = Scratch(MysqlAddress.from_url(mariadb_url()), f"superbiz_{label}_{os.getpid()}")
    try:
        yield scratch
    finally:
        scratch.close()


def create_given_schema(server: Scratch) -> None:
    """Create the shared schema, its forbidden tables and its accounts, under names of our own."""
    names = {database: server.name(database) for database in ("shop", "hr")}
    names |= {account: server.account(account).user for account in ("app", "ro")}
    server.execute(*statements_of((sql_folder() / "schema.sql").read_text("utf-8"), names))


def statements_of(script: str, renames: dict[str, str]) -> list[str]:
    """Split a simple SQL script and rename whole words in it (databases and accounts)."""
    for old, new in renames.items():
        script = re.sub(rf"\b{re.escape(old)}\b", new, script)
    return [statement.strip() for statement in re.split(r";\s", script + "\n") if statement.strip()]
