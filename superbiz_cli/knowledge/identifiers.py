"""Names as they are written in operations: alerts, settings, error codes, classes, services."""

from __future__ import annotations

import re

_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SEPARATED = re.compile(r"[A-Za-z0-9]+(?:[._:/\-]+[A-Za-z0-9]+)+")
_CAMEL = re.compile(r"(?:[a-z]+[A-Z]|[A-Z]{2,}[a-z]|[A-Z][a-z]+[A-Z])")


def parts_of(name: str) -> list[str]:
    """Split an identifier into its words: "KubePodCrashLooping" -> Kube, Pod, Crash, Looping."""
    return _PARTS.findall(name)


def is_camel(name: str) -> bool:
    """Whether capitals inside the word separate its parts."""
    return _CAMEL.search(name) is not None


def spelled_out(name: str) -> str:
    """Return an identifier or a file stem as words."""
    return " ".join(part for word in re.split(r"[^A-Za-z0-9\u3400-\u9fff]+", name) for part in _words(word))


def _words(word: str) -> list[str]:
    return parts_of(word) if word.isascii() else [word]
