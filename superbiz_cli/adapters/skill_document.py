"""Reads one SKILL.md: strict YAML front matter, then prose.

The folder-per-skill convention of the Agent Skills format is kept (https://agentskills.io): `name` and
`description` suffice, so that a skill written for another tool loads with its plan absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Union

from pydantic import Field, ValidationError

from superbiz_cli.adapters.strict_yaml import StrictYamlError, load_strict_yaml
from superbiz_cli.harness.contract.skill import BilingualText, Condition, Finding, PlanStep, Signal, Skill
from superbiz_cli.harness.contract.strict import StrictModel
from superbiz_cli.harness.contract.tool_call import ToolName

MAX_DOCUMENT_BYTES = 65_536
_MAX_VALUES = 2_000
_FENCE = "---"
_OWN_KEYS = ("triggers", "services", "tools", "plan", "findings")
_STANDARD_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_ID = r"^[a-z][a-z0-9_]*$"


class SkillFault(ValueError):
    """A SKILL.md cannot be used. `key` is where, `problem` what and how to mend it; both our own words.

    `more` are the other faults of the same document, as (key, problem), in its order.
    """

    def __init__(self, origin: str, key: str, problem: str, *more: tuple[str, str]) -> None:
        super().__init__(f"{origin}: {key}: {problem}")
        self.origin = origin
        self.key = key
        self.problem = problem
        self.more = more


class _TextShape(StrictModel):
    en: str = Field(min_length=1)
    zh: str | None = None


_Text = Union[str, _TextShape]


class _SignalShape(StrictModel):
    match: str = Field(min_length=1)
    note: _Text | None = None


class _ConditionShape(StrictModel):
    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()


class _StepShape(StrictModel):
    id: str = Field(pattern=_ID)
    tool: ToolName
    input: dict[str, Any]  # JSON values; pydantic cannot resolve a recursive alias
    gained_if: tuple[str, ...] = ()
    signals: dict[str, str | _SignalShape] = Field(default_factory=dict)
    when: _ConditionShape = _ConditionShape()


class _FindingShape(StrictModel):
    id: str = Field(pattern=_ID)
    when: _ConditionShape
    statement: _Text
    actions: tuple[_Text, ...] = ()
    confirm: bool = True
    advice: tuple[_Text, ...] = ()
    order: tuple[str, ...] = ()
    context: tuple[str, ...] = ()


class _FrontMatter(StrictModel):
    name: str = Field(pattern=_NAME, max_length=64)
    description: str = Field(min_length=1, max_length=1024)
    triggers: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    plan: tuple[_StepShape, ...] = ()
    findings: tuple[_FindingShape, ...] = ()


def parse_skill(text: str, *, origin: str, folder: str | None = None) -> Skill:
    """Read a whole SKILL.md; `folder` is the name of the folder in which it lies.

    Raises SkillFault naming `origin` and the keys for a missing or malformed front matter, a wrong
    type, another name than the folder's, or a key of ours that does not exist. Meaning is checked by
    `skill_check`.
    """
    matter = _front_matter(text, origin)
    faults = [*_faults_of_keys(matter, folder)]
    try:
        shape = _validated(matter, origin)
    except ValidationError as error:
        faults += _faults_of_shape(error)
    if faults:
        (key, problem), *more = faults
        raise SkillFault(origin, key, problem, *more)
    return Skill(
        name=shape.name,
        description=" ".join(shape.description.split()),
        text=text,
        origin=origin,
        triggers=shape.triggers,
        services=shape.services,
        tools=shape.tools,
        plan=tuple(_step(step) for step in shape.plan),
        findings=tuple(_finding(finding) for finding in shape.findings),
    )


def _front_matter(text: str, origin: str) -> dict[str, Any]:
    lines = text.removeprefix("﻿").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise SkillFault(origin, "front matter", "the file must begin with a line ---")
    end = next((i for i, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise SkillFault(origin, "front matter", "the closing line --- is missing")
    try:
        value = load_strict_yaml("\n".join(lines[1:end]), max_values=_MAX_VALUES)
    except StrictYamlError as error:
        where = "front matter" if error.line is None else f"line {error.line + 1}"
        raise SkillFault(origin, where, error.problem) from error
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise SkillFault(origin, "front matter", "must be a mapping of keys to values")
    return value


def _faults_of_keys(matter: dict[str, Any], folder: str | None) -> Iterator[tuple[str, str]]:
    known = {*_OWN_KEYS, *_STANDARD_KEYS}
    if any(key in matter for key in _OWN_KEYS):
        for key in matter:
            if key not in known:
                yield key, f"unknown key; the keys are {', '.join(sorted(known))}"
    if folder is not None and isinstance(matter.get("name"), str) and matter["name"] != folder:
        yield "name", f"must be the name of its folder, {folder}"


def _validated(matter: dict[str, Any], origin: str) -> _FrontMatter:
    """Raises ValidationError."""
    ours = {key: value for key, value in matter.items() if key in _FrontMatter.model_fields}
    try:
        document = json.dumps(ours, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise SkillFault(origin, "front matter", "dates and binary values must be quoted") from error
    return _FrontMatter.model_validate_json(document)


def _faults_of_shape(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield each place once: a union is wrong in each of its branches."""
    places: set[str] = set()
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        path = _path(fault["loc"])
        if path not in places:
            places.add(path)
            yield path, _problem(fault["type"])


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not part.startswith("_") and part != "str":  # pydantic names the branch of a union
            path += f".{part}" if path else part
    return path or "front matter"


_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping",
    "bool_type": "must be true or false",
    "string_pattern_mismatch": "must be lower-case letters and digits, with - in names and _ in ids",
    "enum": f"must be one of {', '.join(ToolName)}",
}


def _problem(kind: str) -> str:
    return _PROBLEMS.get(kind, "has the wrong type")


def _text(shape: str | _TextShape) -> BilingualText:
    return BilingualText(shape) if isinstance(shape, str) else BilingualText(shape.en, shape.zh)


def _condition(shape: _ConditionShape) -> Condition:
    return Condition(all=shape.all, any=shape.any, none=shape.none)


def _signal(name: str, shape: str | _SignalShape) -> Signal:
    if isinstance(shape, str):
        return Signal(name, shape)
    return Signal(name, shape.match, None if shape.note is None else _text(shape.note))


def _step(shape: _StepShape) -> PlanStep:
    return PlanStep(
        id=shape.id,
        tool=shape.tool,
        input=shape.input,
        gained_if=shape.gained_if,
        signals=tuple(_signal(name, signal) for name, signal in shape.signals.items()),
        when=_condition(shape.when),
    )


def _finding(shape: _FindingShape) -> Finding:
    return Finding(
        id=shape.id,
        when=_condition(shape.when),
        statement=_text(shape.statement),
        actions=tuple(_text(action) for action in shape.actions),
        confirm=shape.confirm,
        advice=tuple(_text(advice) for advice in shape.advice),
        order=shape.order,
        context=shape.context,
    )
