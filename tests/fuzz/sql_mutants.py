"""Mutants of benign and hostile SQL: words, signs, pieces of other queries, and odd values."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from tests.support.sql_lines import sql_lines

Query: TypeAlias = tuple[str, list[Any]]

BENIGN_SHARE = 0.7

BENIGN_SEEDS: Sequence[Query] = (
    ("SELECT id, state FROM tickets WHERE owner_id = ? AND price > ? ORDER BY id DESC LIMIT ?", [1, 5, 10]),
    (
        "SELECT t.state s, COUNT(*) n, SUM(e.kind = ?) FROM tickets t LEFT JOIN events e "
        "ON e.ticket_id = t.id GROUP BY s HAVING n > ? ORDER BY n",
        ["PAY", 0],
    ),
    (
        "SELECT MAX(price) - MIN(price), AVG(DISTINCT price) FROM store.tickets "
        "WHERE NOT (state LIKE ? OR id IN (?, ?))",
        ["N%", 1, 2],
    ),
    (
        "SELECT DISTINCT p.name FROM people AS p INNER JOIN tickets ON tickets.owner_id = p.id "
        "WHERE p.`rank` BETWEEN ? AND ? OR p.name IS NOT NULL",
        [1, 2],
    ),
    ("SELECT id, price - owner_id AS diff FROM tickets WHERE id % ? = ? ORDER BY price * id", [2, 1]),
)
HOSTILE_SEEDS: Sequence[Query] = (
    ("SELECT id FROM tickets UNION SELECT id FROM secrets", []),
    ("SELECT password_hash FROM people", []),
    ("SELECT SLEEP(?) FROM tickets", [9]),
    ("SELECT id FROM tickets WHERE id = ? /*! OR 1=1 */; DROP TABLE tickets", [1]),
    ("SELECT id INTO OUTFILE '/tmp/x' FROM tickets FOR UPDATE", []),
    ("SELECT x.* FROM (SELECT id FROM secrets) x, tickets t WHERE EXISTS (SELECT 1)", []),
)
_WORDS = """
    SELECT FROM WHERE JOIN LEFT INNER OUTER ON AND OR NOT IN LIKE BETWEEN IS NULL GROUP BY HAVING ORDER ASC
    DESC LIMIT OFFSET DISTINCT ALL AS COUNT SUM MIN MAX AVG DIV MOD XOR UNION EXCEPT INTO OUTFILE FOR UPDATE
    LOCK USING NATURAL CROSS FULL CASE WHEN THEN END EXISTS ANY WITH VALUES TABLE INTERVAL BINARY COLLATE
    REGEXP ESCAPE TRUE OVER WINDOW SLEEP BENCHMARK VERSION USER DATABASE LOAD_FILE IF CAST CONVERT DATE NOW
    UTC_DATE CURRENT_USER PROCEDURE ROW id state price owner_id ticket_id tickets events people secrets store
    ledger mysql information_schema password_hash internal_note name `rank` `id` `tickets` t e p n s o orders
    users payments status amount user_id hr
"""
WORDS = _WORDS.split()
SIGNS = [
    *"?(),.;*+-/%=<>!`'\"@#$&|^~:{}[]\\ \t\n\x00",
    *("--", "-- ", "/*", "*/", "/*!", "<=>", "<>", "!=", "||", "&&", "->", ":=", "?.", "()", "(?)"),
    *("COUNT(*)", " = ?", " AND id = ?", "0x1", "1", "'x'", "\u00a0", "\u3000", "\uff08", "é", "\ud800"),
]
VALUES: Sequence[Any] = [0, 1, -1, 5, 2**63, 1.5, "x", "", "%", "2026-11-30", True, None]
ODD_VALUES: Sequence[Any] = [[1], {}, float("nan"), "a" * 5_000, 2**70, b"x", "\ud800"]

# Our own tables for those of the given queries, so that their mutants have a chance to be accepted.
_TRANSLATION = {
    "orders": "tickets",
    "payments": "events",
    "users": "people",
    "shop": "store",
    "status": "state",
    "amount": "price",
    "user_id": "owner_id",
    "order_id": "ticket_id",
    "channel": "kind",
    "error_code": "kind",
    "latency_ms": "took_ms",
    "created_at": "opened_at",
    "level": "`rank`",
}
_PIECE = re.compile(r"\s+|\w+|`[^`]*`|.", re.DOTALL)


def mutants(seed: int) -> Iterator[Query]:
    """Yield mutated queries with their values, without end."""
    source = random.Random(seed)
    benign = [*BENIGN_SEEDS, *_given("benign.jsonl")]
    hostile = [*HOSTILE_SEEDS, *_given("attacks.jsonl"), *_given("edge.jsonl"), *_given("redaction.jsonl")]
    everything = [*benign, *hostile]
    while True:
        sql, values = source.choice(benign if source.random() < BENIGN_SHARE else hostile)
        pieces = _PIECE.findall(sql)
        for _ in range(source.choice((1, 1, 1, 2, 3))):
            pieces = _mutated(pieces, everything, source)
        text = "".join(pieces)
        yield text, _matching(list(values), text.count("?"), source)


def _given(file: str) -> list[Query]:
    lines = [line for line in sql_lines(file) if len(line["sql"]) < 2_000]
    return [(_translated(line["sql"]), list(line["params"])) for line in lines]


def _translated(sql: str) -> str:
    for old, new in _TRANSLATION.items():
        sql = re.sub(rf"(?<!`)\b{old}\b(?!`)", new, sql)
    return sql


def _mutated(pieces: list[str], corpus: Sequence[Query], source: random.Random) -> list[str]:
    at = source.randrange(len(pieces) + 1)
    match source.randrange(9):
        case 0:
            return pieces[:at] + pieces[at + 1 :]
        case 1:
            return pieces[:at] + pieces[at : at + 2] + pieces[at:]
        case 2:
            return [*pieces[:at], " ", source.choice(WORDS), " ", *pieces[at:]]
        case 3:
            return [*pieces[:at], source.choice(WORDS), *pieces[at + 1 :]]
        case 4:
            return [*pieces[:at], source.choice(SIGNS), *pieces[at:]]
        case 5:
            return [*pieces[:at], source.choice(SIGNS), *pieces[at + 1 :]]
        case 6:
            other = _PIECE.findall(source.choice(corpus)[0])
            cut = source.randrange(len(other) + 1)
            return pieces[:at] + other[cut : cut + source.randrange(1, 12)] + pieces[at:]
        case 7:
            until = min(len(pieces), at + source.randrange(1, 8))
            return [*pieces[:at], "(", *pieces[at:until], ")", *pieces[until:]]
        case _:
            piece = pieces[at] if at < len(pieces) else ""
            return [*pieces[:at], piece.swapcase(), *pieces[at + 1 :]]


def _matching(values: list[Any], wanted: int, source: random.Random) -> list[Any]:
    """Mostly give as many values as there are placeholders: otherwise all mutants die of that."""
    if source.random() < 0.05:
        return values
    values = [*values, *(source.choice(VALUES) for _ in range(wanted - len(values)))][:wanted]
    if values and source.random() < 0.15:
        values[source.randrange(len(values))] = source.choice([*VALUES, *ODD_VALUES])
    return values
