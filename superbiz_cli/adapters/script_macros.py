"""Scripts of model behaviour: reading them, and rendering their macros into replies.

A script names its own tool calls ("call_1"), but the program mints the ids that count. `ShownIds`
learns from the messages that a model is given which id was shown for which call, and `render_turn`
writes it where the script says `{{id:call_1}}`. The format is described in docs/scripted-model.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from superbiz_cli.harness.contract.model import Message, ModelToolCall

ROLES = ("router", "agent", "repair", "semantic", "answer", "skill")
MAX_RENDERED_CHARS = 16_000_000

Turn = Mapping[str, Any]

_CONTENT_KEYS = {"content", "wrap", "truncate", "regex", "surrogate"}
_MACRO = re.compile(r"\{\{([a-z_]+)(?::([^{}]*))?\}\}")
_SURROGATE_NOTE, _SURROGATE_ESCAPE = "\\\\ud800", "\\ud800"


class ScriptError(ValueError):
    """The script cannot be used. The message says where and why; it is ours and safe to show."""


@dataclass(frozen=True, slots=True)
class Script:
    """Turns by role, consumed in order; after the last one it is repeated, or the transport fails."""

    turns: Mapping[str, Sequence[Turn]]
    repeat_last: bool = False
    surrogate: bool = False


def read_script(text: str) -> Script:
    """Read one JSON object: `{"script": {role: [turn]}, "on_exhausted"?}`, or the roles at top level.

    Keys beside them are ignored, so that a whole test case can be given. Raises ScriptError.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScriptError("a script is one JSON object, and this is not JSON") from error
    if not isinstance(value, dict):
        raise ScriptError("a script is one JSON object")
    roles: Any = value.get("script", value)
    if not isinstance(roles, dict):
        raise ScriptError('"script" must be an object of roles')
    turns = {role: _turns(role, roles.get(role, [])) for role in ROLES}
    if not any(turns.values()):
        raise ScriptError(f"a script needs a turn for at least one of the roles {', '.join(ROLES)}")
    on_exhausted = value.get("on_exhausted", "transport_error")
    if on_exhausted not in ("transport_error", "repeat_last"):
        raise ScriptError('"on_exhausted" is "transport_error" or "repeat_last"')
    return Script(turns, repeat_last=on_exhausted == "repeat_last", surrogate=bool(value.get("surrogate")))


@dataclass(slots=True)
class ShownIds:
    """Which id the program showed for each call that the script names, learned from messages only."""

    _played: list[tuple[str | None, ...]] = field(default_factory=list)
    _shown: dict[str, str] = field(default_factory=dict)

    def played(self, turn: Turn) -> None:
        """Remember the names of the calls in a turn that has just been answered to the agent."""
        names = tuple(_call_name(call) for call in turn.get("tool_calls") or ())
        if names:
            self._played.append(names)

    def observe(self, messages: Sequence[Message]) -> None:
        """Learn from the conversation of one agent request.

        Its assistant turns with calls are the last ones that were played, in the same order. The
        newest id shown for a name counts; a call that was not run has none of its own.
        """
        answered = _answered_turns(messages)
        for names, shown in zip(self._played[-len(answered) :] if answered else (), answered, strict=False):
            for name, tool_call_id in zip(names, shown, strict=False):
                if name is not None and tool_call_id is not None:
                    self._shown[name] = tool_call_id

    def macros(self) -> dict[str, str]:
        """Return the value of each `{{id:NAME}}` that is known."""
        return {f"id:{name}": shown for name, shown in self._shown.items()}


def render_turn(turn: Turn, macros: Mapping[str, str], *, surrogate: bool = False) -> dict[str, Any]:
    """Return the turn with macros replaced and `content` as text (or None).

    `macros` maps what stands between `{{` and `}}` to its value; an unknown one stays as its bare
    argument (`{{id:call_9}}` becomes `call_9`), which no program has ever shown.
    """
    rendered = {key: expand(value, macros) for key, value in turn.items() if key not in _CONTENT_KEYS}
    rendered["content"] = _content(turn, macros, surrogate=surrogate or bool(turn.get("surrogate")))
    return rendered


def expand(value: Any, macros: Mapping[str, str]) -> Any:
    """Replace the macros in any JSON value: {{...}}, $repeat, $join and $draft."""
    match value:
        case str():
            return _MACRO.sub(lambda found: _substitute(found, macros), value)
        case {"$repeat": [part, int() as times]} if len(value) == 1:
            return _repeat(str(expand(part, macros)), times)
        case {"$join": [*parts]} if len(value) == 1:
            return "".join(str(expand(part, macros)) for part in parts)
        case {"$draft": draft} if len(value) == 1:
            return json.dumps(expand(draft_fields(draft), macros), ensure_ascii=False)
        case dict():
            return {key: expand(item, macros) for key, item in value.items()}
        case list():
            return [expand(item, macros) for item in value]
        case _:
            return value


def draft_fields(draft: Any) -> Any:
    """Rename the neutral field names of a `$draft` to those of the product's draft."""
    if not isinstance(draft, dict):
        return draft
    renamed = {("analysis" if key == "analyses" else key): value for key, value in draft.items()}
    limitations = renamed.get("limitations")
    if isinstance(limitations, dict):
        fields = {("caveats" if key == "notes" else key): value for key, value in limitations.items()}
        renamed["limitations"] = {"checked_scope": "the cited tool calls", **fields}
    return renamed


def chat_messages(raw: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Read the `messages` of an OpenAI chat request, for a server that plays scripts over HTTP."""
    return tuple(_chat_message(message) for message in raw)


def _content(turn: Turn, macros: Mapping[str, str], *, surrogate: bool) -> str | None:
    value = expand(turn.get("content"), macros)
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "regex" in turn:
        pattern, replacement = turn["regex"]
        text = re.sub(pattern, replacement, text)
    if surrogate:
        text = text.replace(_SURROGATE_NOTE, _SURROGATE_ESCAPE)
    if "wrap" in turn:
        text = str(expand(turn["wrap"], macros)).replace("%s", text)
    if "truncate" in turn:
        text = text[: int(len(text) * turn["truncate"])]
    return text


def _substitute(found: re.Match[str], macros: Mapping[str, str]) -> str:
    name, argument = found.group(1), found.group(2)
    key = name if argument is None else f"{name}:{argument}"
    return macros.get(key, name if argument is None else argument)


def _repeat(part: str, times: int) -> str:
    if times < 0 or len(part) * times > MAX_RENDERED_CHARS:
        raise ScriptError(f"$repeat makes more than {MAX_RENDERED_CHARS} characters")
    return part * times


def _turns(role: str, value: Any) -> Sequence[Turn]:
    if not isinstance(value, list) or not all(isinstance(turn, dict) for turn in value):
        raise ScriptError(f'the turns of "{role}" must be a list of objects')
    return value


def _call_name(call: Any) -> str | None:
    name = expand(call.get("id"), {}) if isinstance(call, dict) else None
    return name if isinstance(name, str) else None


def _answered_turns(messages: Sequence[Message]) -> list[list[str | None]]:
    """Return, for each assistant turn with calls, the ids shown in the answers to those calls."""
    turns: list[list[str | None]] = []
    expected: list[str] = []
    for message in messages:
        if message.role == "assistant" and message.tool_calls:
            expected = [call.id for call in message.tool_calls]
            turns.append([None] * len(expected))
        elif message.role == "tool" and turns and message.tool_call_id in expected:
            position = expected.index(message.tool_call_id)
            expected[position] = ""
            turns[-1][position] = _shown_id(message.content)
    return turns


def _shown_id(observation: str) -> str | None:
    try:
        value = json.loads(observation)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    shown = value.get("tool_call_id") or value.get("same_as")
    return shown if isinstance(shown, str) else None


def _chat_message(raw: Mapping[str, Any]) -> Message:
    calls = tuple(
        ModelToolCall(str(call.get("id") or ""), call["function"]["name"], call["function"]["arguments"])
        for call in raw.get("tool_calls") or ()
    )
    return Message(
        raw["role"], raw.get("content") or "", tool_calls=calls, tool_call_id=raw.get("tool_call_id")
    )
