"""An HTTP server in the test's process that answers as a script says and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[Asked], tuple[int, Any]]


@dataclass(slots=True)
class LogServer:
    url: str
    asked: list[Asked] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(answer: Answer) -> Iterator[LogServer]:
    """Serve `answer`, which maps a request to (status, JSON value or text)."""
    server = LogServer("")

    class Responder(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            params = dict(parse_qsl(parts.query, keep_blank_values=True))
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            asked = Asked(self.command, parts.path, params, dict(self.headers.items()), body)
            server.asked.append(asked)
            status, value = answer(asked)
            content = (value if isinstance(value, str) else json.dumps(value)).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # the client has gone

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Responder)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        http.shutdown()
        http.server_close()
        thread.join()
