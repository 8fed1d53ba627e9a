"""`superbiz help TOPIC`: what does not belong to one command."""

from __future__ import annotations

from typing import Annotated

import typer

from superbiz_cli.cli.options import Invocation
from superbiz_cli.errors import ErrorCode, SuperbizError

TOPICS = ("environment", "exit-codes", "times")

_TIMES = """\
Times of --at, --since and --until, and of a question
  2026-11-30T10:00+08:00, 2026-11-30 10:00   with or without offset; without one in ui.timezone
  10:00, 3 pm, 23点05分                       the last one before now
  yesterday 10:00, last night at 11, 昨晚11点  a day and a time, or a part of a day
  Monday 08:00, Nov 30 10:00, 11月30日 10:00   a weekday or a date
  2h, 20 min ago, half an hour ago, 半小时前   back from now; with --at back from that time

A question may also say
  since 10:00 · from 10:00 to 10:30 · between 10:00 and 10:30 · for the last 20 minutes
  around 10:00 (30 minutes to both sides) · until 10:00 · 从20分钟前开始 · 最近半小时 · 10点到10点半

Flags win over the question. --until alone does not move a relative --since. Words that look like a
time and are none are named beside the window that was used, in the output and in its limits. A window
in the future, or of more than 31 days, is refused.
"""

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
    topic: Annotated[str, typer.Argument(help="environment, exit-codes or times", show_default=False)],
) -> int:
    """Explain exit codes, environment variables or how times are written.

    Examples:
      superbiz help environment
      superbiz help exit-codes
      superbiz help times

    """
    invocation = Invocation.of(ctx)
    match topic:
        case "environment":
            text = _environment()
        case "exit-codes":
            from superbiz_cli.cli.app import exit_codes

            text = exit_codes() + "\n"
        case "times":
            text = _TIMES
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
