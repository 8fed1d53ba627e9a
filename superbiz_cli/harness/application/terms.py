"""The terms of a text: what is left of a question or a case when only its meaning counts.

Concepts (`concepts`), identifiers and other words, each with a weight; everyday words, numbers and
times have none. English words are cut to their stems, Chinese text is taken in pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from superbiz_cli.harness.application.concepts import CONCEPTS

_WORD = 1.0
_PAIR = 0.5
_IDENTIFIER = 1.0
_MAX_WORDS = 4
_MAX_CHARS = 6
_ENDINGS = ("ions", "ion", "ings", "ing", "ies", "ed", "es", "s", "e", "y")
_REMOVED = re.compile(r"\[REDACTED[^\]]*\]|\[withheld\]")
_BIG_KEY = re.compile(r"[大热]\s*key", re.IGNORECASE)  # the words that mix both scripts
_SLOW_SQL = re.compile(r"慢\s*sql", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PIECE = re.compile(r"[a-z0-9]+|[㐀-鿿]+")
_COMPOUND = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+(?![\w.-])")
_EVERYDAY = frozenset(
    """a an the is are was were be been being to of in on at for and or not no it its this that these those
    with from by as we our you your i my me they them their use used using when what why how where which who
    does do did doing has have had having can could should would will may might must get gets getting got
    again keep keeps some any all every each many much more most few service services system systems server
    servers error errors exception exceptions fail fails failed failing failure failures problem problems
    issue issues incident broken wrong bad strange help please check look find found investigate diagnose
    since now today yesterday tonight morning evening after before during until between about around minutes
    minute hours hour seconds second days day am pm utc time times request requests call calls api apis app
    application applications production prod staging environment instance instances return returns happen
    happens happening happened start starts started begin began suddenly still just only also very too there
    here then than so but if while because due into out up off over under within new old same other customers
    customer users user people team see seen show shows says said report reported alert alerts alarm
    something anything nothing everything high higher highest low lower large huge""".split()  # noqa: SIM905 (a list of words to read)
)
_EVERYDAY_CHARS = frozenset("的了在是我们你他她它这那有和与或及就都也很被把从到对为谁请吗呢吧啊之帮")
_EVERYDAY_ZH = frozenset(
    """服务 系统 报错 错误 异常 失败 问题 故障 出错 告警 报警 接口 请求 排查 分析 原因 线上 生产 环境 用户
    客户 反馈 突然 看看 查看 查下 一下 为什么 什么 怎么 出现 今天 昨天 早上 下午 晚上 分钟 小时 时间 开始 之后
    之前 以后 大量 多个 很多 无法 不能 正常 情况 发生 目前 现在 最近 持续 一直 导致 应用 实例 帮我 帮忙 可能
    是不是 有没有 能不能""".split()  # noqa: SIM905
)


def terms_of(text: str) -> dict[str, float]:
    """Return the terms of `text` with their weights; a concept's name stands for its wordings."""
    spoken = _SLOW_SQL.sub(" slow sql ", _BIG_KEY.sub(" bigkey ", _REMOVED.sub(" ", text)))
    terms = {name: _IDENTIFIER for name in map(_name_of, _COMPOUND.findall(spoken)) if name}
    pieces = _PIECE.findall(_CAMEL.sub(" ", spoken).lower())
    words: list[str] = []
    for piece in [*pieces, "。"]:
        if piece.isascii():
            words.append(piece)
            continue
        _add_words(words, terms)
        words = []
        _add_chars(piece, terms)
    return terms


def stem(word: str) -> str:
    """Cut the commonest English endings, so that "timeouts" and "timeout" are one word."""
    if not word.isascii() or len(word) < 5 or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """Wordings to concepts: English ones as tuples of stems, Chinese ones as they are written."""

    phrases: dict[tuple[str, ...], str]
    chars: dict[str, str]


@cache
def _lexicon() -> _Lexicon:
    phrases: dict[tuple[str, ...], str] = {}
    chars = dict.fromkeys(_EVERYDAY_ZH, "")
    for concept, (_, english, chinese) in CONCEPTS.items():
        for wording in english.split("|"):
            phrases[tuple(stem(word) for word in wording.split())] = concept
        for wording in filter(None, chinese.split("|")):
            chars[wording] = concept
    return _Lexicon(phrases, chars)


def _add_words(words: Sequence[str], terms: dict[str, float]) -> None:
    """Add the concepts that `words` name, the longest wording first, and the words that are left."""
    phrases = _lexicon().phrases
    stems = [stem(word) for word in words]
    at = 0
    while at < len(stems):
        for length in range(min(_MAX_WORDS, len(stems) - at), 0, -1):
            concept = phrases.get(tuple(stems[at : at + length]))
            if concept is not None:
                _add(terms, concept, CONCEPTS[concept][0])
                at += length
                break
        else:
            if _tells_something(words[at]):
                _add(terms, stems[at], _WORD)
            at += 1


def _add_chars(text: str, terms: dict[str, float]) -> None:
    for known, part in _known_chars(text):
        if known:
            _add(terms, known, CONCEPTS[known][0])
        for pair in (part[i : i + 2] for i in range(len(part) - 1)):
            if not _EVERYDAY_CHARS.intersection(pair):
                _add(terms, pair, _PAIR)


def _known_chars(text: str) -> Iterator[tuple[str, str]]:
    """Yield (concept, "") for known wordings and ("", rest) for what is between them and everyday ones."""
    chars = _lexicon().chars
    begin = at = 0
    while at < len(text):
        for length in range(min(_MAX_CHARS, len(text) - at), 0, -1):
            concept = chars.get(text[at : at + length])
            if concept is not None:
                yield "", text[begin:at]
                yield concept, ""
                at += length
                begin = at
                break
        else:
            at += 1
    yield "", text[begin:]


def _add(terms: dict[str, float], term: str, weight: float) -> None:
    terms[term] = max(weight, terms.get(term, 0.0))


def _tells_something(word: str) -> bool:
    """Whether a word is more than an everyday one, a number, or a part of an id or a time ("t10")."""
    is_number = not word[:2].isalpha()
    return len(word) > 1 and not is_number and word not in _EVERYDAY and not _is_hex(word)


def _name_of(compound: str) -> str:
    """Return a compound as one name, or "" if its parts tell as much ("payment-service", "s-12")."""
    parts = re.split("[-_]", compound.lower())
    phrases = _lexicon().phrases
    of_its_own = [part for part in parts if _tells_something(part) and (stem(part),) not in phrases]
    is_id = any(char.isdecimal() for part in parts[1:] for char in part)
    return "-".join(parts) if of_its_own and not is_id else ""


def _is_hex(word: str) -> bool:
    return len(word) >= 6 and any(c.isdigit() for c in word) and all(c in "0123456789abcdef" for c in word)
