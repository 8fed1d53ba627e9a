"""Numbers written in words, English and Chinese, and the scale words of both."""

from __future__ import annotations

import re
from decimal import Decimal

_ONES = re.findall(
    r"\w+",
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
    """,
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_WORD_VALUE: dict[str, int] = {word: value for value, word in enumerate(_ONES)} | {
    word: (index + 2) * 10 for index, word in enumerate(_TENS)
}
_MULTIPLIER = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_COUNT_ADVERB = {"twice": 2, "thrice": 3}

_ONE_WORD = "|".join([*_TENS, *reversed(_ONES), *_COUNT_ADVERB])
ENGLISH_NUMBER = rf"(?:{_ONE_WORD})(?:[\s-]+(?:and\s+)?(?:{_ONE_WORD}|{'|'.join(_MULTIPLIER)})){{0,6}}"

_DIGIT = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "仨": 3,
}
_PLACE = {"十": 10, "百": 100, "千": 1_000}
_BIG = {"万": 10_000, "亿": 100_000_000}
CHINESE_NUMBER = "[零〇一二两俩三仨四五六七八九十百千万亿]{1,12}"

SCALES: dict[str, int] = {
    "万": 10_000,
    "亿": 100_000_000,
    "千": 1_000,
    "百": 100,
    "百万": 1_000_000,
    "千万": 10_000_000,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "k": 1_000,
    "K": 1_000,
    "w": 10_000,
}


def english_number(words: str) -> Decimal:
    """Return the value of what ENGLISH_NUMBER matches, for example "two hundred and five"."""
    parts = [part for part in re.split(r"[\s-]+", words.lower()) if part != "and"]
    if len(parts) == 1 and parts[0] in _COUNT_ADVERB:
        return Decimal(_COUNT_ADVERB[parts[0]])
    total, current = 0, 0
    for part in parts:
        if part in _WORD_VALUE:
            current += _WORD_VALUE[part]
        elif part == "hundred":
            current = max(1, current) * 100
        else:
            total += max(1, current) * _MULTIPLIER[part]
            current = 0
    return Decimal(total + current)


def chinese_number(text: str) -> Decimal:
    """Return the value of what CHINESE_NUMBER matches, for example 两千三百, 十二 or 一八."""
    if all(char in _DIGIT for char in text):
        return Decimal(int("".join(str(_DIGIT[char]) for char in text)))
    total, section, digit = 0, 0, None
    for char in text:
        if char in _DIGIT:
            digit = _DIGIT[char]
        elif char in _PLACE:
            section += (1 if digit is None else digit) * _PLACE[char]
            digit = None
        else:
            section += digit or 0
            total = (total + section) * _BIG[char] if section or total else _BIG[char]
            section, digit = 0, None
    return Decimal(total + section + (digit or 0))
