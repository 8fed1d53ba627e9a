"""One ingestion from its arguments to its summary; the steps are the body of `Ingestion.ingest`."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from superbiz_cli.harness.core.run import Run
from superbiz_cli.knowledge.document import DocumentRefused
from superbiz_cli.knowledge.index import check_profile
from superbiz_cli.knowledge.ingest.chunking import Piece, pieces_of
from superbiz_cli.knowledge.ingest.creation import SAMPLE_DOCUMENTS, profile_of_sample
from superbiz_cli.knowledge.ingest.discover import STDIN, Problem, Source, discover
from superbiz_cli.knowledge.ingest.embedding import TextEmbedder, chunks_of
from superbiz_cli.knowledge.ingest.naming import assign_names
from superbiz_cli.knowledge.ingest.reading import Extract, Prepared, ReadingOptions, prepare, read_file
from superbiz_cli.knowledge.ingest.session import WriteSession, writing
from superbiz_cli.knowledge.language import language_of
from superbiz_cli.knowledge.ports import ChunkStore, Embedder, EmbeddingUnavailable
from superbiz_cli.knowledge.rebuild import Rebuild, Unwatched
from superbiz_cli.knowledge.records import WORDS_ONLY, CollectionProfile, DocumentRecord

GROUP_CHUNKS = 32
_MAX_FAILED_GROUPS = 3


class IngestListener(Protocol):
    """Hears how far an ingestion is, in the thread that ingests."""

    def planned(self, documents: int, size_bytes: int) -> None:
        """So much is new or changed."""
        ...

    def advanced(self, documents: int, size_bytes: int, chunks: int) -> None:
        """So much more is done."""
        ...

    def problem(self, problem: Problem) -> None:
        """Something could not be ingested."""
        ...

    def note(self, doc_id: str, text: str) -> None:
        """Something about a document is worth knowing."""
        ...


class Unheard:
    """An `IngestListener` for an ingestion that nobody watches."""

    def planned(self, documents: int, size_bytes: int) -> None:
        """Say nothing."""

    def advanced(self, documents: int, size_bytes: int, chunks: int) -> None:
        """Say nothing."""

    def problem(self, problem: Problem) -> None:
        """Say nothing; the summary has it."""

    def note(self, doc_id: str, text: str) -> None:
        """Say nothing."""


@dataclass(slots=True)
class IngestSummary:
    """What an ingestion did. Times are in seconds."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    moved: int = 0
    removed: int = 0
    ignored: int = 0
    chunks: int = 0
    secrets: int = 0
    problems: list[Problem] = field(default_factory=list)
    total_s: float = 0.0
    embedding_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Todo:
    """A document to read: new, or changed since it was published."""

    doc_id: str
    source: Source
    size_bytes: int


_Group = list[tuple[Prepared, list[Piece]]]


@dataclass(slots=True)
class Ingestion:
    """The parts of one ingestion. `embedder` is None for a collection that is searched by words only."""

    store: ChunkStore
    embedder: Embedder | None
    extract: Extract
    suffixes: Collection[str]
    options: ReadingOptions
    listener: IngestListener
    run: Run
    stdin: Callable[[], bytes] = bytes
    summary: IngestSummary = field(default_factory=IngestSummary)
    _failed_groups: int = 0

    def ingest(self, arguments: Sequence[str], *, prune: bool = False) -> IngestSummary:
        """Bring the collection up to date with the files that `arguments` name.

        Documents that did not change are skipped, changed ones replaced as a whole. With `prune`,
        documents whose files vanished from the named folders are removed. What cannot be ingested is
        reported and the rest goes on. Raises StoreUnavailable, EmbeddingUnavailable (while nothing is
        ingested yet) and RunAborted; what was published until then is complete.
        """
        began = time.monotonic()
        profile = self._profile()
        found = discover(arguments, suffixes=self.suffixes, stdin=self.stdin)
        self.summary.ignored = found.ignored
        for problem in found.problems:
            self._problem(problem)
        published = self.store.documents() if profile else {}
        named = assign_names(found.sources, published)
        todo, moved = self._compare(named, published)
        self.listener.planned(len(todo), sum(item.size_bytes for item in todo))
        texts = TextEmbedder(self.embedder, self.run)
        if profile is None and todo:
            profile = self._create(todo, texts)
        if profile is not None:
            with writing(self.store, profile, clock=self.run.clock) as session:
                session.move(moved)
                self._write(todo, texts, session)
                if prune:
                    self.summary.removed = session.remove(_vanished(published, named, found.roots))
            Rebuild(self.store, self.embedder, Unwatched(), self.run).recentre()
        self.summary.embedding_s = texts.spent_s
        self.summary.total_s = time.monotonic() - began
        return self.summary

    def _profile(self) -> CollectionProfile | None:
        profile = self.store.profile()
        if profile is not None:
            check_profile(profile, self.embedder.identity if self.embedder else WORDS_ONLY)
        return profile

    def _compare(
        self, named: Mapping[str, Source], published: Mapping[str, DocumentRecord]
    ) -> tuple[list[_Todo], list[DocumentRecord]]:
        """Return what must be read, and the records of unchanged documents that come from elsewhere now."""
        todo: list[_Todo] = []
        moved: list[DocumentRecord] = []
        for doc_id, source in named.items():
            self.run.check_active()
            try:
                file = read_file(source, self.options)
            except DocumentRefused as refused:
                self._problem(Problem(doc_id, refused.reason, refused.hint))
                continue
            record = published.get(doc_id)
            if record is None or record.content_hash != file.content_hash:
                todo.append(_Todo(doc_id, source, len(file.raw)))
                continue
            self.summary.unchanged += 1
            if record.source != source.location:
                moved.append(replace(record, source=source.location))
        self.summary.moved = len(moved)
        return todo, moved

    def _create(self, todo: Sequence[_Todo], texts: TextEmbedder) -> CollectionProfile | None:
        """Make the collection from a sample evenly spread over what is to be read."""
        step = max(1, len(todo) // SAMPLE_DOCUMENTS)
        sample = [pieces for item in todo[::step] if (pieces := self._pieces(item)) is not None]
        if not any(sample):
            sample = [pieces for item in todo if (pieces := self._pieces(item)) is not None]
        if not any(sample):
            self._report_all(todo)
            return None
        profile = profile_of_sample(sample, texts, created_at=self.run.clock.now().isoformat())
        self.store.create(profile)
        return profile

    def _report_all(self, todo: Sequence[_Todo]) -> None:
        """Report every document; used when none of them can be read."""
        for item in todo:
            self._prepared(item)

    def _pieces(self, item: _Todo) -> list[Piece] | None:
        """Return the chunks of a document, None if it is refused; nothing is reported yet."""
        try:
            document = prepare(
                read_file(item.source, self.options),
                doc_id=item.doc_id,
                options=self.options,
                extract=self.extract,
            )
        except DocumentRefused:
            return None
        return self._cut(document)

    def _cut(self, document: Prepared) -> list[Piece]:
        # By words alone short passages are rated better: without a model each character is a token.
        count = self.embedder.count_tokens if self.embedder else len
        return pieces_of(document, limits=self.options.limits, count_tokens=count)

    def _prepared(self, item: _Todo) -> Prepared | None:
        try:
            file = read_file(item.source, self.options)
            document = prepare(file, doc_id=item.doc_id, options=self.options, extract=self.extract)
        except DocumentRefused as refused:
            self._problem(Problem(item.doc_id, refused.reason, refused.hint))
            return None
        for note in document.notes:
            self.listener.note(item.doc_id, note)
        return document

    def _write(self, todo: Sequence[_Todo], texts: TextEmbedder, session: WriteSession) -> None:
        for group in self._groups(todo):
            if self._failed_groups < _MAX_FAILED_GROUPS:
                self._write_group(group, texts, session)
            else:
                self._fail(group, "was not tried: the embedding model keeps failing", None)

    def _groups(self, todo: Sequence[_Todo]) -> Iterator[_Group]:
        """Yield documents together until they have enough chunks to keep the model busy."""
        group: _Group = []
        for item in todo:
            self.run.check_active()
            document = self._prepared(item)
            if document is None:
                self.listener.advanced(1, item.size_bytes, 0)
                continue
            group.append((document, self._cut(document)))
            if sum(len(pieces) for _, pieces in group) >= GROUP_CHUNKS:
                yield group
                group = []
        if group:
            yield group

    def _write_group(self, group: _Group, texts: TextEmbedder, session: WriteSession) -> None:
        try:
            vectors = texts.embed([piece.enhanced for _, pieces in group for piece in pieces])
        except EmbeddingUnavailable as error:
            self._failed_groups += 1
            self._fail(group, f"was not embedded. {error}", error.hint)
            return
        self._failed_groups = 0
        revision = session.new_revision()
        written = []
        start = 0
        for document, pieces in group:
            own = vectors[start : start + len(pieces)]
            start += len(pieces)
            chunks = chunks_of(document, pieces, own, revision=revision, profile=session.profile)
            written.append((self._record(document, pieces, revision), chunks))
        session.replace(written, on_published=self._count)
        for document, pieces in group:
            self.listener.advanced(1, document.size_bytes, len(pieces))

    def _count(self, document: DocumentRecord, former: DocumentRecord | None) -> None:
        self.summary.chunks += document.chunks
        self.summary.secrets += document.secrets
        if former is None:
            self.summary.added += 1
        else:
            self.summary.replaced += 1

    def _record(self, document: Prepared, pieces: Sequence[Piece], revision: str) -> DocumentRecord:
        return DocumentRecord(
            doc_id=document.doc_id,
            source=document.source.location,
            title=document.title,
            scope=document.scope,
            category=document.category,
            language=language_of(document.text),
            content_hash=document.content_hash,
            revision=revision,
            chunks=len(pieces),
            size_bytes=document.size_bytes,
            secrets=document.secrets,
            ingested_at=self.run.clock.now().isoformat(),
        )

    def _fail(self, group: _Group, reason: str, hint: str | None) -> None:
        for document, _ in group:
            self._problem(Problem(document.doc_id, reason, hint))
            self.listener.advanced(1, document.size_bytes, 0)

    def _problem(self, problem: Problem) -> None:
        self.summary.problems.append(problem)
        self.listener.problem(problem)


def _vanished(
    published: Mapping[str, DocumentRecord], named: Mapping[str, Source], roots: Sequence[Path]
) -> list[str]:
    """Return the documents that came from below `roots` and are not there any more."""
    return [
        doc_id
        for doc_id, record in published.items()
        if doc_id not in named
        and record.source != STDIN
        and any(Path(record.source).is_relative_to(root) for root in roots)
    ]
