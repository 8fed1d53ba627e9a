"""A model that plays a script: for smoke tests in CI, and for showing how odd models are handled.

It knows only the messages that it is given, like any model. See docs/scripted-model.md.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from superbiz_cli.adapters.http_failures import failure_for_status, hint_for_status
from superbiz_cli.adapters.script_macros import (
    Script,
    ScriptError,
    ShownIds,
    Turn,
    read_script,
    render_turn,
)
from superbiz_cli.harness.contract.model import (
    CancelSignal,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
    ModelUnavailable,
    ReportedUsage,
    RetryFailure,
)

MAX_SCRIPT_BYTES = 8_000_000

_SCRIPT_ROLE: Mapping[ModelRole, str] = {
    ModelRole.AGENT: "agent",
    ModelRole.ROUTER: "router",
    ModelRole.JUDGE: "semantic",
    ModelRole.REPAIR: "repair",
    ModelRole.ANSWER: "answer",
    ModelRole.SKILL: "skill",
}


class ScriptedModel:
    """Answers each role with its turns in order. Implements `contract.model.ChatModel`.

    One object plays all roles of a Run; it is used by one thread.
    """

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        self._script = script
        self._name = name
        self._position = dict.fromkeys(_SCRIPT_ROLE.values(), 0)
        self._ids = ShownIds()

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Read the script at `path`. Raises ScriptError with a sentence for the user."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ScriptError(f"{path} cannot be read: {error.strerror}") from error
        if len(content) > MAX_SCRIPT_BYTES:
            raise ScriptError(f"{path} is larger than {MAX_SCRIPT_BYTES} bytes")
        try:
            return cls(read_script(content.decode("utf-8-sig")), name=f"scripted:{path}")
        except UnicodeDecodeError as error:
            raise ScriptError(f"{path} is not UTF-8 text") from error
        except ScriptError as error:
            raise ScriptError(f"{path}: {error}") from error

    @property
    def name(self) -> str:
        """The configured route, "scripted:FILE"."""
        return self._name

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        """Play the next turn of the request's role; see the port for what is raised."""
        if cancel.is_cancelled:
            raise ModelUnavailable(RetryFailure.CANCELLED)
        role = _SCRIPT_ROLE[request.role]
        if request.role is ModelRole.AGENT:
            self._ids.observe(request.messages)
        turn = render_turn(self._next_turn(role), self._ids.macros(), surrogate=self._script.surrogate)
        _play_delays(turn, timeout_s=timeout_s, cancel=cancel)
        _play_failure(turn)
        if request.role is ModelRole.AGENT:
            self._ids.played(turn)
        return _reply(turn)

    def _next_turn(self, role: str) -> Turn:
        turns, position = self._script.turns[role], self._position[role]
        self._position[role] += 1
        if position < len(turns):
            return turns[position]
        if turns and self._script.repeat_last:
            return turns[-1]
        raise ModelUnavailable(RetryFailure.TRANSPORT, hint=f'the script has no further turn for "{role}"')


def _play_delays(turn: Turn, *, timeout_s: float, cancel: CancelSignal) -> None:
    """Wait as the turn says. A turn that hangs ends, at the latest, with the time limit."""
    if turn.get("drip"):
        _pause(float("inf"), timeout_s=timeout_s, cancel=cancel)
    if "hang_ms" in turn:
        _pause(turn["hang_ms"] / 1000, timeout_s=timeout_s, cancel=cancel)
        raise ModelUnavailable(RetryFailure.TRANSPORT, hint="the script let the request hang")
    if "delay_ms" in turn:
        _pause(turn["delay_ms"] / 1000, timeout_s=timeout_s, cancel=cancel)


def _pause(seconds: float, *, timeout_s: float, cancel: CancelSignal) -> None:
    woken = threading.Event()
    unregister = cancel.on_cancel(woken.set)
    try:
        began = time.monotonic()
        woken.wait(min(seconds, timeout_s))
        elapsed_s = time.monotonic() - began
    finally:
        unregister()
    if cancel.is_cancelled:
        raise ModelUnavailable(RetryFailure.CANCELLED)
    if seconds > timeout_s and elapsed_s >= timeout_s:
        raise ModelUnavailable(RetryFailure.TIMEOUT)


def _play_failure(turn: Turn) -> None:
    if turn.get("extra_choice"):
        raise ModelUnavailable(RetryFailure.INVALID_OUTPUT)
    if "error" not in turn:
        return
    status = turn.get("status")
    match turn["error"]:
        case "TIMEOUT":
            raise ModelUnavailable(RetryFailure.TIMEOUT)
        case "PARTIAL":
            raise ModelUnavailable(RetryFailure.TRANSPORT)
        case "BODY":
            raise ModelUnavailable(RetryFailure.INVALID_OUTPUT, http_status=status)
        case "TRANSPORT" | "HTTP" if isinstance(status, int):
            _fail_with_status(status, turn)
        case "TRANSPORT":
            raise ModelUnavailable(RetryFailure.TRANSPORT)
        case unknown:
            raise ScriptError(f'unknown "error" in a turn: {unknown!r}')


def _fail_with_status(status: int, turn: Turn) -> NoReturn:
    raise ModelUnavailable(
        failure_for_status(status),
        http_status=status,
        retry_after_s=turn.get("retry_after_s"),
        hint=hint_for_status(status),
    )


def _reply(turn: Turn) -> ModelReply:
    reported = turn.get("usage")
    usage = reported if isinstance(reported, dict) else {}
    finish_reason = turn.get("finish_reason")
    return ModelReply(
        content=turn["content"] or "",
        tool_calls=tuple(_tool_call(call) for call in turn.get("tool_calls") or ()),
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
        usage=ReportedUsage(usage.get("prompt_tokens"), usage.get("completion_tokens")),
        model="scripted",
    )


def _tool_call(call: Mapping[str, Any]) -> ModelToolCall:
    """Read one call the way the litellm adapter reads a provider's: everything becomes text."""
    return ModelToolCall(
        _as_text(call.get("id")), _as_text(call.get("name")), _as_text(call.get("arguments"))
    )


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
