"""One suite over every chunk store: what the port promises holds for each of them.

A Milvus server takes part when SUPERBIZ_TEST_MILVUS_URI is set. The engines differ in score signs,
limits of strings and statistics per segment; nothing of that may be seen above the port.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from superbiz_cli.adapters.milvus_store.options import IndexOptions, MilvusOptions
from superbiz_cli.adapters.milvus_store.store import MilvusStore
from superbiz_cli.knowledge.ports import ChunkStore
from superbiz_cli.knowledge.records import (
    WORDS_ONLY,
    Chunk,
    EmbedderIdentity,
    Filter,
    LanguageMean,
    WriterNote,
)
from superbiz_cli.knowledge.terms import term_id
from tests.support.knowledge import chunk, document, profile, vector_of
from tests.support.memory_chunks import MemoryStore

SERVER = os.environ.get("SUPERBIZ_TEST_MILVUS_URI")
EVERYWHERE = Filter()
ODD = "quo\"te \\ back' 中文"


def embedded(folder: Path, *, dense: str = "HNSW", partitioned: bool = True) -> MilvusOptions:
    return MilvusOptions(
        collection="conformance",
        folder=folder,
        index=IndexOptions(dense=dense),
        partition_by_scope=partitioned,
        consistency="Strong",
    )


def on_server(folder: Path) -> MilvusOptions:
    if not SERVER:
        pytest.skip("no Milvus server (set SUPERBIZ_TEST_MILVUS_URI)")
    return MilvusOptions(
        collection=f"conformance_{uuid.uuid4().hex[:8]}",
        folder=folder,
        uri=SERVER,
        token=os.environ.get("SUPERBIZ_TEST_MILVUS_TOKEN", ""),
        consistency="Strong",
        timeout_s=30.0,
    )


@pytest.fixture(params=["memory", "embedded", "embedded, flat, one partition", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ChunkStore]:
    match request.param:
        case "memory":
            yield MemoryStore()
            return
        case "embedded":
            options = embedded(tmp_path / "kb")
        case "server":
            options = on_server(tmp_path / "kb")
        case _:
            options = embedded(tmp_path / "kb", dense="FLAT", partitioned=False)
    opened = MilvusStore.open(options, writes=True)
    try:
        yield opened
    finally:
        opened.close()


def contents(store: ChunkStore) -> list[str]:
    return sorted(chunk.content for chunk in store.chunks())


def test_a_store_that_was_never_made_has_no_profile(store: ChunkStore) -> None:
    assert store.profile() is None


def test_a_profile_is_kept_as_it_was(store: ChunkStore) -> None:
    made = profile(means={"zh": LanguageMean(tuple(vector_of("中文")), 31)})
    store.create(made)
    kept = store.profile()
    assert kept is not None
    assert kept.means["zh"].vector == pytest.approx(made.means["zh"].vector)
    assert replace(kept, means={}) == replace(made, means={})
    store.save_profile(replace(made, changed_at="later", calibration=None))
    changed = store.profile()
    assert changed is not None
    assert (changed.changed_at, changed.calibration) == ("later", None)


def test_documents_are_published_replaced_and_withdrawn(store: ChunkStore) -> None:
    store.create(profile())
    store.publish(document("a.md"))
    store.publish(document(ODD, title=ODD, source=ODD))
    store.publish(document("a.md", revision="r2"))
    assert store.documents() == {
        "a.md": document("a.md", revision="r2"),
        ODD: document(ODD, title=ODD, source=ODD),
    }
    store.withdraw("a.md")
    store.withdraw("never.md")
    assert set(store.documents()) == {ODD}


def test_more_documents_than_one_answer_holds_are_all_read(store: ChunkStore) -> None:
    store.create(profile())
    for number in range(40):
        store.publish(document(f"d{number}.md"))
    assert len(store.documents()) == 40


def test_chunks_come_back_as_they_were_written(store: ChunkStore) -> None:
    store.create(profile())
    written = chunk(
        ODD, 3, "连接池 exhausted\n\ttab", title=ODD, section=ODD, category=ODD, scope=ODD, language="zh"
    )
    store.put_chunks([written])
    (read,) = store.chunks()
    assert read.dense == pytest.approx(written.dense)
    assert dict(read.sparse) == pytest.approx(dict(written.sparse))
    assert replace(read, dense=(), sparse={}) == replace(written, dense=(), sparse={})


def test_writing_the_same_chunks_again_leaves_one_copy(store: ChunkStore) -> None:
    store.create(profile())
    for _ in range(3):
        store.put_chunks([chunk("a.md", 0), chunk("a.md", 1, "other")])
    assert len(list(store.chunks())) == 2
    assert len(store.search_dense(vector_of("pool"), limit=10, where=EVERYWHERE)) == 2


def test_the_limits_of_strings_are_those_of_bytes(store: ChunkStore) -> None:
    store.create(profile())
    long = "字" * 8_000
    store.put_chunks([chunk("长" * 300, content=long, title="题" * 200, section="节" * 200)])
    (read,) = store.chunks()
    assert read.content == long
    assert read.doc_id == "长" * 300
    assert read.title == "题" * 200


def test_revisions_live_side_by_side_until_the_old_one_is_dropped(store: ChunkStore) -> None:
    store.create(profile())
    store.put_chunks([chunk("a.md", 0, "old", revision="r1"), chunk("a.md", 1, "old tail", revision="r1")])
    store.put_chunks([chunk("a.md", 0, "new", revision="r2"), chunk("b.md", 0, "b", revision="r1")])
    assert sorted(store.chunk_keys()) == [("a.md", "r1"), ("a.md", "r1"), ("a.md", "r2"), ("b.md", "r1")]
    store.drop_chunks("a.md", except_revision="r2")
    assert contents(store) == ["b", "new"]
    assert [c.content for c in store.chunks(doc_id="b.md")] == ["b"]
    store.drop_chunks("a.md")
    assert contents(store) == ["b"]
    store.drop_chunks("never.md")


def test_a_dense_search_returns_cosines_the_nearest_first(store: ChunkStore) -> None:
    store.create(profile())
    texts = ["connection pool exhausted", "pool of connections", "redis latency", "vacation days"]
    store.put_chunks([chunk(f"d{n}.md", content=text, title="") for n, text in enumerate(texts)])
    hits = store.search_dense(vector_of("connection pool exhausted"), limit=3, where=EVERYWHERE)
    assert hits[0].chunk.doc_id == "d0.md"
    assert hits[0].score == pytest.approx(1.0, abs=1e-4)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) == 3
    opposite = [-value for value in vector_of("connection pool exhausted")]
    assert store.search_dense(opposite, limit=4, where=EVERYWHERE)[-1].score == pytest.approx(-1.0, abs=1e-4)


def test_a_sparse_search_returns_inner_products_above_zero(store: ChunkStore) -> None:
    store.create(profile())
    one = {term_id("pool"): 2.0, term_id("exhausted"): 1.0}
    other = {term_id("pool"): 1.0}
    store.put_chunks(
        [
            replace(chunk("a.md", content="a"), sparse=one),
            replace(chunk("b.md", content="b"), sparse=other),
            replace(chunk("c.md", content="c"), sparse={term_id("redis"): 9.0}),
        ]
    )
    query = {term_id("pool"): 3.0, term_id("exhausted"): 5.0}
    hits = store.search_sparse(query, limit=10, where=EVERYWHERE)
    assert [hit.chunk.doc_id for hit in hits] == ["a.md", "b.md"]
    assert [hit.score for hit in hits] == pytest.approx([11.0, 3.0])
    assert store.search_sparse({term_id("unheard"): 1.0}, limit=10, where=EVERYWHERE) == []


def test_scores_do_not_depend_on_how_the_chunks_came_in(store: ChunkStore) -> None:
    store.create(profile())
    query = {term_id("pool"): 3.0}
    store.put_chunks([replace(chunk("a.md"), sparse={term_id("pool"): 2.0})])
    before = store.search_sparse(query, limit=9, where=EVERYWHERE)[0].score
    for number in range(6):
        store.put_chunks([replace(chunk(f"x{number}.md"), sparse={term_id("pool"): 1.0})])
        store.settle()
    after = store.search_sparse(query, limit=9, where=EVERYWHERE)
    assert after[0].score == pytest.approx(before)
    assert [hit.score for hit in after[1:]] == pytest.approx([3.0] * 6)


def test_filters_narrow_by_scope_and_category(store: ChunkStore) -> None:
    store.create(profile())
    store.put_chunks(
        [
            chunk("a.md", scope="team-a", category="db"),
            chunk("b.md", scope="team-b", category="db"),
            chunk("c.md", scope="team-b", category=ODD),
        ]
    )

    def found(**where: tuple[str, ...]) -> set[str]:
        hits = store.search_dense(vector_of("pool"), limit=9, where=Filter(**where))
        return {hit.chunk.doc_id for hit in hits}

    assert found() == {"a.md", "b.md", "c.md"}
    assert found(scopes=("team-b",)) == {"b.md", "c.md"}
    assert found(scopes=("team-a", "team-b"), categories=("db",)) == {"a.md", "b.md"}
    assert found(categories=(ODD,)) == {"c.md"}
    assert found(categories=('" or "" == "',)) == set()
    sparse = store.search_sparse(chunk().sparse, limit=9, where=Filter(scopes=("team-a",)))
    assert [hit.chunk.doc_id for hit in sparse] == ["a.md"]


def test_the_vocabulary_is_replaced_as_a_whole(store: ChunkStore) -> None:
    store.create(profile())
    assert dict(store.vocabulary()) == {}
    many = {f"term{number}连接": number for number in range(12_000)}
    store.save_vocabulary(many)
    assert dict(store.vocabulary()) == many
    store.save_vocabulary({"pool": 3})
    assert dict(store.vocabulary()) == {"pool": 3}
    store.save_vocabulary({})
    assert dict(store.vocabulary()) == {}


def test_a_writer_leaves_a_note_and_takes_it_away(store: ChunkStore) -> None:
    store.create(profile())
    note = WriterNote("host", 4711, "2026-11-30T10:00:00+00:00")
    assert store.writer() is None
    store.note_writer(note)
    assert store.writer() == note
    store.note_writer(replace(note, beat_at="later"))
    assert store.writer() == replace(note, beat_at="later")
    store.note_writer(None)
    assert store.writer() is None


def test_a_rebuilt_collection_takes_the_place_with_all_that_belongs_to_it(store: ChunkStore) -> None:
    store.create(profile())
    store.put_chunks([chunk("old.md", content="old")])
    store.publish(document("old.md"))
    store.save_vocabulary({"old": 1})
    new = profile(embedder=EmbedderIdentity("fake", "new", 4))
    rebuilt = store.begin_rebuild(new)
    rebuilt.put_chunks([chunk("new.md", content="new", dense=[1.0, 0.0, 0.0, 0.0])])
    rebuilt.publish(document("new.md"))
    rebuilt.save_vocabulary({"new": 1})
    assert contents(store) == ["old"]
    assert set(store.documents()) == {"old.md"}
    store.finish_rebuild(rebuilt)
    assert contents(store) == ["new"]
    assert set(store.documents()) == {"new.md"}
    assert dict(store.vocabulary()) == {"new": 1}
    kept = store.profile()
    assert kept is not None
    assert kept.embedder.name == "new"
    assert store.search_dense([1.0, 0.0, 0.0, 0.0], limit=3, where=EVERYWHERE)[0].chunk.doc_id == "new.md"


def test_what_an_interrupted_rebuild_left_behind_is_gone_after_the_next(store: ChunkStore) -> None:
    store.create(profile())
    store.put_chunks([chunk("a.md", content="kept")])
    abandoned = store.begin_rebuild(profile())
    abandoned.put_chunks([chunk("b.md", content="half")])
    rebuilt = store.begin_rebuild(profile())
    rebuilt.put_chunks([chunk("a.md", content="kept")])
    store.finish_rebuild(rebuilt)
    assert contents(store) == ["kept"]


def test_a_collection_without_vectors_is_searched_by_words(store: ChunkStore) -> None:
    store.create(profile(embedder=WORDS_ONLY, calibration=None))
    store.put_chunks([chunk("a.md", dense=()), chunk("b.md", content="redis", dense=())])
    hits = store.search_sparse({term_id("pool"): 1.0}, limit=3, where=EVERYWHERE)
    assert [hit.chunk.doc_id for hit in hits] == ["a.md"]
    assert len(hits[0].chunk.dense) == 0


@pytest.mark.parametrize("dense", ["HNSW", "FLAT"])
def test_what_was_written_is_there_when_the_engine_is_opened_again(tmp_path: Path, dense: str) -> None:
    options = embedded(tmp_path / "kb", dense=dense)
    chunks: list[Chunk] = [chunk(f"d{n}.md", content=f"text {n} pool") for n in range(30)]
    first = MilvusStore.open(options, writes=True)
    first.create(profile())
    first.put_chunks(chunks)
    first.publish(document("d0.md"))
    first.settle()
    first.put_chunks([chunk("late.md", content="not settled")])
    first.close()
    again = MilvusStore.open(options)
    try:
        assert again.profile() == profile()
        assert set(again.documents()) == {"d0.md"}
        assert len(list(again.chunks())) == 31
        assert len(again.search_dense(vector_of("pool"), limit=40, where=EVERYWHERE)) == 31
        assert again.search_sparse(chunks[0].sparse, limit=1, where=EVERYWHERE)[0].chunk.doc_id == "d0.md"
    finally:
        again.close()
