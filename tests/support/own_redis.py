"""A Redis server of our own that a test may kill, fill and start again; nobody else's is touched."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

STARTED_S = 10.0


class OwnRedis:
    """One `redis-server` process on 127.0.0.1, with nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        program = shutil.which("redis-server") or pytest.skip("redis-server is not installed")
        self._folder.mkdir(parents=True, exist_ok=True)
        options = {"port": str(self.port), "bind": "127.0.0.1", "save": "", "dir": str(self._folder)}
        arguments = [part for key, value in options.items() for part in (f"--{key}", value)]
        self._process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)
        ends = time.monotonic() + STARTED_S
        while not self._answers():
            assert time.monotonic() < ends, "redis-server did not start"

    def kill(self) -> None:
        """End the server as a crash would; what it held is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def command(self, *words: str) -> bytes:
        """Send one command and return what comes back at once."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall((" ".join(words) + "\r\n").encode())
            return connection.recv(4096)

    def fill(self) -> None:
        """Let every command that needs memory be refused from now on."""
        self.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        self.command("CONFIG", "SET", "maxmemory", "1")

    def _answers(self) -> bool:
        try:
            return self.command("PING").startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def own_redis(folder: Path) -> Iterator[OwnRedis]:
    """Run a server for the body."""
    server = OwnRedis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
