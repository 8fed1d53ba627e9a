"""Files, folders and databases that cannot be used: one clear sentence, the right exit code, nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from superbiz_cli.harness.contract.model import ModelRole
from tests.support.flow_books import balanced
from tests.support.flow_doubles import before_call
from tests.support.flow_turns import CONCLUSION, asks_logs, diagnosis, draft, says, script
from tests.support.flow_world import Flow, World
from tests.support.run_cli import PYTHON

SEARCH_ONLY = script(asks_logs(), says(draft(conclusion=None)))
ALL_POWERFUL = ["dac_override", "dac_read_search"]


def under_permissions(world: World, *flags: str) -> subprocess.CompletedProcess[str]:
    """Diagnose in a process for which file permissions count, also when the tests run as root."""
    command = [PYTHON, "-m", "superbiz_cli", *world.arguments(diagnosis(), *flags)]
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv") or pytest.skip("root needs setpriv to give up its powers")
        dropped = ",".join(f"-{power}" for power in ALL_POWERFUL)
        command = [setpriv, f"--bounding-set={dropped}", f"--inh-caps={dropped}", *command]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )


def test_a_log_folder_that_does_not_exist_is_a_failed_call_not_evidence(world: World) -> None:
    shutil.rmtree(world.logs)
    flow = world.ask(diagnosis(), "--json")
    assert flow.code == 3
    assert balanced(flow)["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    [call] = flow.events("TOOL_INVOCATION")
    assert (call["status"], call["error_code"]) == ("ERROR", "TOOL_EXECUTION_ERROR")


def test_a_log_folder_without_a_readable_file_is_a_failed_call(world: World) -> None:
    shutil.rmtree(world.logs)
    world.logs.mkdir()
    (world.logs / "app.log").symlink_to(world.folder / "nowhere.log")
    flow = world.ask(SEARCH_ONLY, "--json")
    assert balanced(flow)["run_state"] != "RUNNING"
    assert "Traceback" not in flow.err


def test_a_log_folder_that_may_not_be_read_is_a_failed_call(world: World) -> None:
    world.logs.chmod(0)
    ended = under_permissions(world, "--json")
    world.logs.chmod(0o700)
    assert ended.returncode == 3
    published = json.loads(ended.stdout)
    assert published["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    assert published["fallback"]["observed_facts"] == []
    assert "Traceback" not in ended.stderr


def test_a_log_file_that_is_truncated_while_it_is_read_costs_at_most_evidence(world: World) -> None:
    with before_call(ModelRole.AGENT, 1, lambda: os.truncate(world.logs / "app.log", 1000)):
        flow = world.ask(diagnosis(), "--json")
    assert flow.code == 3
    assert CONCLUSION not in flow.out
    balanced(flow)


def test_a_corrupt_audit_database_is_said_and_left_alone(world: World) -> None:
    world.home.mkdir()
    world.audit_file.write_bytes(b"not a database" * 100)
    flow = world.ask(diagnosis())
    said_once(flow, code=4, words=["audit database", str(world.audit_file), "mv "])
    assert world.audit_file.read_bytes() == b"not a database" * 100


def test_the_next_run_works_after_the_advice_was_followed(world: World) -> None:
    world.home.mkdir()
    world.audit_file.write_bytes(b"not a database" * 100)
    assert world.ask(diagnosis()).code == 4
    world.audit_file.rename(world.home / "damaged")
    assert world.ask(diagnosis()).code == 0


def test_a_corrupt_canonical_store_is_said_and_left_alone(world: World) -> None:
    world.home.mkdir()
    world.store_file.write_bytes(b"not a database" * 100)
    flow = world.ask(diagnosis())
    said_once(flow, code=4, words=["canonical store", str(world.store_file)])
    assert world.store_file.read_bytes() == b"not a database" * 100


def test_a_store_file_that_is_overwritten_during_the_run_never_ends_in_a_defect(world: World) -> None:
    def damage() -> None:
        for suffix in ("-wal", "-shm"):
            Path(f"{world.store_file}{suffix}").unlink(missing_ok=True)
        world.store_file.write_bytes(b"not a database" * 1000)

    with before_call(ModelRole.AGENT, 2, damage):
        flow = world.ask(diagnosis(), "--json")
    assert flow.code in (0, 3, 4)  # what SQLite holds in memory may still be read
    assert "Traceback" not in flow.err
    balanced(flow)


def test_a_locked_audit_database_costs_a_warning_and_not_the_diagnosis(world: World) -> None:
    assert world.ask(diagnosis()).code == 0
    with closing(sqlite3.connect(world.audit_file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        flow = world.ask(diagnosis(), "--json")
    assert flow.code == 0
    assert flow.document["release_outcome"] == "SUCCESS"
    assert "not recorded" in flow.err or "gets nothing more" in flow.err
    assert "Traceback" not in flow.err
    assert world.ask(diagnosis()).code == 0


def test_an_audit_database_that_disappears_during_the_run_does_not_stop_it(world: World) -> None:
    def remove() -> None:
        for path in world.home.glob(f"{world.audit_file.name}*"):
            path.unlink()

    with before_call(ModelRole.AGENT, 2, remove):
        flow = world.ask(diagnosis(), "--json")
    assert flow.code == 0
    assert "Traceback" not in flow.err
    assert world.ask(diagnosis()).code == 0


def test_an_audit_database_that_is_a_folder_is_said(world: World) -> None:
    world.audit_file.mkdir(parents=True)
    flow = world.ask(diagnosis())
    assert flow.code in (0, 4)
    assert "audit" in flow.err
    assert "Traceback" not in flow.err


def test_a_home_that_is_a_file_is_said(world: World) -> None:
    world.home.write_text("")
    flow = world.ask(diagnosis())
    said_once(flow, code=4, words=["SUPERBIZ_HOME"])


def test_a_home_that_may_not_be_written_is_said(world: World) -> None:
    world.home.mkdir(mode=0o500)
    ended = under_permissions(world)
    assert ended.returncode == 4
    assert ended.stdout == ""
    assert "SUPERBIZ_HOME" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list(world.home.iterdir()) == []


def test_a_home_that_does_not_exist_is_made_private(world: World) -> None:
    assert world.ask(diagnosis()).code == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in world.home.iterdir() if path.is_file()}
    assert modes[world.store_file.name] == 0o600
    assert modes[world.audit_file.name] == 0o600
    assert world.home.stat().st_mode & 0o077 == 0


def test_two_diagnoses_at_once_in_one_home_lose_nothing(world: World) -> None:
    arguments = [PYTHON, "-m", "superbiz_cli", *world.arguments(diagnosis(), "--json")]
    processes = [
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "not recorded" not in err
    assert world.runs() == 3
    with closing(world.archive()) as archive:
        for run in archive.recent_runs(limit=3).runs:
            assert run.run_state == "SUCCESS"
            assert archive.timeline(run.run_id)[-1].type == "RUN_FINISHED"


def said_once(flow: Flow, *, code: int, words: list[str]) -> None:
    """One sentence, its remedy, no traceback and no result."""
    assert flow.code == code
    assert flow.out == ""
    for word in words:
        assert word in flow.err
    told = [line for line in flow.err.splitlines() if line and not line.startswith("superbiz  starting")]
    assert len(told) <= 4, told
    assert "Traceback" not in flow.err
