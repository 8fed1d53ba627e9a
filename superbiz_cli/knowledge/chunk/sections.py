"""Group blocks under their headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.knowledge.chunk.blocks import Block, BlockKind


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks below one heading. `path` holds the headings from the outermost to the own one."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


def sections_of(blocks: Sequence[Block], *, title: str) -> list[Section]:
    """Return the sections in order. A first heading that repeats `title` opens no level of its own.

    A heading without text of its own is kept as text, unless a deeper heading follows and carries it.
    """
    found: list[Section] = []
    open_headings: list[tuple[int, str]] = []
    body: list[Block] = []

    def close(next_level: int) -> None:
        path = tuple(text for _, text in open_headings)
        if body:
            found.append(Section(path, tuple(body)))
        elif path and next_level <= open_headings[-1][0]:
            found.append(Section(path, (Block(BlockKind.TEXT, path[-1]),)))
        body.clear()

    for block in blocks:
        if block.kind is not BlockKind.HEADING:
            body.append(block)
            continue
        close(block.level)
        while open_headings and open_headings[-1][0] >= block.level:
            open_headings.pop()
        if open_headings or block.text.casefold() != title.casefold():
            open_headings.append((block.level, block.text))
    close(0)
    return found
