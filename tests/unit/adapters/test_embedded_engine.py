"""Two processes on one embedded store: readers share, writers are told who holds it, nobody else gets in."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from superbiz_cli.adapters.milvus_store.engine import NOTICE_FILE, SOCKET_FILE, holder_of, open_engine
from superbiz_cli.adapters.milvus_store.options import MilvusOptions
from superbiz_cli.adapters.milvus_store.store import MilvusStore
from superbiz_cli.knowledge.ports import StoreLocked, StoreUnavailable
from superbiz_cli.knowledge.records import EVERYWHERE
from tests.support.knowledge import chunk, document, profile, vector_of, write
from tests.support.run_cli import PYTHON, REPOSITORY, run_cli

HOLD = """
import sys
from pathlib import Path
from superbiz_cli.adapters.milvus_store.engine import open_engine
engine = open_engine(Path(sys.argv[1]), writes=True)
print("held", flush=True)
sys.stdin.read()
engine.close()
"""


@contextmanager
def held(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the engine open until the block ends."""
    process = subprocess.Popen(
        [PYTHON, "-c", HOLD, str(folder)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.communicate("", timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with one published passage."""
    store = MilvusStore.open(MilvusOptions("k", tmp_path / "k"), writes=True)
    store.create(profile())
    store.put_chunks([chunk()])
    store.publish(document())
    store.settle()
    store.close()
    return tmp_path / "k"


def test_a_reader_searches_through_the_process_that_holds_the_store(folder: Path) -> None:
    with held(folder) as holder:
        assert holder_of(folder) == holder.pid
        store = MilvusStore.open(MilvusOptions("k", folder))
        assert store.profile() is not None
        found = store.search_dense(vector_of("the pool is exhausted"), limit=3, where=EVERYWHERE)
        store.close()
    assert [hit.chunk.doc_id for hit in found] == ["a.md"]


def test_a_writer_is_told_which_process_holds_the_store(folder: Path) -> None:
    with held(folder) as holder, pytest.raises(StoreLocked) as refused:
        open_engine(folder, writes=True, wait_s=0.2)
    assert refused.value.pid == holder.pid
    assert f"locked by process {holder.pid}" in str(refused.value)


def test_a_writer_waits_for_one_that_is_about_to_end(folder: Path) -> None:
    with held(folder) as holder:
        ending = threading.Thread(target=lambda: holder.communicate("", timeout=60))
        ending.start()
        engine = open_engine(folder, writes=True, wait_s=60)
        ending.join()
    assert engine.is_own
    engine.close()


def test_a_killed_holder_leaves_the_store_usable(folder: Path) -> None:
    with held(folder) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait(60)
    store = MilvusStore.open(MilvusOptions("k", folder))
    assert store.profile() is not None
    assert set(store.documents()) == {"a.md"}
    store.close()


def test_a_reader_without_a_way_in_is_told_too(folder: Path) -> None:
    with held(folder) as holder:
        (folder / NOTICE_FILE).unlink()
        with pytest.raises(StoreLocked) as refused:
            open_engine(folder, writes=False, wait_s=0.2)
    assert refused.value.pid == holder.pid


@pytest.mark.skipif(os.name == "nt", reason="Windows has no Unix sockets for gRPC")
def test_the_engine_listens_where_only_its_user_can_connect(folder: Path) -> None:
    engine = open_engine(folder, writes=True)
    try:
        assert engine.address == f"unix:{folder / SOCKET_FILE}"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / SOCKET_FILE).stat().st_mode) & 0o077 == 0
        assert stat.S_IMODE((folder / NOTICE_FILE).stat().st_mode) == 0o600
        assert listening_ports(os.getpid()) == set()
    finally:
        engine.close()
    assert not (folder / SOCKET_FILE).exists()
    assert not (folder / NOTICE_FILE).exists()


def listening_ports(pid: int) -> set[str]:
    """The TCP ports on which a process listens, by its sockets' inodes."""
    listed = Path(f"/proc/{pid}/net/tcp")
    if not listed.exists():
        pytest.skip("no /proc")
    inodes = {
        os.readlink(entry).removeprefix("socket:[").removesuffix("]")
        for entry in Path(f"/proc/{pid}/fd").iterdir()
        if os.path.islink(entry) and os.readlink(entry).startswith("socket:[")
    }
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    return {row[1] for row in rows if row[3] == "0A" and row[9] in inodes}


def test_a_long_path_gets_a_private_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    engine = open_engine(deep, writes=True)
    socket = Path(engine.address.removeprefix("unix:"))
    try:
        assert not socket.is_relative_to(tmp_path)
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    finally:
        engine.close()
    assert not socket.parent.exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="cannot be used"):
        open_engine(tmp_path / "file" / "k", writes=False)


def test_commands_share_and_name_the_holder(
    tmp_path: Path, superbiz_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__PROVIDER", "none")
    docs = write(tmp_path / "docs", pool="# Pool\nThe connection pool is exhausted.")
    assert run_cli("kb", "ingest", str(docs)).code == 0
    with held(superbiz_home / "knowledge") as holder:
        found = run_cli("kb", "search", "connection pool exhausted", "--json")
        refused = run_cli("kb", "ingest", str(docs), "--json")
    assert found.json()["found"] is True
    assert refused.code == 4
    assert f"locked by process {holder.pid}" in refused.json()["error"]["message"]


def test_a_diagnosis_goes_on_without_a_store_that_another_process_holds(superbiz_home: Path) -> None:
    assert run_cli("demo", "--json").code == 0
    folder = superbiz_home / "demo" / "knowledge"
    with held(folder):
        (folder / NOTICE_FILE).unlink()  # nobody can join
        done = run_cli("demo", "--json")
    result = done.json()
    assert (done.code, result["release_outcome"]) == (0, "SUCCESS"), done.err
    assert "lookup_knowledge" not in {note["tool_name"] for note in result["evidence"]}
    assert "knowledge" in done.err
    assert any("failed" in caveat for caveat in result["report"]["limitations"]["caveats"])
