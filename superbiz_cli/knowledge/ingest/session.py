"""A time of writing to a collection that leaves it consistent, whenever the process dies.

A document is written under a new revision, published by one atomic row, and only then its former
chunks are dropped. What a killed session leaves behind is invisible to searches: chunks of a revision
that was never published, or of one that was replaced. The note of the dead session tells the next one
to sweep them away.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from superbiz_cli.harness.core.clock import Clock
from superbiz_cli.knowledge.ingest.chunking import text_of
from superbiz_cli.knowledge.ports import ChunkStore, StoreLocked, StoreUnavailable
from superbiz_cli.knowledge.records import Chunk, CollectionProfile, DocumentRecord, WriterNote
from superbiz_cli.knowledge.terms import terms_of

SILENT_FOR = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write. `follows_a_death` tells that the last session did not end as it should."""

    note: WriterNote
    follows_a_death: bool


@dataclass(slots=True)
class WriteSession:
    """The collection while it is being written."""

    store: ChunkStore
    profile: CollectionProfile
    clock: Clock
    note: WriterNote
    documents: dict[str, DocumentRecord]
    frequencies: Counter[str] = field(default_factory=Counter)
    has_changed: bool = False

    def new_revision(self) -> str:
        """Return a name for a revision; later ones sort after earlier ones."""
        return f"{self.clock.now():%Y%m%d%H%M%S%f}{secrets.token_hex(3)}"

    def replace(
        self,
        written: Sequence[tuple[DocumentRecord, Sequence[Chunk]]],
        *,
        on_published: Callable[[DocumentRecord, DocumentRecord | None], None],
    ) -> None:
        """Write the chunks of documents, publish each, and drop what it replaces.

        `on_published` hears of each document and of its former record.
        """
        self.store.put_chunks([chunk for _, chunks in written for chunk in chunks])
        self.has_changed = True
        for document, chunks in written:
            former = self.documents.get(document.doc_id)
            self._count(chunks, +1)
            if former is not None:
                self._count(self._stored(former), -1)
            self.store.publish(document)
            self.documents[document.doc_id] = document
            on_published(document, former)
            if former is not None:
                self.store.drop_chunks(document.doc_id, except_revision=document.revision)
        self._beat()

    def move(self, documents: Iterable[DocumentRecord]) -> None:
        """Publish records whose document is the same and only comes from elsewhere now."""
        for document in documents:
            self.store.publish(document)
            self.documents[document.doc_id] = document

    def remove(self, doc_ids: Iterable[str]) -> int:
        """Withdraw documents and drop their chunks; returns how many there were."""
        removed = 0
        for doc_id in doc_ids:
            former = self.documents.pop(doc_id, None)
            if former is None:
                continue
            self._count(self._stored(former), -1)
            self.store.withdraw(doc_id)
            self.store.drop_chunks(doc_id)
            self.has_changed = True
            removed += 1
        self._beat()
        return removed

    def finish(self) -> None:
        """Save the vocabulary and make the collection ready for searching."""
        if self.has_changed:
            self.store.save_vocabulary(worth_keeping(self.frequencies))
            self.profile = replace(self.profile, changed_at=self.clock.now().isoformat())
            self.store.save_profile(self.profile)
            self.store.settle()

    def sweep(self) -> None:
        """Drop chunks that no published document owns, and count the vocabulary anew."""
        stray = {
            doc_id
            for doc_id, revision in self.store.chunk_keys()
            if doc_id not in self.documents or self.documents[doc_id].revision != revision
        }
        for doc_id in stray:
            document = self.documents.get(doc_id)
            self.store.drop_chunks(doc_id, except_revision=document.revision if document else None)
        self.frequencies = Counter()
        self._count(self.store.chunks(), +1)
        self.has_changed = True

    def _stored(self, document: DocumentRecord) -> list[Chunk]:
        return [c for c in self.store.chunks(doc_id=document.doc_id) if c.revision == document.revision]

    def _count(self, chunks: Iterable[Chunk], sign: int) -> None:
        for chunk in chunks:
            for term in set(terms_of(text_of(chunk))):
                self.frequencies[term] += sign

    def _beat(self) -> None:
        self.note = replace(self.note, beat_at=self.clock.now().isoformat())
        self.store.note_writer(self.note)


@contextmanager
def lease(store: ChunkStore, *, clock: Clock) -> Iterator[Lease]:
    """Be the only one who writes to the collection. Raises StoreLocked while another session is alive."""
    before = store.writer()
    if before is not None and _is_alive(before, clock.now()):
        raise StoreLocked(before.pid if before.host == socket.gethostname() else None)
    note = WriterNote(host=socket.gethostname(), pid=os.getpid(), beat_at=clock.now().isoformat())
    store.note_writer(note)
    try:
        yield Lease(note, follows_a_death=before is not None)
    except BaseException:
        with suppress(StoreUnavailable):  # the first failure is the one to report
            store.note_writer(None)
        raise
    store.note_writer(None)


@contextmanager
def writing(store: ChunkStore, profile: CollectionProfile, *, clock: Clock) -> Iterator[WriteSession]:
    """Open a session; what a dead one left behind is swept away first.

    However the body ends, short of the process dying, what was published is complete and the
    vocabulary fits it. Raises StoreLocked while another session is alive.
    """
    with lease(store, clock=clock) as held:
        session = WriteSession(store, profile, clock, held.note, dict(store.documents()))
        if held.follows_a_death:
            session.sweep()
        else:
            session.frequencies.update(store.vocabulary())
        try:
            yield session
        except BaseException:
            with suppress(StoreUnavailable):
                session.finish()
            raise
        session.finish()


def worth_keeping(frequencies: Counter[str]) -> dict[str, int]:
    """Leave out what occurs once and has a digit: numbers and ids, of which every chunk has its own."""
    return {
        term: count
        for term, count in frequencies.items()
        if count > 1 or (count == 1 and not any(char.isdigit() for char in term))
    }


def _is_alive(note: WriterNote, now: datetime) -> bool:
    """Whether the session of `note` may still be writing. On this machine the process itself is asked."""
    if note.host == socket.gethostname():
        return note.pid != os.getpid() and _process_exists(note.pid)
    return now - datetime.fromisoformat(note.beat_at) < SILENT_FOR


def _process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OSError):
        return True
    return True
