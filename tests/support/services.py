"""Redis and MariaDB for tests that are marked with their names.

Where a service does not answer, its tests are skipped with the reason; with CI=true they fail, so
that an absent service cannot pass for a tested one.
"""

from __future__ import annotations

import functools
import os
import socket
from typing import NoReturn
from urllib.parse import urlsplit

import pytest

REDIS_URL = os.environ.get("SUPERBIZ_TEST_REDIS_URL", "redis://127.0.0.1:6379/0")
MARIADB_URL = os.environ.get("SUPERBIZ_TEST_MARIADB_URL", "mysql+pymysql://root@127.0.0.1:3306")

_PROBE_TIMEOUT_S = 2.0


def redis_url() -> str:
    """The URL of a Redis that answers. Skips the test otherwise (fails if CI=true)."""
    host, port = _address(REDIS_URL, default_port=6379)
    if not _answers(host, port, send=b"PING\r\n"):
        absent(f"Redis does not answer at {host}:{port}")
    return REDIS_URL


def mariadb_url() -> str:
    """The SQLAlchemy URL, without a database, of a MariaDB or MySQL that answers; else as above."""
    host, port = _address(MARIADB_URL, default_port=3306)
    if not _answers(host, port, send=b""):
        absent(f"MariaDB does not answer at {host}:{port}")
    return MARIADB_URL


def _address(url: str, *, default_port: int) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "127.0.0.1", parts.port or default_port


@functools.cache
def _answers(host: str, port: int, *, send: bytes) -> bool:
    """Whether the service says anything: Redis after a PING, MariaDB with its greeting."""
    try:
        with socket.create_connection((host, port), timeout=_PROBE_TIMEOUT_S) as connection:
            if send:
                connection.sendall(send)
            return bool(connection.recv(1))
    except OSError:
        return False


def absent(reason: str) -> NoReturn:
    """Skip the test because something that it needs is not here; fail it if CI=true."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"{reason}, and CI=true", pytrace=False)
    pytest.skip(reason)
