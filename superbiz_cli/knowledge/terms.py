"""Text as search terms: the same for a passage and for a query.

Latin words are lower-cased and stripped of common endings; identifiers also give their parts and one
compound without separators, so that "pg_xid_wraparound", "PgXidWraparound" and "pg xid wraparound" meet.
Chinese is cut into overlapping pairs of characters between function words: on the product's test set
that is as good as a segmenter, and it needs no dictionary.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator

from superbiz_cli.knowledge.identifiers import parts_of

MAX_TERM_CHARS = 48
_MAX_COMPOUND_PARTS = 6
_MIN_STEM_CHARS = 4

_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:/\-@#$%+]*[A-Za-z0-9])?|[\u3400-\u4dbf\u4e00-\u9fff]+")
_SEPARATOR = re.compile(r"[^A-Za-z0-9]+")
_VOWEL = re.compile(r"[aeiouy]")

STOP_WORDS = frozenset(
    """a about above after again all am an and any are as at be been before being below between both but by
    can could did do does doing done down during each few for from further had has have having he her here him
    his how i if in into is it its just may me might more most must my no nor not now of off on once only or
    other our out over own same shall she should so some such t than that the their them then there these they
    this those through to too under until up very was we were what when where which while who whom why will
    with would you your""".split()  # noqa: SIM905 (a list of words to read)
)
_FUNCTION_WORDS = re.compile(
    "|".join(
        sorted(
            """因为 所以 但是 还是 已经 需要 应该 可能 能够 必须 通过 使用 一些 这个 那个 它们 他们 我们 之后
            之前 以后 以前 其中 由于 并且 或者 然后 怎么 什么 如何 为什么 怎样 哪些 哪个 可以 没有 自己 进行
            以及 如果 时候 出现 一下 一个 的 了 和 是 在 我 有 就 不 人 都 一 上 也 很 到 说 要 去 你 会 着
            看 好 这 那 吗 呢 吧 啊 与 及 或 等 被 把 让 给 对 从 而 但 时""".split(),  # noqa: SIM905
            key=len,
            reverse=True,
        )
    )
)


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in order, repeated as often as they occur."""
    return list(_terms(unicodedata.normalize("NFKC", text)))


def term_id(term: str) -> int:
    """Return the place of a term in a sparse vector: 32 bits, the same on every machine."""
    return zlib.crc32(term.encode("utf-8"))


def _terms(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        token = match.group()
        yield from _latin(token) if token.isascii() else _chinese(token)


def _chinese(text: str) -> Iterator[str]:
    for part in _FUNCTION_WORDS.split(text):
        if len(part) == 1:
            yield part
        for start in range(len(part) - 1):
            yield part[start : start + 2]


def _latin(token: str) -> Iterator[str]:
    words = [word for word in _SEPARATOR.split(token) if word]
    for word in words:
        lowered = word.lower()
        if lowered in STOP_WORDS or len(word) > MAX_TERM_CHARS:
            continue
        yield stem(lowered)
        parts = parts_of(word)
        if len(parts) > 1:
            yield from (stem(part.lower()) for part in parts if part.lower() not in STOP_WORDS)
    compound = "".join(words).lower()
    if 1 < len(words) <= _MAX_COMPOUND_PARTS and len(compound) <= MAX_TERM_CHARS:
        yield stem(compound)


def stem(word: str) -> str:
    """Cut the commonest English endings (plural, -ing, -ed, -e), so that forms of a word meet."""
    if len(word) < _MIN_STEM_CHARS or not word.isalpha():
        return word
    if word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= _MIN_STEM_CHARS - 1 and _VOWEL.search(root):
            is_doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if is_doubled else root
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM_CHARS else word
