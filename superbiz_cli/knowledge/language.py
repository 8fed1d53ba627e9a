"""Which of two groups a text belongs to: Chinese, or written in Latin letters."""

from __future__ import annotations

import re

CHINESE = "zh"
LATIN = "en"

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z]+")
_CHARS_PER_WORD = 2.0
_CHINESE_SHARE = 0.3


def language_of(text: str) -> str:
    """Return "zh" if at least 30 % of the words are Chinese (two characters count as one word), else "en"."""
    chinese = len(_CJK.findall(text)) / _CHARS_PER_WORD
    latin = len(_WORD.findall(text))
    return CHINESE if chinese and chinese >= _CHINESE_SHARE * (chinese + latin) else LATIN
