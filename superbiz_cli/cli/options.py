"""The options that every command has, before or after its name, and what they add up to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main

from superbiz_cli.cli.streams import Streams
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.settings import LoadedSettings, Override

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Format(StrEnum):
    """How a result is written."""

    TEXT = "text"
    JSON = "json"
    NDJSON = "ndjson"
    MARKDOWN = "markdown"


@dataclass(slots=True)
class Typed:
    """The shared options as they were typed, at whatever level, and the streams they apply to."""

    streams: Streams
    values: dict[str, Any] = field(default_factory=dict)
    formats: list[tuple[str, Format]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Invocation:
    """What the shared options of one command line add up to."""

    format: Format
    streams: Streams
    config_file: Path | None
    use_files: bool
    debug: bool
    use_pager: bool

    @classmethod
    def of(cls, ctx: typer.Context) -> Invocation:
        """Read the shared options of this command line. Raises SuperbizError if they contradict."""
        typed = ctx.find_root().obj
        values = typed.values
        config, no_config = values.get("config"), bool(values.get("no_config"))
        if config is not None and no_config:
            raise contradiction("--config", "--no-config")
        streams = typed.streams
        output = values.get("output")
        streams.output = Path(output) if output not in (None, "-") else None
        streams.no_color = bool(values.get("no_color"))
        streams.quiet = bool(values.get("quiet"))
        streams.check_output()
        return cls(
            format=_one_format(typed.formats),
            streams=streams,
            config_file=config,
            use_files=not no_config,
            debug=bool(values.get("debug")),
            use_pager=not values.get("no_pager"),
        )

    @property
    def program(self) -> str:
        """How a command line begins that reads the same configuration as this one."""
        if self.config_file is None:
            return "superbiz" if self.use_files else "superbiz --no-config"
        return f"superbiz --config {shlex.quote(str(self.config_file))}"

    def load_settings(
        self, *, overrides: tuple[Override, ...] = (), model: str | None = None
    ) -> LoadedSettings:
        """Load the settings and say on stderr what the user must know about them."""
        from superbiz_cli.settings import load

        loaded = load(
            config_file=self.config_file, use_files=self.use_files, overrides=overrides, model=model
        )
        for notice in loaded.notices:
            self.streams.note(f"note: {notice}")
        return loaded


def contradiction(one: str, other: str) -> SuperbizError:
    """Return the error for two options of which only one may be given."""
    return SuperbizError(
        ErrorCode.USAGE, f"{one} and {other} exclude each other", hint=f"give either {one} or {other}"
    )


def shared_parameters() -> list[Any]:
    """Return the parameters of the shared options, new for each command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(_shared)
    return read_when_given(typer.main.get_command(app).params)


def read_when_given(parameters: Iterable[Any]) -> list[Any]:
    """Return the parameters so that an absent value is not converted: the converter loads pydantic."""

    def lazily(parameter: Any) -> Any:
        if "process_value" in vars(parameter):
            return parameter
        convert = parameter.process_value
        parameter.process_value = lambda ctx, value: None if value is None else convert(ctx, value)
        return parameter

    return [lazily(parameter) for parameter in parameters]


def collect_shared(ctx: Any) -> None:
    """Move the shared options that were typed at this level to the root of the command line."""
    root = ctx.find_root()
    if not isinstance(root.obj, Typed):  # a completion has no streams of its own
        root.obj = Typed(Streams.of_process())
    for name in _shared_names():
        value = ctx.params.pop(name, None)
        if value in (None, False):
            continue
        match name:
            case "json_short":
                root.obj.formats.append(("--json", Format.JSON))
            case "ndjson_short":
                root.obj.formats.append(("--ndjson", Format.NDJSON))
            case "format_name":
                root.obj.formats.append((f"--format {value}", Format(value)))
            case _:
                root.obj.values[name] = value


def _one_format(typed: list[tuple[str, Format]]) -> Format:
    if not typed:
        return Format.TEXT
    flag, chosen = typed[0]
    for other_flag, other in typed[1:]:
        if other is not chosen:
            raise contradiction(flag, other_flag)
    return chosen


@cache
def _shared_names() -> tuple[str, ...]:
    return tuple(parameter.name for parameter in shared_parameters())


def _shared(
    format_name: Annotated[
        Format | None, typer.Option("--format", help="How to write the result.", show_default=False)
    ] = None,
    json_short: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    ndjson_short: Annotated[bool, typer.Option("--ndjson", help="Short for --format ndjson.")] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the result to FILE.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Use this configuration file too.")
    ] = None,
    no_config: Annotated[bool, typer.Option("--no-config", help="Ignore all configuration files.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Write without colour.")] = False,
    no_pager: Annotated[bool, typer.Option("--no-pager", help="Do not page long output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of internal errors.")] = False,
) -> None: ...
