"""`superbiz config`: which settings are in force, and a file to begin with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from superbiz_cli.cli.options import Format, Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

if TYPE_CHECKING:
    from superbiz_cli.settings import LoadedSettings


def init(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="File to write; your own configuration if not given."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a file that exists.")] = False,
) -> int:
    """Write a configuration file to begin with.

    Examples:
      superbiz config init
      superbiz config init superbiz.toml

    """
    invocation = Invocation.of(ctx)

    from superbiz_cli import assets
    from superbiz_cli.settings import user_file

    target = file if file is not None else user_file(os.environ)
    if target.exists() and not force:
        raise SuperbizError(
            ErrorCode.ALREADY_EXISTS,
            f"{target} exists already",
            hint="--force replaces it; or name another file",
        )
    text = (assets.config_root() / "examples" / "starter.toml").read_text(encoding="utf-8")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError:
        raise SuperbizError(
            ErrorCode.OUTPUT_FAILED,
            f"{target} cannot be written",
            hint="name a file in a folder that you may write",
        ) from None
    invocation.streams.note(f"wrote {target}; superbiz doctor checks it")
    return 0


def show(ctx: typer.Context) -> int:
    """Show every setting, its value and where it comes from.

    Secrets are never in it: settings only name the variables that hold them.

    Examples:
      superbiz config show
      superbiz config show --json

    """
    invocation = Invocation.of(ctx)
    loaded = invocation.load_settings()

    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.cli.streams import json_text

    records = _settings(loaded)
    if invocation.format is Format.JSON:
        named = {str(record["key"]): {k: v for k, v in record.items() if k != "key"} for record in records}
        invocation.streams.result(json_text(named))
        return 0
    cells = [(str(r["key"]), _shown(r["value"]), str(r["source"] or "")) for r in records]
    listing = Listing(("KEY", "VALUE", "SOURCE"), cells, records)
    write_listing(listing, invocation)
    return 0


def path(ctx: typer.Context) -> int:
    """Show which files and folders are used.

    Examples:
      superbiz config path

    """
    invocation = Invocation.of(ctx)

    from superbiz_cli import assets
    from superbiz_cli.cli.rows import Listing, write_listing
    from superbiz_cli.settings import home_dir, user_file

    named = invocation.config_file or os.environ.get("SUPERBIZ_CONFIG")
    places: list[tuple[str, Path]] = [
        ("state", home_dir(os.environ)),
        ("user file", user_file(os.environ)),
        ("project file", Path.cwd() / "superbiz.toml"),
        ("defaults", assets.default_config()),
    ]
    if named:
        places.insert(1, ("config file", Path(named).absolute()))
    records: list[dict[str, object]] = [
        {"what": what, "path": str(place), "exists": place.exists()} for what, place in places
    ]
    cells = [(what, "yes" if place.exists() else "no", str(place)) for what, place in places]
    write_listing(Listing(("WHAT", "EXISTS", "PATH"), cells, records), invocation)
    return 0


def _settings(loaded: LoadedSettings) -> list[dict[str, object]]:
    from superbiz_cli.settings.keys import known_keys

    tree: dict[str, Any] = loaded.settings.model_dump(mode="json", exclude={"home"})
    rows: list[dict[str, object]] = []
    for key in known_keys().values():
        value: Any = tree
        for name in key.path:
            value = value[name]
        origin = loaded.origin_of(key.dotted) if value is not None else None
        rows.append(
            {
                "key": key.dotted,
                "value": value,
                "source": origin.place if origin else None,
                "layer": origin.kind.value if origin else None,
            }
        )
    return rows


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case list() if not value:
            return "(none)"
        case list() if all(isinstance(item, dict) for item in value):
            return ", ".join(str(item.get("name") or item.get("id")) for item in value)
        case list():
            return ", ".join(str(item) for item in value)
        case _:
            return str(value)
