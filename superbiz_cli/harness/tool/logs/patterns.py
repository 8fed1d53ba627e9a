"""Patterns: events that differ only in values are one shape.

Two steps. `mask` replaces what varies inside a message (numbers, identifiers, hexadecimal, UUIDs,
addresses, paths, quoted values, durations, dates) by a wildcard. `merge_templates` then finds values
that are plain words (names of users, tables, states): where many templates agree in all words but one,
that one is a value. Few variants are left apart, because "started" and "stopped" are not one event.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

WILDCARD = "<*>"
MAX_MASKED_CHARS = 400
FEWEST_VARIANTS = 5
_ROUNDS = 3
_FEWEST_CONSTANTS = 2

_UNIT = r"(?: ?(?:[KMGT]i?[Bb]|[Bb]|[Bb]ytes?|[mun]?s|secs?|seconds?|min(?:ute)?s?)\b)?"
_VALUES = re.compile(
    r"\"[^\"\s]{0,200}\"|'[^'\s]{0,200}'"  # quoted values of one word
    r"|\b[A-Za-z][A-Za-z0-9+.-]*+://[^\s,;)\]\"'<>]++"  # addresses with a scheme
    r"|(?<![\w.\])])/[\w.%@+~$-]++(?:/[\w.%@+~$-]*+)++(?:\?[^\s\"']*+)?"  # paths
    r"|(?<![\w.@/\\-])[A-Za-z_.@/\\+-]*+\d(?:[\w.@/\\%+-]|:(?=\w))*+"
    + _UNIT  # words with a digit
    + r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"  # mail addresses
    r"|(?<![\w.-])[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++(?=:\d|\])(?::\d+)?"  # hosts with a port or in brackets
    r"|(?<=\b[Uu]ser )(?!name\b|agent\b|id\b|is\b|was\b|not\b|has\b)[A-Za-z_][\w.$-]*+"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?= )"
    r"|\b[0-9A-Fa-f]{8,}+\b"
    r"|(?<=\()(?=\))"
)
_RUNS = re.compile(r"<\*>(?:[\s,;:.|/-]*<\*>)++")
_TOKENS = re.compile(r"[\w<*>$.-]+|[^\w\s<*>$.-]")


def mask(message: str) -> str:
    """Return the shape of a message's first line: values replaced by a wildcard, bounded in length."""
    line = message[:MAX_MASKED_CHARS].partition("\n")[0]
    return _RUNS.sub(WILDCARD, _VALUES.sub(WILDCARD, line)).strip()


def merge_templates(templates: Sequence[str]) -> list[int]:
    """Return, for each masked template in order of importance, the index of the one that leads its group.

    Templates of equally many words join where at least five of them differ in one word only. A word
    found to be a value is then a wildcard, and the search is repeated, for shapes with several values.
    """
    words = [_TOKENS.findall(template) for template in templates]
    leader = list(range(len(templates)))
    for _ in range(_ROUNDS):
        if not _merge_once(words, leader):
            break
    return [_root(leader, index) for index in range(len(templates))]


def _merge_once(words: list[list[str]], leader: list[int]) -> bool:
    """Join what differs in one word only; returns whether anything was joined."""
    variants: dict[tuple[int, tuple[str, ...]], dict[str, int]] = {}
    roots = [index for index in range(len(words)) if leader[index] == index]
    for index in roots:
        tokens = words[index]
        for place, word in enumerate(tokens):
            if word[0].isalnum() or word == WILDCARD:
                rest = (*tokens[:place], WILDCARD, *tokens[place + 1 :])
                variants.setdefault((place, rest), {}).setdefault(word, index)
    merged = False
    for (_, rest), members in sorted(variants.items(), key=lambda item: -len(item[1])):
        fewest = 2 if WILDCARD in members else FEWEST_VARIANTS
        still = [index for index in members.values() if leader[index] == index]
        if len(still) < fewest or sum(word[0].isalnum() for word in rest) < _FEWEST_CONSTANTS:
            continue
        first = min(still)
        for index in still:
            leader[index] = first
        words[first] = list(rest)
        merged = True
    return merged


def _root(leader: list[int], index: int) -> int:
    while leader[index] != index:
        index = leader[index]
    return index
