"""Which events a clause speaks of: those that hold a word of it which few or no others hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from superbiz_cli.harness.guard.claims.corpus import Corpus
from superbiz_cli.harness.guard.claims.names import words

_CLAUSE_END = re.compile(r"[,;:。;!?()]|\.\s|\bwhile\b|\bwhereas\b|而|其中")
_CJK_WORD = re.compile(r"[\u4e00-\u9fff]{2,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
        the and for was were are with from that this they them all its had has have been not but each per
        one two three four five six seven eight nine ten times time again which more than only just also
        into over after before between during until first last same other events event lines line log
        logs logged entries recorded total count matches matching
        """,
    )
)


def clause_around(text: str, start: int, end: int) -> str:
    """Return the clause of a normalised `text` around the span, without what the span holds."""
    left = [match.end() for match in _CLAUSE_END.finditer(text, 0, start)]
    right = _CLAUSE_END.search(text, end)
    first, last = left[-1] if left else 0, right.start() if right else len(text)
    return f"{text[first:start]} {text[end:last]}"


def telling_words(clause: str) -> Iterator[str]:
    """Yield the words of a clause by which events may be told apart, case folded."""
    for word in dict.fromkeys(words(clause)):
        if (len(word) > 2 or word.isdigit()) and word.casefold() not in _STOP:
            yield word.casefold()
    for run in _CJK_WORD.findall(clause):
        for width in (4, 3, 2):
            for start in range(len(run) - width + 1):
                yield run[start : start + width]


def holds(text: str, part: str) -> bool:
    """Whether a text of the evidence holds a word of a clause; digits only as a whole number."""
    if part.isdigit():
        return re.search(rf"(?<![A-Za-z0-9.]){part}(?![A-Za-z0-9]|\.\d)", text) is not None
    return part in text.casefold()


def named_events(clause: str, corpus: Corpus) -> set[int]:
    """Return the positions of the events that hold a word of the clause which no other event holds."""
    named: set[int] = set()
    for word in telling_words(clause):
        holding = [index for index, record in enumerate(corpus.records) if holds(record.text, word)]
        if len(holding) == 1:
            named.update(holding)
    return named
