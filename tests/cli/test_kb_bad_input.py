"""What an on-call team really has on disk: each bad file has its reason, the rest goes on, the end is 1."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.milvus_store import client
from superbiz_cli.knowledge.ingest import reading
from tests.support.embedding_server import EmbeddingServer
from tests.support.knowledge import write
from tests.support.run_cli import PYTHON, REPOSITORY, Completed, run_cli

POOL = "# Pool\nWhen the connection pool is exhausted, look for slow statements first."


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__PROVIDER", "none")


def kb(*arguments: str | Path) -> Completed:
    return run_cli("kb", *(str(argument) for argument in arguments))


def ingest(*arguments: str | Path) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Ingest; returns the exit code, the reason for each subject that failed, and the whole record."""
    done = kb("ingest", *arguments, "--json")
    record = done.json()
    return done.code, {p["subject"]: p["reason"] for p in record["problems"]}, record


def names() -> list[str]:
    return [document["doc_id"] for document in kb("list", "--json").json()]


def test_each_bad_file_has_its_reason_and_the_rest_is_ingested(tmp_path: Path) -> None:
    docs = write(tmp_path, good=POOL, closed=POOL)
    (docs / "empty.md").write_bytes(b"")
    (docs / "blank.md").write_bytes(b" \n\t\n")
    (docs / "binary.md").write_bytes(b"\x7fELF\x00\x01" * 100)
    (docs / "broken.md").write_bytes(bytes(range(0x80, 0x100)) * 40)
    (docs / "report.pdf").write_bytes(b"%PDF-1.7 cut short")
    (docs / "sheet.docx").write_bytes(b"PK\x03\x04 no archive")
    code, reasons, record = ingest(docs)
    assert code == 1
    assert set(reasons) == {"empty.md", "blank.md", "binary.md", "broken.md", "report.pdf", "sheet.docx"}
    assert reasons["empty.md"] == "is empty"
    assert reasons["binary.md"] == "is a binary file"
    assert "neither UTF-8 nor GB18030" in reasons["broken.md"]
    assert names() == ["closed.md", "good.md"]
    assert (record["added"], record["failed"]) == (2, 6)


def test_a_problem_is_one_line_on_stderr_and_counted_at_the_end(tmp_path: Path) -> None:
    docs = write(tmp_path, good=POOL)
    (docs / "empty.md").write_bytes(b"")
    done = kb("ingest", docs)
    assert done.code == 1
    assert "✗ empty.md: is empty" in done.err
    assert "1 added, 1 failed" in done.out


def test_a_file_of_50_megabytes_is_refused_without_being_read(tmp_path: Path) -> None:
    docs = write(tmp_path, good=POOL)
    with (docs / "huge.md").open("wb") as file:
        file.truncate(50_000_000)
    code, reasons, _ = ingest(docs)
    assert code == 1
    assert reasons == {"huge.md": "is too large (50.0 MB; the limit is 20 MB)"}
    assert names() == ["good.md"]


def test_a_table_of_10000_lines_keeps_its_header_in_every_passage(tmp_path: Path) -> None:
    rows = "".join(f"| host{n} | 10.0.{n // 256}.{n % 256} | owner{n % 7} |\n" for n in range(10_000))
    docs = write(tmp_path, inventory=f"# Inventory\n\n| host | address | owner |\n|---|---|---|\n{rows}")
    code, reasons, _ = ingest(docs)
    assert (code, reasons) == (0, {})
    passages = kb("show", "inventory.md", "--json").json()["passages"]
    assert len(passages) > 200
    assert all(passage["content"].startswith("| host | address | owner |\n|---|") for passage in passages)
    assert sum(passage["content"].count("| host") - 1 for passage in passages) == 10_000


def test_a_file_that_vanishes_midway_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = write(tmp_path, a=POOL, b=POOL)
    read = reading.read_file
    seen: list[str] = []

    def vanishing(source: Any, options: Any) -> Any:
        seen.append(source.relative)
        if source.relative == "b.md" and seen.count("b.md") > 1:
            source.path.unlink(missing_ok=True)
        return read(source, options)

    monkeypatch.setattr("superbiz_cli.knowledge.ingest.ingestion.read_file", vanishing)
    code, reasons, _ = ingest(docs)
    assert (code, reasons) == (1, {"b.md": "has vanished"})
    assert names() == ["a.md"]


def test_a_file_without_permission_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = write(tmp_path, good=POOL, closed=POOL)
    read = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name == "closed.md":
            raise PermissionError(13, "denied", str(self))
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    code, reasons, _ = ingest(docs)
    assert (code, reasons) == (1, {"closed.md": "cannot be read: no permission"})


def test_equal_names_of_two_folders_are_two_documents(tmp_path: Path) -> None:
    write(tmp_path, one__same=POOL, two__same="# Disk\nThe filesystem is full.")
    code, reasons, record = ingest(tmp_path / "one", tmp_path / "two")
    assert (code, reasons, record["added"]) == (0, {}, 2)
    assert names() == ["same.md", "two/same.md"]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a__pool=POOL)
    (docs / "a" / "again").symlink_to(docs, target_is_directory=True)
    (docs / "self.md").symlink_to(docs / "self.md")
    code, reasons, _ = ingest(docs)
    assert code == 1
    assert set(reasons) == {"self.md"}
    assert names() == ["a/pool.md"]


def test_no_document_at_all_is_no_failure(tmp_path: Path) -> None:
    code, reasons, record = ingest(tmp_path)
    assert (code, reasons, record["added"]) == (0, {}, 0)
    assert names() == []


def test_what_does_not_exist_is_said(tmp_path: Path) -> None:
    code, reasons, _ = ingest(tmp_path / "nowhere", str(tmp_path / "*.md"))
    assert code == 1
    assert set(reasons.values()) == {"does not exist", "matches no file"}


@pytest.mark.parametrize("query", ["the and of with", "怎么 什么 的", "!!! ??? ...", "🙂"])
def test_a_query_without_a_telling_word_finds_nothing(query: str, tmp_path: Path) -> None:
    ingest(write(tmp_path, pool=POOL))
    done = kb("search", query, "--json")
    assert (done.code, done.json()["found"]) == (0, False)


def test_a_query_of_20_kilobytes_is_searched_by_its_rarest_words(tmp_path: Path) -> None:
    ingest(write(tmp_path, pool=POOL))
    query = "connection pool exhausted slow statements " + "and then we looked again " * 800
    done = kb("search", query, "--json", "--explain")
    assert done.code == 0
    assert done.json()["explain"]["query"]["is_shortened"] is True
    assert [result["doc_id"] for result in done.json()["results"]] == ["pool.md"]


def test_an_empty_query_is_refused() -> None:
    done = kb("search", " \n ", "--json")
    assert (done.code, done.json()["error"]["code"]) == (2, "QUERY_INVALID")


def test_a_collection_of_another_version_names_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from superbiz_cli.knowledge.ingest import creation

    with monkeypatch.context() as older:
        older.setattr(creation, "CollectionProfile", lambda **fields: _profile_of_version(0, **fields))
        ingest(write(tmp_path, pool=POOL))
    for arguments in (("search", "pool"), ("ingest", str(tmp_path))):
        done = kb(*arguments, "--json")
        assert done.code == 4
        assert "has version 0" in done.json()["error"]["message"]
        assert "superbiz kb rebuild" in done.json()["error"]["hint"]
    assert kb("rebuild").code == 0
    assert kb("search", "connection pool exhausted", "--json").json()["found"] is True


def _profile_of_version(version: int, **fields: Any) -> Any:
    from superbiz_cli.knowledge.records import CollectionProfile

    return CollectionProfile(schema_version=version, **fields)


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on the size of files fails writes as a full disk does."""
    docs = write(tmp_path / "docs", **{f"d{n}": f"# Part {n}\n" + f"word{n} " * 400 for n in range(200)})
    monkeypatch.setattr(client, "free_bytes", lambda folder: 0)
    with small_files(100_000):
        done = kb("ingest", docs, "--json")
    assert done.code == 4
    error = done.json()["error"]
    assert "The knowledge store cannot be" in error["message"]
    assert "is full: free some space and run the command again" in error["hint"]
    assert ingest(docs)[0] == 0
    assert len(names()) == 200


@contextmanager
def small_files(limit_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_an_endpoint_that_goes_down_midway_costs_only_what_it_did_not_embed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        f"d{n:02d}": f"# Part {n}\n" + " ".join(f"word{n} tells about topic{m}." for m in range(200))
        for n in range(60)
    }
    docs = write(tmp_path, **texts)
    with EmbeddingServer() as server:
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        server.fail_from(5)
        code, reasons, record = ingest(docs)
        assert code == 1
        assert 0 < record["added"] < 60
        assert record["added"] + len(reasons) == 60
        assert all("embed" in reason for reason in reasons.values())
        server.fail_from(None)
        code, reasons, again = ingest(docs)
    assert (code, reasons) == (0, {})
    assert again["unchanged"] == record["added"]
    assert again["added"] == 60 - record["added"]


def test_an_endpoint_that_is_down_from_the_start_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddingServer() as server:
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        server.fail_from(0)
        done = kb("ingest", write(tmp_path, pool=POOL), "--json")
    assert done.code == 4
    assert "gave no vectors" in done.json()["error"]["message"]
    assert names() == []


def test_a_killed_ingestion_is_completed_by_the_next(tmp_path: Path, superbiz_home: Path) -> None:
    docs = write(
        tmp_path / "docs",
        **{f"d{n:03d}": f"# Part {n}\n" + f"word{n} tells about topic{n}. " * 50 for n in range(150)},
    )
    script = (
        "import os, signal, sys\n"
        "from superbiz_cli.adapters.milvus_store.store import MilvusStore\n"
        "publish, count = MilvusStore.publish, [0]\n"
        "def dying(self, document):\n"
        "    count[0] += 1\n"
        "    if count[0] == 60:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    publish(self, document)\n"
        "MilvusStore.publish = dying\n"
        "from superbiz_cli.__main__ import run_process\n"
        f"sys.exit(run_process(['kb', 'ingest', {str(docs)!r}]))\n"
    )
    killed = subprocess.run(
        [PYTHON, "-c", script], cwd=REPOSITORY, env=dict(os.environ), capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    survivors = kb("list", "--json").json()
    assert len(survivors) == 59
    for document in survivors[:3]:
        shown = kb("show", document["doc_id"], "--json").json()
        assert len(shown["passages"]) == document["chunks"]
    code, reasons, record = ingest(docs)
    assert (code, reasons, record["unchanged"], record["added"]) == (0, {}, 59, 91)
    assert len(names()) == 150
    found = kb("search", "topic149 word149", "--json").json()
    assert found["results"][0]["doc_id"] == "d149.md"
    assert json.loads((superbiz_home / "knowledge" / "summary.json").read_text())["documents"] == 150
