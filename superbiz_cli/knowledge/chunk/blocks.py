"""Markdown as a list of blocks: headings, code fences, tables and running text.

Only what chunking must not tear apart is recognised; it is no renderer. See https://spec.commonmark.org
for fences and headings and https://github.github.com/gfm/#tables-extension- for tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_FENCE = re.compile(r"^\s*(?:>\s?)*(?:[-*+]\s+|\d+[.)]\s+)?(?P<mark>`{3,}|~{3,})(?P<rest>.*)$")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{2,})[ \t]*$")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ANCHOR = re.compile(r"\s*\{#[^}]*\}\s*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"</?[a-zA-Z][^>]*>|[*`]+|(?<!\w)_+|_+(?!\w)")


class BlockKind(StrEnum):
    """What a block is, as far as chunking cares."""

    HEADING = "heading"
    TEXT = "text"
    FENCE = "fence"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines of one kind. `level` is 1..6 for a heading, whose `text` is its plain title."""

    kind: BlockKind
    text: str
    level: int = 0


def parse_blocks(markdown: str) -> list[Block]:
    """Return the blocks of a document in order. Comments and horizontal rules are dropped.

    The mark of a fence that is never closed is dropped, so that it cannot swallow the rest of the document.
    """
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return list(_Parser(lines).blocks())


def plain_title(text: str) -> str:
    """Return a heading or link text without Markdown and HTML marks, on one line."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", _ANCHOR.sub("", text))).split())


class _Parser:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._paragraph: list[str] = []

    def blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            special = self._fence() or self._heading() or self._table()
            if special is not None:
                yield from self._flush()
                yield special
                continue
            line = self._lines[self._at]
            if _FENCE.match(line) and not _is_inline(line):
                pass
            elif _UNDERLINE.match(line) and self._paragraph:
                yield from self._underlined(line)
            elif not line.strip() or _RULE.match(line):
                yield from self._flush()
            else:
                self._paragraph.append(line.rstrip())
            self._at += 1
        yield from self._flush()

    def _flush(self) -> Iterator[Block]:
        text = _COMMENT.sub("", "\n".join(self._paragraph)).strip("\n")
        self._paragraph = []
        if text.strip():
            yield Block(BlockKind.TEXT, text)

    def _underlined(self, underline: str) -> Iterator[Block]:
        title = self._paragraph.pop()
        yield from self._flush()
        if plain := plain_title(title):
            yield Block(BlockKind.HEADING, plain, 1 if "=" in underline else 2)

    def _fence(self) -> Block | None:
        opening = _FENCE.match(self._lines[self._at])
        if opening is None or _is_inline(self._lines[self._at]):
            return None
        closing = re.compile(rf"^\s*(?:>\s?)*{re.escape(opening['mark'][0])}{{{len(opening['mark'])},}}\s*$")
        for end in range(self._at + 1, len(self._lines)):
            if closing.match(self._lines[end]):
                text = "\n".join(self._lines[self._at : end + 1])
                self._at = end + 1
                return Block(BlockKind.FENCE, text)
        return None

    def _heading(self) -> Block | None:
        match = _HEADING.match(self._lines[self._at])
        title = plain_title(match["title"] or "") if match else ""
        if match is None or not title:
            return None
        self._at += 1
        return Block(BlockKind.HEADING, title, len(match["marks"]))

    def _table(self) -> Block | None:
        following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        header = self._lines[self._at]
        if "|" not in header or "|" not in following or not _DELIMITER.match(following):
            return None
        end = self._at + 2
        while end < len(self._lines) and "|" in self._lines[end] and self._lines[end].strip():
            end += 1
        text = "\n".join(line.rstrip() for line in self._lines[self._at : end])
        self._at = end
        return Block(BlockKind.TABLE, text)


def _is_inline(line: str) -> bool:
    """Whether a line that begins like a fence is code within the line: it has a backtick after the mark."""
    fence = _FENCE.match(line)
    return fence is not None and fence["mark"][0] == "`" and "`" in fence["rest"]
