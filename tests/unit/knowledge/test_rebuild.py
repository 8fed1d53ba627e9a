"""A rebuild: beside the old collection, verified, swapped; the old one stays until then."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.knowledge.centre import dot, restored
from superbiz_cli.knowledge.ports import ChunkStore, Embedder, StoreUnavailable
from superbiz_cli.knowledge.rebuild import Rebuild, Rebuilt
from superbiz_cli.knowledge.records import Chunk, CollectionProfile, LanguageMean
from tests.support.knowledge import WordEmbedder, ingest, knowledge_run, search, vector_of, write
from tests.support.memory_chunks import MemoryStore


@dataclass
class Told:
    plans: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    def planned(self, chunks: int) -> None:
        self.plans.append(chunks)

    def advanced(self, chunks: int) -> None:
        self.steps.append(chunks)


def rebuild(
    store: ChunkStore, embedder: Embedder | None, listener: Told | None = None, run: Run | None = None
) -> Rebuilt | None:
    return Rebuild(store, embedder, listener or Told(), run or knowledge_run()).rebuild()


@pytest.fixture
def filled(tmp_path: Path) -> MemoryStore:
    write(
        tmp_path,
        **{f"d{n}": f"# Part {n}\nword{n} tells about topic{n}" for n in range(40)},
        pool="# Pool\nThe connection pool is exhausted.",
    )
    store = MemoryStore()
    ingest(store, tmp_path)
    return store


def test_nothing_to_rebuild_is_said() -> None:
    assert rebuild(MemoryStore(), WordEmbedder()) is None


def test_the_same_model_embeds_nothing_again_and_finds_the_same(filled: MemoryStore) -> None:
    before = search(filled, "connection pool exhausted")
    embedder, told = WordEmbedder(), Told()
    rebuilt = rebuild(filled, embedder, told)
    assert rebuilt is not None
    assert (rebuilt.documents, rebuilt.chunks, rebuilt.embedded) == (41, 41, False)
    assert embedder.embedded == []
    assert sum(told.steps) == told.plans[0] == 41
    after = search(filled, "connection pool exhausted")
    assert [p.chunk.doc_id for p in after.packed.passages][:1] == [
        p.chunk.doc_id for p in before.packed.passages
    ][:1]


def test_recovered_vectors_are_the_model_s_own(filled: MemoryStore) -> None:
    old = filled.profile()
    assert old is not None
    wanted = {c.key: restored(c.dense, c.spread, c.language, old.means) for c in filled.chunks()}
    rebuild(filled, WordEmbedder())
    new = filled.profile()
    assert new is not None
    for chunk in filled.chunks():
        own = restored(chunk.dense, chunk.spread, chunk.language, new.means)
        assert own == pytest.approx(wanted[chunk.key], abs=1e-6)
        assert dot(chunk.dense, chunk.dense) == pytest.approx(1.0)


def test_another_model_embeds_everything_and_replaces_the_profile(filled: MemoryStore) -> None:
    embedder = WordEmbedder(name="better")
    rebuilt = rebuild(filled, embedder)
    assert rebuilt is not None
    assert rebuilt.embedded
    assert len(embedder.embedded) == 41
    assert filled.profile() == rebuilt.profile
    assert rebuilt.profile.embedder.name == "better"
    assert rebuilt.profile.calibration is None
    assert search(filled, "connection pool exhausted", embedder=embedder).is_found


def test_without_a_model_only_words_remain(filled: MemoryStore) -> None:
    rebuilt = rebuild(filled, None)
    assert rebuilt is not None
    assert rebuilt.profile.embedder.provider == "none"
    assert all(len(chunk.dense) == 0 for chunk in filled.chunks())


def test_what_nobody_can_see_is_not_copied(filled: MemoryStore) -> None:
    ghost = replace(next(iter(filled.chunks())), revision="never-published")
    filled.put_chunks([ghost])
    rebuild(filled, WordEmbedder())
    assert ghost.key not in filled.stored


def test_a_collection_that_is_incomplete_does_not_take_the_place(filled: MemoryStore) -> None:
    class Losing(MemoryStore):
        def put_chunks(self, chunks: object) -> None:
            super().put_chunks(list(chunks)[1:])  # type: ignore[call-overload]

    class Store(MemoryStore):
        def begin_rebuild(self, profile: CollectionProfile) -> ChunkStore:
            return Losing(profile)

    store = Store(filled.made_with, filled.published, filled.stored, filled.terms)
    before = dict(store.stored)
    with pytest.raises(StoreUnavailable, match="incomplete"):
        rebuild(store, WordEmbedder())
    assert store.stored == before
    assert store.note is None


def test_a_cancel_leaves_the_old_collection(filled: MemoryStore) -> None:
    run = knowledge_run()
    before = filled.profile()

    class Stopping(Told):
        def advanced(self, chunks: int) -> None:
            run.cancel(CancelReason.USER_REQUESTED)

    with pytest.raises(RunAborted):
        rebuild(filled, WordEmbedder(name="other"), Stopping(), run)
    assert filled.profile() == before


def test_a_newer_collection_is_left_to_the_newer_program(filled: MemoryStore) -> None:
    made = filled.profile()
    assert made is not None
    filled.save_profile(replace(made, schema_version=99))
    with pytest.raises(StoreUnavailable, match="newer than this program"):
        rebuild(filled, WordEmbedder())


def test_chunks_keep_their_identity(filled: MemoryStore) -> None:
    def identities(store: MemoryStore) -> set[tuple[str, str, str]]:
        return {(c.key, c.content, c.section) for c in _chunks(store)}

    before = identities(filled)
    rebuild(filled, WordEmbedder(name="other"))
    assert identities(filled) == before


def _chunks(store: MemoryStore) -> list[Chunk]:
    return list(store.chunks())


def _usual_model() -> WordEmbedder:
    return WordEmbedder(usual_means={"en": LanguageMean(tuple(vector_of("elsewhere")), 12)})


def test_a_collection_that_outgrows_the_usual_mean_gets_its_own(tmp_path: Path) -> None:
    store = MemoryStore()
    ingest(store, write(tmp_path, pool="# Pool\nThe connection pool is exhausted."), embedder=_usual_model())
    small = store.profile()
    assert small is not None
    assert small.means["en"].vector == tuple(vector_of("elsewhere"))
    embedder = _usual_model()
    more = {f"d{n}": f"# Part {n}\nword{n} tells about topic{n}" for n in range(40)}
    ingest(store, write(tmp_path, **more), embedder=embedder)
    grown = store.profile()
    assert grown is not None
    assert grown.means["en"].sample >= 30
    assert len(embedder.embedded) == 40  # nothing twice, and nothing of the first ingestion
    assert search(store, "connection pool exhausted").packed.passages[0].chunk.doc_id == "pool.md"


def test_a_recentring_that_was_stopped_is_made_up_for_by_the_next_ingestion(tmp_path: Path) -> None:
    class Stubborn(MemoryStore):
        def begin_rebuild(self, profile: CollectionProfile) -> ChunkStore:
            raise StoreUnavailable("The knowledge store cannot be made.")

    store = Stubborn()
    few = {f"a{n}": f"# Part {n}\nword{n} tells about topic{n}" for n in range(3)}
    ingest(store, write(tmp_path, **few), embedder=_usual_model())
    more = {f"d{n}": f"# Part {n}\nword{n} tells about topic{n}" for n in range(40)}
    with pytest.raises(StoreUnavailable):
        ingest(store, write(tmp_path, **more), embedder=_usual_model())
    assert len(store.published) == 43
    healed = MemoryStore(store.made_with, store.published, store.stored, store.terms)
    summary = ingest(healed, tmp_path, embedder=_usual_model())
    assert (summary.unchanged, summary.added) == (43, 0)
    assert healed.made_with is not None
    assert healed.made_with.means["en"].sample >= 30


def test_a_mean_of_a_sample_gives_way_to_that_of_all_passages(tmp_path: Path) -> None:
    """Only some passages are embedded before the collection is made; in the end all of them count."""
    store, embedder = MemoryStore(), WordEmbedder()
    texts = {f"d{n:03d}": f"# Part {n}\nword{n} tells about topic{n}" for n in range(420)}
    ingest(store, write(tmp_path, **texts), embedder=embedder)
    made = store.profile()
    assert made is not None
    assert made.means["en"].sample == 420
    assert len(embedder.embedded) == 420
    before = dict(store.stored)
    ingest(store, tmp_path, embedder=embedder)
    assert store.stored == before
