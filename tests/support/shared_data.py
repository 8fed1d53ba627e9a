"""Where the shared test data is, when it is there at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_DEFAULT = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def data_folder() -> Path:
    """Return the folder of the shared data, whether it is there or not."""
    return Path(os.environ.get("SUPERBIZ_TEST_DATA") or _DEFAULT)


def shared_data(name: str) -> Path:
    """Return the folder `name` of the shared data; skips the test where it is absent."""
    folder = data_folder() / name
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder} (set SUPERBIZ_TEST_DATA)")
    return folder


def shared_lines(folder: str, file: str) -> list[dict[str, Any]]:
    """Return the JSON lines of a shared file, an empty list where it is absent (for parametrisation)."""
    path = data_folder() / folder / file
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
