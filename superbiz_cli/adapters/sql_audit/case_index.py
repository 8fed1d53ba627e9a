"""The inverted index over cases: term -> the numbers of the cases that hold it.

One row a term, its occurrences packed into four bytes each, so that a recall reads a few rows instead
of a hundred thousand. Occurrences are only appended; those of removed cases point at numbers that
never come back.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection, LargeBinary, cast, func, select
from sqlalchemy.dialects import mysql, sqlite

from superbiz_cli.adapters.sql_audit.schema import case_term
from superbiz_cli.harness.application.similarity import IndexedTerms, Occurrences

_BYTES = 4
_term = case_term.c


def append(connection: Connection, cases: Mapping[int, IndexedTerms]) -> None:
    """Add the terms of new cases, by their numbers."""
    packed: dict[int, array[int]] = defaultdict(lambda: array("I"))
    for number, terms in cases.items():
        for term in terms.direct:
            packed[key_of(term)].append(number)
        for term in terms.indirect:
            packed[key_of(term, direct=False)].append(number)
    if not packed:
        return
    # One order for everybody: two writers on a server then never wait for each other in a circle.
    rows = sorted((key, _to_bytes(numbers)) for key, numbers in packed.items())
    statement = _appending_on_sqlite() if connection.dialect.name == "sqlite" else _appending_on_server()
    connection.execute(statement, [{"term": key, "occurrences": numbers} for key, numbers in rows])


def occurrences_of(connection: Connection, terms: Collection[str]) -> dict[str, Occurrences]:
    """Return where the known ones of `terms` occur."""
    keys = {term: (key_of(term), key_of(term, direct=False)) for term in terms}
    wanted = [key for pair in keys.values() for key in pair]
    rows = connection.execute(select(_term.term, _term.occurrences).where(_term.term.in_(wanted)))
    packed: dict[int, bytes] = {row.term: row.occurrences for row in rows}
    return {
        term: Occurrences(_unpacked(packed.get(direct, b"")), _unpacked(packed.get(indirect, b"")))
        for term, (direct, indirect) in keys.items()
        if direct in packed or indirect in packed
    }


def key_of(term: str, *, direct: bool = True) -> int:
    """Return the 64-bit key of a term for either kind of occurrence: the index holds no words."""
    kind = b"direct" if direct else b"indirect"
    digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8, person=kind).digest()
    return int.from_bytes(digest, "big", signed=True)


def _appending_on_sqlite() -> sqlite.Insert:
    new = sqlite.insert(case_term)
    both = cast(_term.occurrences.op("||")(new.excluded.occurrences), LargeBinary)
    return new.on_conflict_do_update(index_elements=[_term.term], set_={"occurrences": both})


def _appending_on_server() -> mysql.Insert:
    new = mysql.insert(case_term)
    return new.on_duplicate_key_update(occurrences=func.concat(_term.occurrences, new.inserted.occurrences))


def _to_bytes(numbers: Iterable[int]) -> bytes:
    packed = array("I", numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpacked(packed: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(packed[: len(packed) // _BYTES * _BYTES])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
