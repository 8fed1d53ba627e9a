"""A server on 127.0.0.1 that speaks just enough of the Redis protocol to misbehave on demand."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

SILENCE = b"silence"
HANG_UP = b"hang up"


class FakeRedis:
    """Answers each command with `answers[name]`; PING with PONG, everything else with OK.

    SILENCE lets the client wait, HANG_UP closes the connection. `commands` holds what arrived.
    """

    def __init__(self, answers: Mapping[str, bytes]) -> None:
        self.answers = {"PING": b"+PONG\r\n", **answers}
        self.commands: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"redis://:hunter2@127.0.0.1:{self._listener.getsockname()[1]}/0"

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(timeout=5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _address = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream, suppress(OSError):
            while header := stream.readline():
                words = [stream.read(int(stream.readline()[1:]) + 2)[:-2] for _ in range(int(header[1:]))]
                name = words[0].decode()
                self.commands.append(name)
                answer = self.answers.get(name, b"+OK\r\n")
                if answer == HANG_UP:
                    return
                if answer != SILENCE:
                    connection.sendall(answer)


@contextmanager
def fake_redis(**answers: bytes) -> Iterator[FakeRedis]:
    """Run a FakeRedis for the body."""
    server = FakeRedis(answers)
    try:
        yield server
    finally:
        server.close()
