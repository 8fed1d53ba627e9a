"""Loads the skills and chooses those that guide a Run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from superbiz_cli import assets
from superbiz_cli.adapters.skill_files import FILE_NAME, SkillLibrary, load_skills, skill_folders
from superbiz_cli.adapters.skill_lint import LintFinding, lint_roots, lint_skill
from superbiz_cli.bootstrap.registered_secrets import redactor_for
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.application.parts import SkillMatching
from superbiz_cli.harness.application.skills import MAX_PROMPT_CHARS, match_skills
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.core.run import Run
from superbiz_cli.settings import Settings

NO_SKILL = "none"
LIST_DEADLINE_S = 15.0


def skill_library(settings: Settings) -> SkillLibrary:
    """Load the skills: folders named in the settings, the user's, the built-in ones; the nearer wins."""
    return load_skills(skill_roots(settings))


def skill_roots(settings: Settings) -> list[Path]:
    """Return the folders that hold skills, the nearest first. The working directory is none of them."""
    named = [Path(path).expanduser() for path in settings.skills.paths]
    return [*named, settings.home / "skills", assets.skills_root()]


def source_of(skill: Skill, settings: Settings) -> str:
    """Return where a skill comes from: "built in", "user", or the folder that the settings name."""
    root = Path(skill.origin).parent.parent
    if root == assets.skills_root():
        return "built in"
    return "user" if root == settings.home / "skills" else str(root)


def lint_skills(settings: Settings, paths: Sequence[Path]) -> tuple[LintFinding, ...]:
    """Check the skills in `paths` (each one skill, or a folder of skills), or all if none are given.

    Raises SuperbizError for a path that holds no skill.
    """
    if not paths:
        return lint_roots(skill_roots(settings))
    findings: list[LintFinding] = []
    for path in paths:
        folder = path.parent if path.name == FILE_NAME else path
        if (folder / FILE_NAME).is_file():
            findings += lint_skill(folder.resolve())
        elif skill_folders(folder):
            findings += lint_roots([folder])
        else:
            raise SuperbizError(
                ErrorCode.NOT_FOUND,
                f"there is no skill in {path}",
                hint=f"a skill is a folder with a {FILE_NAME}",
            )
    return tuple(findings)


@dataclass(frozen=True, slots=True)
class ChosenSkills:
    """The skills of a Run, how they were matched (for the trace), and what kept an embedding from helping."""

    skills: tuple[Skill, ...]
    matching: SkillMatching
    problem: str | None = None


def asked_skills(settings: Settings, asked: Sequence[str]) -> tuple[Skill, ...] | None:
    """Return the skills that were asked for, none for "none", None if the question is to choose them.

    Raises SuperbizError for a name that does not exist or is broken, and for skills that together do
    not fit the prompt.
    """
    names = tuple(dict.fromkeys(asked))
    if not names:
        return None
    if NO_SKILL in names:
        if len(names) > 1:
            raise SuperbizError(
                ErrorCode.USAGE, "--skill none excludes every other --skill", hint="give either of them"
            )
        return ()
    library = skill_library(settings)
    skills = tuple(named_skill(library, name) for name in names)
    used = sum(len(skill.guide) for skill in skills)
    if used > MAX_PROMPT_CHARS:
        raise SuperbizError(
            ErrorCode.USAGE,
            f"the skills {', '.join(names)} have {used} characters, more than the {MAX_PROMPT_CHARS} allowed",
            hint="name fewer or shorter skills",
        )
    return skills


def matching_skills(
    settings: Settings, query: str, *, run: Run, redact: Callable[[str], str]
) -> ChosenSkills:
    """Return the skills that match the query: by words, and by an embedding endpoint if one is configured.

    The endpoint is asked within the deadline of `run` and ends with its cancel.
    """
    skills = skill_library(settings).skills
    if settings.embedding.provider != "litellm" or not skills:
        return ChosenSkills(match_skills(query, skills), SkillMatching.WORDS)
    from superbiz_cli.bootstrap.skill_likeness import skill_likeness

    alike = skill_likeness(settings, query, skills, run=run, redact=redact)
    return ChosenSkills(
        match_skills(query, skills, likeness=alike.by_skill),
        SkillMatching.WORDS_ONLY if alike.problem else SkillMatching.EMBEDDING,
        alike.problem,
    )


def skills_like(settings: Settings, query: str) -> ChosenSkills:
    """Return the skills that a Run about `query` would use."""
    run = Run.start(session_id="skills", deadline_s=LIST_DEADLINE_S, limits=BudgetLimits())
    return matching_skills(settings, query, run=run, redact=redactor_for(settings).redact)


def named_skill(library: SkillLibrary, name: str) -> Skill:
    """Return the skill of this name. Raises SuperbizError if there is none, or only a broken one."""
    skill = library.find(name)
    if skill is not None:
        return skill
    if any(Path(fault.origin).parent.name == name for fault in library.faults):
        raise SuperbizError(
            ErrorCode.CONFIG_INVALID, f"the skill '{name}' is broken", hint="superbiz skills lint says where"
        )
    known = ", ".join(skill.name for skill in library.skills) or "none"
    raise SuperbizError(ErrorCode.NOT_FOUND, f"there is no skill '{name}'", hint=f"known skills: {known}")
