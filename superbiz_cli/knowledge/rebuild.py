"""Make a collection anew from what is stored: for another model, better means, or a fresh index.

The new collection is built beside the old one, verified, and takes its place in one step; searches in
between use the old one. Vectors of the same model are recovered instead of embedded again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge import lexical
from superbiz_cli.knowledge.calibrations import CALIBRATIONS
from superbiz_cli.knowledge.centre import centred, restored
from superbiz_cli.knowledge.ingest.chunking import text_of
from superbiz_cli.knowledge.ingest.embedding import TextEmbedder
from superbiz_cli.knowledge.ingest.session import lease, worth_keeping
from superbiz_cli.knowledge.means import RunningMeans, chosen_means, has_outgrown, outgrown
from superbiz_cli.knowledge.ports import ChunkStore, Embedder, StoreUnavailable
from superbiz_cli.knowledge.records import (
    SCHEMA_VERSION,
    WORDS_ONLY,
    Chunk,
    CollectionProfile,
    DocumentRecord,
    EmbedderIdentity,
    Vector,
)
from superbiz_cli.knowledge.terms import terms_of

_BATCH = 64
_SAMPLE_OF_LANGUAGE = 96


class RebuildListener(Protocol):
    """Hears how far a rebuild is, in the thread that rebuilds."""

    def planned(self, chunks: int) -> None:
        """So many chunks will be copied."""
        ...

    def advanced(self, chunks: int) -> None:
        """So many more are."""
        ...


class Unwatched:
    """A `RebuildListener` for a rebuild that nobody watches."""

    def planned(self, chunks: int) -> None:
        """Say nothing."""

    def advanced(self, chunks: int) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did. `embedded` is False when the vectors could be recovered."""

    profile: CollectionProfile
    documents: int
    chunks: int
    embedded: bool


@dataclass(slots=True)
class Rebuild:
    """The parts of one rebuild."""

    store: ChunkStore
    embedder: Embedder | None
    listener: RebuildListener
    run: Run

    def rebuild(self) -> Rebuilt | None:
        """Replace the collection; None if there is none.

        Raises StoreUnavailable (also when the verification fails), EmbeddingUnavailable and RunAborted;
        the old collection stays as it is then.
        """
        old = self.store.profile()
        if old is None:
            return None
        if old.schema_version > SCHEMA_VERSION:
            raise StoreUnavailable(
                f"The knowledge collection has version {old.schema_version}, newer than this program.",
                hint="use the newer program, or set [knowledge] collection to another name",
            )
        with lease(self.store, clock=self.run.clock):
            documents = dict(self.store.documents())
            texts = TextEmbedder(self.embedder, self.run)
            keeps_vectors = self._keeps_vectors(old)
            self.listener.planned(sum(document.chunks for document in documents.values()))
            profile = self._profile(old, documents, texts, keeps_vectors)
            rebuilt = self.store.begin_rebuild(profile)
            copied, frequencies = Counter[str](), Counter[str]()
            for batch in self._batches(documents):
                chunks = self._converted(batch, old, profile, texts, keeps_vectors)
                rebuilt.put_chunks(chunks)
                for chunk in chunks:
                    copied[chunk.doc_id] += 1
                    frequencies.update(set(terms_of(text_of(chunk))))
                self.listener.advanced(len(chunks))
            for document in documents.values():
                rebuilt.publish(document)
            rebuilt.save_vocabulary(worth_keeping(frequencies))
            rebuilt.settle()
            _verify(rebuilt, documents, copied)
            self.run.check_active()
            self.store.finish_rebuild(rebuilt)
        return Rebuilt(profile, len(documents), copied.total(), embedded=not keeps_vectors)

    def recentre(self) -> Rebuilt | None:
        """Rebuild if a language has enough passages by now for a better mean; None if none has.

        A collection that began small was centred by the model's usual means, or not at all. Raises as
        `rebuild` does.
        """
        profile = self.store.profile()
        if profile is None or self.embedder is None:
            return None
        documents = self.store.documents()
        grown = outgrown(profile.means, documents.values())
        if not grown:
            return None
        counts = Counter(chunk.language for chunk in self._visible(documents))
        is_confirmed = any(has_outgrown(profile.means.get(name), counts[name]) for name in grown)
        return self.rebuild() if is_confirmed else None

    @property
    def _identity(self) -> EmbedderIdentity:
        return self.embedder.identity if self.embedder else WORDS_ONLY

    def _keeps_vectors(self, old: CollectionProfile) -> bool:
        return self._identity.is_same_model_as(old.embedder)

    def _profile(
        self,
        old: CollectionProfile,
        documents: Mapping[str, DocumentRecord],
        texts: TextEmbedder,
        keeps_vectors: bool,
    ) -> CollectionProfile:
        sample = self._sample(documents)
        running = RunningMeans()
        if keeps_vectors:
            for chunk in self._visible(documents):
                if len(chunk.dense):
                    running.add(
                        chunk.language, restored(chunk.dense, chunk.spread, chunk.language, old.means)
                    )
        else:
            early = texts.embed_early([text_of(chunk) for chunk in sample])
            for chunk, vector in zip(sample, early, strict=True):
                if len(vector):
                    running.add(chunk.language, vector)
        own = running.means()
        lengths = [len(terms_of(text_of(chunk))) for chunk in sample]
        identity = self._identity
        dimension = next((len(mean.vector) for mean in own.values()), identity.dimension)
        kept = old.calibration if keeps_vectors else None
        now = self.run.clock.now().isoformat()
        return CollectionProfile(
            embedder=replace(identity, dimension=dimension),
            average_terms=sum(lengths) / len(lengths) if lengths else lexical.TYPICAL_TERMS,
            means=chosen_means(own, self.embedder.usual_means if self.embedder else {}),
            calibration=kept or CALIBRATIONS.get(identity.name),
            created_at=now,
            changed_at=now,
        )

    def _sample(self, documents: Mapping[str, DocumentRecord]) -> list[Chunk]:
        """Return up to 96 visible chunks of each language, evenly spread."""
        total = Counter(chunk.language for chunk in self._visible(documents))
        seen: Counter[str] = Counter()
        sample = []
        for chunk in self._visible(documents):
            step = max(1, total[chunk.language] // _SAMPLE_OF_LANGUAGE)
            if seen[chunk.language] % step == 0 and seen[chunk.language] // step < _SAMPLE_OF_LANGUAGE:
                sample.append(chunk)
            seen[chunk.language] += 1
        return sample

    def _visible(self, documents: Mapping[str, DocumentRecord]) -> Iterator[Chunk]:
        for chunk in self.store.chunks():
            self.run.check_active()
            document = documents.get(chunk.doc_id)
            if document is not None and document.revision == chunk.revision:
                yield chunk

    def _batches(self, documents: Mapping[str, DocumentRecord]) -> Iterator[list[Chunk]]:
        batch: list[Chunk] = []
        for chunk in self._visible(documents):
            batch.append(chunk)
            if len(batch) == _BATCH:
                yield batch
                batch = []
        if batch:
            yield batch

    def _converted(
        self,
        batch: Sequence[Chunk],
        old: CollectionProfile,
        profile: CollectionProfile,
        texts: TextEmbedder,
        keeps_vectors: bool,
    ) -> list[Chunk]:
        enhanced = [text_of(chunk) for chunk in batch]
        if keeps_vectors:
            vectors: list[Vector] = [
                restored(chunk.dense, chunk.spread, chunk.language, old.means) if len(chunk.dense) else ()
                for chunk in batch
            ]
        else:
            vectors = texts.embed(enhanced)
        return [
            _with_vector(chunk, text, vector, profile)
            for chunk, text, vector in zip(batch, enhanced, vectors, strict=True)
        ]


def _with_vector(chunk: Chunk, text: str, vector: Vector, profile: CollectionProfile) -> Chunk:
    dense, spread = centred(vector, chunk.language, profile.means) if len(vector) else ((), 1.0)
    sparse = lexical.passage_weights(terms_of(text), average_terms=profile.average_terms)
    return replace(chunk, sparse=sparse, dense=dense, spread=spread)


def _verify(rebuilt: ChunkStore, documents: Mapping[str, DocumentRecord], copied: Counter[str]) -> None:
    """Raise StoreUnavailable unless every document is there with all its chunks."""
    stored = Counter(doc_id for doc_id, _ in rebuilt.chunk_keys())
    expected = {document.doc_id: document.chunks for document in documents.values() if document.chunks}
    if dict(stored) != expected or dict(copied) != expected or dict(rebuilt.documents()) != dict(documents):
        raise StoreUnavailable(
            "The rebuilt collection is incomplete; the old one stays in use.",
            hint="ingest the documents again, then rebuild",
        )
