"""One spelling for what looks the same: full-width forms, typographic quotes, dashes, spaces."""

from __future__ import annotations

import re
import unicodedata

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK_CHAR = re.compile(f"[{CJK}]")
_BEFORE_NFKC = str.maketrans(
    {
        "，": ", ",  # a full-width comma separates a list; NFKC would make it a thousands separator
        "…": " … ",
        "→": "->",
        "–": "-",
        "—": " - ",
        "―": " - ",
        "‐": "-",
        "‑": "-",
        "−": "-",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "「": '"',
        "」": '"',
        "『": '"',
        "』": '"',
    }
)
_ELLIPSIS_KEPT = "\x00"


def normal(text: str) -> str:
    """Return `text` in NFKC with plain quotes and dashes and single spaces."""
    translated = text.translate(_BEFORE_NFKC).replace("…", _ELLIPSIS_KEPT)
    folded = unicodedata.normalize("NFKC", translated).replace(_ELLIPSIS_KEPT, "…")
    return " ".join(folded.split())


def is_mostly_chinese(text: str) -> bool:
    """Whether `text` is written in Chinese, Latin names in it notwithstanding."""
    ideographs = len(_CJK_CHAR.findall(text))
    return ideographs > 0 and ideographs * 4 >= len(re.findall(r"[A-Za-z]+", text))
