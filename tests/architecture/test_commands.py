"""The command line keeps one vocabulary, and its stubs tell the truth about the commands behind them."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

from superbiz_cli.cli.app import COMMANDS, root
from superbiz_cli.cli.lazy import Stub, load

VERBS = {
    "add": "bring one thing in",
    "check": "look whether something works",
    "draft": "write a proposal for a person to complete",
    "eval": "measure quality",
    "export": "write out whole",
    "grants": "show what may be done",
    "import": "read records in that were exported",
    "ingest": "read documents in",
    "init": "write a file to begin with",
    "inspect": "look at one source",
    "lint": "say what is wrong and where",
    "list": "one row for each",
    "path": "where things are",
    "prune": "remove what is old",
    "query": "ask once",
    "rebuild": "make anew from what is stored",
    "remove": "take one thing out",
    "schema": "show the structure",
    "search": "find by content",
    "show": "one thing in full",
    "sources": "what is configured",
    "verify": "check against tampering",
}
OPTIONS = {
    "--help": "-h",
    "--version": "-V",
    "--output": "-o",
    "--quiet": "-q",
    "--session": "-s",
    "--continue": "-c",
    "--model": "-m",
    "--limit": "-n",
    "--yes": "-y",
    "--force": "-f",
}
_SECRET = re.compile(r"key|token|password|passwd|secret|credential")


def leaves(
    stubs: tuple[Stub, ...] = COMMANDS, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Stub]]:
    for stub in stubs:
        path = (*above, stub.name)
        if stub.children:
            yield from leaves(stub.children, path)
        else:
            yield path, stub


ALL = list(leaves())


def parameters(stub: Stub) -> list[Any]:
    return [parameter for parameter in load(stub).params if parameter.param_type_name == "option"]


def test_verbs_of_groups_are_in_the_glossary() -> None:
    assert {path[-1] for path, _ in ALL if len(path) > 1} <= set(VERBS)


def test_a_group_is_named_by_a_thing_and_holds_more_than_one_verb() -> None:
    groups = [stub for stub in COMMANDS if stub.children]
    assert {group.name for group in groups}.isdisjoint(VERBS)
    assert all(len(group.children) > 1 for group in groups)


@pytest.mark.parametrize(
    ("path", "stub"), ALL, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_a_stub_says_what_its_command_says(path: tuple[str, ...], stub: Stub) -> None:
    module, _, name = stub.target.partition(":")
    text = inspect.getdoc(getattr(importlib.import_module(module), name))
    assert text is not None
    assert text.splitlines()[0] == stub.help
    assert "\nExamples:\n" in text


@pytest.mark.parametrize(
    ("path", "stub"), ALL, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_option_names_are_the_standard_ones(path: tuple[str, ...], stub: Stub) -> None:
    for parameter in parameters(stub):
        long = [name for name in parameter.opts if name.startswith("--")]
        short = [name for name in parameter.opts if not name.startswith("--")]
        assert len(long) == 1
        assert short in ([], [OPTIONS.get(long[0])]), (path, parameter.opts)
        assert parameter.help, (path, long)


@pytest.mark.parametrize(
    ("path", "stub"), ALL, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_no_option_takes_a_secret(path: tuple[str, ...], stub: Stub) -> None:
    taking = [parameter for parameter in parameters(stub) if not parameter.is_flag]
    names = [name for parameter in taking for name in parameter.opts]
    assert not [name for name in names if _SECRET.search(name)]


def test_every_command_has_the_shared_options() -> None:
    shared = {
        "--format",
        "--json",
        "--ndjson",
        "--output",
        "--config",
        "--no-config",
        "--no-color",
        "--quiet",
    }
    for path, stub in ALL:
        assert shared <= {name for parameter in parameters(stub) for name in parameter.opts}, path
    assert shared <= {name for parameter in root().params for name in parameter.opts}
