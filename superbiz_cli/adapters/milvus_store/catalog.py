"""The catalogue beside the chunks: profiles, published documents, vocabularies, running writes.

Each entry belongs to one chunk collection (`owner`), so that a rebuilt collection brings its own and
swapping the alias swaps them all. Writing one row is atomic in Milvus; that is what makes publishing a
document atomic, however many chunks it has.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from superbiz_cli.adapters.milvus_store.options import MilvusOptions
from superbiz_cli.adapters.milvus_store.rows import document_key
from superbiz_cli.knowledge.records import (
    Calibration,
    CollectionProfile,
    DocumentRecord,
    EmbedderIdentity,
    LanguageMean,
    Vector,
    WriterNote,
)

_BATCH = 1_000
_SHARD_BYTES = 48_000
_NOWHERE = [0.0, 0.0]


class Catalog:
    """The entries of one chunk collection."""

    def __init__(self, client: Any, name: str, owner: str, options: MilvusOptions) -> None:
        self._client = client
        self._name = name
        self._owner = owner
        self._timeout_s = options.timeout_s

    def profile(self) -> CollectionProfile | None:
        """Return the profile, None if there is none."""
        bodies = list(self._bodies("profile"))
        return _profile_of(bodies[0]) if bodies else None

    def save_profile(self, profile: CollectionProfile) -> None:
        """Write the profile."""
        self._put("profile", "", _profile_body(profile))

    def documents(self) -> dict[str, DocumentRecord]:
        """Return the published documents."""
        records = (DocumentRecord(**body) for body in self._bodies("document"))
        return {record.doc_id: record for record in records}

    def publish(self, document: DocumentRecord) -> None:
        """Write the entry of a document."""
        self._put("document", document_key(document.doc_id), asdict(document))

    def withdraw(self, doc_id: str) -> None:
        """Delete the entry of a document."""
        self._delete(f'key == "{self._key("document", document_key(doc_id))}"')

    def vocabulary(self) -> dict[str, int]:
        """Return the saved vocabulary."""
        found: dict[str, int] = {}
        for body in self._bodies("terms"):
            found.update(body)
        return found

    def save_vocabulary(self, frequencies: Mapping[str, int]) -> None:
        """Replace the vocabulary. A reader in between sees old and new shards, which is harmless."""
        count = 0
        for count, shard in enumerate(_shards(frequencies), start=1):
            self._put("terms", f"{count:05d}", shard)
        self._delete(
            f'owner == "{self._owner}" and kind == "terms" and key > "{self._key("terms", f"{count:05d}")}"'
        )

    def writer(self) -> WriterNote | None:
        """Return the note of the session that writes."""
        bodies = list(self._bodies("writer"))
        return WriterNote(**bodies[0]) if bodies else None

    def note_writer(self, note: WriterNote | None) -> None:
        """Write or delete the note."""
        if note is None:
            self._delete(f'key == "{self._key("writer", "")}"')
        else:
            self._put("writer", "", asdict(note))

    def drop_all(self) -> None:
        """Delete all entries of this collection."""
        self._delete(f'owner == "{self._owner}"')

    def _key(self, kind: str, name: str) -> str:
        return f"{self._owner}|{kind}|{name}"

    def _put(self, kind: str, name: str, body: Mapping[str, Any]) -> None:
        row = {
            "key": self._key(kind, name),
            "owner": self._owner,
            "kind": kind,
            "body": json.dumps(body, ensure_ascii=False, separators=(",", ":")),
            "place": _NOWHERE,
        }
        self._client.upsert(self._name, [row], timeout=self._timeout_s)

    def _delete(self, expression: str) -> None:
        self._client.delete(self._name, filter=expression, timeout=self._timeout_s)

    def _bodies(self, kind: str) -> Iterator[dict[str, Any]]:
        rows = self._client.query_iterator(
            self._name,
            batch_size=_BATCH,
            filter=f'owner == "{self._owner}" and kind == "{kind}"',
            output_fields=["body"],
            consistency_level="Strong",
            timeout=self._timeout_s,
        )
        try:
            while batch := rows.next():
                for row in batch:
                    yield json.loads(row["body"])
        finally:
            rows.close()


def _shards(frequencies: Mapping[str, int]) -> Iterator[dict[str, int]]:
    shard: dict[str, int] = {}
    size = 0
    for term, count in frequencies.items():
        shard[term] = count
        size += len(term.encode("utf-8")) + 12
        if size >= _SHARD_BYTES:
            yield shard
            shard, size = {}, 0
    if shard:
        yield shard


def _profile_body(profile: CollectionProfile) -> dict[str, Any]:
    return {
        "embedder": asdict(profile.embedder),
        "schema_version": profile.schema_version,
        "average_terms": profile.average_terms,
        "means": {
            language: {"vector": _packed(mean.vector), "sample": mean.sample}
            for language, mean in profile.means.items()
        },
        "calibration": asdict(profile.calibration) if profile.calibration else None,
        "created_at": profile.created_at,
        "changed_at": profile.changed_at,
    }


def _profile_of(body: Mapping[str, Any]) -> CollectionProfile:
    calibration = body.get("calibration")
    return CollectionProfile(
        embedder=EmbedderIdentity(**body["embedder"]),
        schema_version=int(body["schema_version"]),
        average_terms=float(body["average_terms"]),
        means={
            language: LanguageMean(_unpacked(mean["vector"]), int(mean["sample"]))
            for language, mean in body["means"].items()
        },
        calibration=Calibration(**calibration) if calibration else None,
        created_at=body["created_at"],
        changed_at=body["changed_at"],
    )


def _packed(vector: Vector) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def _unpacked(text: str) -> tuple[float, ...]:
    raw = base64.b64decode(text)
    return struct.unpack(f"<{len(raw) // 4}f", raw)
