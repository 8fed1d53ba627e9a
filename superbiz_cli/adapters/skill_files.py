"""Finds skills on disk: one folder a skill, in the folders that were named, the user's, the built-in ones.

The working directory is never searched by itself: a hostile folder could steer the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from superbiz_cli.adapters.skill_check import faults_of
from superbiz_cli.adapters.skill_document import MAX_DOCUMENT_BYTES, SkillFault, parse_skill
from superbiz_cli.harness.contract.skill import Skill

FILE_NAME = "SKILL.md"


@dataclass(frozen=True, slots=True)
class SkillLibrary:
    """The usable skills, sorted by name, and what kept others from loading."""

    skills: tuple[Skill, ...] = ()
    faults: tuple[SkillFault, ...] = ()

    def find(self, name: str) -> Skill | None:
        """Return the skill of this name, or None."""
        return next((skill for skill in self.skills if skill.name == name), None)


def load_skills(roots: Sequence[Path]) -> SkillLibrary:
    """Load the skills of every root, nearest root first: of two with one name the nearer wins.

    A root that does not exist holds none. A broken skill is reported and hides the same name in
    farther roots, so that a mistake never silently activates another text.
    """
    skills: dict[str, Skill] = {}
    faults: list[SkillFault] = []
    taken: set[str] = set()
    for root in roots:
        for folder in skill_folders(root):
            if folder.name in taken:
                continue
            taken.add(folder.name)
            try:
                skills[folder.name] = load_skill(folder)
            except SkillFault as fault:
                faults.append(fault)
    return SkillLibrary(tuple(skills[name] for name in sorted(skills)), tuple(faults))


def load_skill(folder: Path) -> Skill:
    """Load one folder. Raises SkillFault: unreadable, malformed, or inconsistent in itself."""
    skill = read_skill(folder)
    for key, problem in faults_of(skill):
        raise SkillFault(skill.origin, key, problem)
    return skill


def read_skill(folder: Path) -> Skill:
    """Read one folder without a look at what its plan means. Raises SkillFault."""
    path = folder / FILE_NAME
    origin = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_DOCUMENT_BYTES + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise SkillFault(
            origin, "file", "cannot be read; check that it exists and its permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise SkillFault(origin, "file", "is not UTF-8 text") from error
    if len(content) > MAX_DOCUMENT_BYTES:
        raise SkillFault(origin, "file", f"is larger than {MAX_DOCUMENT_BYTES} bytes")
    return parse_skill(text, origin=origin, folder=folder.name)


def skill_folders(root: Path) -> list[Path]:
    """Return the folders of `root` that hold a skill, by name; none if it cannot be read."""
    try:
        return sorted(entry for entry in root.iterdir() if (entry / FILE_NAME).is_file())
    except OSError:
        return []
