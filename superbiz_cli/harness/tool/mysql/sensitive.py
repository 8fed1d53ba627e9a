"""Which columns hold secrets, by their names."""

from __future__ import annotations

import re

_SECRET_WORDS = ("password", "passwd", "token", "secret", "apikey", "credential")
_SEPARATORS = re.compile(r"[^a-z0-9]")


def is_sensitive_name(name: str) -> bool:
    """Whether a column of this name holds a secret; `api_key`, `apiKey` and `API-KEY` are the same."""
    normalised = _SEPARATORS.sub("", name.lower())
    return any(word in normalised for word in _SECRET_WORDS)
