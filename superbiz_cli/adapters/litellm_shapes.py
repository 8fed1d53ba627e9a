"""The parts of a provider's reply that litellm may stumble over, taken out before it reads the body.

A model can write tool arguments that are no JSON, nest 20,000 deep, hold an integer of 5,000 digits, or
are no text at all; a server can report usage that is no number. litellm parses such things and raises,
which would lose a reply that the harness knows how to answer. So calls and odd usage travel beside the
body: litellm is shown a well-formed placeholder for each call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from superbiz_cli.harness.contract.model import ModelToolCall, ReportedUsage

MAX_SHOWN_DEPTH = 200
"""Deeper values are cut off before they are parsed: what is left is still too deep for an envelope."""
MAX_INTEGER_DIGITS = 4_000
PLACEHOLDER_NAME = "call"
_MAX_TOKENS = 1_000_000_000
_OLLAMA_USAGE = ("prompt_eval_count", "eval_count")
_USAGE_NAMES = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"), _OLLAMA_USAGE)


@dataclass(frozen=True, slots=True)
class Aside:
    """What was taken out of a body: all tool calls in order, and the usage if it is not plain numbers."""

    tool_calls: tuple[ModelToolCall, ...] = ()
    usage: ReportedUsage | None = None


def set_aside(body: bytes) -> tuple[bytes, Aside]:
    """Return the body that litellm may read, and what stands beside it.

    Understood are the reply shapes of OpenAI (`choices`), Ollama (`message`) and Anthropic (`content`
    blocks). A body of another shape, or of none, is returned as it is.
    """
    reply = _parsed(body)
    if not isinstance(reply, dict):
        return body, Aside()
    is_joined = _join_text_parts(reply)
    calls = tuple(_calls_of(reply))
    usage = _take_odd_usage(reply)
    if not (is_joined or calls or usage):
        return body, Aside()
    return json.dumps(reply).encode("ascii"), Aside(calls, usage)


def _calls_of(reply: dict[str, Any]) -> Iterator[ModelToolCall]:
    """Yield the calls of a reply with one answer, and leave a placeholder in the place of each."""
    choices, message = reply.get("choices"), reply.get("message")
    if isinstance(choices, list):
        if len(choices) == 1 and isinstance(choices[0], dict):
            yield from _of_message(choices[0].get("message"))
    elif isinstance(message, dict):
        yield from _of_message(message, arguments={})
    elif isinstance(reply.get("content"), list):
        yield from _of_blocks(reply["content"])


def _of_message(message: Any, *, arguments: Any = "{}") -> Iterator[ModelToolCall]:
    if not isinstance(message, dict):
        return
    told = message.pop("tool_calls", None) or message.get("function_call")
    message.pop("function_call", None)
    if not told:
        return
    calls = [_call(one) for one in (told if isinstance(told, list) else [told])]
    message["tool_calls"] = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": PLACEHOLDER_NAME, "arguments": arguments},
        }
        for number, _ in enumerate(calls)
    ]
    yield from calls


def _of_blocks(blocks: list[Any]) -> Iterator[ModelToolCall]:
    for number, block in enumerate(blocks):
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield ModelToolCall(
                _text(block.get("id")), _text(block.get("name")), _argument_text(block.get("input"))
            )
            blocks[number] = {
                "type": "tool_use",
                "id": f"call_{number}",
                "name": PLACEHOLDER_NAME,
                "input": {},
            }


def _call(told: Any) -> ModelToolCall:
    """Read one call of any shape: what is missing is empty, what is no text is written as JSON."""
    if not isinstance(told, dict):
        return ModelToolCall("", "", _argument_text(told))
    inner = next((part for key in ("function", "custom") if isinstance(part := told.get(key), dict)), told)
    arguments = next((inner[key] for key in ("arguments", "input") if key in inner), None)
    return ModelToolCall(_text(told.get("id")), _text(inner.get("name")), _argument_text(arguments))


def _join_text_parts(reply: Mapping[str, Any]) -> bool:
    """Make one text of content that comes in text parts; return whether any did."""
    choices = reply.get("choices")
    is_joined = False
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        parts = message.get("content") if isinstance(message, dict) else None
        if isinstance(message, dict) and isinstance(parts, list):
            texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
            if all(isinstance(text, str) for text in texts):
                message["content"] = "".join(map(str, texts))
                is_joined = True
    return is_joined


def _take_odd_usage(reply: dict[str, Any]) -> ReportedUsage | None:
    """Return the reported usage if it is there and not of plain numbers; zeros take its place."""
    if any(name in reply for name in _OLLAMA_USAGE):
        usage: Any = {name: reply[name] for name in _OLLAMA_USAGE if name in reply}
    else:
        usage = reply.get("usage")
    if usage is None or (isinstance(usage, dict) and all(_is_plain(*pair) for pair in usage.items())):
        return None
    told = usage if isinstance(usage, dict) else {}
    names = next((pair for pair in _USAGE_NAMES if pair[0] in told), _USAGE_NAMES[0])
    zeros = dict.fromkeys(names, 0)
    reply.update(zeros if names == _OLLAMA_USAGE else {"usage": zeros})
    return ReportedUsage(*(told.get(name) for name in names))


def _is_plain(key: str, value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(part, number) for part, number in value.items())
    if key.endswith(("_tokens", "_count")):
        return value is None or (type(value) is int and 0 <= value <= _MAX_TOKENS)
    return value is None or isinstance(value, str | int | float)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else _argument_text(value)


def _argument_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parsed(body: bytes) -> Any:
    """Return the JSON value of a body, None if it has none."""
    try:
        text = body.decode("utf-8", "surrogatepass")
        try:
            return json.loads(text, parse_int=_integer)
        except RecursionError:
            return json.loads(shallow(text), parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int | str:
    """Python refuses integers of more than 4,300 digits: they stay the text that they are."""
    return int(digits) if len(digits) <= MAX_INTEGER_DIGITS else digits


def shallow(text: str) -> str:
    """Return JSON text without what is nested deeper than MAX_SHOWN_DEPTH."""
    kept: list[str] = []
    depth, in_string, escaped = 0, False, False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
        if depth <= MAX_SHOWN_DEPTH:
            kept.append(char)
        if not in_string and char in "]}":
            depth -= 1
    return "".join(kept)
