"""Judged queries: a line of JSON each, `{"id", "query", "relevant": [doc_id, ...], "kind"?, "lang"?}`.

`relevant` are documents that answer the query, judged from the documents, not from any engine's output;
empty means that the collection holds no answer. A name may be shorter than the doc_id at its beginning
("redis/slow.md" for "runbooks/redis/slow.md"). Further fields are allowed and not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from superbiz_cli.harness.contract.strict import StrictJsonError, parse_strict_object

NO_ANSWER = "no-answer"
_DEFAULT_KIND = "query"


class GoldenInvalid(Exception):
    """The file of judged queries cannot be used. The message names line and field."""


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """One judged query."""

    id: str
    query: str
    relevant: tuple[str, ...]
    kind: str

    @property
    def is_answerable(self) -> bool:
        """Whether the collection holds an answer."""
        return bool(self.relevant)


def read_golden(path: Path) -> list[GoldenQuery]:
    """Read the judged queries. Raises GoldenInvalid, OSError."""
    queries: list[GoldenQuery] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            queries.append(_query(line, number))
    if not queries:
        raise GoldenInvalid("holds no query")
    if len({query.id for query in queries}) != len(queries):
        raise GoldenInvalid("has two queries with the same id")
    return queries


def known_as(name: str, doc_ids: Collection[str]) -> str | None:
    """Return the doc_id that `name` means, None if there is none."""
    if name in doc_ids:
        return name
    matches = [doc for doc in doc_ids if doc.endswith(f"/{name}") or name.endswith(f"/{doc}")]
    return min(matches, key=lambda doc: (-len(doc), doc)) if matches else None


def resolve(queries: Iterable[GoldenQuery], doc_ids: Collection[str]) -> tuple[list[GoldenQuery], set[str]]:
    """Return the queries with full doc_ids, and the names that the collection does not know."""
    resolved = []
    unknown: set[str] = set()
    for query in queries:
        found = {name: known_as(name, doc_ids) for name in query.relevant}
        unknown |= {name for name, doc in found.items() if doc is None}
        relevant = tuple(dict.fromkeys(doc or name for name, doc in found.items()))
        resolved.append(GoldenQuery(query.id, query.query, relevant, query.kind))
    return resolved, unknown


def _query(line: str, number: int) -> GoldenQuery:
    try:
        fields = parse_strict_object(line)
    except StrictJsonError as error:
        raise GoldenInvalid(f"line {number} is not one JSON object") from error
    query, relevant = fields.get("query"), fields.get("relevant")
    if not isinstance(query, str):
        raise GoldenInvalid(f'line {number} has no "query"')
    if not isinstance(relevant, list) or not all(isinstance(name, str) for name in relevant):
        raise GoldenInvalid(f'line {number} has no "relevant", a list of documents')
    kind = str(fields.get("kind") or _DEFAULT_KIND) if relevant else NO_ANSWER
    return GoldenQuery(str(fields.get("id") or number), query, tuple(str(name) for name in relevant), kind)
