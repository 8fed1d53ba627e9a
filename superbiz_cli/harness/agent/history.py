"""The conversation as it is sent back to the model: our ids, our bounds, our copy of its calls.

Provider ids are missing, repeated or of any shape; names and arguments may be what no provider
takes back. So each turn is written anew before it goes out again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from superbiz_cli.harness.agent import observation
from superbiz_cli.harness.agent.envelope import MAX_ENVELOPE_BYTES
from superbiz_cli.harness.contract.model import Message, ModelRequest, ModelRole, ModelToolCall
from superbiz_cli.harness.contract.strict import StrictJsonError, parse_strict_object
from superbiz_cli.harness.tool.bounds import clip

FULL_ANSWERS = 2
MAX_THOUGHT_CHARS = 4_000
UNKNOWN_TOOL_NAME = "unknown_tool"
UNREADABLE_ARGUMENTS = "{}"
EMPTY_REPLY = "(no text)"
_PORTABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A tool call of the model with the id that the harness gave it and what it was answered."""

    call: ModelToolCall
    call_id: str
    observation: str


class History:
    """All messages of one collection, in order."""

    def __init__(self, *, system_prompt: str, agent_input: str) -> None:
        self._messages = [Message("system", system_prompt), Message("user", agent_input)]

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the next request sends."""
        return tuple(self._messages)

    def shorten_earlier(self) -> None:
        """Shorten every answer but the last two. What was shortened once stays as it is."""
        answers = [number for number, message in enumerate(self._messages) if message.role == "tool"]
        for number in answers[:-FULL_ANSWERS]:
            message = self._messages[number]
            self._messages[number] = replace(message, content=observation.shortened(message.content))

    def size_bytes(self) -> int:
        """Return the UTF-8 bytes of the next request's messages."""
        return ModelRequest(ModelRole.AGENT, tuple(self._messages)).size_bytes()

    def add_calls(self, thought: str, answered: Sequence[AnsweredCall]) -> None:
        """Add a turn with tool calls and the answer to each. `thought` is the text beside them."""
        calls = tuple(_rewritten(one) for one in answered)
        self._messages.append(Message("assistant", clip(_encodable(thought), MAX_THOUGHT_CHARS), calls))
        self._messages.extend(Message("tool", one.observation, tool_call_id=one.call_id) for one in answered)

    def add_draft_repair(self, text: str, repair: str, *, max_chars: int) -> None:
        """Add a turn that was no draft (its first `max_chars` characters) and the answer to it."""
        reply = clip(_encodable(text), max_chars).strip() or EMPTY_REPLY
        self._messages += [Message("assistant", reply), Message("user", repair)]


def _rewritten(one: AnsweredCall) -> ModelToolCall:
    has_portable_name = _PORTABLE_NAME.fullmatch(one.call.name) is not None
    return ModelToolCall(
        id=one.call_id,
        name=one.call.name if has_portable_name else UNKNOWN_TOOL_NAME,
        arguments=one.call.arguments if _is_readable(one.call.arguments) else UNREADABLE_ARGUMENTS,
    )


def _is_readable(arguments: str) -> bool:
    """Whether every provider's adapter can parse these arguments again."""
    try:
        parse_strict_object(arguments, max_bytes=MAX_ENVELOPE_BYTES)
    except StrictJsonError:
        return False
    return True


def _encodable(text: str) -> str:
    """Return `text` with lone surrogates replaced: they cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
