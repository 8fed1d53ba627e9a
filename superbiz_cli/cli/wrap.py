"""Line breaking by terminal cells, for text that mixes Latin and East Asian scripts.

Breaks at spaces and between wide characters, never before closing or after opening punctuation
(the kinsoku rules of JIS X 4051, in their simplest form). A word longer than the line is cut; no
text is ever dropped or abbreviated.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

_NOT_FIRST = frozenset("、。，．：；？！）］｝〉》」』】〕〗”’…—ー％,.:;?!)]}%")
_NOT_LAST = frozenset("（［｛〈《「『【〔〖“‘([{")


def wrap(text: Text, *, width: int, first: str = "", rest: str | None = None) -> list[Text]:
    """Break `text` into lines of at most `width` cells.

    `first` stands before the first line and `rest` before each following one (default: blanks of
    the same width). Line breaks in the text are kept.
    """
    rest = " " * cell_len(first) if rest is None else rest
    if "\n" not in text.plain and cell_len(first) + cell_len(text.plain) <= width:
        return [Text.assemble(first, text)]
    lines: list[Text] = []
    room = max(8, width - max(cell_len(first), cell_len(rest)))
    for paragraph in text.split("\n", allow_blank=True):
        for part in paragraph.divide(list(_breaks(paragraph.plain, room))) or [paragraph]:
            part.rstrip()
            lines.append(Text.assemble(first if not lines else rest, part))
    return lines


def clip(text: str, width: int) -> str:
    """Return the beginning of `text` that fits into `width` cells, with "…" if something is cut."""
    if cell_len(text) <= width:
        return text
    kept, used = [], 0
    for char in text:
        used += cell_len(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Return `text` filled up with blanks to `width` cells."""
    return text + " " * max(0, width - cell_len(text))


def _breaks(plain: str, width: int) -> Iterator[int]:
    """Yield the offsets at which lines after the first begin."""
    start = offset = 0
    used = 0
    for word in _words(plain):
        cells = cell_len(word.rstrip())
        if used + cells > width and offset > start:
            yield offset
            start, used = offset, 0
        if cells > width:
            for cut, remaining in _cuts(word, width):
                yield offset + cut
                start, used = offset + cut, remaining
        else:
            used += cell_len(word)
        offset += len(word)


def _words(plain: str) -> Iterator[str]:
    """Cut the text into the smallest pieces that may stand on different lines."""
    begin = 0
    for index in range(1, len(plain)):
        if _may_break(plain[index - 1], plain[index]):
            yield plain[begin:index]
            begin = index
    if begin < len(plain):
        yield plain[begin:]


def _may_break(before: str, after: str) -> bool:
    if before == " ":
        return after != " "
    if after == " " or after in _NOT_FIRST or before in _NOT_LAST:
        return False
    return cell_len(before) == 2 or cell_len(after) == 2


def _cuts(word: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield where a word that is too long is cut, and the cells that follow the last cut so far."""
    used = 0
    starts: list[int] = []
    for index, char in enumerate(word):
        cells = cell_len(char)
        if used + cells > width:
            starts.append(index)
            used = 0
        used += cells
    for number, start in enumerate(starts):
        is_last = number == len(starts) - 1
        yield start, cell_len(word[start:]) if is_last else width
