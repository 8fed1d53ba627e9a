"""Finds the texts that ship with the product: prompts, skills, configuration, in a wheel or a checkout.

The working directory is never searched: a hostile folder must not be able to supply a prompt.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _root() -> Path:
    """Return the folder that holds `prompts`, `skills` and `config`."""
    bundled = _PACKAGE / "_assets"
    return bundled if bundled.is_dir() else _PACKAGE.parent


def prompt(name: str) -> str:
    """Return the text of `prompts/<name>.md`. Raises FileNotFoundError for an incomplete install."""
    return (_root() / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def skills_root() -> Path:
    """Return the folder of the skills that ship with the product."""
    return _root() / "skills"


def runbooks_root() -> Path:
    """Return the folder of the example runbooks that ship with the product."""
    return _root() / "runbooks"


def runbook_vectors() -> Path:
    """Return the file of the vectors of the example runbooks, made by `vectors/embed_runbooks.py`."""
    return _root() / "vectors" / "runbooks.json"


def config_root() -> Path:
    """Return the folder of the default configuration and its examples."""
    return _root() / "config"


def default_config() -> Path:
    """Return the path of the shipped default configuration."""
    return config_root() / "default.toml"
