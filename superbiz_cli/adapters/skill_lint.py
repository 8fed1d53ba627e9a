"""Everything that is wrong with a skill, and where; what keeps it from loading and what only weakens it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from superbiz_cli.adapters.skill_check import faults_of
from superbiz_cli.adapters.skill_document import SkillFault
from superbiz_cli.adapters.skill_files import FILE_NAME, read_skill, skill_folders
from superbiz_cli.harness.application.skills import MAX_PROMPT_CHARS
from superbiz_cli.harness.contract.skill import Skill

SECTIONS = ("Workflow", "Required Evidence", "Stop Conditions", "Report Rules", "Eval Anchor")
_HEADING = re.compile(r"^#{1,3}\s+(.+?)\s*$", re.MULTILINE)


class Severity(StrEnum):
    """ERROR: the skill is not used. WARNING: it is used, but works less well than it could."""

    ERROR = "ERROR"
    WARNING = "WARNING"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong: in which file, at which key, and how to mend it."""

    severity: Severity
    origin: str
    key: str
    problem: str


def lint_roots(roots: Sequence[Path]) -> tuple[LintFinding, ...]:
    """Check every skill of every root, nearest root first."""
    return tuple(_of_roots(roots))


def lint_skill(folder: Path) -> tuple[LintFinding, ...]:
    """Check one folder."""
    origin = str(folder / FILE_NAME)
    try:
        skill = read_skill(folder)
    except SkillFault as fault:
        faults = ((fault.key, fault.problem), *fault.more)
        return tuple(LintFinding(Severity.ERROR, origin, key, problem) for key, problem in faults)
    errors = (LintFinding(Severity.ERROR, origin, key, problem) for key, problem in faults_of(skill))
    warnings = (LintFinding(Severity.WARNING, origin, key, problem) for key, problem in _weaknesses(skill))
    return (*errors, *warnings)


def _of_roots(roots: Sequence[Path]) -> Iterator[LintFinding]:
    nearer: dict[str, Path] = {}
    for root in roots:
        for folder in skill_folders(root):
            if (hiding := nearer.get(folder.name)) is not None:
                origin = str(folder / FILE_NAME)
                yield LintFinding(Severity.WARNING, origin, "name", f"hidden by {hiding / FILE_NAME}")
            nearer.setdefault(folder.name, folder)
            yield from lint_skill(folder)


def _weaknesses(skill: Skill) -> Iterator[tuple[str, str]]:
    if len(skill.guide) > MAX_PROMPT_CHARS:
        yield "file", f"has {len(skill.guide)} characters; above {MAX_PROMPT_CHARS} it is never activated"
    if not skill.triggers:
        yield "triggers", "none: it is matched by its description only"
    if skill.plan and not skill.findings:
        yield "findings", "none: the plan looks, but can prove nothing"
    headings = {match.group(1).lower() for match in _HEADING.finditer(skill.text)}
    for section in SECTIONS:
        if section.lower() not in headings:
            yield "sections", f"the section {section} is missing"
