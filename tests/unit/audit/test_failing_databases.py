"""A database that cannot be used costs one warning, never the Run, and never a library's text."""

from __future__ import annotations

import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from superbiz_cli.adapters.sql_audit.archive import SqlArchive, open_archive
from superbiz_cli.harness.audit.archive import AuditUnavailable, RunArchive
from superbiz_cli.harness.audit.chain import ChainIncomplete, ChainIntact
from superbiz_cli.harness.audit.events import TraceEvent, TraceType
from superbiz_cli.harness.audit.failure import AuditFault
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.replay import replay_run
from tests.support.audit import run_start, stored_run, write_run
from tests.support.auditing_process import REPOSITORY
from tests.support.clock import FakeClock
from tests.support.results import result

EVENT = TraceEvent(TraceType.RUN_STARTED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "audit.db"


@pytest.fixture
def archive(path: Path) -> Iterator[RunArchive]:
    with closing(open_archive(path, redact=str)) as opened:
        yield opened


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the write lock, as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def pragma(archive: RunArchive, statement: str) -> None:
    """Let SQLite itself produce the fault: apply `statement` to every connection from now on."""
    assert isinstance(archive, SqlArchive)
    archive.close()

    def apply(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(statement)

    event.listen(archive.database.engine, "connect", apply)


def start_many(archive: RunArchive) -> None:
    for number in range(200):
        archive.start_run(run_start(f"more{number}"))


def fault_of(raised: pytest.ExceptionInfo[AuditUnavailable]) -> AuditFault:
    return raised.value.fault


# At start-up


@pytest.mark.parametrize(
    "content", [b"this is not a database at all" * 99, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_corrupt_file_is_one_clear_sentence_with_path_and_remedy(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(AuditUnavailable) as refused:
        open_archive(path, redact=str)
    assert fault_of(refused) is AuditFault.CORRUPT
    assert str(refused.value) == f"The audit database {path} is damaged or is not a database."
    assert refused.value.where == str(path)
    assert f"mv {path} {path}.damaged" in refused.value.remedy
    assert path.read_bytes() == content


def test_the_remedy_for_a_corrupt_file_works(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"x" * 4096)
    path.rename(f"{path}.damaged")
    with closing(open_archive(path, redact=str)) as archive:
        write_run(archive)
        assert stored_run(archive).result()


def test_an_empty_file_is_an_empty_archive(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with closing(open_archive(path, redact=str)) as archive:
        assert archive.recent_runs().runs == ()


def test_a_folder_in_the_place_of_the_file_cannot_be_opened(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(AuditUnavailable) as refused:
        open_archive(path, redact=str)
    assert fault_of(refused) is AuditFault.UNREACHABLE
    assert str(path) in str(refused.value)


def test_a_folder_that_cannot_be_made_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AuditUnavailable) as refused:
        open_archive(tmp_path / "file" / "audit.db", redact=str)
    assert fault_of(refused) is AuditFault.UNREACHABLE


def test_a_database_locked_at_start_up_is_said_to_be_locked_in_time(path: Path, archive: RunArchive) -> None:
    with locked(path), pytest.raises(AuditUnavailable) as refused:
        open_archive(path, redact=str, patience_s=0.05).start_run(run_start())
    assert fault_of(refused) is AuditFault.LOCKED


def test_a_server_that_does_not_answer_is_unreachable(unused_port: int) -> None:
    with pytest.raises(AuditUnavailable) as refused:
        open_archive(f"mysql://root@127.0.0.1:{unused_port}/audit", redact=str, patience_s=0.3)
    assert fault_of(refused) is AuditFault.UNREACHABLE
    assert f"127.0.0.1:{unused_port}/audit" in str(refused.value)


def test_a_server_that_says_nothing_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        began = time.monotonic()
        with pytest.raises(AuditUnavailable) as refused:
            open_archive(f"mysql://root@127.0.0.1:{port}/audit", redact=str, patience_s=0.2)
        assert time.monotonic() - began < 5
    assert fault_of(refused) is AuditFault.UNREACHABLE


@pytest.fixture
def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def test_reading_an_archive_that_does_not_exist_creates_nothing(path: Path) -> None:
    with closing(open_archive(path, redact=str, create=False)) as archive:
        assert isinstance(archive, NoArchive)
    assert not path.parent.exists()


def test_the_file_and_its_companions_are_for_the_user_alone(path: Path, archive: RunArchive) -> None:
    write_run(archive)
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()}
    assert modes == {"audit.db": "0o600", "audit.db-wal": "0o600", "audit.db-shm": "0o600"}
    assert oct(path.parent.stat().st_mode & 0o777) == "0o700"


def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    path.parent.mkdir()
    path.touch(mode=0o644)
    open_archive(path, redact=str).close()
    assert oct(path.stat().st_mode & 0o777) == "0o600"


# During a Run


def ledger_of(archive: RunArchive, warnings: list[str]) -> Ledger:
    sink = archive.trace_sink(run_id="run0000001", session_id="s1")
    return Ledger("run0000001", FakeClock(), [sink], warn=warnings.append)


def test_a_database_that_is_locked_for_good_costs_one_warning(path: Path) -> None:
    warnings: list[str] = []
    with closing(open_archive(path, redact=str, patience_s=0.05)) as archive:
        ledger = ledger_of(archive, warnings)
        with locked(path):
            for _ in range(5):
                ledger.emit(EVENT)
        ledger.emit(EVENT)
    assert warnings == [
        f"The audit database gets nothing more of this run: "
        f"The audit database {path} is locked by another program."
    ]


def test_a_database_that_is_locked_for_a_moment_costs_nothing(path: Path, archive: RunArchive) -> None:
    warnings: list[str] = []
    ledger = ledger_of(archive, warnings)
    locking, unlock = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(path):
            locking.set()
            unlock.wait(0.1)

    holder = threading.Thread(target=hold)
    holder.start()
    locking.wait()
    ledger.emit(EVENT)
    holder.join()
    assert warnings == []
    assert len(archive.timeline("run0000001")) == 1


@pytest.mark.parametrize(
    ("statement", "fault"),
    [("PRAGMA query_only = 1", AuditFault.READ_ONLY), ("PRAGMA max_page_count = 1", AuditFault.FULL)],
)
def test_a_database_that_cannot_be_written_can_still_be_read(
    archive: RunArchive, statement: str, fault: AuditFault
) -> None:
    write_run(archive)
    pragma(archive, statement)
    with pytest.raises(AuditUnavailable) as refused:
        start_many(archive)
    assert fault_of(refused) is fault
    assert replay_run(archive, stored_run(archive)).run.result()


def test_a_trace_that_was_cut_off_is_shown_as_incomplete(path: Path, archive: RunArchive) -> None:
    warnings: list[str] = []
    archive.start_run(run_start())
    ledger = ledger_of(archive, warnings)
    ledger.emit(EVENT)
    pragma(archive, "PRAGMA query_only = 1")
    ledger.emit(EVENT)
    ledger.emit(EVENT)
    assert len(warnings) == 1
    with closing(open_archive(path, redact=str)) as healthy:
        healthy.finish_run(result(), ledger.totals)
        replay = replay_run(healthy, stored_run(healthy))
    assert replay.chain == ChainIncomplete(1, recorded=3)
    assert replay.counts[0].missing == 2


def test_a_file_that_is_damaged_while_in_use_is_said_to_be_damaged(path: Path, archive: RunArchive) -> None:
    write_run(archive)
    archive.close()
    path.write_bytes(b"garbage" * 1000)
    with pytest.raises(AuditUnavailable) as refused:
        archive.recent_runs()
    assert fault_of(refused) is AuditFault.CORRUPT


def test_no_text_of_the_driver_and_no_value_is_in_the_error(archive: RunArchive) -> None:
    archive.start_run(run_start(query="password hunter2"))
    with pytest.raises(AuditUnavailable) as refused:
        archive.start_run(run_start(query="password hunter2"))
    error = refused.value
    assert fault_of(refused) is AuditFault.REFUSED
    assert "hunter2" not in str(error) + error.remedy + error.where
    assert error.__cause__ is None
    assert error.__suppress_context__


KILLED_IN_THE_MIDDLE = """
import os, signal, sys
from pathlib import Path
from superbiz_cli.adapters.sql_audit.archive import open_archive
from superbiz_cli.harness.audit.events import TraceEvent, TraceType
from superbiz_cli.harness.audit.ledger import Ledger
from tests.support.audit import run_start
from tests.support.auditing_process import REPOSITORY
from tests.support.clock import FakeClock

archive = open_archive(Path(sys.argv[1]), redact=str)
archive.start_run(run_start())
ledger = Ledger("run0000001", FakeClock(), [archive.trace_sink(run_id="run0000001", session_id="s1")])
ledger.emit(TraceEvent(TraceType.RUN_STARTED))
ledger.emit(TraceEvent(TraceType.ROUTING_ATTEMPT, {"attempt": 1}))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_had_written_can_be_read(path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(path)], cwd=REPOSITORY, timeout=60, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with closing(open_archive(path, redact=str)) as archive:
        replay = replay_run(archive, stored_run(archive))
    assert replay.run.summary.run_state == "RUNNING"
    assert replay.chain == ChainIntact(2, sealed=False)
