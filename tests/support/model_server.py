"""A model endpoint on 127.0.0.1 that counts requests and answers as it is told.

It speaks OpenAI chat completions, Anthropic messages and Ollama /api/chat, by the path of the
request, and it can hang, drip, reset, redirect, break off or answer with something else.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Mode = Literal["answer", "raw", "hang", "drip", "reset", "partial"]


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    `usage` is (input, output) tokens or None for no report. `body` is sent as it is in mode "raw".
    """

    content: str | None = "ok"
    tool_calls: Sequence[Mapping[str, Any]] = ()
    finish_reason: str | None = "stop"
    usage: tuple[Any, Any] | None = (11, 7)
    choices: int = 1
    mode: Mode = "answer"
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def tool_call(name: str, arguments: Any, *, id: Any = "call_1") -> dict[str, Any]:
    return {"id": id, "name": name, "arguments": arguments}


def failing(status: int, body: str = '{"error":{"message":"sk-LEAKME boom"}}', **headers: str) -> Answer:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Answer(mode="raw", status=status, body=body.encode(), headers=named)


def raw(body: bytes, *, content_type: str = "application/json", **headers: str) -> Answer:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Answer(mode="raw", body=body, headers={"content-type": content_type, **named})


@dataclass(frozen=True)
class Received:
    """One request as it came in. `body` is {} when it was not JSON."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    text: str


class ModelServer:
    """Use as a context manager. Answers are taken in order; the last one repeats."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers) or [Answer()]
        self._lock = threading.Lock()
        self.requests: list[Received] = []
        self.arrived = threading.Event()
        self.client_left = threading.Event()
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _endpoint_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def port(self) -> int:
        return self._server.server_port

    def script(self, *answers: Answer) -> None:
        """Replace what is answered from now on, and forget the requests seen so far."""
        with self._lock:
            self._answers = list(answers)
            self.requests.clear()
        self.arrived.clear()
        self.client_left.clear()

    def take(self, received: Received) -> Answer:
        with self._lock:
            self.requests.append(received)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def _endpoint_of(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            return

        def do_GET(self) -> None:
            self._respond()

        def do_POST(self) -> None:
            self._respond()

        def _respond(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
            headers = {key.lower(): value for key, value in self.headers.items()}
            answer = server.take(Received(self.command, self.path, headers, _json(text), text))
            server.arrived.set()
            self.close_connection = True
            try:
                self._perform(answer)
            except (BrokenPipeError, ConnectionResetError):
                server.client_left.set()

        def _perform(self, answer: Answer) -> None:
            match answer.mode:
                case "hang":
                    self._until_client_leaves()
                case "drip":
                    self._head(200, {"content-length": "100000", "content-type": "application/json"})
                    self._until_client_leaves(drip=b" ")
                case "reset":
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.connection.close()
                case "partial":
                    body = _encode(self.path, Answer())
                    self._head(200, {"content-length": str(len(body)), "content-type": "application/json"})
                    self.wfile.write(body[: len(body) // 2])
                case "raw":
                    self._send(answer, answer.body)
                case "answer":
                    self._send(answer, _encode(self.path, answer))

        def _send(self, answer: Answer, body: bytes) -> None:
            headers = {"content-type": "application/json", "content-length": str(len(body))}
            self._head(answer.status, headers | {key.lower(): value for key, value in answer.headers.items()})
            self.wfile.write(body)

        def _head(self, status: int, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for key, value in {"connection": "close", **headers}.items():
                self.send_header(key, value)
            self.end_headers()

        def _until_client_leaves(self, *, drip: bytes = b"") -> None:
            while not server.stopping.is_set():
                readable, _, _ = select.select([self.connection], [], [], 0.02)
                if readable and not self.connection.recv(1024):
                    server.client_left.set()
                    return
                if drip:
                    self.wfile.write(drip)

    return Endpoint


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _encode(path: str, answer: Answer) -> bytes:
    if path.endswith("/messages"):
        value = _anthropic(answer)
    elif path.endswith("/api/chat"):
        value = _ollama(answer)
    else:
        value = _openai(answer)
    return json.dumps(value).encode()


def _openai(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.content}
    if answer.tool_calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in answer.tool_calls
        ]
    choice = {"message": message, "finish_reason": answer.finish_reason}
    value: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": index, **choice} for index in range(answer.choices)],
    }
    if answer.usage is not None:
        value["usage"] = {"prompt_tokens": answer.usage[0], "completion_tokens": answer.usage[1]}
        value["usage"]["total_tokens"] = 0
    return value


def _anthropic(answer: Answer) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = (
        [] if answer.content is None else [{"type": "text", "text": answer.content}]
    )
    blocks += [
        {"type": "tool_use", "id": call["id"], "name": call["name"], "input": json.loads(call["arguments"])}
        for call in answer.tool_calls
    ]
    value: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "served-model",
        "content": blocks,
        "stop_reason": "tool_use" if answer.tool_calls else "end_turn",
    }
    if answer.usage is not None:
        value["usage"] = {"input_tokens": answer.usage[0], "output_tokens": answer.usage[1]}
    return value


def _ollama(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.content or ""}
    if answer.tool_calls:
        message["tool_calls"] = [
            {"function": {"name": call["name"], "arguments": json.loads(call["arguments"])}}
            for call in answer.tool_calls
        ]
    value: dict[str, Any] = {
        "model": "served-model",
        "created_at": "2026-11-30T10:00:00Z",
        "message": message,
        "done": True,
        "done_reason": answer.finish_reason,
    }
    if answer.usage is not None:
        value["prompt_eval_count"], value["eval_count"] = answer.usage
    return value
