"""The engine of ClickHouse (chdb-core-lite) behind ClickHouse's HTTP interface, in a process of its own.

What the engine does is real: types, functions, settings, limits, exceptions. Written here is only what a
server adds (https://clickhouse.com/docs/interfaces/http): users, parameters from the URL, and the status of
an exception as in `src/Server/HTTP/exceptionCodeToHTTPStatus.cpp`.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import importlib.util
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

REPOSITORY = Path(__file__).parents[2]
IS_INSTALLED = importlib.util.find_spec("chdb") is not None

_BREAKING = {"max_rows_to_read": "3000", "read_overflow_mode": "break"}
# user: (password, the settings of its profile)
USERS: dict[str, tuple[str, dict[str, str]]] = {
    "default": ("", {}),
    "team": ("s3cret", {}),
    "reader": ("s3cret", {"readonly": "1"}),
    "reader2": ("s3cret", {"readonly": "2"}),
    "limited": ("s3cret", {}),
    "narrow": ("s3cret", {"max_rows_to_read": "5000"}),
    "tiny": ("s3cret", {"max_rows_to_read": "10"}),
    "small": ("s3cret", {"max_memory_usage": "20000"}),
    "breaking": ("s3cret", _BREAKING),
    "breaking_reader": ("s3cret", _BREAKING | {"readonly": "1"}),
}
_CONSTRAINED = {"limited": "max_execution_time"}  # the setting that a user's profile lets nobody change

_NO_SETTINGS = {"query", "database", "default_format", "user", "password", "query_id", "wait_end_of_query"}
_STATUS = {194: 401} | dict.fromkeys((192, 193, 497, 516), 403)
_STATUS |= dict.fromkeys((6, 27, 36, 38, 41, 43, 44, 53, 62, 72, 117, 457), 400)
_STATUS |= dict.fromkeys((46, 47, 50, 60, 73, 81, 115), 404) | {48: 501, 159: 408}


@dataclass(frozen=True, slots=True)
class ClickHouse:
    """A running server. `url` is where it listens."""

    url: str

    def execute(self, sql: str) -> None:
        """Run one statement as the default user. Raises AssertionError with the engine's words."""
        answer = httpx.post(self.url, content=sql.encode(), timeout=60, trust_env=False)
        assert answer.status_code == 200, answer.text


@contextlib.contextmanager
def running() -> Iterator[ClickHouse]:
    """Start a server with an empty data directory; it ends, and its data go, with the block."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.clickhouse_server", folder],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout
            yield ClickHouse(server.stdout.readline().strip())
        finally:
            server.communicate()  # the end of its input is its end


class _Refused(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = re.search(r"Code: (\d+)\.", text)
        self.code = int(found[1]) if found else 1002
        self.text = text


def _answer(folder: str, method: str, params: dict[str, str], body: str, authorization: str) -> bytes:
    """Return the body of a successful answer. Raises _Refused."""
    user = _user_of(params, authorization)
    profile = USERS[user][1]
    connection: Any = _connect(folder)
    try:
        if profile:
            _execute(connection, _set(profile))
        if method == "GET" and "readonly" not in profile:
            _execute(connection, "SET readonly = 2")
        if "database" in params:
            escaped = params["database"].replace("\\", "\\\\").replace("`", "\\`")
            _execute(connection, f"USE `{escaped}`")
        settings = {
            name: value
            for name, value in params.items()
            if name not in _NO_SETTINGS and not name.startswith("param_")
        }
        if _CONSTRAINED.get(user) in settings:
            raise _Refused(
                "Code: 452. DB::Exception: Setting max_execution_time shouldn't be greater than 5."
            )
        if settings:
            _execute(connection, _set(settings))
        values = {
            name.removeprefix("param_"): value for name, value in params.items() if name.startswith("param_")
        }
        sql = "\n".join(part for part in (params.get("query"), body) if part)
        return _execute(connection, sql, params.get("default_format", "TabSeparated"), values)
    finally:
        connection.close()


def _connect(folder: str) -> Any:
    """Return a session of the engine. Only this process loads it: it has threads and signals of its own."""
    return importlib.import_module("chdb._chdb").connect(folder)


def _user_of(params: dict[str, str], authorization: str) -> str:
    user, password = params.get("user", "default"), params.get("password", "")
    if authorization.startswith("Basic "):
        user, _, password = base64.b64decode(authorization[6:]).decode().partition(":")
    if user not in USERS or USERS[user][0] != password:
        raise _Refused(
            f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, or there is no "
            "user with such name. (AUTHENTICATION_FAILED)"
        )
    return user


def _set(settings: dict[str, str]) -> str:
    quoted = (f"{name} = {_literal(value)}" for name, value in settings.items())
    return "SET " + ", ".join(quoted)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _execute(
    connection: Any, sql: str, form: str = "TabSeparated", params: dict[str, str] | None = None
) -> bytes:
    try:
        content: bytes = connection.query(sql, form, params=params or {}).bytes()
    except RuntimeError as error:
        raise _Refused(str(error)) from None
    return content


def _serve(folder: str) -> None:
    class Responder(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            params = dict(parse_qsl(parts.query, keep_blank_values=True))
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            headers: dict[str, str] = {}
            try:
                status, content = (
                    200,
                    _answer(folder, self.command, params, body, self.headers.get("Authorization", "")),
                )
            except _Refused as refused:
                status, content = _STATUS.get(refused.code, 500), refused.text.encode()
                headers["X-ClickHouse-Exception-Code"] = str(refused.code)
            with contextlib.suppress(OSError):  # the client has gone
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    kept = _connect(folder)  # the engine lives as long as one connection does
    http = ThreadingHTTPServer(("127.0.0.1", 0), Responder)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{http.server_address[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()
    http.shutdown()
    kept.close()


if __name__ == "__main__":
    _serve(sys.argv[1])
