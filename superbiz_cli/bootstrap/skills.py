"""Loads the skills and chooses those that guide a Run."""

from __future__ import annotations

from pathlib import Path

from superbiz_cli import assets
from superbiz_cli.adapters.skill_files import SkillLibrary, load_skills
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.application.skills import match_skills
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.settings import Settings

NO_SKILL = "none"


def skill_library(settings: Settings) -> SkillLibrary:
    """Load the skills: folders named in the settings, the user's, the built-in ones; the nearer wins."""
    named = [Path(path).expanduser() for path in settings.skills.paths]
    return load_skills([*named, settings.home / "skills", assets.skills_root()])


def active_skills(settings: Settings, query: str, *, asked: str | None) -> tuple[Skill, ...]:
    """Return the skill that was asked for, or the ones that match the query.

    Raises SuperbizError for a name that does not exist.
    """
    if asked == NO_SKILL:
        return ()
    library = skill_library(settings)
    if asked is None:
        return match_skills(query, library.skills)
    skill = library.find(asked)
    if skill is None:
        known = ", ".join(skill.name for skill in library.skills) or "none"
        raise SuperbizError(
            ErrorCode.NOT_FOUND, f"There is no skill {asked!r}.", hint=f"known skills: {known}"
        )
    return (skill,)
