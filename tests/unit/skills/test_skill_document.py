"""One SKILL.md: what is accepted, and what an error says."""

from __future__ import annotations

from textwrap import dedent

import pytest

from superbiz_cli.adapters.skill_check import faults_of
from superbiz_cli.adapters.skill_document import SkillFault, parse_skill

FULL = """\
---
name: diagnose-pool
description: Use when a pool is empty.
triggers: [pool empty, 连接池]
services: [payment]
tools: [query_logs]
plan:
  - id: pool
    tool: query_logs
    input: {topic: APPLICATION, query: "{service} pool", lookback_minutes: 60}
    gained_if: [full]
    signals:
      full: 'active=(?P<active>\\d+)'
      waits:
        match: waiting
        note: {en: "{waits.count} waits", zh: "{waits.count} 次等待"}
  - id: holder
    tool: query_logs
    input: {topic: DATABASE_SLOW_QUERY, query: "{full.service}"}
    when: {all: [full]}
findings:
  - id: exhausted
    when: {all: [full.new], none: [holder]}
    statement: {en: "{full.active} in use", zh: "占用 {full.active}"}
    actions: [Restart it]
    confirm: true
    advice: [{en: Look closer}]
    order: [full]
    context: [waits]
---

# Pool
"""


def fault(text: str) -> SkillFault:
    with pytest.raises(SkillFault) as caught:
        parse_skill(dedent(text), origin="skills/x/SKILL.md")
    return caught.value


def test_a_full_document_is_read() -> None:
    skill = parse_skill(FULL, origin="x")
    assert (skill.name, skill.triggers, skill.tools) == (
        "diagnose-pool",
        ("pool empty", "连接池"),
        ("query_logs",),
    )
    pool, holder = skill.plan
    assert pool.input == {"topic": "APPLICATION", "query": "{service} pool", "lookback_minutes": 60}
    assert [signal.name for signal in pool.signals] == ["full", "waits"]
    assert pool.signals[1].note is not None
    assert pool.signals[1].note.in_language("zh") == "{waits.count} 次等待"
    assert holder.when.all == ("full",)
    finding = skill.findings[0]
    assert finding.statement.in_language("en") == "{full.active} in use"
    assert finding.advice[0].in_language("zh") == "Look closer"
    assert finding.when.names() == ("full", "holder")
    assert skill.text == FULL
    assert faults_of(skill) == ()


@pytest.mark.parametrize(
    "triggers",
    [
        "triggers: [pool empty, 连接池]\n",
        "triggers: [pool empty,\n  连接池]\n",
        "triggers:\n- pool empty\n- 连接池\n",
        "triggers:\n  - pool empty\n\n  - 连接池\n",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_guide_for_a_model_is_the_text_without_the_triggers(triggers: str, line_end: str) -> None:
    body = FULL + "\ntriggers: are explained here\n"
    text = body.replace("triggers: [pool empty, 连接池]\n", triggers).replace("\n", line_end)
    skill = parse_skill(text, origin="x")
    assert skill.triggers == ("pool empty", "连接池")
    assert skill.guide == body.replace("triggers: [pool empty, 连接池]\n", "").replace("\n", line_end)


def test_a_text_without_triggers_is_its_own_guide() -> None:
    text = "---\nname: x\ndescription: y\n---\n\ntriggers: none\n"
    assert parse_skill(text, origin="x").guide == text


def test_a_skill_of_another_tool_loads_without_a_plan() -> None:
    skill = parse_skill(
        "---\nname: pdf-forms\ndescription: Fill PDF forms.\nlicense: MIT\nversion: 2\n"
        "metadata: {author: someone}\n---\n# PDF\n",
        origin="x",
    )
    assert (skill.name, skill.plan, skill.triggers) == ("pdf-forms", (), ())


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    assert parse_skill("﻿" + FULL.replace("\n", "\r\n"), origin="x").name == "diagnose-pool"


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("# no front matter", "front matter", "must begin with a line ---"),
        ("---\nname: x\n", "front matter", "closing line --- is missing"),
        ("---\n- a\n---\n", "front matter", "must be a mapping"),
        ("---\ndescription: d\n---\n", "name", "is missing"),
        ("---\nname: X Y\ndescription: d\n---\n", "name", "lower-case"),
        ("---\nname: x\ndescription: ''\n---\n", "description", "must not be empty"),
        ("---\nname: x\ndescription: d\ntriggers: pool\n---\n", "triggers", "must be a list"),
        ("---\nname: x\ndescription: d\ntriggers: [a]\nplans: []\n---\n", "plans", "unknown key"),
        ("---\nname: x\nname: y\ndescription: d\n---\n", "line 3", "twice"),
        ("---\nname: x\ndescription: [\n---\n", "line", "not valid YAML"),
        (
            "---\nname: x\ndescription: d\nplan: [{id: a, tool: rm, input: {}}]\n---\n",
            "plan[0].tool",
            "one of",
        ),
        (
            "---\nname: x\ndescription: d\nplan: [{id: a, tool: query_logs, input: {}, wen: {}}]\n---\n",
            "plan[0].wen",
            "unknown key",
        ),
        (
            "---\nname: x\ndescription: d\nfindings: [{id: a, when: {}}]\n---\n",
            "findings[0].statement",
            "missing",
        ),
        ("---\nname: x\ndescription: d\ntriggers: [2026-01-01]\n---\n", "front matter", "must be quoted"),
    ],
)
def test_an_error_names_the_key_and_the_problem(text: str, key: str, problem: str) -> None:
    found = fault(text)
    assert found.origin == "skills/x/SKILL.md"
    assert key in found.key
    assert problem in found.problem
    assert str(found) == f"{found.origin}: {found.key}: {found.problem}"


def test_aliases_that_expand_without_end_are_refused() -> None:
    levels = "\n".join(
        f"b{number}: &b{number} [{', '.join([f'*b{number - 1}'] * 9)}]" for number in range(1, 9)
    )
    assert "more than" in fault(f"---\nb0: &b0 [x]\n{levels}\n---\n").problem


def test_yaml_tags_create_no_objects() -> None:
    assert "not valid YAML" in fault("---\nname: !!python/object/apply:os.getcwd []\n---\n").problem


@pytest.mark.parametrize(
    ("before", "after", "key", "problem"),
    [
        ("tools: [query_logs]", "tools: [query_mysql]", "plan[0].tool", "not in tools"),
        ("gained_if: [full]", "gained_if: [fool]", "plan[0].gained_if", "not a signal of this step"),
        ("active=(?P<active>", "active=((?P<active>", "plan[0].signals.full", "regular expression"),
        ("{all: [full]}", "{all: [later]}", "plan[1].when", "neither a step nor a signal"),
        ("{full.service}", "{full.hue}", "plan[1].input.query", "unknown placeholder full.hue"),
        ("{service} pool", "{colour} pool", "plan[0].input.query", "unknown placeholder colour"),
        ("{waits.count} waits", "{waits.hue} waits", "plan[0].signals.waits.note", "unknown placeholder"),
        ("{full.active} in use", "20 in use", "findings[0].statement", "must come from an observation"),
        ("{full.active} in use", "{full.active in use", "findings[0].statement", "written {name.field}"),
        ("占用 {full.active}", "占用 {full.size}", "findings[0].statement", "unknown placeholder"),
        ("[Restart it]", "['Restart 3 of them']", "findings[0].actions", "must come from an observation"),
        ("{all: [full.new], none: [holder]}", "{none: [holder]}", "findings[0].when", "absence alone"),
        ("order: [full]", "order: [fill]", "findings[0].order", "neither a step"),
        ("context: [waits]", "context: [wait]", "findings[0].context", "neither a step"),
        ("- id: holder", "- id: full", "plan[1]", "used twice"),
    ],
)
def test_what_does_not_fit_together_is_named(before: str, after: str, key: str, problem: str) -> None:
    assert before in FULL
    faults = faults_of(parse_skill(FULL.replace(before, after, 1), origin="x"))
    assert any(key == found_key and problem in found for found_key, found in faults), faults


def test_a_signal_may_be_looked_for_in_several_steps_but_keeps_only_common_values() -> None:
    text = FULL.replace(
        "    when: {all: [full]}\n", "    signals: {full: 'active=(?P<busy>.)'}\n    when: {all: [full]}\n"
    )
    faults = faults_of(parse_skill(text, origin="x"))
    assert ("findings[0].statement", "unknown placeholder full.active") in faults
    assert faults_of(parse_skill(text.replace("busy", "active"), origin="x")) == ()


def test_findings_need_a_plan() -> None:
    text = "---\nname: x\ndescription: d\nfindings: [{id: a, when: {all: [b]}, statement: s}]\n---\n"
    assert ("findings", "need a plan that observes what they rest on") in faults_of(
        parse_skill(text, origin="x")
    )
