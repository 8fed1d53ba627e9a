"""An OpenAI-compatible endpoint on 127.0.0.1 that plays the turns of a script, whatever they are.

It knows what a real provider knows: the messages of each request. The role is told by the request's
own task, the ids that the program showed by its observations.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from superbiz_cli.adapters.script_macros import ShownIds, chat_messages, read_script, render_turn

ROLE_OF_TASK = {"route": "router", "judge": "semantic", "repair": "repair", "answer": "answer"}
DRIP_EVERY_S = 0.05
LONG_S = 600.0


@dataclass(frozen=True)
class Received:
    """One physical request."""

    role: str
    number: int
    headers: Mapping[str, str]
    text: str
    at: float = field(default_factory=time.monotonic)


class ScriptServer:
    """Use as a context manager. `on_request` is told role and number (from 1) before the turn is played."""

    def __init__(
        self, script: Mapping[str, Any], on_request: Callable[[str, int], None] = lambda _role, _number: None
    ) -> None:
        self._script = read_script(json.dumps(script))
        self._ids = ShownIds()
        self._lock = threading.Lock()
        self._positions: dict[str, int] = {}
        self._on_request = on_request
        self.requests: list[Received] = []
        self.client_left = threading.Event()
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _endpoint_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> ScriptServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def take(self, headers: Mapping[str, str], text: str) -> Mapping[str, Any]:
        """Note the request and return the rendered turn that answers it."""
        messages = json.loads(text)["messages"]
        with self._lock:
            role = _role_of(messages)
            position = self._positions.get(role, 0)
            self._positions[role] = position + 1
            self.requests.append(Received(role, position + 1, headers, text))
        self._on_request(role, position + 1)
        with self._lock:
            return self._turn(role, position, messages)

    def _turn(self, role: str, position: int, messages: Any) -> Mapping[str, Any]:
        if role == "agent":
            self._ids.observe(chat_messages(messages))
        turns = self._script.turns[role]
        if position >= len(turns) and not (turns and self._script.repeat_last):
            return {"error": "TRANSPORT", "status": 500}
        turn = turns[min(position, len(turns) - 1)]
        rendered = render_turn(turn, self._ids.macros(), surrogate=self._script.surrogate)
        if role == "agent" and "error" not in turn:
            self._ids.played(rendered)
        return rendered


def _role_of(messages: Any) -> str:
    for message in messages:
        if message.get("role") == "user":
            try:
                task = json.loads(message["content"]).get("task")
            except (TypeError, ValueError, AttributeError):
                return "agent"
            return ROLE_OF_TASK.get(task, "agent")
    return "agent"


def _endpoint_of(server: ScriptServer) -> type[BaseHTTPRequestHandler]:
    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            return

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
            self.close_connection = True
            turn = server.take({key.lower(): value for key, value in self.headers.items()}, text)
            try:
                self._play(turn)
            except OSError:
                server.client_left.set()

        def _play(self, turn: Mapping[str, Any]) -> None:
            if not self._pause(float(turn.get("delay_ms", 0)) / 1000):
                return
            if "hang_ms" in turn:
                self._pause(float(turn["hang_ms"]) / 1000)
                return
            if turn.get("drip"):
                self._drip()
                return
            match turn.get("error"):
                case None:
                    self._send(200, json.dumps(_completion(turn)).encode("utf-8", "surrogatepass"))
                case "TIMEOUT":
                    self._pause(LONG_S)
                case "PARTIAL":
                    whole = json.dumps(_completion({"content": "half"})).encode()
                    self._head(200, len(whole), turn)
                    self.wfile.write(whole[: len(whole) // 2])
                case "TRANSPORT" if "status" not in turn:
                    self._reset()
                case _:
                    body = str(turn.get("body", '{"error":{"message":"scripted failure"}}'))
                    self._send(int(turn.get("status", 200)), body.encode(), turn)

        def _send(self, status: int, body: bytes, turn: Mapping[str, Any] | None = None) -> None:
            self._head(status, len(body), turn or {})
            self.wfile.write(body)

        def _head(self, status: int, length: int, turn: Mapping[str, Any]) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(length))
            self.send_header("connection", "close")
            if "location" in turn:
                self.send_header("location", str(turn["location"]))
            if "retry_after_s" in turn:
                self.send_header("retry-after", str(turn["retry_after_s"]))
            self.end_headers()

        def _reset(self) -> None:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

        def _drip(self) -> None:
            self._head(200, 1_000_000, {})
            while self._pause(DRIP_EVERY_S):
                self.wfile.write(b" ")
                self.wfile.flush()

        def _pause(self, seconds: float) -> bool:
            """Wait; False when the client left meanwhile or the server stops."""
            until = time.monotonic() + seconds
            while (left := until - time.monotonic()) > 0 and not server.stopping.is_set():
                readable, _, _ = select.select([self.connection], [], [], min(left, 0.02))
                if readable and not self.connection.recv(1024):
                    server.client_left.set()
                    return False
            return not server.stopping.is_set()

    return Endpoint


def _completion(turn: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": turn.get("role", "assistant"), "content": turn.get("content")}
    if turn.get("reasoning_content"):
        message["reasoning_content"] = turn["reasoning_content"]
    if turn.get("tool_calls"):
        message["tool_calls"] = [
            {
                "id": call.get("id"),
                "type": "function",
                "function": {"name": call.get("name"), "arguments": call.get("arguments")},
            }
            for call in turn["tool_calls"]
        ]
    choice = {"index": 0, "message": message, "finish_reason": turn.get("finish_reason", "stop")}
    choices = [choice, {**choice, "index": 1}] if turn.get("extra_choice") else [choice]
    value = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted"}
    usage = {"usage": turn["usage"]} if turn.get("usage") is not None else {}
    return {**value, "choices": choices, **usage}
