"""Files of cases, for the commands that export and import them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from superbiz_cli.adapters.case_yaml import MAX_FILE_BYTES, CaseFileFault
from superbiz_cli.adapters.case_yaml import read_cases as cases_of_yaml
from superbiz_cli.adapters.case_yaml import write_cases as yaml_of_cases
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.case import Case

_HINT = "superbiz case export shows the format"


def write_cases(cases: Sequence[Case]) -> str:
    """Return the file of these cases."""
    return yaml_of_cases(cases)


def read_cases(file: str) -> tuple[Case, ...]:
    """Read the cases of a file, "-" for stdin. Raises SuperbizError that names what is wrong and where."""
    try:
        raw = sys.stdin.buffer.read(MAX_FILE_BYTES + 1) if file == "-" else _content(Path(file))
    except OSError as error:
        raise _unusable(file, "it cannot be read") from error
    if len(raw) > MAX_FILE_BYTES:
        raise _unusable(file, f"it is larger than {MAX_FILE_BYTES} bytes")
    try:
        return cases_of_yaml(raw.decode("utf-8-sig"), now=datetime.now(UTC))
    except UnicodeDecodeError as error:
        raise _unusable(file, "it is not UTF-8 text") from error
    except CaseFileFault as error:
        raise _unusable(file, str(error)) from error


def _content(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES + 1)


def _unusable(file: str, why: str) -> SuperbizError:
    name = "stdin" if file == "-" else file
    return SuperbizError(ErrorCode.CONFIG_INVALID, f"the cases of {name} cannot be used: {why}", hint=_HINT)
