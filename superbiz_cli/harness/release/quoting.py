"""Which line of a cited result stands in its footnote: the one that shows what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from superbiz_cli.harness.contract.evidence import VerifiedEvidence

_WORD = re.compile(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]")
_LEAST_CHARS = 3


def quote_for(statements: Iterable[str], evidence: VerifiedEvidence) -> str:
    """Return the line that shares most with the `statements` that cite this evidence, the first above all.

    It is the most telling line unless another one shares more, by the length of the words in common; a
    line that says much else counts less.
    """
    said = [_words(text) for text in statements]
    best = evidence.excerpt
    most = _shared(best, said)
    for line in evidence.quotable:
        if (shared := _shared(line, said)) > most:
            best, most = line, shared
    return best


def _shared(line: str, said: Sequence[frozenset[str]]) -> float:
    words = _words(line)
    common = sum(sum(map(len, words & one)) * 0.5**index for index, one in enumerate(said))
    return common * common / max(1, sum(map(len, words)))


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word for word in _WORD.findall(text.casefold()) if len(word) >= _LEAST_CHARS or not word.isascii()
    )
