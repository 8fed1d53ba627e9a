"""Skills as a list, and one skill as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.cli.page import Page
from superbiz_cli.cli.pager import page_out
from superbiz_cli.cli.rows import Listing
from superbiz_cli.cli.streams import json_text
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.tool.sanitize import sanitize

_FENCE = "---"


@dataclass(frozen=True, slots=True)
class SkillRow:
    """A skill and where it comes from."""

    skill: Skill
    source: str


def skill_listing(rows: Sequence[SkillRow]) -> Listing:
    """Return the rows of `skills list`."""
    return Listing(
        header=("SKILL", "FROM", "PLAN", "DESCRIPTION"),
        cells=[(row.skill.name, row.source, _plan(row.skill), row.skill.description) for row in rows],
        records=[skill_record(row) for row in rows],
        nothing="no skill is activated",
    )


def skill_record(row: SkillRow) -> dict[str, object]:
    """Return one skill for machines, without its text."""
    skill = row.skill
    return {
        "name": skill.name,
        "description": skill.description,
        "source": row.source,
        "file": skill.origin,
        "triggers": list(skill.triggers),
        "services": list(skill.services),
        "tools": list(skill.tools),
        "steps": [{"id": step.id, "tool": step.tool} for step in skill.plan],
        "findings": [finding.id for finding in skill.findings],
        "chars": len(skill.guide),
    }


def write_skill(row: SkillRow, invocation: Invocation) -> None:
    """Write one skill in the format that was asked for."""
    streams, skill = invocation.streams, row.skill
    match invocation.format:
        case Format.JSON:
            streams.result(json_text({**skill_record(row), "text": skill.text}))
        case Format.NDJSON:
            streams.result(json_text({**skill_record(row), "text": skill.text}, indent=None))
        case Format.MARKDOWN:
            streams.result(sanitize(skill.text).rstrip("\n") + "\n")
        case Format.TEXT:
            head = _head(row, streams.result_width).render(color=streams.result_in_color)
            page_out(f"{head}\n{sanitize(prose_of(skill))}\n", streams, use_pager=invocation.use_pager)


def prose_of(skill: Skill) -> str:
    """Return the text of a skill without its front matter."""
    lines = skill.text.removeprefix("\ufeff").splitlines()
    end = next((i for i, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), 0)
    return "\n".join(lines[end + 1 :]).strip()


def _head(row: SkillRow, width: int) -> Page:
    skill = row.skill
    page = Page(width)
    page.line((skill.name, "bold"), indent="")
    page.paragraph(skill.description)
    page.blank()
    facts = [
        ("from", f"{row.source} ({skill.origin})"),
        ("triggers", ", ".join(skill.triggers)),
        ("services", ", ".join(skill.services)),
        ("tools", ", ".join(skill.tools)),
        ("steps", ", ".join(f"{step.id} ({step.tool})" for step in skill.plan)),
        ("findings", ", ".join(finding.id for finding in skill.findings)),
        ("size", f"{len(skill.guide):,} characters"),
    ]
    page.columns([((name, "dim"), text) for name, text in facts if text])
    return page


def _plan(skill: Skill) -> str:
    return f"{len(skill.plan)} steps" if skill.plan else "text only"
