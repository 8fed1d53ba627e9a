"""What is installed from a wheel is what runs from a checkout: prompts, skills and defaults included."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.support.run_cli import PYTHON, REPOSITORY


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [PYTHON, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_asset_and_no_test(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("prompts", "skills", "config"):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.is_file() and path.name != ".gitkeep" and "__pycache__" not in path.parts:
                assert f"superbiz_cli/_assets/{path.relative_to(REPOSITORY)}" in names
    assert not [name for name in names if name.startswith(("tests/", "docs/", "benchmarks/"))]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_unpacked_wheel_finds_its_own_defaults(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = (
        "import superbiz_cli, sys\n"
        "from superbiz_cli.__main__ import run_process\n"
        f"assert superbiz_cli.__file__.startswith({str(tmp_path)!r}), superbiz_cli.__file__\n"
        "sys.exit(run_process(['config', 'path', '--json']))\n"
    )
    done = subprocess.run(
        [PYTHON, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tmp_path / "site" / "superbiz_cli" / "_assets" / "config" / "default.toml") in done.stdout
