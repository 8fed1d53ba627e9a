"""The composition root: settings to objects; the only package that knows every class.

A name is imported when it is asked for, so that a command pays only for its own parts (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from superbiz_cli.bootstrap.app import open_app
    from superbiz_cli.bootstrap.cases import read_cases, write_cases
    from superbiz_cli.bootstrap.checks import examine
    from superbiz_cli.bootstrap.demo import prepare_demo
    from superbiz_cli.bootstrap.skill_drafts import draft_from_cases
    from superbiz_cli.bootstrap.skills import lint_skills, named_skill, skill_library, skills_like, source_of
    from superbiz_cli.bootstrap.stores import open_archive

__all__ = [
    "draft_from_cases",
    "examine",
    "lint_skills",
    "named_skill",
    "open_app",
    "open_archive",
    "prepare_demo",
    "read_cases",
    "skill_library",
    "skills_like",
    "source_of",
    "write_cases",
]

_HOME_OF = {
    "examine": "checks",
    "open_app": "app",
    "open_archive": "stores",
    "prepare_demo": "demo",
    "read_cases": "cases",
    "write_cases": "cases",
    "draft_from_cases": "skill_drafts",
    "lint_skills": "skills",
    "named_skill": "skills",
    "skill_library": "skills",
    "skills_like": "skills",
    "source_of": "skills",
}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(name)
    return getattr(import_module(f"superbiz_cli.bootstrap.{_HOME_OF[name]}"), name)
