"""Pack the chosen passages into a bounded context: in order, the first ones whole, the last one cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.knowledge.rate import Rated
from superbiz_cli.knowledge.records import Chunk

PACK_CHARS = 4_000
_ELLIPSIS = " …"
_LEAST_CONTENT_CHARS = 80


@dataclass(frozen=True, slots=True)
class Passage:
    """One packed passage: its chunk, and its content, perhaps cut."""

    chunk: Chunk
    content: str
    quality: float

    @property
    def is_cut(self) -> bool:
        """Whether the end of the passage is missing."""
        return self.content != self.chunk.content


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits, and the keys of what does not."""

    passages: tuple[Passage, ...]
    omitted: tuple[str, ...]
    used_chars: int
    budget_chars: int


def pack(chosen: Sequence[Rated], *, budget_chars: int = PACK_CHARS) -> Packed:
    """Take passages as long as the budget lasts; headings count too.

    A passage of which less than 80 characters would fit is left out, and so is all that follows it.
    """
    passages: list[Passage] = []
    used = 0
    for number, item in enumerate(chosen):
        chunk = item.ranked.candidate.chunk
        room = budget_chars - used - len(header(chunk))
        if len(chunk.content) > room and room < _LEAST_CONTENT_CHARS:
            omitted = tuple(rest.ranked.candidate.chunk.key for rest in chosen[number:])
            return Packed(tuple(passages), omitted, used, budget_chars)
        content = chunk.content
        if len(content) > room:
            content = content[: room - len(_ELLIPSIS)].rstrip() + _ELLIPSIS
        passages.append(Passage(chunk, content, item.quality))
        used += len(header(chunk)) + len(content)
    return Packed(tuple(passages), (), used, budget_chars)


def header(chunk: Chunk) -> str:
    """Return the line above a passage."""
    return f"{chunk.title} · {chunk.section}\n" if chunk.section else f"{chunk.title}\n"
