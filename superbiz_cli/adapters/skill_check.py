"""What a well-formed skill may still get wrong: names that do not exist, patterns, numbers of its own.

A statement may hold no digit outside a placeholder: numbers come from observations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from superbiz_cli.harness.contract.skill import Condition, Finding, PlanStep, Skill

PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)(?:\.([a-z_][a-z0-9_]*))?\}")
QUERY_FIELDS = frozenset({"service", "identifier", "error_code", "text", "symptom"})
OBSERVED_FIELDS = frozenset({"count", "first", "last", "service", "quote"})


def faults_of(skill: Skill) -> tuple[tuple[str, str], ...]:
    """Return (key, problem) for everything that is wrong with `skill`; empty if it can be executed."""
    return tuple(_faults(skill))


def _faults(skill: Skill) -> Iterator[tuple[str, str]]:
    fields: dict[str, frozenset[str]] = {}
    step_ids = {step.id for step in skill.plan}
    for index, step in enumerate(skill.plan):
        at = f"plan[{index}]"
        if skill.tools and step.tool not in skill.tools:
            yield f"{at}.tool", f"{step.tool} is not in tools"
        yield from _unknown(step.when, fields, f"{at}.when")
        yield from _bad_input(step, fields, at)
        if step.id in fields:
            yield at, f"the name {step.id} is used twice"
        fields[step.id] = OBSERVED_FIELDS
        for name, known in _signal_fields(step):
            if name in step_ids:
                yield at, f"the name {name} is used twice"
            fields[name] = fields.get(name, known) & known
        own = {signal.name for signal in step.signals}
        yield from (
            (f"{at}.gained_if", f"{name} is not a signal of this step")
            for name in step.gained_if
            if name not in own
        )
        yield from _bad_patterns(step, at)
    for index, step in enumerate(skill.plan):
        for signal in step.signals:
            if signal.note is not None:
                for text in (signal.note.en, signal.note.zh or ""):
                    yield from _bad_template(text, fields, f"plan[{index}].signals.{signal.name}.note")
    for index, finding in enumerate(skill.findings):
        yield from _finding_faults(finding, fields, f"findings[{index}]")
    if skill.findings and not skill.plan:
        yield "findings", "need a plan that observes what they rest on"


def _signal_fields(step: PlanStep) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each signal with its fields. One signal may be looked for in several steps."""
    for signal in step.signals:
        try:
            groups = frozenset(re.compile(signal.pattern).groupindex)
        except re.error:
            groups = frozenset()
        yield signal.name, OBSERVED_FIELDS | groups


def _bad_patterns(step: PlanStep, at: str) -> Iterator[tuple[str, str]]:
    for signal in step.signals:
        try:
            re.compile(signal.pattern)
        except re.error:
            yield f"{at}.signals.{signal.name}", "is not a valid regular expression"


def _unknown(condition: Condition, fields: dict[str, frozenset[str]], at: str) -> Iterator[tuple[str, str]]:
    for name in condition.names():
        if name not in fields:
            yield at, f"{name} is neither a step nor a signal observed before"


def _bad_input(step: PlanStep, fields: dict[str, frozenset[str]], at: str) -> Iterator[tuple[str, str]]:
    for key, value in step.input.items():
        for text in value if isinstance(value, list) else [value]:
            if not isinstance(text, str):
                continue
            for name, field in PLACEHOLDER.findall(text):
                known = field in fields.get(name, frozenset()) if field else name in QUERY_FIELDS
                if not known:
                    yield f"{at}.input.{key}", f"unknown placeholder {name}{'.' if field else ''}{field}"


def _bad_template(text: str, fields: dict[str, frozenset[str]], at: str) -> Iterator[tuple[str, str]]:
    for name, field in PLACEHOLDER.findall(text):
        if not field or field not in fields.get(name, frozenset()):
            yield at, f"unknown placeholder {name}{'.' if field else ''}{field}"
    literal = PLACEHOLDER.sub("", text)
    if "{" in literal or "}" in literal:
        yield at, "a placeholder is written {name.field}"
    if any(char.isdigit() for char in literal):
        yield at, "a number must come from an observation, through a placeholder"


def _finding_faults(
    finding: Finding, fields: dict[str, frozenset[str]], at: str
) -> Iterator[tuple[str, str]]:
    yield from _unknown(finding.when, fields, f"{at}.when")
    if not (finding.when.all or finding.when.any):
        yield f"{at}.when", "needs at least one name under all or any: absence alone proves no cause"
    yield from _unknown(Condition(all=finding.order), fields, f"{at}.order")
    yield from _unknown(Condition(all=finding.context), fields, f"{at}.context")
    for key, texts in (
        ("statement", (finding.statement,)),
        ("actions", finding.actions),
        ("advice", finding.advice),
    ):
        for text in texts:
            for wording in (text.en, text.zh or ""):
                yield from _bad_template(wording, fields, f"{at}.{key}")
