"""Fixtures for every test: a temporary home, a fixed time zone, no settings of the developer's machine.

The network is closed but for loopback (pytest-socket, see pyproject.toml).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "superbiz", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("superbiz")

_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PAGER", "LESS", "PYTHONIOENCODING")
_KEPT = ("SUPERBIZ_TEST_",)


@pytest.fixture(autouse=True)
def _fixed_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test runs in Shanghai: a time that was taken for UTC is eight hours off and is seen."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def superbiz_home(_fixed_zone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that does not exist yet, no configuration file, and none of the caller's variables."""
    for name in list(os.environ):
        if name.startswith("SUPERBIZ_") and not name.startswith(_KEPT):
            monkeypatch.delenv(name)
    for name in _TERMINAL:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "superbiz-home"
    monkeypatch.setenv("SUPERBIZ_HOME", str(home))
    monkeypatch.setenv("SUPERBIZ_CONFIG_DIR", str(tmp_path / "superbiz-config"))
    return home
