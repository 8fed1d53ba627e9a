"""`superbiz kb`: from files to passages and back, searched by words only so that no model is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.knowledge import write
from tests.support.run_cli import Completed, run_cli

POOL = "# Pool\nWhen the connection pool is exhausted, look for slow statements first."
DISK = "# Disk\nWhen the filesystem is full, delete rotated journals."


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__PROVIDER", "none")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write(tmp_path / "docs", database__pool=POOL, storage__disk=DISK)


def kb(*arguments: str | Path, stdin: bytes | None = None) -> Completed:
    return run_cli("kb", *(str(argument) for argument in arguments), stdin=stdin)


def kb_json(*arguments: str | Path) -> Any:
    return kb(*arguments, "--json").json()


def names() -> list[str]:
    return [document["doc_id"] for document in kb_json("list")]


def test_an_empty_knowledge_base_says_how_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)  # a build has no person who reads hints
    listed, found = run_cli("kb", "list", terminal=True), kb("search", "pool")
    assert (listed.code, found.code) == (0, 0)
    assert "superbiz kb ingest PATH" in listed.out + listed.err
    assert "the knowledge base is empty" in found.out
    assert kb_json("search", "pool") == {
        "query": "pool",
        "found": False,
        "relevance_level": None,
        "results": [],
        "near": [],
    }


def test_files_become_documents_that_are_listed_shown_and_found(docs: Path) -> None:
    done = kb("ingest", docs)
    assert done.code == 0
    assert "2 added" in done.out
    assert "2 written" in done.out
    assert names() == ["database/pool.md", "storage/disk.md"]
    assert [d["doc_id"] for d in kb_json("list", "--category", "storage")] == ["storage/disk.md"]
    shown = kb_json("show", "pool.md")
    assert (shown["title"], shown["category"], shown["scope"]) == ("Pool", "database", "default")
    assert "slow statements" in shown["passages"][0]["content"]
    found = kb_json("search", "connection pool exhausted")
    assert found["found"] is True
    assert found["results"][0]["doc_id"] == "database/pool.md"
    assert found["results"][0]["rank"] == 1
    text = kb("search", "connection pool exhausted").out
    assert "1. Pool" in text
    assert "database/pool.md#0" in text


def test_what_nothing_answers_is_said(docs: Path) -> None:
    kb("ingest", docs)
    done = kb("search", "kafka consumer rebalance storm")
    assert done.code == 0
    assert "no passage answers this" in done.out
    assert kb_json("search", "kafka consumer rebalance storm")["relevance_level"] is None


def test_an_explanation_shows_stages_scores_and_reasons(docs: Path) -> None:
    kb("ingest", docs)
    text = kb("search", "HighDisk: filesystem full category:storage", "--explain").out
    for expected in ("How it was found", "HighDisk", "attempt 1", "storage", "quality", "storage/disk.md#0"):
        assert expected in text
    explained = kb_json("search", "filesystem full category:storage", "--explain")["explain"]
    assert explained["query"]["categories"] == ["storage"]
    assert explained["retrieval"]["attempts"][0]["kind"] == "FILTERED"
    assert {"fused", "bm25", "coverage", "quality", "reasons", "left_out"} <= set(explained["rating"][0])
    assert explained["packing"]["budget_chars"] == 4000


def test_a_search_can_be_bound_to_a_category_and_a_scope(docs: Path) -> None:
    kb("ingest", docs / "database", "--scope", "dba", "--category", "mysql")
    kb("ingest", docs / "storage")
    assert kb_json("search", "connection pool exhausted", "--scope", "default")["found"] is False
    inside = kb_json("search", "connection pool exhausted", "--scope", "dba", "--category", "mysql")
    assert [result["scope"] for result in inside["results"]] == ["dba"]
    assert kb_json("search", "connection pool exhausted", "--category", "storage")["found"] is False


def test_a_second_run_skips_replaces_and_prunes(docs: Path) -> None:
    kb("ingest", docs)
    (docs / "database" / "pool.md").write_text(POOL + "\nThen enlarge nothing.", encoding="utf-8")
    (docs / "storage" / "disk.md").unlink()
    again = kb_json("ingest", docs)
    assert (again["replaced"], again["removed"]) == (1, 0)
    pruned = kb_json("ingest", docs, "--prune")
    assert (pruned["unchanged"], pruned["removed"], pruned["chunks"]) == (1, 1, 0)
    assert names() == ["database/pool.md"]


def test_a_document_comes_from_stdin() -> None:
    done = kb("ingest", "-", "--category", "notes", stdin=POOL.encode())
    assert done.code == 0, done.err
    assert names() == ["stdin.md"]
    assert kb_json("show", "stdin.md")["category"] == "notes"


def test_a_document_is_removed_by_the_end_of_its_name(docs: Path) -> None:
    kb("ingest", docs)
    assert kb_json("remove", "disk.md") == {"removed": ["storage/disk.md"]}
    assert names() == ["database/pool.md"]
    assert kb_json("search", "filesystem full journals")["found"] is False


@pytest.mark.parametrize("command", ["show", "remove"])
def test_a_name_that_nothing_or_more_than_one_has_is_refused(command: str, tmp_path: Path) -> None:
    kb("ingest", write(tmp_path / "docs", a__same=POOL, b__same=DISK))
    missing, several = kb(command, "nothing.md"), kb(command, "same.md")
    assert (missing.code, several.code) == (2, 2)
    assert "there is no document" in missing.err
    assert "a/same.md, b/same.md" in several.err
    assert names() == ["a/same.md", "b/same.md"]


def test_a_rebuild_keeps_every_document(docs: Path) -> None:
    assert "nothing to rebuild" in kb("rebuild").out
    kb("ingest", docs)
    rebuilt = kb_json("rebuild")
    assert (rebuilt["rebuilt"], rebuilt["documents"], rebuilt["embedded"]) == (True, 2, False)
    assert names() == ["database/pool.md", "storage/disk.md"]
    assert kb_json("search", "connection pool exhausted")["found"] is True


def test_a_collection_of_another_model_names_the_command_that_rebuilds(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb("ingest", docs)
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__PROVIDER", "local")
    for arguments in (("search", "pool"), ("ingest", str(docs))):
        done = kb(*arguments, "--json")
        assert done.code == 4
        assert "superbiz kb rebuild" in done.json()["error"]["hint"]


def test_an_evaluation_prints_its_tables_and_fails_when_a_figure_falls(docs: Path, tmp_path: Path) -> None:
    kb("ingest", docs)
    golden, baseline = tmp_path / "golden.jsonl", tmp_path / "baseline.json"
    lines: list[dict[str, Any]] = [
        {
            "id": "1",
            "query": "connection pool exhausted",
            "relevant": ["database/pool.md"],
            "kind": "symptom",
        },
        {"id": "2", "query": "kafka rebalance storm", "relevant": []},
    ]
    golden.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    first = kb("eval", golden, "--save", baseline)
    assert first.code == 0
    for expected in ("nDCG@10", "symptom", "keeps 100% of 1 answerable", "passes 0% of 1"):
        assert expected in first.out
    assert kb("eval", golden, "--baseline", baseline).code == 0
    lines[0]["relevant"] = ["storage/disk.md"]
    golden.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    worse = kb("eval", golden, "--baseline", baseline, "--misses")
    assert worse.code == 1
    assert "worse" in worse.out
    assert "database/pool.md" in worse.out


def test_an_evaluation_says_what_it_cannot_use(docs: Path, tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"query": "pool", "relevant": ["unknown.md"]}\n', encoding="utf-8")
    assert kb("eval", golden).code == 2  # nothing is ingested
    kb("ingest", docs)
    noted = kb("eval", golden)
    assert "1 judged documents are not stored: unknown.md" in noted.err
    assert kb("eval", golden, "--baseline", tmp_path / "none.json").code == 2
    assert kb("eval", tmp_path / "none.jsonl").code == 2
    golden.write_text("[]\n", encoding="utf-8")
    assert "line 1" in kb("eval", golden).err


def knowledge_line() -> dict[str, Any]:
    checks: list[dict[str, Any]] = run_cli("doctor", "--json").json()
    return next(check for check in checks if check["name"] == "knowledge")


def test_doctor_shows_what_the_knowledge_base_holds(docs: Path, superbiz_home: Path) -> None:
    assert "empty" in knowledge_line()["detail"]
    kb("ingest", docs)
    line = knowledge_line()
    assert line["status"] == "ok"
    assert "2 documents, 2 passages, model none" in line["detail"]
    assert "last change" in line["detail"]
    (superbiz_home / "knowledge" / "summary.json").unlink()
    stopped = knowledge_line()
    assert (stopped["status"], stopped["detail"]) == ("warn", "an ingestion was stopped before its end")


def test_doctor_tells_that_the_settings_name_another_model(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb("ingest", docs)
    monkeypatch.setenv("SUPERBIZ_EMBEDDING__PROVIDER", "local")
    line = knowledge_line()
    assert line["status"] == "fail"
    assert "the settings name local" in line["detail"]
    assert "superbiz kb rebuild" in line["fix"]


def test_a_server_that_does_not_answer_is_named_with_what_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_KNOWLEDGE__URI", "http://127.0.0.1:9")
    monkeypatch.setenv("SUPERBIZ_KNOWLEDGE__TIMEOUT_S", "0.5")
    done = kb("search", "pool", "--json")
    assert done.code == 4
    assert done.json()["error"]["message"] == "The knowledge store cannot be reached."
    assert "the Milvus server is running" in done.json()["error"]["hint"]
    line = knowledge_line()
    assert (line["status"], line["detail"]) == ("fail", "http://127.0.0.1:9: does not answer")


def test_a_token_that_is_not_set_is_said_before_the_server_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_KNOWLEDGE__URI", "http://127.0.0.1:9")
    monkeypatch.setenv("SUPERBIZ_KNOWLEDGE__TOKEN_ENV", "NO_SUCH_TOKEN")
    done = kb("search", "pool")
    assert done.code == 2
    assert "NO_SUCH_TOKEN" in done.err


def test_a_document_is_shown_as_it_is_stored(docs: Path) -> None:
    kb("ingest", docs)
    text = kb("show", "pool.md").out
    for expected in ("Pool", "1 passages", "database/pool.md", "slow statements first"):
        assert expected in text


def test_an_evaluation_is_one_json_object_with_its_changes_and_misses(docs: Path, tmp_path: Path) -> None:
    kb("ingest", docs)
    golden, baseline = tmp_path / "golden.jsonl", tmp_path / "baseline.json"
    golden.write_text('{"query": "connection pool exhausted", "relevant": ["storage/disk.md"]}\n')
    kb("eval", golden, "--save", baseline)
    record = kb_json("eval", golden, "--baseline", baseline, "--misses")
    assert record["misses"][0]["query"] == "connection pool exhausted"
    assert {change["worse"] for change in record["changes"]} == {False}
    assert record["gate"]["answerable"] == 1
    assert kb("eval", golden, "--save", tmp_path / "no" / "folder.json").code != 0
    noted = kb("eval", golden, "--calibrate")
    assert "too few judged queries" in noted.err
