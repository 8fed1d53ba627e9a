from __future__ import annotations

import os
import sqlite3
import stat
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from superbiz_cli.adapters import sqlite_invocations
from superbiz_cli.adapters.sqlite_invocations import SqliteInvocationStore
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreError, StoreFault
from tests.support.clock import FakeClock
from tests.support.fakes import ready_record
from tests.support.racing_process import race

READY = ready_record("run-1", "ev-1")
SECRET = "hunter2-in-a-raw-log-line"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "invocations.sqlite3"


@pytest.fixture
def store(path: Path, clock: FakeClock) -> Iterator[SqliteInvocationStore]:
    with closing(SqliteInvocationStore.open(path, ttl_s=60, lock_timeout_s=0.0, clock=clock)) as store:
        yield store


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def complete(store: SqliteInvocationStore, record: CanonicalInvocation) -> None:
    store.begin(record.as_begun())
    store.complete(record)


def test_the_file_and_a_new_folder_are_the_users_alone(store: SqliteInvocationStore, path: Path) -> None:
    complete(store, READY)
    assert mode(path.parent) == 0o700
    assert {mode(file) for file in path.parent.iterdir()} == {0o600}


def test_one_file_is_left_when_the_store_is_closed(path: Path) -> None:
    with closing(SqliteInvocationStore.open(path)) as store:
        complete(store, READY)
    assert list(path.parent.iterdir()) == [path]


def test_an_open_file_loses_the_rights_of_others_and_its_folder_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.parent.chmod(0o755)
    path.touch()
    path.chmod(0o644)
    SqliteInvocationStore.open(path).close()
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o755


def test_a_symbolic_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "victim"
    target.write_text("precious")
    path.parent.mkdir()
    path.symlink_to(target)
    with pytest.raises(StoreError) as caught:
        SqliteInvocationStore.open(path)
    assert caught.value.fault is StoreFault.UNAVAILABLE
    assert target.read_text() == "precious"


def test_a_folder_that_cannot_be_made_is_an_unavailable_store(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(StoreError) as caught:
        SqliteInvocationStore.open(tmp_path / "home" / "invocations.sqlite3")
    assert caught.value.fault is StoreFault.UNAVAILABLE


@pytest.mark.parametrize("content", [b"x" * 4096, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_file_that_is_no_database_is_corrupt_and_left_as_it_is(content: bytes, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        SqliteInvocationStore.open(path)
    assert caught.value.fault is StoreFault.CORRUPT
    assert path.read_bytes() == content


def test_a_damaged_page_is_corrupt_and_shows_nothing_of_it(path: Path) -> None:
    with closing(SqliteInvocationStore.open(path)) as store:
        complete(store, replace(READY, raw_response=SECRET * 1000))
    pages = bytearray(path.read_bytes())
    pages[4096:] = b"\xff" * (len(pages) - 4096)
    path.write_bytes(pages)
    with pytest.raises(StoreError) as caught, closing(SqliteInvocationStore.open(path)) as store:
        store.find("run-1", "ev-1")
    assert caught.value.fault is StoreFault.CORRUPT
    assert "malformed" not in "".join(traceback.format_exception(caught.value))


def test_a_damaged_table_is_found_when_the_store_is_opened(path: Path) -> None:
    with closing(SqliteInvocationStore.open(path)) as store:
        complete(store, READY)
    pages = bytearray(path.read_bytes())
    pages[4096:8192] = b"\xff" * 4096
    path.write_bytes(pages)
    with pytest.raises(StoreError) as caught:
        SqliteInvocationStore.open(path)
    assert caught.value.fault is StoreFault.CORRUPT


def test_a_file_too_large_to_check_is_opened_unchecked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_invocations, "_MAX_CHECKED_PAGES", 0)
    SqliteInvocationStore.open(path).close()


def test_a_text_where_the_record_should_be_is_corrupt(store: SqliteInvocationStore) -> None:
    complete(store, READY)
    store._connection.execute("UPDATE invocation SET record = 'a text'")
    with pytest.raises(StoreError) as caught:
        store.find("run-1", "ev-1")
    assert caught.value.fault is StoreFault.CORRUPT


def test_a_table_of_another_shape_is_an_unavailable_store(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE invocation (something TEXT)")
    with pytest.raises(StoreError) as caught:
        SqliteInvocationStore.open(path)
    assert caught.value.fault is StoreFault.UNAVAILABLE


def test_a_file_locked_by_another_process_is_an_unavailable_store_and_works_afterwards(
    store: SqliteInvocationStore, path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        acts: list[Callable[[], object]] = [
            lambda: store.begin(READY.as_begun()),
            lambda: store.complete(READY),
            store.purge,
        ]
        for act in acts:
            with pytest.raises(StoreError) as caught:
                act()
            assert caught.value.fault is StoreFault.UNAVAILABLE
            assert caught.value.__suppress_context__
        assert store.find("run-1", "ev-1") is None  # reading waits for nobody
    complete(store, READY)
    assert store.find("run-1", "ev-1") == READY


def test_a_closed_store_is_unavailable(path: Path) -> None:
    store = SqliteInvocationStore.open(path)
    store.close()
    with pytest.raises(StoreError) as caught:
        store.find("run-1", "ev-1")
    assert caught.value.fault is StoreFault.UNAVAILABLE


def test_a_store_is_used_by_another_thread_than_the_one_that_opened_it(store: SqliteInvocationStore) -> None:
    thread = threading.Thread(target=complete, args=(store, READY))
    thread.start()
    thread.join()
    assert store.find("run-1", "ev-1") == READY


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as other:
        return [row[0] for row in other.execute("SELECT tool_call_id FROM invocation ORDER BY 1")]


def test_the_next_begin_purges_what_has_expired(
    store: SqliteInvocationStore, path: Path, clock: FakeClock
) -> None:
    complete(store, READY)
    clock.advance(30)
    complete(store, ready_record("run-1", "ev-2"))
    clock.advance(30)
    complete(store, ready_record("run-1", "ev-3"))
    assert rows(path) == ["ev-2", "ev-3"]


def test_opening_and_asking_purge_what_has_expired(
    store: SqliteInvocationStore, path: Path, clock: FakeClock
) -> None:
    complete(store, READY)
    clock.advance(60)
    SqliteInvocationStore.open(path, clock=clock).close()
    assert rows(path) == []
    complete(store, READY)
    clock.advance(60)
    store.purge()
    assert rows(path) == []


def test_purged_raw_data_is_overwritten_and_not_only_unlinked(
    store: SqliteInvocationStore, path: Path, clock: FakeClock
) -> None:
    def on_disk() -> bytes:
        return b"".join(file.read_bytes() for file in path.parent.iterdir())

    complete(store, replace(READY, raw_response=SECRET))
    assert SECRET.encode() in on_disk()
    clock.advance(60)
    store.purge()
    assert SECRET.encode() not in on_disk()


def test_many_processes_may_create_the_file_at_once(path: Path) -> None:
    outcomes = race(str(path), run_id="run-1", step="begin", keys=["ev-1"], processes=4)
    assert sorted(outcomes) == [["DUPLICATE"]] * 3 + [["won"]]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_an_unavailable_store(path: Path) -> None:
    path.parent.mkdir(mode=0o500)
    with pytest.raises(StoreError) as caught:
        SqliteInvocationStore.open(path)
    assert caught.value.fault is StoreFault.UNAVAILABLE
