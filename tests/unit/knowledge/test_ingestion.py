"""Ingestion: idempotent, whole documents only, and whatever goes wrong, the rest goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.knowledge.centre import dot
from superbiz_cli.knowledge.index import WrongCollection
from superbiz_cli.knowledge.ingest.chunking import text_of
from superbiz_cli.knowledge.ports import StoreLocked, StoreUnavailable
from superbiz_cli.knowledge.records import Chunk, DocumentRecord, WriterNote
from superbiz_cli.knowledge.terms import terms_of
from superbiz_cli.knowledge.vocabulary import count_frequencies
from tests.support.knowledge import DIMENSION, Heard, WordEmbedder, ingest, knowledge_run, search, write
from tests.support.memory_chunks import MemoryStore

LONG = "\n\n".join(f"## Part {n}\n" + f"word{n} says something about topic{n}. " * 40 for n in range(5))


def visible(store: MemoryStore) -> dict[str, list[str]]:
    """Return the contents that a search can see, by document."""
    seen: dict[str, list[str]] = {}
    for chunk in store.chunks():
        record = store.published.get(chunk.doc_id)
        if record and record.revision == chunk.revision:
            seen.setdefault(chunk.doc_id, []).append(chunk.content)
    return seen


def test_a_folder_becomes_documents(tmp_path: Path) -> None:
    write(tmp_path, db__pool="# Pool\nThe pool is exhausted.", cache__redis="# Redis\nRedis is slow.")
    store = MemoryStore()
    summary = ingest(store, tmp_path)
    assert (summary.added, summary.chunks, summary.problems) == (2, 2, [])
    assert {d.doc_id: (d.title, d.category, d.chunks) for d in store.published.values()} == {
        "cache/redis.md": ("Redis", "cache", 1),
        "db/pool.md": ("Pool", "db", 1),
    }
    assert search(store, "pool exhausted").packed.passages[0].chunk.doc_id == "db/pool.md"


def test_what_did_not_change_is_not_embedded_again(tmp_path: Path) -> None:
    write(tmp_path, a="# A\nalpha", b="# B\nbeta")
    store, embedder = MemoryStore(), WordEmbedder()
    ingest(store, tmp_path, embedder=embedder)
    write(tmp_path, b="# B\nchanged")
    embedder.embedded.clear()
    summary = ingest(store, tmp_path, embedder=embedder)
    assert (summary.added, summary.replaced, summary.unchanged) == (0, 1, 1)
    assert all("alpha" not in text for text in embedder.embedded)
    assert visible(store)["b.md"] == ["changed"]


def test_each_passage_is_embedded_once_even_for_a_new_collection(tmp_path: Path) -> None:
    write(tmp_path, a=LONG)
    embedder = WordEmbedder()
    ingest(MemoryStore(), tmp_path, embedder=embedder)
    assert len(embedder.embedded) == len(set(embedder.embedded)) > 4


def test_a_shorter_version_leaves_nothing_of_the_longer_one(tmp_path: Path) -> None:
    write(tmp_path, a=LONG)
    store = MemoryStore()
    ingest(store, tmp_path)
    write(tmp_path, a="# Short\nnow")
    ingest(store, tmp_path)
    assert [chunk.content for chunk in store.chunks()] == ["now"]


def test_prune_removes_what_vanished_and_only_below_the_folder(tmp_path: Path) -> None:
    write(tmp_path, here__a="x", here__b="x", there__c="x")
    store = MemoryStore()
    ingest(store, tmp_path / "here")
    ingest(store, tmp_path / "there")
    (tmp_path / "here" / "b.md").unlink()
    (tmp_path / "there" / "c.md").unlink()
    assert ingest(store, tmp_path / "here").removed == 0
    assert ingest(store, tmp_path / "here", prune=True).removed == 1
    assert sorted(store.published) == ["a.md", "c.md"]
    assert {chunk.doc_id for chunk in store.chunks()} == {"a.md", "c.md"}


def test_a_document_that_cannot_be_read_now_is_not_pruned(tmp_path: Path) -> None:
    write(tmp_path, a="x")
    store = MemoryStore()
    ingest(store, tmp_path)
    (tmp_path / "a.md").write_bytes(b"")
    summary = ingest(store, tmp_path, prune=True)
    assert (summary.removed, len(summary.problems)) == (0, 1)
    assert list(store.published) == ["a.md"]


def test_bad_files_are_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path, good="# Good\ntext", empty="")
    (tmp_path / "binary.md").write_bytes(b"a\x00b")
    (tmp_path / "broken.md").write_bytes(bytes(range(128, 256)) * 20)
    heard = Heard()
    summary = ingest(MemoryStore(), tmp_path, tmp_path / "gone.md", listener=heard)
    assert summary.added == 1
    assert {problem.subject: problem.reason for problem in summary.problems} == {
        str(tmp_path / "gone.md"): "does not exist",
        "binary.md": "is a binary file",
        "broken.md": "is neither UTF-8 nor GB18030 text",
        "empty.md": "is empty",
    }
    assert heard.problems == summary.problems
    assert sum(step[0] for step in heard.steps) == heard.plans[0][0] == 4


def test_nothing_but_bad_files_makes_no_collection(tmp_path: Path) -> None:
    write(tmp_path, empty="")
    store = MemoryStore()
    assert len(ingest(store, tmp_path).problems) == 1
    assert store.profile() is None


def test_no_document_at_all_is_a_success_without_a_collection(tmp_path: Path) -> None:
    store = MemoryStore()
    assert ingest(store, tmp_path).problems == []
    assert store.profile() is None


def test_a_file_that_vanishes_after_it_was_seen_is_reported(tmp_path: Path) -> None:
    write(tmp_path, a="# A\nx", b="# B\ny")
    store = MemoryStore()
    ingest(store, write(tmp_path / "first", z="# Z\nz"))
    embedder = WordEmbedder()

    class Vanishing(Heard):
        def planned(self, documents: int, size_bytes: int) -> None:
            (tmp_path / "b.md").unlink()

    summary = ingest(store, tmp_path / "a.md", tmp_path / "b.md", embedder=embedder, listener=Vanishing())
    assert [problem.reason for problem in summary.problems] == ["has vanished"]
    assert "a.md" in store.published


def test_a_model_that_fails_for_a_while_costs_only_the_documents_of_that_time(tmp_path: Path) -> None:
    store = MemoryStore()
    ingest(store, write(tmp_path / "first", z="# Z\nz"))
    write(tmp_path / "docs", a=LONG.replace("word", "able"), b=LONG.replace("word", "bold"), c="# C\nend")
    write(tmp_path / "docs", a=LONG * 4)
    summary = ingest(store, tmp_path / "docs", embedder=WordEmbedder(fails=1))
    assert [problem.subject for problem in summary.problems] == ["a.md"]
    assert "The embedding model gave no vectors." in summary.problems[0].reason
    assert "c.md" in store.published
    again = ingest(store, tmp_path / "docs")
    assert again.problems == []
    assert again.added >= 1


def test_a_model_that_is_down_is_not_asked_for_ever(tmp_path: Path) -> None:
    store, calls = MemoryStore(), [0]
    ingest(store, write(tmp_path / "first", z="# Z\nz"))
    write(tmp_path / "docs", **{f"d{n}": LONG * 7 for n in range(8)})

    def count() -> None:
        calls[0] += 1

    summary = ingest(store, tmp_path / "docs", embedder=WordEmbedder(fails=99, on_batch=count))
    assert len(summary.problems) == 8
    assert calls == [3]


def test_a_cancel_keeps_what_was_published_and_the_next_run_goes_on(tmp_path: Path) -> None:
    write(tmp_path, **{f"d{n}": LONG * 7 for n in range(4)})
    store, run = MemoryStore(), knowledge_run()
    batches = [0]

    def stop() -> None:
        batches[0] += 1
        if batches[0] == 3:
            run.cancel(CancelReason.USER_REQUESTED)

    with pytest.raises(RunAborted):
        ingest(store, tmp_path, embedder=WordEmbedder(on_batch=stop), run=run)
    assert 0 < len(store.published) < 4
    assert store.note is None
    summary = ingest(store, tmp_path)
    assert summary.unchanged > 0
    assert summary.added + summary.unchanged == 4
    assert len(store.published) == 4


class Killed(Exception):
    """The process is gone: nothing after it happens."""


class MortalStore(MemoryStore):
    """A store whose process dies at one of its writes; what was written stays."""

    def __init__(self, base: MemoryStore, dies_at: int) -> None:
        super().__init__(base.made_with, base.published, base.stored, base.terms, base.note)
        self.writes_left = dies_at

    def _write(self) -> None:
        if self.writes_left == 0:
            raise Killed
        self.writes_left -= 1

    def put_chunks(self, chunks: Sequence[Chunk]) -> None:
        for chunk in chunks:  # each chunk may be the last one
            self._write()
            super().put_chunks([chunk])

    def publish(self, document: DocumentRecord) -> None:
        self._write()
        super().publish(document)

    def withdraw(self, doc_id: str) -> None:
        self._write()
        super().withdraw(doc_id)

    def drop_chunks(self, doc_id: str, *, except_revision: str | None = None) -> None:
        self._write()
        super().drop_chunks(doc_id, except_revision=except_revision)

    def save_vocabulary(self, frequencies: object) -> None:
        self._write()
        super().save_vocabulary(frequencies)  # type: ignore[arg-type]

    def note_writer(self, note: WriterNote | None) -> None:
        self._write()
        super().note_writer(note)


def state_of(store: MemoryStore) -> tuple[dict[str, list[str]], dict[str, int], WriterNote | None]:
    return visible(store), dict(store.terms), store.note


def test_dying_at_any_write_leaves_whole_documents_and_the_next_run_completes(tmp_path: Path) -> None:
    write(tmp_path, a=LONG, b="# B\nbeta", c="# C\ngone soon")
    base = MemoryStore()
    ingest(base, tmp_path)
    write(tmp_path, a=LONG.replace("word", "other"), d="# D\nnew")
    (tmp_path / "c.md").unlink()
    old = visible(base)
    clean = MemoryStore(base.made_with, dict(base.published), dict(base.stored), dict(base.terms))
    ingest(clean, tmp_path, prune=True)
    new, vocabulary, _ = state_of(clean)
    deaths = 0
    for dies_at in range(200):
        start = MemoryStore(base.made_with, dict(base.published), dict(base.stored), dict(base.terms))
        mortal = MortalStore(start, dies_at)
        try:
            ingest(mortal, tmp_path, prune=True)
        except Killed:
            deaths += 1
        else:
            break
        between = visible(mortal)
        for doc_id, contents in between.items():
            assert sorted(contents) in (sorted(old.get(doc_id, [])), sorted(new.get(doc_id, [])))
        survivor = MemoryStore(mortal.made_with, mortal.published, mortal.stored, mortal.terms, mortal.note)
        ingest(survivor, tmp_path, prune=True)
        assert visible(survivor) == new
        assert len(survivor.stored) == sum(map(len, new.values()))
        assert survivor.note is None
        assert dict(survivor.terms) == vocabulary
    assert deaths > 10


def test_the_vocabulary_is_that_of_the_visible_chunks(tmp_path: Path) -> None:
    write(tmp_path, a=LONG, b="# B\nbeta 4711")
    store = MemoryStore()
    ingest(store, tmp_path)
    write(tmp_path, a="# A\nalpha", c="# C\nalpha beta")
    ingest(store, tmp_path)
    counted = count_frequencies(terms_of(text_of(chunk)) for chunk in store.chunks())
    assert store.terms == {
        term: count
        for term, count in counted.items()
        if count > 1 or not any(char.isdigit() for char in term)
    }


def test_two_writers_do_not_write_at_once(tmp_path: Path) -> None:
    write(tmp_path, a="x")
    store = MemoryStore()
    ingest(store, tmp_path)
    store.note = WriterNote(host="elsewhere", pid=1, beat_at=knowledge_run().clock.now().isoformat())
    with pytest.raises(StoreLocked):
        ingest(store, tmp_path)
    store.note = WriterNote(host="elsewhere", pid=1, beat_at="2020-01-01T00:00:00+00:00")
    ingest(store, tmp_path)
    assert store.note is None


def test_a_store_that_fails_midway_is_reported_and_published_documents_stay_whole(tmp_path: Path) -> None:
    write(tmp_path, **{f"d{n}": LONG * 7 for n in range(3)})

    class Full(MemoryStore):
        def put_chunks(self, chunks: Sequence[Chunk]) -> None:
            if self.published:
                raise StoreUnavailable("The knowledge store cannot be written.", hint="the disk is full")
            super().put_chunks(chunks)

    store = Full()
    with pytest.raises(StoreUnavailable):
        ingest(store, tmp_path)
    assert list(visible(store)) == ["d0.md"]


def test_a_collection_of_another_model_is_not_written_to(tmp_path: Path) -> None:
    write(tmp_path, a="x")
    store = MemoryStore()
    ingest(store, tmp_path)
    with pytest.raises(WrongCollection, match="fake: other"):
        ingest(store, tmp_path, embedder=WordEmbedder(name="other"))


def test_a_moved_folder_is_not_embedded_again(tmp_path: Path) -> None:
    write(tmp_path / "old", a="# A\nalpha")
    store = MemoryStore()
    ingest(store, tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new")
    embedder = WordEmbedder()
    summary = ingest(store, tmp_path / "new", embedder=embedder)
    assert (summary.unchanged, summary.moved, embedder.embedded) == (1, 1, [])
    assert store.published["a.md"].source == str(tmp_path / "new" / "a.md")


def test_standard_input_is_ingested_and_replaced() -> None:
    store = MemoryStore()
    assert ingest(store, "-", stdin=b"# One\nfirst").added == 1
    assert ingest(store, "-", stdin=b"# Two\nsecond").replaced == 1
    assert visible(store) == {"stdin.md": ["second"]}


def test_stored_vectors_are_centred_by_language(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{f"en{n}": f"# E{n}\nword{n} about thing{n}" for n in range(40)},
        **{f"zh{n}": f"# 中{n}\n第{n}个词语说明了第{n}件事情" for n in range(40)},
    )
    store = MemoryStore()
    ingest(store, tmp_path)
    made = store.profile()
    assert made is not None
    assert {language: mean.sample for language, mean in made.means.items()} == {"en": 40, "zh": 40}
    assert all(dot(chunk.dense, chunk.dense) == pytest.approx(1.0) for chunk in store.chunks())


def test_a_big_table_is_ingested_with_its_header_everywhere(tmp_path: Path) -> None:
    rows = "\n".join(f"| key{n} | value {n} |" for n in range(10_000))
    write(tmp_path, table=f"# Table\n| key | value |\n| --- | --- |\n{rows}")
    store = MemoryStore()
    assert ingest(store, tmp_path).problems == []
    assert all("| key | value |" in content for content in visible(store)["table.md"])
    assert sum(content.count("| key") for content in visible(store)["table.md"]) >= 10_000


def test_passages_that_repeat_word_for_word_are_all_stored_with_their_vector(tmp_path: Path) -> None:
    """Boilerplate: the first passages are embedded early, for the means, and some of them come twice."""
    store, embedder = MemoryStore(), WordEmbedder()
    ingest(store, write(tmp_path, log="# Log\n" + "the same sentence again. " * 400), embedder=embedder)
    chunks = list(store.chunks())
    assert len(chunks) > len({chunk.content for chunk in chunks})
    assert all(len(chunk.dense) == DIMENSION for chunk in chunks)
    assert len(embedder.embedded) == len({chunk.content for chunk in chunks})
