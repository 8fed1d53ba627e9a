"""Mistyped English words: read as the known word that is one edit away, if there is exactly one.

One edit is a letter too many, too few, another one, or two exchanged (Damerau 1964). Short words are left as
they are: too many other words are near them. So is what differs in its first or last letter: "broken" is no
"broker", and an ending is no mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

MIN_CHARS = 6
_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+(?![A-Za-z0-9])")


def known_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of `texts` in small letters."""
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))


def corrected(text: str, known: Set[str]) -> str:
    """Return `text` with each word that is not in `known` replaced by the one of `known` that was meant."""
    mistyped = {word for word in _WORD.findall(text) if len(word) >= MIN_CHARS and word.lower() not in known}
    if not mistyped:
        return text
    long = [word for word in known if len(word) >= MIN_CHARS]
    meant = {word: found for word in mistyped if (found := _meant(word.lower(), long))}
    return _WORD.sub(lambda match: meant.get(match[0], match[0]), text)


def _meant(word: str, known: Iterable[str]) -> str | None:
    ends = word[0], word[-1]
    near = [other for other in known if (other[0], other[-1]) == ends and _is_one_edit_away(word, other)]
    return near[0] if len(near) == 1 else None


def _is_one_edit_away(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return len(one) != len(other)
    rest, rest_of_other = one[same:], other[same:]
    if len(rest) == len(rest_of_other):
        swapped = rest[:2] == rest_of_other[1::-1] and rest[2:] == rest_of_other[2:]
        return rest[1:] == rest_of_other[1:] or swapped
    longer, shorter = (rest, rest_of_other) if len(rest) > len(rest_of_other) else (rest_of_other, rest)
    return longer[1:] == shorter
