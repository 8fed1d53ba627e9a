"""An opened collection as searches see it: profile, published documents and vocabulary, read once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from superbiz_cli.knowledge.ports import ChunkStore, StoreUnavailable
from superbiz_cli.knowledge.records import (
    SCHEMA_VERSION,
    CollectionProfile,
    DocumentRecord,
    EmbedderIdentity,
    Hit,
)
from superbiz_cli.knowledge.vocabulary import Vocabulary


class WrongCollection(StoreUnavailable):
    """The collection was made by another model or by another version of the program."""


@dataclass(slots=True)
class KnowledgeIndex:
    """One collection, opened for searching."""

    store: ChunkStore
    profile: CollectionProfile
    documents: dict[str, DocumentRecord] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary({}, 0))

    @classmethod
    def open(cls, store: ChunkStore, *, embedder: EmbedderIdentity) -> KnowledgeIndex | None:
        """Return the index of `store`, None if nothing was ever ingested. Raises WrongCollection."""
        profile = store.profile()
        if profile is None:
            return None
        check_profile(profile, embedder)
        index = cls(store, profile)
        index.refresh()
        return index

    def refresh(self) -> None:
        """Read again what another process may have published."""
        self.documents = dict(self.store.documents())
        chunks = sum(document.chunks for document in self.documents.values())
        self.vocabulary = Vocabulary(self.store.vocabulary(), chunks)

    def visible(self, hits: Iterable[Hit]) -> list[Hit]:
        """Return the hits whose revision is the published one.

        What another process published meanwhile is looked up once.
        """
        found = list(hits)
        if any(self._is_newer(hit) for hit in found):
            self.documents = dict(self.store.documents())
        return [hit for hit in found if self._is_published(hit)]

    def _is_published(self, hit: Hit) -> bool:
        document = self.documents.get(hit.chunk.doc_id)
        return document is not None and document.revision == hit.chunk.revision

    def _is_newer(self, hit: Hit) -> bool:
        """Whether a hit cannot be explained by what is known: neither published nor replaced by it."""
        document = self.documents.get(hit.chunk.doc_id)
        return document is None or hit.chunk.revision > document.revision


def check_profile(profile: CollectionProfile, embedder: EmbedderIdentity) -> None:
    """Raise WrongCollection unless `embedder` and this program can read the collection."""
    if profile.schema_version != SCHEMA_VERSION:
        raise WrongCollection(
            f"The knowledge collection has version {profile.schema_version},"
            f" this program reads version {SCHEMA_VERSION}.",
            hint="superbiz kb rebuild  makes it anew from what is stored",
        )
    if not profile.embedder.is_same_model_as(embedder):
        raise WrongCollection(
            f"The knowledge collection was made with {profile.embedder.in_full},"
            f" the settings name {embedder.in_full}.",
            hint="superbiz kb rebuild  embeds what is stored with the model of the settings",
        )
