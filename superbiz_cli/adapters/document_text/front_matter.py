"""Markdown files: the front matter is read for title, category and scope, and is no text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from superbiz_cli.knowledge.document import Document

_YAML = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_TOML = re.compile(
    r"\A\ufeff?\+\+\+[ \t]*\r?\n(?P<body>.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_MAX_LABEL_CHARS = 64
_MAX_TITLE_CHARS = 200


def read_markdown(text: str, *, warning: str = "") -> Document:
    """Return the document without its front matter; one that cannot be parsed is text like any other."""
    match = _YAML.match(text) or _TOML.match(text)
    fields = _fields(match) if match else None
    if match is None or fields is None:
        return Document(text.removeprefix("\ufeff"), warning=warning)
    return Document(
        text[match.end() :],
        title=_line(fields.get("title"), _MAX_TITLE_CHARS),
        category=_line(_first(fields.get("category", fields.get("categories"))), _MAX_LABEL_CHARS),
        scope=_line(fields.get("scope"), _MAX_LABEL_CHARS),
        warning=warning,
    )


def _fields(match: re.Match[str]) -> Mapping[str, Any] | None:
    try:
        if match.re is _TOML:
            import tomllib

            return tomllib.loads(match["body"])
        import yaml

        loaded = yaml.load(match["body"], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except Exception:  # whatever a parser makes of a stranger's file
        return None
    return loaded if isinstance(loaded, Mapping) else None


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _line(value: object, max_chars: int) -> str:
    return " ".join(str(value).split())[:max_chars] if isinstance(value, (str, int, float)) else ""
