"""The canonical store or the audit database fails at some moment of a Run: the specified end, in words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.core.clock import SystemClock
from tests.support.flow_books import balanced, unproven, works_again
from tests.support.flow_doubles import before_call
from tests.support.flow_turns import CONCLUSION, diagnosis
from tests.support.flow_world import Flow, World
from tests.support.own_redis import OwnRedis, own_redis
from tests.support.run_cli import PYTHON

ROUTING, FIRST_TURN, DRAFTING, JUDGING = (
    (ModelRole.ROUTER, 1),
    (ModelRole.AGENT, 1),
    (ModelRole.AGENT, 2),
    (ModelRole.JUDGE, 1),
)
POWERS = "-dac_override,-dac_read_search"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    with own_redis(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def with_redis(world: World, redis: OwnRedis) -> World:
    world.settings["canonical"] = {"backend": "redis", "url": redis.url, "timeout_s": 0.5}
    return world


def test_redis_that_is_gone_before_the_run_is_said_before_anything_is_spent(
    with_redis: World, redis: OwnRedis
) -> None:
    redis.kill()
    flow = with_redis.ask(diagnosis())
    assert (flow.code, flow.out) == (4, "")
    assert "Redis" in flow.err
    assert "Traceback" not in flow.err
    redis.start()
    works_again(with_redis)


@pytest.mark.parametrize(
    ("moment", "codes"),
    [
        (ROUTING, {4}),
        (FIRST_TURN, {3, 4}),
        (DRAFTING, {3, 4}),
        (JUDGING, {3, 4}),
    ],
    ids=["routing", "before the call", "after the call", "judging"],
)
def test_redis_that_dies_during_the_run_ends_it_unproven(
    with_redis: World, redis: OwnRedis, moment: tuple[ModelRole, int], codes: set[int]
) -> None:
    with before_call(*moment, redis.kill):
        flow = with_redis.ask(diagnosis(), "--json")
    assert flow.code in codes
    published = unproven(flow, code=flow.code)
    assert published["duration_ms"] < 10_000
    redis.start()
    works_again(with_redis)


def test_redis_that_dies_during_a_call_costs_that_call(with_redis: World, redis: OwnRedis) -> None:
    with searching(redis.kill):
        flow = with_redis.ask(diagnosis(), "--json")
    unproven(flow, code=flow.code)
    assert flow.code in (3, 4)
    assert [call["error_code"] for call in flow.events("TOOL_INVOCATION")] == ["STORE_ERROR"]
    redis.start()
    works_again(with_redis)


def test_redis_that_lost_its_records_supports_nothing(with_redis: World, redis: OwnRedis) -> None:
    with before_call(*DRAFTING, lambda: redis.command("FLUSHALL")):
        published = unproven(with_redis.ask(diagnosis(), "--json"), code=3)
    codes = {issue["code"] for issue in published["fallback"]["validation_issues"]}
    assert codes == {"INVOCATION_NOT_FOUND"}
    works_again(with_redis)


def test_redis_that_is_full_refuses_the_call_and_not_the_run(with_redis: World, redis: OwnRedis) -> None:
    with before_call(*FIRST_TURN, redis.fill):
        flow = with_redis.ask(diagnosis(), "--json")
    published = unproven(flow, code=3)
    assert published["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    redis.command("CONFIG", "SET", "maxmemory", "0")
    works_again(with_redis)


def test_a_calendar_that_jumps_past_the_life_of_a_record_supports_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records expire by the calendar, deadlines by the monotonic clock: the Run ends in time all the same."""
    from datetime import timedelta

    plain = SystemClock.now

    def jump(hours: int) -> Callable[[], None]:
        return lambda: monkeypatch.setattr(
            SystemClock, "now", lambda clock: plain(clock) + timedelta(hours=hours)
        )

    with before_call(*DRAFTING, jump(5)):
        published = unproven(world.ask(diagnosis(), "--json"), code=3)
    assert published["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    monkeypatch.setattr(SystemClock, "now", plain)
    with before_call(*DRAFTING, jump(-5)):
        flow = world.ask(diagnosis(), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    monkeypatch.setattr(SystemClock, "now", plain)
    works_again(world)


@pytest.mark.parametrize("moment", [ROUTING, DRAFTING, JUDGING], ids=["routing", "drafting", "judging"])
def test_an_audit_database_that_is_locked_during_the_run_costs_a_warning(
    world: World, moment: tuple[ModelRole, int]
) -> None:
    with closing(sqlite3.connect(world.audit_file, check_same_thread=False)) as other:
        with before_call(*moment, lambda: other.execute("BEGIN EXCLUSIVE")):
            flow = world.ask(diagnosis(), "--json")
        other.rollback()
    warned_and_answered(flow)
    works_again(world)


@pytest.fixture
def tiny(world: World, tmp_path: Path) -> Iterator[World]:
    """The home on a disk of its own that is nearly full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        shutil.move(world.home, disk / "home")
        world.home.symlink_to(disk / "home")
        yield world
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_disk_that_is_full_before_the_run_is_said(tiny: World) -> None:
    fill(tiny)
    flow = tiny.ask(diagnosis())
    assert flow.code in (0, 3, 4), flow.err
    assert flow.code == 0 or CONCLUSION not in flow.out
    assert "Traceback" not in flow.err
    free(tiny)
    works_again(tiny)


@pytest.mark.parametrize("moment", [ROUTING, FIRST_TURN, DRAFTING, JUDGING])
def test_a_disk_that_fills_up_during_the_run_never_ends_in_a_defect(
    tiny: World, moment: tuple[ModelRole, int]
) -> None:
    with before_call(*moment, lambda: fill(tiny)):
        flow = tiny.ask(diagnosis(), "--json")
    assert flow.code in (0, 3, 4), flow.err
    assert flow.document["run_state"] == "SUCCESS"
    assert (CONCLUSION in flow.out) == (flow.code == 0)
    assert "Traceback" not in flow.err
    free(tiny)
    works_again(tiny)


def test_an_audit_database_that_may_only_be_read_costs_a_warning(world: World) -> None:
    world.audit_file.chmod(0o400)
    command = [PYTHON, "-m", "superbiz_cli", *world.arguments(diagnosis(), "--json")]
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv") or pytest.skip("root needs setpriv to give up its powers")
        command = [setpriv, f"--bounding-set={POWERS}", f"--inh-caps={POWERS}", *command]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    world.audit_file.chmod(0o600)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "not recorded" in ended.stderr
    works_again(world)


def warned_and_answered(flow: Flow) -> None:
    assert flow.code == 0, flow.err
    assert flow.document["release_outcome"] == "SUCCESS"
    assert "not recorded" in flow.err or "gets nothing more" in flow.err
    assert "Traceback" not in flow.err


@contextmanager
def searching(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` while a log search is under way."""
    from superbiz_cli.adapters.log_backend import ConfiguredLogs

    search = ConfiguredLogs.search

    def watched(self: ConfiguredLogs, *args: Any, **options: Any) -> Any:
        act()
        return search(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConfiguredLogs, "search", watched)
        yield


def fill(world: World) -> None:
    """Use up the disk of the home to the last byte."""
    ballast = os.open(world.home / "ballast", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        for size in (65_536, 1_024, 1):
            with suppress(OSError):
                while True:
                    os.write(ballast, b"x" * size)
    finally:
        os.close(ballast)


def free(world: World) -> None:
    (world.home / "ballast").unlink()
