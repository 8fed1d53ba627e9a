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
    from superbiz_cli.bootstrap.stores import open_archive

__all__ = ["examine", "open_app", "open_archive", "prepare_demo", "read_cases", "write_cases"]

_HOME_OF = {
    "examine": "checks",
    "open_app": "app",
    "open_archive": "stores",
    "prepare_demo": "demo",
    "read_cases": "cases",
    "write_cases": "cases",
}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(name)
    return getattr(import_module(f"superbiz_cli.bootstrap.{_HOME_OF[name]}"), name)
