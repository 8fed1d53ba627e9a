"""Write the generated documents: docs/commands.md, docs/configuration.md and docs/errors.md.

`python docs/generate.py` writes them, `--check` only compares and ends with 1 if one is out of date.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from superbiz_cli.assets import default_config
from superbiz_cli.cli.app import COMMANDS, root
from superbiz_cli.cli.lazy import Stub
from superbiz_cli.errors import EXIT_MEANING, EXIT_OF, ErrorCode, ExitCode
from superbiz_cli.harness.contract.status import FailureCode
from superbiz_cli.settings.keys import known_keys
from superbiz_cli.settings.sources import variable_for

FOLDER = Path(__file__).parent
LAYERS = (
    "Every key with its default. Layers, the strongest first: flags, `SUPERBIZ_*` variables, the file of "
    "`--config` or `SUPERBIZ_CONFIG`, `./superbiz.toml` (only if it belongs to you and no one else may "
    "write it), your own file (`superbiz config path`), these defaults. `superbiz config show` tells for "
    "each key which layer its value comes from."
)
NOTE = "<!-- written by docs/generate.py (make docs); do not edit -->"


def documents() -> dict[str, str]:
    """Return every generated document by its file name."""
    return {"commands.md": commands(), "configuration.md": configuration(), "errors.md": errors()}


def commands() -> str:
    """Return the help texts of all commands."""
    blocks = ["# Commands", NOTE, _help(())]
    for path in _paths(COMMANDS):
        blocks += [f"## superbiz {' '.join(path)}", _help(path)]
    return "\n\n".join(blocks) + "\n"


def configuration() -> str:
    """Return the default configuration and the variable of each key."""
    rows = [f"| `{key}` | `{variable_for(key)}` |" for key in known_keys()]
    return (
        "\n\n".join(
            [
                "# Configuration",
                NOTE,
                LAYERS,
                f"```toml\n{default_config().read_text(encoding='utf-8').rstrip()}\n```",
                "## Variables",
                "\n".join(["| key | variable |", "|---|---|", *rows]),
            ]
        )
        + "\n"
    )


def errors() -> str:
    """Return the exit codes and the closed sets of error codes."""
    exits = [f"| {code.value} | {EXIT_MEANING[code]} |" for code in ExitCode]
    errors = [f"| `{code}` | {EXIT_OF.get(code, ExitCode.USAGE).value} |" for code in ErrorCode]
    failures = ", ".join(f"`{code}`" for code in FailureCode)
    return (
        "\n\n".join(
            [
                "# Exit codes and error codes",
                NOTE,
                "\n".join(["| exit code | meaning |", "|---|---|", *exits]),
                "A command that could not do its work says so on stderr, and with `--json` as "
                '`{"error": {"code", "message", "hint"}}` on stdout:',
                "\n".join(["| error code | exit code |", "|---|---|", *errors]),
                f"A run that published nothing has one of the failure codes in `failure.code`: {failures}.",
            ]
        )
        + "\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Write the documents, or with --check compare them."""
    stale = []
    for name, text in documents().items():
        path = FOLDER / name
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run: make docs\n")
    return 1 if stale else 0


def _paths(stubs: Sequence[Stub], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for stub in stubs:
        here = (*above, stub.name)
        yield here
        yield from _paths(stub.children, here)


def _help(path: tuple[str, ...]) -> str:
    command, rest = root(), list(path)
    context = command.make_context("superbiz", [], resilient_parsing=True)
    while rest:
        name, command, _ = command.resolve_command(context, rest)
        context = command.make_context(name, [], parent=context, resilient_parsing=True)
        rest = rest[1:]
    return f"```text\n{command.get_help(context).rstrip()}\n```"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    os.environ["TERMINAL_WIDTH"] = "100"
    sys.exit(main(sys.argv[1:]))
