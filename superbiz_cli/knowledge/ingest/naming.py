"""The public name of a document: its path below the folder that was ingested, made unique where needed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from superbiz_cli.knowledge.ingest.discover import STDIN, Source
from superbiz_cli.knowledge.records import DocumentRecord

_MAX_NAME_CHARS = 300


def assign_names(sources: Sequence[Source], published: Mapping[str, DocumentRecord]) -> dict[str, Source]:
    """Return the sources by doc_id.

    A source keeps the name under which it is published. A name is also taken over from a source that
    is no longer here: the same folder at another place, or on another machine. Two files that both
    exist never share a name: the folder's name is put before the second one's.
    """
    names = {record.source: doc_id for doc_id, record in published.items() if record.source != STDIN}
    named: dict[str, Source] = {}
    for source in sources:
        known = names.get(source.location)
        if known is not None and known not in named:
            named[known] = source
            continue
        for candidate in _candidates(source):
            if candidate not in named and _is_free(candidate, source, published):
                named[candidate] = source
                break
    return named


def _candidates(source: Source) -> Iterator[str]:
    name = source.relative
    if len(name) > _MAX_NAME_CHARS:
        name = f"{_digest(name)}/{name[-_MAX_NAME_CHARS:]}"
    yield name
    for parent in (source.root, *source.root.parents):
        if parent.name:
            name = f"{parent.name}/{name}"
            yield name
    yield f"{source.relative}~{_digest(source.location)}"


def _is_free(name: str, source: Source, published: Mapping[str, DocumentRecord]) -> bool:
    record = published.get(name)
    if record is None or source.path is None or record.source in (source.location, STDIN):
        return True
    return not Path(record.source).exists()


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
