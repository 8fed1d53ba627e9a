"""What the lint says of skills, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.skill_lint import LintFinding, Severity, lint_roots, lint_skill

GOOD = """---
name: {name}
description: Use when it breaks.
triggers: [it breaks]
tools: [query_logs]
plan:
  - id: look
    tool: query_logs
    input: {{topic: APPLICATION, query: "{{service}} {{symptom}}"}}
    signals: {{broke: 'it broke'}}
findings:
  - id: broken
    when: {{all: [broke]}}
    statement: It broke {{broke.count}} times.
---

# It breaks

## Workflow
## Required Evidence
## Stop Conditions
## Report Rules
## Eval Anchor
"""


def write(root: Path, name: str = "diagnose-it", text: str = GOOD) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        text.replace("{name}", name).replace("{{", "{").replace("}}", "}"), encoding="utf-8"
    )
    return folder


def found(folder: Path) -> list[tuple[Severity, str, str]]:
    return [(one.severity, one.key, one.problem) for one in lint_skill(folder)]


def test_the_shipped_skills_are_clean() -> None:
    assert lint_roots([assets.skills_root()]) == ()


def test_a_good_skill_is_clean(tmp_path: Path) -> None:
    assert found(write(tmp_path)) == []


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        (("{service}", "{host}"), "plan[0].input.query", "unknown placeholder host"),
        (
            ("It broke {{broke.count}} times", "It broke 7 times"),
            "findings[0].statement",
            "a number must come",
        ),
        (("all: [broke]", "all: [broken_in]"), "findings[0].when", "neither a step nor a signal"),
        (("tools: [query_logs]", "tools: [query_mysql]"), "plan[0].tool", "is not in tools"),
        (("'it broke'", "'it (broke'"), "plan[0].signals.broke", "not a valid regular expression"),
        (("name: {name}", "name: other"), "name", "must be the name of its folder"),
        (("name: {name}", "name: {name}\nname: twice"), "line 3", "a key given twice"),
        (("description: Use when it breaks.", "? [a]\n: b"), "line 3", "not valid YAML"),
        (("---\n", "", 1), "front matter", "must begin with a line ---"),
    ],
)
def test_what_keeps_a_skill_from_use_is_an_error_with_its_place(
    tmp_path: Path, change: tuple[str, ...], key: str, problem: str
) -> None:
    old, new = change[0], change[1]
    [(severity, where, what), *_] = found(write(tmp_path, text=GOOD.replace(old, new, 1)))
    assert (severity, where) == (Severity.ERROR, key)
    assert problem in what


def test_every_error_is_named_not_only_the_first(tmp_path: Path) -> None:
    text = GOOD.replace("{service}", "{host}").replace("all: [broke]", "all: [nothing]")
    assert len([one for one in lint_skill(write(tmp_path, text=text)) if one.severity is Severity.ERROR]) == 2


def test_every_error_of_form_is_named_too(tmp_path: Path) -> None:
    text = GOOD.replace("name: {name}", "name: other\ntrigger: x").replace("tool: query_logs", "tool: rm")
    text = text.replace("{{broke.count}} times.", "").replace("statement: It broke ", "statement: 7")
    assert [key for _, key, _ in found(write(tmp_path, text=text))] == [
        "trigger",
        "name",
        "plan[0].tool",
        "findings[0].statement",
    ]


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ("## Stop Conditions\n", "", "sections", "the section Stop Conditions is missing"),
        ("triggers: [it breaks]\n", "", "triggers", "by its description only"),
        ("# It breaks", "x" * 12_000, "file", "never activated"),
        (GOOD[GOOD.index("findings:") : GOOD.index("---\n\n")], "", "findings", "can prove nothing"),
    ],
)
def test_what_weakens_a_skill_is_a_warning(
    tmp_path: Path, old: str, new: str, key: str, problem: str
) -> None:
    [(severity, where, what)] = found(write(tmp_path, text=GOOD.replace(old, new)))
    assert (severity, where) == (Severity.WARNING, key)
    assert problem in what


def test_a_skill_of_another_tool_is_usable_and_only_warned_about(tmp_path: Path) -> None:
    folder = write(
        tmp_path, text="---\nname: {name}\ndescription: Use when it breaks.\nversion: 2\n---\nDo it.\n"
    )
    assert {one.severity for one in lint_skill(folder)} == {Severity.WARNING}


def test_a_hidden_skill_is_said_to_be_hidden(tmp_path: Path) -> None:
    nearer, farther = tmp_path / "near", tmp_path / "far"
    write(nearer)
    write(farther)
    assert lint_roots([nearer, farther]) == (
        LintFinding(
            Severity.WARNING,
            str(farther / "diagnose-it" / "SKILL.md"),
            "name",
            f"hidden by {nearer / 'diagnose-it' / 'SKILL.md'}",
        ),
    )
