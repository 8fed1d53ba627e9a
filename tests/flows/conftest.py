"""One home with the incident's logs for each flow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.flow_world import World


@pytest.fixture
def world(tmp_path: Path, superbiz_home: Path) -> World:
    return World(tmp_path / "world", superbiz_home)
