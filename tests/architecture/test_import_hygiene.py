"""What a command must not import, proven on `sys.modules` of a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.run_cli import PYTHON, REPOSITORY

HEAVY = (
    "litellm",
    "openai",
    "pymilvus",
    "milvus_lite",
    "numpy",
    "sqlalchemy",
    "alembic",
    "sqlglot",
    "redis",
    "pymysql",
)
_REPORT = """
import json, sys
from superbiz_cli.__main__ import run_process
code = run_process(sys.argv[1:])
sys.stdout.flush()
sys.stderr.write("\\n" + json.dumps({"code": int(code), "modules": sorted(sys.modules)}))
"""


def modules_after(*arguments: str, code: int = 0, environ: dict[str, str] | None = None) -> set[str]:
    done = subprocess.run(
        [PYTHON, "-c", _REPORT, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **(environ or {})},
        cwd=REPOSITORY,
    )
    report = json.loads(done.stderr.splitlines()[-1])
    assert report["code"] == code, done.stderr
    return set(report["modules"])


def loaded(modules: set[str], *names: str) -> set[str]:
    return {module for module in modules if any(module == n or module.startswith(f"{n}.") for n in names)}


def test_the_version_imports_nothing_but_the_package() -> None:
    modules = modules_after("--version")
    assert loaded(modules, "superbiz_cli") == {"superbiz_cli", "superbiz_cli.__main__"}
    assert not loaded(modules, "typer", "rich", "pydantic")


@pytest.mark.parametrize("arguments", [["--help"], ["trace", "--help"], ["config", "-h"]])
def test_help_imports_no_command(arguments: list[str]) -> None:
    modules = modules_after(*arguments)
    assert loaded(modules, "superbiz_cli.cli") == {
        "superbiz_cli.cli",
        "superbiz_cli.cli.app",
        "superbiz_cli.cli.lazy",
        "superbiz_cli.cli.options",
        "superbiz_cli.cli.streams",
    }
    assert not loaded(
        modules, "superbiz_cli.harness", "superbiz_cli.settings", "rich", "pydantic", "logging", *HEAVY
    )


@pytest.mark.parametrize("command", ["diagnose", "trace", "doctor"])
def test_the_help_of_a_command_imports_no_harness(command: str) -> None:
    modules = modules_after(command, "--help")
    assert not loaded(modules, "superbiz_cli.harness", "superbiz_cli.bootstrap", "rich", *HEAVY)


@pytest.mark.parametrize("arguments", [["config", "show"], ["config", "path"], ["help", "environment"]])
def test_looking_at_the_configuration_imports_no_vendor(arguments: list[str]) -> None:
    modules = modules_after(*arguments)
    assert not loaded(modules, "superbiz_cli.bootstrap", "superbiz_cli.adapters", *HEAVY)


def test_a_wrong_setting_is_found_before_anything_heavy(tmp_path: Path) -> None:
    wrong = {"SUPERBIZ_RUN__MAX_TOOL_CALLS": "0"}
    modules = modules_after("diagnose", "q", code=2, environ=wrong)
    assert not loaded(modules, "superbiz_cli.bootstrap", *HEAVY)


def test_the_built_in_model_never_imports_what_only_a_hosted_one_needs(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text("2026-11-30 10:00:00 ERROR payment timed out\n")
    source = f'[[logs.sources]]\nname = "app"\ntopic = "APPLICATION"\npaths = ["{tmp_path}"]\n'
    (tmp_path / "c.toml").write_text(source)
    environ = {"SUPERBIZ_CONFIG": str(tmp_path / "c.toml")}
    modules = modules_after("diagnose", "payment fails", "--exit-zero", environ=environ)
    assert loaded(modules, "sqlalchemy")
    unused = ("litellm", "openai", "pymilvus", "milvus_lite", "numpy", "sqlglot", "redis", "pymysql")
    assert not loaded(modules, *unused)


def test_completing_a_word_imports_no_harness() -> None:
    script = "import sys\nfrom superbiz_cli.__main__ import run_process\ntry:\n run_process([])\n" + (
        "except SystemExit: pass\nsys.stderr.write(','.join(sys.modules))\n"
    )
    done = subprocess.run(
        [PYTHON, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
        env={
            **os.environ,
            "_SUPERBIZ_COMPLETE": "complete_bash",
            "COMP_WORDS": "superbiz trace sh",
            "COMP_CWORD": "2",
        },
    )
    assert done.stdout.split() == ["show"]
    assert not loaded(set(done.stderr.split(",")), "superbiz_cli.harness", "superbiz_cli.cli.trace", *HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["config", "show"], ["config", "path"], ["doctor"]])
def test_looking_creates_nothing(tmp_path: Path, arguments: list[str]) -> None:
    before = sorted(tmp_path.rglob("*"))
    modules_after(*arguments)
    assert sorted(tmp_path.rglob("*")) == before


def test_importing_the_package_prints_nothing_and_starts_nothing() -> None:
    script = (
        "import pkgutil, importlib, sys, threading\n"
        "import superbiz_cli\n"
        "for found in pkgutil.walk_packages(superbiz_cli.__path__, 'superbiz_cli.'):\n"
        "    if not found.name.endswith('__main__') and '.versions.' not in found.name and"
        " not found.name.endswith('.env'):\n"
        "        importlib.import_module(found.name)\n"
        "assert threading.active_count() == 1\n"
    )
    done = subprocess.run(
        [PYTHON, "-W", "error::DeprecationWarning:superbiz_cli", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
