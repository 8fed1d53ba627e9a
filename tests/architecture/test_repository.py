"""The repository as a whole: generated documents, what may stand in no file, and what a wheel needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.run_cli import REPOSITORY

_REGISTRY_HOST = re.compile(
    r"(?:pypi|pythonhosted|npmjs|conda)\.(?:org|com|io)|index-url|find-links", re.IGNORECASE
)
_MACHINE_PATH = re.compile(r"(?<![\w.}])/(?:work|root|home|Users)/[a-z]")
_NOT_OURS = {"LICENSE"}
_TABLES = {"redact_rules.py"}  # one rule after the other; cutting it would hide their order
MAX_LINES = 400


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = [name for name in listed.stdout.split("\0") if name and name not in _NOT_OURS]
    return [path for name in names if (path := REPOSITORY / name).is_file()]


def test_generated_documents_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "docs" / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_no_file_names_a_package_registry_or_a_path_of_one_machine() -> None:
    this = Path(__file__)
    found = []
    for path in tracked():
        if path == this:
            continue
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        ):
            if _REGISTRY_HOST.search(line) or (path.suffix != ".log" and _MACHINE_PATH.search(line)):
                found.append(f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()[:100]}")
    assert found == []


def test_no_source_file_grows_beyond_its_one_concept() -> None:
    long = {
        str(path.relative_to(REPOSITORY)): lines
        for path in tracked()
        if path.suffix == ".py"
        and path.name not in _TABLES
        and "tests" not in path.parts
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def test_the_lock_pins_names_and_versions_and_nothing_but_the_platforms_that_have_them() -> None:
    lines = (REPOSITORY / "requirements" / "dev.lock").read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._+!-]+(; [a-z_\"0-9= ]+)?", line) for line in lines)
    assert lines == sorted(lines, key=str.casefold)


def test_the_lock_holds_every_declared_dependency_and_what_is_needed_to_build() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    declared = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
        *project["build-system"]["requires"],
    ]
    names = {re.split(r"[<>=!~;\[ ]", text, maxsplit=1)[0].lower().replace("_", "-") for text in declared}
    lines = (REPOSITORY / "requirements" / "dev.lock").read_text(encoding="utf-8").splitlines()
    locked = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert names - locked == set()


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    text = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    for requirement in project["project"]["dependencies"]:
        assert re.split(r"[<>=]", requirement, maxsplit=1)[0].lower() in text


def test_every_error_code_that_is_raised_is_of_the_closed_set_and_documented() -> None:
    from superbiz_cli.errors import ErrorCode

    documented = (REPOSITORY / "docs" / "errors.md").read_text(encoding="utf-8")
    raised = set()
    for path in (REPOSITORY / "superbiz_cli").rglob("*.py"):
        raised |= set(re.findall(r"\bErrorCode\.([A-Z_]+)", path.read_text(encoding="utf-8")))
    assert raised <= {code.name for code in ErrorCode}
    assert all(f"`{code}`" in documented for code in ErrorCode)


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for path in tracked():
        if path.suffix != ".md" or "skills" in path.parts or "prompts" in path.parts:
            continue
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            if not (path.parent / target).exists():
                broken.append(f"{path.relative_to(REPOSITORY)} -> {target}")
    assert broken == []
