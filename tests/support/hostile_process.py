"""The program as a process of its own, with the scripted back ends of one case behind its boundary.

`python -m tests.support.hostile_process CASE_FILE TALLY_FILE ARGUMENTS...`. All but the back ends is the
program itself. Each call that reaches a back end adds a line with the tool's name to the tally file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from superbiz_cli.harness.tool.redact import Redactor
from tests.support.hostile_cases import Case
from tests.support.hostile_tools import PlayedTool, played_tools


def main() -> None:
    case_file, tally_file, *arguments = sys.argv[1:]
    install(Case(json.loads(Path(case_file).read_text("utf-8"))), Path(tally_file))
    sys.argv = ["superbiz", *arguments]
    from superbiz_cli.__main__ import main as program

    program()


def install(case: Case, tally: Path) -> None:
    """Replace the configured back ends, and load litellm before any clock of a Run is started."""
    from superbiz_cli.adapters.litellm_setup import import_litellm

    import_litellm()

    def on_fetch(tool: str, _number: int) -> None:
        with tally.open("a") as lines:
            lines.write(f"{tool}\n")

    def evidence_tools(_settings: Any, redactor: Redactor, _stack: Any) -> list[PlayedTool]:
        return played_tools(case.tools, redactor, on_fetch=on_fetch)

    mock.patch("superbiz_cli.bootstrap.app.evidence_tools", evidence_tools).start()


if __name__ == "__main__":
    main()
