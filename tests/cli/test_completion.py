"""What a shell offers while a command line is typed."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.bootstrap.run_ids import AUDIT_FILE, newest_run_ids
from superbiz_cli.cli.completion import complete_run
from tests.support.audit import BEGAN, write_run
from tests.support.results import result
from tests.support.run_cli import PYTHON, REPOSITORY


@pytest.fixture
def home(superbiz_home: Path) -> Path:
    superbiz_home.mkdir(exist_ok=True)
    with closing(open_archive(superbiz_home / AUDIT_FILE, redact=str, owner="ann")) as archive:
        for minute, run_id in enumerate(("7f3a", "7f3b", "9x"), start=1):
            write_run(
                archive,
                run_id,
                "shop",
                outcome=result(run_id, "shop"),
                query=f"question\n\x1b[31m{run_id}",
                started_at=BEGAN + timedelta(minutes=minute),
            )
    return superbiz_home


def completed(words: str, number: int) -> list[str]:
    done = subprocess.run(
        [PYTHON, "-m", "superbiz_cli"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=REPOSITORY,
        env={
            **os.environ,
            "_SUPERBIZ_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(number),
        },
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("command", ["trace show", "trace verify", "trace export"])
def test_the_newest_runs_are_offered_first(home: Path, command: str) -> None:
    assert completed(f"superbiz {command} ", 3) == ["9x", "7f3b", "7f3a"]
    assert completed(f"superbiz {command} 7f", 3) == ["7f3b", "7f3a"]


def test_feedback_offers_runs_too(home: Path) -> None:
    assert completed("superbiz feedback 9", 2) == ["9x"]


def test_a_question_is_shown_beside_its_id_on_one_clean_line(home: Path) -> None:
    [(run_id, said)] = complete_run("9")
    assert run_id == "9x"
    assert said.startswith("question ")
    assert "\x1b" not in said
    assert "\n" not in said


@pytest.mark.parametrize("content", [None, b"not a database", b""])
def test_where_there_is_nothing_to_read_nothing_is_offered(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / AUDIT_FILE).write_bytes(content)
    assert newest_run_ids("", environ={"SUPERBIZ_HOME": str(tmp_path)}) == []
    assert (tmp_path / AUDIT_FILE).exists() is (content is not None)


def test_a_percent_sign_is_no_pattern(home: Path) -> None:
    assert complete_run("%") == []
