"""Words of a text, in English and Chinese, for lexical comparison."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*|[一-鿿]+", re.IGNORECASE)
_STOP = frozenset(
    """a an and are as at be been by for from had has have in into is it its no not of on or so than that the
    their then there these they this those to was were which while will with within""".split()  # noqa: SIM905
)


def language_of(query: str) -> str:
    """Return "zh" for a text with a CJK ideograph, else "en"."""
    return "zh" if any("一" <= char <= "鿿" for char in query) else "en"


def words(text: str) -> list[str]:
    """Return lower-case words without stop words, and each Chinese run as its overlapping pairs."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if "一" <= token[0] <= "鿿":
            found.extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        elif token.lower() not in _STOP:
            found.append(token.lower())
    return found


def shared_share(part: str, whole: str) -> float:
    """Return the share of the distinct words of `part` that occur in `whole` (0 if it has none)."""
    wanted = set(words(part))
    if not wanted:
        return 0.0
    return len(wanted & set(words(whole))) / len(wanted)
