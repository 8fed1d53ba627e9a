"""Patterns: events that differ only in values are one shape.

Two steps. `mask` replaces what varies inside a message (numbers, identifiers, hexadecimal, UUIDs,
addresses, paths, quoted values, durations) by a wildcard. `merge_templates` then joins shapes of the
same length that agree in most words, because some values are words (names of users, tables, states).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

WILDCARD = "<*>"
MAX_MASKED_CHARS = 400
_MERGE_SIMILARITY = 0.6

_VALUES = re.compile(
    r"\"[^\"]{0,200}\"|'[^']{0,200}'"  # quoted values
    r"|\b[a-z][a-z0-9+.-]*://[^\s,;)\]]+"  # addresses with a scheme
    r"|(?<![\w.])/[\w.%@+~-]+(?:/[\w.%@+~-]*)+"  # paths
    r"|[\w.+-]+@[\w-]+\.[\w.-]+"  # mail addresses
    r"|\b[0-9A-Fa-f]{6,}\b(?<=[0-9A-Fa-f])"  # hexadecimal and long numbers
    r"|[\w.:@/\\-]*\d[\w.:@/\\%-]*"  # any word with a digit: numbers, ids, addresses, durations
)
_RUNS = re.compile(r"(?:<\*>[\s,;:.|-]*){2,}(?=<\*>)")
_TOKENS = re.compile(r"[\s,;:=()\[\]{}|]+|[^\s,;:=()\[\]{}|]+")


def mask(message: str) -> str:
    """Return the shape of a message's first line: values replaced by a wildcard, bounded in length."""
    line = message[:MAX_MASKED_CHARS].partition("\n")[0]
    return _RUNS.sub("", _VALUES.sub(WILDCARD, line)).strip()


def merge_templates(templates: Sequence[str]) -> list[int]:
    """Return, for each masked template in order of importance, the index of the one it joins.

    A template joins the first earlier one with as many tokens, the same first word and at least 60 %
    equal words; a template that joins nothing gets its own index.
    """
    leaders: dict[tuple[int, str], list[tuple[int, list[str]]]] = {}
    joined: list[int] = []
    for index, template in enumerate(templates):
        words = _TOKENS.findall(template)
        bucket = leaders.setdefault((len(words), words[0] if words else ""), [])
        for leader, leader_words in bucket:
            if _similarity(words, leader_words) >= _MERGE_SIMILARITY:
                joined.append(leader)
                break
        else:
            bucket.append((index, words))
            joined.append(index)
    return joined


def _similarity(left: Sequence[str], right: Sequence[str]) -> float:
    words = [
        (a, b) for a, b in zip(left, right, strict=True) if a[0].isalnum() or a[0] == "<" or b[0].isalnum()
    ]
    if not words:
        return 1.0
    return sum(a == b for a, b in words) / len(words)
