"""A home for each case; its audit database is copied from one that is already migrated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.flow_world import World


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty audit database of the newest schema."""
    from superbiz_cli.adapters.sql_audit.archive import open_archive

    path = tmp_path_factory.mktemp("audit") / "empty.db"
    open_archive(path, redact=str, owner="tester", keep_reasoning=True, create=True).close()
    return path


@pytest.fixture
def world(tmp_path: Path, superbiz_home: Path, migrated: Path) -> World:
    world = World(tmp_path / "world", superbiz_home)
    superbiz_home.mkdir(mode=0o700)
    shutil.copy(migrated, world.audit_file)
    world.audit_file.chmod(0o600)
    return world
