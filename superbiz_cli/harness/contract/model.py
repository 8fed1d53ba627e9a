"""The chat-model port: what the harness sends to a model and what comes back.

One call of `ChatModel.complete` is exactly one physical request; retrying belongs to `retry`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol


class ModelRole(StrEnum):
    """What a model call is for; agent and guard models are configured apart."""

    AGENT = "agent"
    ROUTER = "router"
    JUDGE = "judge"
    REPAIR = "repair"
    ANSWER = "answer"
    SKILL = "skill"


class RetryFailure(StrEnum):
    """Closed set of reasons why an attempt failed; `retry.policy` says which may be repeated."""

    TIMEOUT = "TIMEOUT"
    TRANSPORT = "TRANSPORT"
    INVALID_OUTPUT = "INVALID_OUTPUT"
    PARSE_ERROR = "PARSE_ERROR"
    SCHEMA_INVALID = "SCHEMA_INVALID"
    NO_EVIDENCE = "NO_EVIDENCE"
    BUSINESS_REJECTION = "BUSINESS_REJECTION"
    CANCELLED = "CANCELLED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class ModelToolCall:
    """A tool call in an assistant message. `arguments` is the raw text that the model wrote."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message. `tool_call_id` is set on role "tool" only."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ModelToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it. `parameters` is the JSON schema of the envelope."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model."""

    role: ModelRole
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int | None = None

    def size_bytes(self) -> int:
        """Return the UTF-8 bytes of all message texts and tool-call arguments."""
        texts = [part for m in self.messages for part in (m.content, *(c.arguments for c in m.tool_calls))]
        return sum(len(text.encode("utf-8", "replace")) for text in texts)


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Token counts exactly as the provider reported them, trusted by nobody: see `core.budget`."""

    input_tokens: object = None
    output_tokens: object = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One reply. `model` is the name that the provider reports, for the ledger."""

    content: str
    tool_calls: tuple[ModelToolCall, ...] = ()
    finish_reason: str | None = None
    usage: ReportedUsage = field(default_factory=ReportedUsage)
    model: str | None = None
    cost_usd: float | None = None

    def size_bytes(self) -> int:
        """Return the UTF-8 bytes of the reply's text and tool-call arguments."""
        texts = (self.content, *(call.arguments for call in self.tool_calls))
        return sum(len(text.encode("utf-8", "replace")) for text in texts)


class ModelUnavailable(Exception):
    """A model call failed. Carries a stable class, never the provider's text.

    `http_status` and `retry_after_s` are numbers only; `hint` is our own sentence for the user
    (for example "set OPENAI_API_KEY"), never text of the provider.
    """

    def __init__(
        self,
        failure: RetryFailure,
        *,
        http_status: int | None = None,
        retry_after_s: float | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.http_status = http_status
        self.retry_after_s = retry_after_s
        self.hint = hint


class CancelSignal(Protocol):
    """What a blocking call needs in order to stop in time."""

    @property
    def is_cancelled(self) -> bool:
        """Whether the Run has been cancelled."""
        ...

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` once when the Run is cancelled (at once if it is); return an unregister."""
        ...


class ChatModel(Protocol):
    """A chat model behind one adapter."""

    @property
    def name(self) -> str:
        """The configured route, for example "openai/gpt-5" or "offline/playbook"."""
        ...

    def complete(self, request: ModelRequest, *, timeout_s: float, cancel: CancelSignal) -> ModelReply:
        """Send one request and return its reply.

        Raises ModelUnavailable: CANCELLED within 50 ms of a cancel, TIMEOUT after `timeout_s` in
        all, else the class of what went wrong.
        """
        ...
