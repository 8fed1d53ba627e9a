r"""Make invisible and controlling characters of outside text visible.

A log line can carry terminal escapes, direction overrides or hidden instructions. They are evidence
too, so they are not dropped: each one is written out as `\x1b`, `\u202e` or `\U000e0041`.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidirectional controls
    "\u3164\ufeff\uffa0\ufff9-\uffff"  # fillers, byte order mark, annotations, noncharacters
    "\ufe00-\ufe0e"  # variation selectors but the emoji one
    "\ud800-\udfff"  # lone surrogates
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # format controls, tags
    "]|(?<=[\ufe00-\ufe0f])\ufe0f"  # a run of selectors can hide data
)
_REPLACEMENT_CHARACTER = "\ufffd"


def sanitize(text: str) -> str:
    """Return `text` with every control, direction and invisible character written out."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char == _REPLACEMENT_CHARACTER:  # visible already: what a decoder puts for undecodable bytes
        return char
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"
