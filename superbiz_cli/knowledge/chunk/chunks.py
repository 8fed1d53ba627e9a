"""Pack the sections of a document into chunks that fit two limits, characters and tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from superbiz_cli.knowledge.chunk.blocks import Block, BlockKind, parse_blocks
from superbiz_cli.knowledge.chunk.sections import Section, sections_of
from superbiz_cli.knowledge.chunk.split import sentences, split_block

_GAP = "\n\n"
_MAX_JOINT_CHARS = 120


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Bounds of one chunk. Tokens are counted over the enhanced text, characters over the content.

    Neighbouring sections of less than `min_chars` are joined; `overlap_chars` of the text before is
    repeated where one section is cut.
    """

    max_chars: int = 1_200
    max_tokens: int = 448
    overlap_chars: int = 150
    min_chars: int = 400


@dataclass(frozen=True, slots=True)
class ChunkText:
    """One chunk: `breadcrumb` are the headings above it, `content` its Markdown without them."""

    breadcrumb: tuple[str, ...]
    content: str

    @property
    def section(self) -> str:
        """The headings as one line, "" above the first heading."""
        return " > ".join(self.breadcrumb)


def chunk_document(
    markdown: str,
    *,
    title: str,
    limits: ChunkLimits,
    count_tokens: Callable[[str], int],
    enhance: Callable[[ChunkText], str],
) -> list[ChunkText]:
    """Return the chunks of a document in order.

    `enhance` gives the text that is embedded for a chunk, `count_tokens` its length in tokens of the
    embedding model. A fence or a table is cut only when it alone exceeds a limit.
    """
    packer = _Packer(limits, _LineTokens(count_tokens), enhance)
    drafts: list[ChunkText] = []
    for section in sections_of(parse_blocks(markdown), title=title):
        drafts.extend(packer.pack(section))
    return packer.join_small(drafts)


@dataclass(frozen=True, slots=True)
class _LineTokens:
    """Counts tokens line by line and each line once.

    Counting is dear (about 20 µs a token), and a text is tried many times while it is packed. The
    sum over lines is hardly ever less than the count of the whole.
    """

    count: Callable[[str], int]
    known: dict[str, int] = field(default_factory=dict)

    def __call__(self, text: str) -> int:
        marks = self._line("")  # begin, end and prefix, which the model adds once
        return marks + sum(self._line(line) - marks for line in text.split("\n") if line)

    def _line(self, line: str) -> int:
        found = self.known.get(line)
        if found is None:
            found = self.known[line] = self.count(line)
        return found


@dataclass(frozen=True, slots=True)
class _Packer:
    limits: ChunkLimits
    count_tokens: Callable[[str], int]
    enhance: Callable[[ChunkText], str]

    def pack(self, section: Section) -> Iterator[ChunkText]:
        def fits(text: str) -> bool:
            return self._fits(ChunkText(section.path, text))

        current: list[Block] = []
        for block in section.blocks:
            for piece in split_block(block, fits):
                if current and not fits(_text([*current, piece])):
                    yield ChunkText(section.path, _text(current))
                    overlap = self._overlap(current[-1])
                    current = [overlap] if overlap and fits(_text([overlap, piece])) else []
                current.append(piece)
        if current:
            yield ChunkText(section.path, _text(current))

    def join_small(self, drafts: Sequence[ChunkText]) -> list[ChunkText]:
        joined: list[ChunkText] = []
        for draft in drafts:
            together = self._join(joined[-1], draft) if joined else None
            if together is not None:
                joined[-1] = together
            else:
                joined.append(draft)
        return joined

    def _join(self, left: ChunkText, right: ChunkText) -> ChunkText | None:
        """Return both as one chunk, if one of them is small, they are relatives, and the whole fits."""
        if min(len(left.content), len(right.content)) >= self.limits.min_chars:
            return None
        shared = _shared(left.breadcrumb, right.breadcrumb)
        if len(shared) < len(left.breadcrumb) - 1:
            return None
        below = right.breadcrumb[len(shared) :]
        heading = f"{'#' * min(6, len(right.breadcrumb) + 1)} {below[-1]}" if below else ""
        content = _GAP.join(part for part in (left.content, heading, right.content) if part)
        whole = ChunkText(_joint_breadcrumb(left.breadcrumb, right.breadcrumb, shared), content)
        return whole if self._fits(whole) else None

    def _fits(self, chunk: ChunkText) -> bool:
        if len(chunk.content) > self.limits.max_chars:
            return False
        return self.count_tokens(self.enhance(chunk)) <= self.limits.max_tokens

    def _overlap(self, block: Block) -> Block | None:
        """Return the last sentences of running text; code and tables are not repeated."""
        if block.kind is not BlockKind.TEXT or not self.limits.overlap_chars:
            return None
        tail = ""
        for sentence in reversed(sentences(block.text.rpartition("\n")[2])):
            longer = f"{sentence} {tail}".strip()
            if len(longer) > self.limits.overlap_chars:
                break
            tail = longer
        return Block(BlockKind.TEXT, tail) if tail and tail != block.text else None


def _text(blocks: Sequence[Block]) -> str:
    return _GAP.join(block.text for block in blocks)


def _joint_breadcrumb(
    left: tuple[str, ...], right: tuple[str, ...], shared: tuple[str, ...]
) -> tuple[str, ...]:
    """Name both neighbours in the last place; a preamble keeps the place above its headings."""
    if len(left) == len(shared):
        return shared
    both = f"{left[-1]} / {right[-1]}" if len(right) > len(shared) else left[-1]
    return (*shared, both if len(both) <= _MAX_JOINT_CHARS else left[-1])


def _shared(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return left[:count]
