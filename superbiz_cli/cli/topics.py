"""`superbiz help TOPIC`: what does not belong to one command."""

from __future__ import annotations

from typing import Annotated

import typer

from superbiz_cli.cli.options import Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

TOPICS = ("environment", "exit-codes")

_VARIABLES: tuple[tuple[str, str], ...] = (
    ("SUPERBIZ_HOME", "folder that holds all state: records, demo, embedded stores"),
    ("SUPERBIZ_CONFIG", "configuration file, as --config"),
    ("SUPERBIZ_CONFIG_DIR", "folder of your own config.toml"),
    ("SUPERBIZ_NO_CONFIG", "1 = ignore all configuration files, as --no-config"),
    ("SUPERBIZ_PAGER", "pager for long output; PAGER is used otherwise"),
    ("NO_COLOR, FORCE_COLOR", "never or always colour"),
    ("COLUMNS", "width of the output"),
    ("CI", "set = plain progress lines instead of a live view"),
)


def explain(
    ctx: typer.Context,
    topic: Annotated[str, typer.Argument(help="environment or exit-codes", show_default=False)],
) -> int:
    """Explain exit codes or environment variables.

    Examples:
      superbiz help environment
      superbiz help exit-codes

    """
    invocation = Invocation.of(ctx)
    match topic:
        case "environment":
            text = _environment()
        case "exit-codes":
            from superbiz_cli.cli.app import exit_codes

            text = exit_codes() + "\n"
        case _:
            raise SuperbizError(
                ErrorCode.NOT_FOUND,
                f"there is no help topic '{topic}'",
                hint=f"topics: {', '.join(TOPICS)}; for a command: superbiz COMMAND --help",
            )
    invocation.streams.result(text)
    return 0


def _environment() -> str:
    from superbiz_cli.settings.keys import known_keys
    from superbiz_cli.settings.sources import variable_for

    rows = [(variable_for(key), key) for key in known_keys()]
    general = "\n".join(f"  {name:<24}  {meaning}" for name, meaning in _VARIABLES)
    widest = max(len(name) for name, _ in rows)
    settings = "\n".join(f"  {name:<{widest}}  {key}" for name, key in rows)
    return f"General\n{general}\n\nOne variable for each setting\n{settings}\n"
