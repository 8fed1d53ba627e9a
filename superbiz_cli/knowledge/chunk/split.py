"""Cut blocks that are too long into pieces that stand alone: fences stay closed, tables keep their header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from superbiz_cli.knowledge.chunk.blocks import Block, BlockKind

Fits = Callable[[str], bool]

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")
_TABLE_HEAD_LINES = 2


def split_block(block: Block, fits: Fits) -> list[Block]:
    """Return `block`, or pieces of it that each satisfy `fits`, in order and without loss of content.

    `fits` must accept every text of one character, and with a text all shorter ones.
    """
    if fits(block.text):
        return [block]
    match block.kind:
        case BlockKind.FENCE:
            pieces = _split_fence(block.text, fits)
        case BlockKind.TABLE:
            pieces = _split_table(block.text, fits)
        case BlockKind.TEXT | BlockKind.HEADING:
            pieces = split_text(block.text, fits)
    return [Block(block.kind, piece, block.level) for piece in pieces]


def split_text(text: str, fits: Fits) -> list[str]:
    """Cut running text at line ends, else at sentence ends, else anywhere."""
    pieces: list[str] = []
    current = ""
    for separator, part in _parts(text, fits):
        joined = f"{current}{separator}{part}" if current else part
        if current and not fits(joined):
            pieces.append(current)
            joined = part
        current = joined
    return [*pieces, current] if current.strip() else pieces


def sentences(text: str) -> list[str]:
    """Return the sentences of a line, English and Chinese."""
    return [part for part in _SENTENCE_END.split(text) if part.strip()]


def _parts(text: str, fits: Fits) -> Iterator[tuple[str, str]]:
    """Yield (separator before it, part); every part fits."""
    for line in text.split("\n"):
        if fits(line):
            yield "\n", line
            continue
        separator = "\n"
        for sentence in sentences(line):
            for part in [sentence] if fits(sentence) else cut_anywhere(sentence, fits):
                yield separator, part
                separator = " " if sentence.isascii() else ""


def cut_anywhere(text: str, fits: Fits) -> list[str]:
    """Cut a text without any boundary into the longest pieces that fit, at a space where there is one."""
    pieces = []
    rest = text
    while rest and not fits(rest):
        length = _longest(rest, fits)
        space = rest.rfind(" ", length // 2, length)
        length = space + 1 if space > 0 else length
        pieces.append(rest[:length].rstrip())
        rest = rest[length:]
    return [piece for piece in [*pieces, rest] if piece.strip()]


def _longest(text: str, fits: Fits) -> int:
    low, high = 1, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(text[:middle]):
            low = middle
        else:
            high = middle
    return low


def _split_fence(text: str, fits: Fits) -> list[str]:
    opening, *body, closing = text.split("\n")
    return _wrapped(body, fits, before=[opening], after=[closing])


def _split_table(text: str, fits: Fits) -> list[str]:
    lines = text.split("\n")
    head, rows = lines[:_TABLE_HEAD_LINES], lines[_TABLE_HEAD_LINES:]
    return _wrapped(rows, fits, before=head, after=[])


def _wrapped(body: Sequence[str], fits: Fits, *, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Group lines so that each group fits between `before` and `after`, which every group repeats."""

    def whole(lines: Sequence[str]) -> str:
        return "\n".join([*before, *lines, *after])

    if not fits(whole(["x"])):  # not even the frame fits: it is no frame worth keeping
        return split_text("\n".join([*before, *body, *after]), fits)
    groups: list[list[str]] = [[]]
    for line in body:
        for part in [line] if fits(whole([line])) else cut_anywhere(line, lambda text: fits(whole([text]))):
            if groups[-1] and not fits(whole([*groups[-1], part])):
                groups.append([])
            groups[-1].append(part)
    return [whole(group) for group in groups if group]
