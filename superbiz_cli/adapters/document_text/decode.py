"""Bytes as text: UTF-8, UTF-16 with a mark, GB18030; a few broken bytes are replaced and said."""

from __future__ import annotations

import codecs

from superbiz_cli.knowledge.document import DocumentRefused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SNIFFED_BYTES = 8_192
_TOLERATED_SHARE = 0.01
_REPLACEMENT = "\ufffd"


def decode(raw: bytes) -> tuple[str, str]:
    """Return the text and a warning, "" if nothing was lost. Raises DocumentRefused for what is no text."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace"), ""
    if b"\x00" in raw[:_SNIFFED_BYTES]:
        raise DocumentRefused("is a binary file")
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding), "" if encoding == "utf-8" else "read as GB18030"
        except UnicodeDecodeError:
            continue
    text = raw.decode("utf-8", "replace")
    broken = text.count(_REPLACEMENT)
    if broken > _TOLERATED_SHARE * len(text):
        raise DocumentRefused("is neither UTF-8 nor GB18030 text", hint="convert it to UTF-8")
    return text, f"{broken} broken characters replaced"
