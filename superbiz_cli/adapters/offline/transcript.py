"""Reads the messages of one request back into what the agent knows: question, skills, observations.

Nothing else is looked at: the offline model sees exactly what another model would be sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from superbiz_cli.adapters.skill_document import SkillFault, parse_skill
from superbiz_cli.harness.contract.model import Message, ModelRequest, ToolSpec
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.contract.strict import (
    JsonValue,
    StrictJsonError,
    canonical_json,
    parse_strict_object,
)

_SKILL = re.compile(r'^<skill name="([^"\n]+)">\n(.*?)\n?^</skill>', re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"\b(?:FROM|JOIN)\s+([\w.]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an observation shows: a log pattern or event, a row, a passage.

    Times are aware, or None where the source has none; `count` is None for a single event. `is_new`
    says whether the equally long window before held none of it, None where nobody looked. Where
    `is_sampled` there are at least `count`, and they may have begun before `first`.
    """

    text: str
    count: int | None = None
    first: datetime | None = None
    last: datetime | None = None
    service: str | None = None
    level: str | None = None
    is_new: bool | None = None
    is_sampled: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """One observation as the harness wrote it. `result` is {} unless the call came back."""

    kind: str
    tool: str
    tool_call_id: str | None
    found: bool
    result: Mapping[str, JsonValue]
    rating_required: bool = False
    stop_required: bool = False
    expected_id: str | None = None

    @property
    def is_result(self) -> bool:
        """Whether the call came back, with or without evidence, so that a draft may cite it."""
        return self.kind == "RESULT" and self.tool_call_id is not None

    @property
    def scope(self) -> Mapping[str, JsonValue]:
        """What the call covered."""
        scope = self.result.get("scope")
        return scope if isinstance(scope, dict) else {}

    @property
    def window(self) -> tuple[datetime, datetime] | None:
        """Start and end of a log search."""
        start, end = instant(self.scope.get("start")), instant(self.scope.get("end"))
        return (start, end) if start and end else None

    def facts(self) -> tuple[Fact, ...]:
        """Return what was found, patterns before single events."""
        patterns = [_pattern_fact(item) for item in _objects(self.result.get("patterns"))]
        events = [_event_fact(item) for item in _objects(self.result.get("events"))]
        passages = [Fact(_text(item.get("excerpt"))) for item in _objects(self.result.get("evidence"))]
        return (*patterns, *events, *self._rows(), *passages)

    def _rows(self) -> tuple[Fact, ...]:
        columns = [_text(column.get("name")) for column in _objects(self.result.get("columns"))]
        rows = self.result.get("rows")
        return tuple(
            Fact(", ".join(f"{name}={_cell(value)}" for name, value in zip(columns, row, strict=False)))
            for row in (rows if isinstance(rows, list) else [])
            if isinstance(row, list)
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the agent made, and its answer."""

    tool: str
    input: Mapping[str, JsonValue]
    observation: Observation

    def is_for(self, tool: str, arguments: Mapping[str, JsonValue]) -> bool:
        """Whether this was the call of `tool` with exactly these arguments."""
        return self.tool == tool and canonical_json(dict(self.input)) == canonical_json(dict(arguments))


@dataclass(frozen=True, slots=True)
class Transcript:
    """Everything the agent knows. `calls` are in order; `repairs` counts refused drafts and calls."""

    query: str
    until: datetime | None
    since: datetime | None
    skills: tuple[Skill, ...]
    tools: tuple[ToolSpec, ...]
    calls: tuple[Call, ...]

    @property
    def last(self) -> Observation | None:
        """The newest observation."""
        return self.calls[-1].observation if self.calls else None

    @property
    def must_stop(self) -> bool:
        """Whether the harness asked for the draft."""
        return not self.tools or any(call.observation.stop_required for call in self.calls)

    def offers(self, tool: str, arguments: Mapping[str, JsonValue] | None = None) -> bool:
        """Whether the catalogue holds `tool`, with the topic, or the database and tables, asked for."""
        spec = next((spec for spec in self.tools if spec.name == tool), None)
        if spec is None:
            return False
        given = arguments or {}
        for key in ("topic", "data_source"):
            allowed = _allowed_values(spec.parameters, key)
            if key in given and allowed and given[key] not in allowed:
                return False
        tables = _TABLE.findall(_text(given.get("sql")))
        return all(f"- {table}(" in spec.description for table in tables)

    def made(self, tool: str, arguments: Mapping[str, JsonValue]) -> Call | None:
        """Return the call that was made with exactly these arguments."""
        return next((call for call in self.calls if call.is_for(tool, arguments)), None)


def read_transcript(request: ModelRequest) -> Transcript:
    """Read the messages of an agent request. What cannot be read is left out."""
    system = next((m.content for m in request.messages if m.role == "system"), "")
    user = _object(next((m.content for m in request.messages if m.role == "user"), ""))
    incident = user.get("incident")
    incident = incident if isinstance(incident, dict) else {}
    return Transcript(
        query=_text(user.get("query")),
        until=instant(incident.get("until")),
        since=instant(incident.get("since")),
        skills=_skills(system),
        tools=request.tools,
        calls=_calls(request.messages),
    )


def instant(value: object) -> datetime | None:
    """Read an ISO 8601 time with offset."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def is_new(fact: Fact, window: tuple[datetime, datetime] | None) -> bool:
    """Whether `fact` began in the searched window and was not there before.

    The source's own word counts, if it looked at the time before. Otherwise a quiet stretch of a
    tenth of the window, at least two minutes, must lie before its first occurrence.
    """
    if fact.is_new is not None:
        return fact.is_new
    if fact.first is None or window is None or fact.is_sampled:
        return False
    start, end = window
    return fact.first - start >= max((end - start) / 10, timedelta(minutes=2))


def _skills(system: str) -> tuple[Skill, ...]:
    found = []
    for name, text in _SKILL.findall(system):
        try:
            found.append(parse_skill(text, origin=name))
        except SkillFault:
            continue  # prose for another kind of model; a plan that cannot be read is not followed
    return tuple(found)


def _calls(messages: Sequence[Message]) -> tuple[Call, ...]:
    asked: dict[str, tuple[str, Mapping[str, JsonValue]]] = {}
    calls = []
    for message in messages:
        for tool_call in message.tool_calls:
            given = _object(tool_call.arguments).get("input")
            asked[tool_call.id] = (tool_call.name, given if isinstance(given, dict) else {})
        if message.role == "tool" and message.tool_call_id in asked:
            tool, arguments = asked[message.tool_call_id]
            calls.append(Call(tool, arguments, _observation(tool, _object(message.content))))
    return tuple(calls)


def _observation(tool: str, content: Mapping[str, JsonValue]) -> Observation:
    result = content.get("result")
    identifier = content.get("tool_call_id")
    expected = content.get("expected_previous_tool_call_id")
    return Observation(
        kind=_text(content.get("observation")),
        tool=tool,
        tool_call_id=identifier if isinstance(identifier, str) else None,
        found=content.get("evidence_status") == "EVIDENCE_FOUND",
        result=result if isinstance(result, dict) else {},
        rating_required=content.get("rating_required") is True,
        stop_required=content.get("stop_required") is True,
        expected_id=expected if isinstance(expected, str) else None,
    )


def _allowed_values(node: object, field: str) -> tuple[str, ...]:
    """Find the `enum` of a property in a JSON schema, however deep it lies."""
    if not isinstance(node, Mapping):
        return ()
    properties = node.get("properties")
    if isinstance(properties, Mapping) and isinstance(properties.get(field), Mapping):
        return tuple(str(value) for value in properties[field].get("enum", ()))
    nested = properties.values() if isinstance(properties, Mapping) else ()
    return next((values for child in nested if (values := _allowed_values(child, field))), ())


def _pattern_fact(item: Mapping[str, JsonValue]) -> Fact:
    count, new = item.get("count"), item.get("is_new")
    return Fact(
        text=_text(item.get("example")),
        count=count if isinstance(count, int) else None,
        first=instant(item.get("first_seen")),
        last=instant(item.get("last_seen")),
        service=_text(item.get("service")) or None,
        level=_text(item.get("level")) or None,
        is_new=new if isinstance(new, bool) else None,
        is_sampled=item.get("is_sampled") is True,
    )


def _event_fact(item: Mapping[str, JsonValue]) -> Fact:
    moment = instant(item.get("timestamp"))
    return Fact(
        text=_text(item.get("message")),
        first=moment,
        last=moment,
        service=_text(item.get("service")) or None,
        level=_text(item.get("level")) or None,
    )


def _object(text: str) -> Mapping[str, JsonValue]:
    try:
        return parse_strict_object(text)
    except StrictJsonError:
        return {}


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _cell(value: JsonValue) -> str:
    return value if isinstance(value, str) else canonical_json(value)
