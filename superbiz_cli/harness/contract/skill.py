"""A skill: the procedure for one kind of incident, as prose for a model and as a plan for code.

A live model reads `text`. The offline model executes `plan` and `findings`; a skill that was written
for another tool has neither and still guides a live model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from superbiz_cli.harness.contract.strict import JsonValue

_TRIGGERS = re.compile(  # up to them the front matter, then their key with the lines that belong to it
    r"\A(\ufeff?---[^\S\n]*\n(?:(?!---[^\S\n]*$).*\n)*?)triggers:.*\n(?:(?:[ \t].*|-[ \t].*|\r)?\n)*",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class BilingualText:
    """A text for the reader. `zh` is None when the skill has no Chinese wording."""

    en: str
    zh: str | None = None

    def in_language(self, language: str) -> str:
        """Return the wording for "en" or "zh"; English where the language is missing."""
        return self.zh if language == "zh" and self.zh else self.en


@dataclass(frozen=True, slots=True)
class Signal:
    """Something to recognise in the result of a step.

    `pattern` is a regular expression, searched ignoring case in each log pattern, log event, row
    (written "column=value, ...") or passage. Its named groups become values. `note` is the sentence
    that reports the signal; None leaves the wording to the reader of the plan. Several steps may look
    for the same signal: the first sighting counts.
    """

    name: str
    pattern: str
    note: BilingualText | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """What must have been observed. Names are those of steps and signals.

    A step counts as seen when it came back with evidence, a signal when it matched. "name.new" asks
    in addition that it began inside the searched window. A name under `none` is met only if its
    step really ran: what was not looked at is not ruled out.
    """

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Return every name that the condition asks about, without the ".new"."""
        return tuple(name.removesuffix(".new") for name in (*self.all, *self.any, *self.none))


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One evidence step. `input` is a template of the tool's input.

    `gained_if` names the signals that make the step worth its call (any of them); empty: any
    evidence does. A step whose `when` is not met by earlier steps is skipped.
    """

    id: str
    tool: str
    input: Mapping[str, JsonValue]
    gained_if: tuple[str, ...] = ()
    signals: tuple[Signal, ...] = ()
    when: Condition = Condition()


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause that the plan can prove.

    `statement` and `actions` are templates whose placeholders are filled from observations only.
    `order` lists names whose first occurrences must not go back in time, `context` names that are
    reported besides if they were seen. `confirm` says that the actions change something and need a
    person's decision.
    """

    id: str
    when: Condition
    statement: BilingualText
    actions: tuple[BilingualText, ...] = ()
    confirm: bool = True
    advice: tuple[BilingualText, ...] = ()
    order: tuple[str, ...] = ()
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as loaded. `text` is the whole SKILL.md, `origin` the file that it came from."""

    name: str
    description: str
    text: str
    origin: str = ""
    triggers: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    plan: tuple[PlanStep, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def guide(self) -> str:
        """The text for a model: without the triggers, which have served once the skill is chosen."""
        return _TRIGGERS.sub(r"\1", self.text, count=1)
