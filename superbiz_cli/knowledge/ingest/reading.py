"""Read one file into a prepared document: bounded, redacted, with its chunks still to be made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath

from superbiz_cli.knowledge.chunk.blocks import BlockKind, parse_blocks
from superbiz_cli.knowledge.chunk.chunks import ChunkLimits
from superbiz_cli.knowledge.document import Document, DocumentRefused
from superbiz_cli.knowledge.ingest.discover import Source
from superbiz_cli.knowledge.ingest.secrets import scan_secrets
from superbiz_cli.knowledge.records import DEFAULT_SCOPE

Extract = Callable[[str, bytes], Document]

PIPELINE_VERSION = 1
_MAX_TITLE_CHARS = 200
_MAX_LABEL_CHARS = 64


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What the caller decides for all documents of one ingestion. "" leaves a label to the document."""

    scope: str = ""
    category: str = ""
    keep_secrets: bool = False
    max_file_bytes: int = 20 * 1024 * 1024
    limits: ChunkLimits = field(default_factory=ChunkLimits)


@dataclass(frozen=True, slots=True)
class RawFile:
    """The bytes of a source, and the hash of all that shapes its chunks."""

    source: Source
    raw: bytes
    content_hash: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be chunked. `notes` are sentences for the user."""

    doc_id: str
    source: Source
    title: str
    scope: str
    category: str
    text: str
    content_hash: str
    size_bytes: int
    secrets: int
    notes: tuple[str, ...]


def read_file(source: Source, options: ReadingOptions) -> RawFile:
    """Return the bytes of a source. Raises DocumentRefused, also for a file that vanished meanwhile."""
    if source.path is None:
        _check_size(len(source.content), options.max_file_bytes)
        return RawFile(source, source.content, _hash(source.content, options))
    try:
        _check_size(source.path.stat().st_size, options.max_file_bytes)
        raw = source.path.read_bytes()
    except FileNotFoundError:
        raise DocumentRefused("has vanished") from None
    except PermissionError:
        raise DocumentRefused("cannot be read: no permission") from None
    except OSError:
        raise DocumentRefused("cannot be read") from None
    return RawFile(source, raw, _hash(raw, options))


def prepare(file: RawFile, *, doc_id: str, options: ReadingOptions, extract: Extract) -> Prepared:
    """Extract, label and redact a document. Raises DocumentRefused."""
    source = file.source
    document = extract(source.relative, file.raw)
    scanned = scan_secrets(document.text)
    notes = [document.warning] if document.warning else []
    if scanned.count:
        what = "kept" if options.keep_secrets else "redacted"
        lines = ", ".join(str(line) for line in scanned.lines)
        notes.append(f"{scanned.count} line(s) with a secret {what} (line {lines})")
    text = document.text if options.keep_secrets else scanned.text
    return Prepared(
        doc_id=doc_id,
        source=source,
        title=title_of(document, text, doc_id),
        scope=_label(options.scope or document.scope) or DEFAULT_SCOPE,
        category=_label(options.category or document.category or source.folder),
        text=text,
        content_hash=file.content_hash,
        size_bytes=len(file.raw),
        secrets=scanned.count,
        notes=tuple(notes),
    )


def title_of(document: Document, text: str, doc_id: str) -> str:
    """Return the stated title, else the first heading, else the file's name."""
    stem = PurePosixPath(doc_id).stem
    title = document.title or next(
        (block.text for block in parse_blocks(text) if block.kind is BlockKind.HEADING), stem
    )
    return " ".join(title.split())[:_MAX_TITLE_CHARS] or stem


def _check_size(size_bytes: int, limit_bytes: int) -> None:
    if size_bytes > limit_bytes:
        raise DocumentRefused(
            f"is too large ({size_bytes / 1e6:.1f} MB; the limit is {limit_bytes / 1e6:.0f} MB)",
            hint="split it, or raise [knowledge] max_file_mb",
        )


def _label(text: str) -> str:
    printable = "".join(char for char in text if char.isprintable())
    return " ".join(printable.split())[:_MAX_LABEL_CHARS]


def _hash(raw: bytes, options: ReadingOptions) -> str:
    digest = hashlib.blake2b(raw, digest_size=16)
    shaping = (
        PIPELINE_VERSION,
        options.scope,
        options.category,
        options.keep_secrets,
        asdict(options.limits),
    )
    digest.update(repr(shaping).encode("utf-8"))
    return digest.hexdigest()
