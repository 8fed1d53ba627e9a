"""Commands that are imported when they are called: until then each one is a name and a sentence.

Typer has no lazy sub-commands. A `LazyGroup` lists stubs and swaps the real command in when one is
resolved; the names stay in `commands`, where the hint for a mistyped name looks.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from superbiz_cli.cli.options import CONTEXT, collect_shared, read_when_given, shared_parameters

_EXAMPLES = "\nExamples:\n"


@dataclass(frozen=True, slots=True)
class Stub:
    """One command: `target` is "module:function". A group has `children` instead."""

    name: str
    help: str
    target: str = ""
    children: tuple[Stub, ...] = ()
    panel: str = "Commands"


class SharedCommand(TyperCommand):
    """A command with the options that every command has, and help that begins with examples."""

    def __init__(self, name: str | None, *, params: list[Any] | None = None, **attributes: Any) -> None:
        super().__init__(name, params=[*(params or []), *shared_parameters()], **attributes)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and move the shared options to where the command finds them."""
        rest = super().parse_args(ctx, args)
        collect_shared(ctx)
        return rest

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option --help, read only when it is given."""
        option = super().get_help_option(ctx)
        return option and read_when_given([option])[0]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the description, wrapped, and then the examples as they stand."""
        _write_help_text(self.help or "", formatter)


class LazyGroup(TyperGroup):
    """A group of stubs."""

    def __init__(self, *, stubs: Sequence[Stub], **attributes: Any) -> None:
        super().__init__(
            commands={stub.name: _placeholder(stub) for stub in stubs},
            params=attributes.pop("params", []) + shared_parameters(),
            rich_markup_mode=None,
            context_settings=CONTEXT,
            **attributes,
        )
        self.stubs = {stub.name: stub for stub in stubs}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and move the shared options to where the command finds them."""
        rest = super().parse_args(ctx, args)
        collect_shared(ctx)
        return rest

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that `args` names, import it, and return it with the other arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.stubs:
            command = load(self.stubs[name])
        return name, command, rest

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option --help, read only when it is given."""
        option = super().get_help_option(ctx)
        return option and read_when_given([option])[0]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the description, wrapped, and then the examples as they stand."""
        _write_help_text(self.help or "", formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their panels, in the order of the stubs."""
        widest = max(len(name) for name in self.stubs)
        for panel in dict.fromkeys(stub.panel for stub in self.stubs.values()):
            with formatter.section(panel):
                rows = [(s.name.ljust(widest), s.help) for s in self.stubs.values() if s.panel == panel]
                formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the epilog line by line."""
        if self.epilog:
            formatter.write("\n" + self.epilog.rstrip() + "\n")


def load(stub: Stub) -> Any:
    """Import the real command of `stub`."""
    if stub.children:
        return LazyGroup(name=stub.name, stubs=stub.children, help=stub.help)
    module, _, function = stub.target.partition(":")
    return _command(stub.name, getattr(importlib.import_module(module), function))


def _command(name: str, function: Callable[..., Any]) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=SharedCommand, context_settings=CONTEXT)(function)
    return typer.main.get_command(app)


def _placeholder(stub: Stub) -> TyperCommand:
    return TyperCommand(stub.name, help=stub.help, rich_markup_mode=None)


def _write_help_text(text: str, formatter: Any) -> None:
    description, _, examples = text.partition(_EXAMPLES)
    with formatter.indentation():
        for paragraph in description.strip().split("\n\n"):
            formatter.write_paragraph()
            formatter.write_text(paragraph.replace("\n", " "))
    if examples:
        formatter.write("\nExamples:\n")
        for line in examples.rstrip().splitlines():
            formatter.write(f"  {line.strip()}\n" if line.strip() else "\n")
