"""From a file to blocks of whole lines in UTF-8: decompressed, decoded, without NULs and escapes.

Everything behind this module sees one kind of bytes, whatever the file was. Memory is bounded by the
block size. Files are read with `read`, not mapped: a file that a rotation truncates while it is mapped
would kill the process.
"""

from __future__ import annotations

import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

BLOCK_BYTES = 1 << 18
MAX_LINE_BYTES = 1 << 20
SNIFF_BYTES = 1 << 16
_ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Za-z0-9]|[@-Z\\^_=>])")
_GZIP, _BZIP, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_MAGIC = {"gzip": _GZIP, "bzip2": _BZIP, "xz": _XZ}
_FOREIGN = re.compile(rb"[\x80-\xff]")
_CANDIDATES = ("gb18030", "big5", "cp1251", "shift_jis", "euc-kr")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class UnreadableLog(Exception):
    """A file cannot be read as a log. `reason` is one of a few words, without any text of a library."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Decompressor(Protocol):
    """What `bz2` and `lzma` offer, and `_Gzip` too: never more than `max_length` bytes at once."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def compression_of(head: bytes) -> str | None:
    """Return the compression that the first bytes show, by their magic numbers."""
    if head[:2] == _GZIP:
        return "gzip"
    if head[:3] == _BZIP and head[4:10] == b"1AY&SY":
        return "bzip2"
    if head[:6] == _XZ:
        return "xz"
    if head[:4] == _ZSTD or (head[1:4] == b"\x2a\x4d\x18" and head[:1] in b"PQRSTUVWXYZ[\\]^_"):
        return "zstd"
    return None


def read_decompressed(path: Path, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file. A truncated or damaged archive gives what can be had.

    Raises UnreadableLog or OSError before the first byte.
    """
    with path.open("rb") as file:
        head = file.read(16)
        file.seek(0)
        kind = compression_of(head)
        if kind is None:
            while block := file.read(size):
                yield block
        elif kind == "zstd":
            yield from _zstd(file, size)
        else:
            yield from _members(file, kind, size)


def _members(file: BinaryIO, kind: str, size: int) -> Iterator[bytes]:
    """Yield all members of a gzip, bzip2 or xz file; what is behind the last member is padding."""
    pending = file.read(size)
    while pending:
        decompressor = _new(kind)
        while not decompressor.eof:
            if decompressor.needs_input and not pending:
                pending = file.read(size)
                if not pending:
                    return  # truncated
            try:
                block = decompressor.decompress(pending if decompressor.needs_input else b"", size)
            except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
                return  # damaged from here on
            pending = b"" if not decompressor.eof else pending
            if block:
                yield block
        pending = decompressor.unused_data or file.read(size)
        pending = pending.lstrip(b"\x00") or file.read(size)
        if not pending.startswith(_MAGIC[kind]):
            return


class _Gzip:
    """zlib's decompressor with the interface of the other two."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(data or self._inner.unconsumed_tail, max(0, max_length))


def _new(kind: str) -> _Decompressor:
    if kind == "gzip":
        return _Gzip()
    return bz2.BZ2Decompressor() if kind == "bzip2" else lzma.LZMADecompressor()


def _zstd(file: BinaryIO, size: int) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError as error:
        raise UnreadableLog("zstd needs the package zstandard") from error
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
        file, read_across_frames=True, closefd=False
    )
    while True:
        try:
            block = reader.read(size)
        except zstandard.ZstdError:
            return
        if not block:
            return
        yield block


def _nonempty(block: bytes) -> Iterator[bytes]:
    if block:
        yield block


def encoding_of(head: bytes) -> str:
    """Return the encoding of decompressed text: by its mark, by its NULs, else the first that fits."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    sample = head[:4096]
    if len(sample) >= 8:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if odd > len(sample) // 5 and even < odd // 8:
            return "utf-16-le"
        if even > len(sample) // 5 and odd < even // 8:
            return "utf-16-be"
    if head.isascii() or _is_utf8(head):
        return "utf-8"
    return next((name for name in _CANDIDATES if _fits(head, name)), "utf-8")


def _is_utf8(head: bytes) -> bool:
    """Whether `head`, perhaps cut in a character, is UTF-8 but for a few bad bytes."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
    bad = text.count("\ufffd")
    good = sum(1 for char in text if ord(char) > 127) - bad
    return bad == 0 or good > 4 * bad


def _fits(head: bytes, name: str) -> bool:
    """Whether `head`, perhaps cut in a character, decodes to the common characters of a language."""
    try:
        text = codecs.getincrementaldecoder(name)("strict").decode(head)
    except UnicodeDecodeError:
        return False
    foreign = [char for char in text if ord(char) > 127]
    common = sum(1 for char in foreign if _is_common(char, name))
    return bool(foreign) and common >= 0.7 * len(foreign)


def _is_common(char: str, name: str) -> bool:
    """Whether a character is of those that make up nearly all text in the languages of an encoding.

    GB 2312 and Big5 have their common characters in the first planes, in which the other one's text
    would not fall: rows 16 to 55 (lead bytes B0 to D7) and lead bytes A4 to C6.
    """
    code = ord(char)
    if name == "cp1251":
        return 0x410 <= code <= 0x44F or char in "Ёё№«»—"
    if name == "euc-kr":
        return 0xAC00 <= code <= 0xD7A3
    if name == "shift_jis":
        return 0x3040 <= code <= 0x30FF or 0x4E00 <= code <= 0x9FFF
    if 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFFEF:
        return True
    written = char.encode(name, "replace")
    first, last = (0xB0, 0xD7) if name == "gb18030" else (0xA4, 0xC6)
    is_gb = name == "gb18030"
    return len(written) == 2 and first <= written[0] <= last and (not is_gb or written[1] >= 0xA1)


def is_plain_utf8(encoding: str, head: bytes) -> bool:
    """Whether text of this encoding can be read at any offset as it is."""
    return encoding == "utf-8" and b"\x00" not in head


def is_binary(head: bytes) -> bool:
    """Whether the (decoded) beginning of a file cannot be a text log. Holes of NULs are no objection."""
    sample = head.replace(b"\x00", b"")[:8192]
    controls = sum(sample.count(bytes([code])) for code in (*range(1, 9), *range(14, 27), *range(28, 32)))
    return controls > len(sample) // 20


def to_utf8(blocks: Iterator[bytes], encoding: str | None) -> Iterator[bytes]:
    """Yield the blocks in UTF-8. Undecodable bytes of a UTF-8 file stay as they are."""
    first = b""
    for block in blocks:
        first += block
        if len(first) >= 4096:
            break
    while encoding is None and first.isascii() and b"\x00" not in first[:4096]:
        yield from _nonempty(first)  # ASCII so far: the encoding shows where the first other byte is
        first = next(blocks, b"")
        if not first:
            return
    name = encoding or encoding_of(_from_first_foreign(first)[:SNIFF_BYTES])
    if codecs.lookup(name).name in {"utf-8", "utf-8-sig"}:
        yield from _nonempty(first.removeprefix(codecs.BOM_UTF8))
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(name)("replace")
    yield from _nonempty(decoder.decode(first).encode("utf-8", "replace"))
    for block in blocks:
        yield from _nonempty(decoder.decode(block).encode("utf-8", "replace"))
    yield from _nonempty(decoder.decode(b"", True).encode("utf-8", "replace"))


def _from_first_foreign(block: bytes) -> bytes:
    """Return a block from the line of its first byte beyond ASCII."""
    foreign = _FOREIGN.search(block)
    if foreign is None or foreign.start() < SNIFF_BYTES // 2:
        return block
    return block[block.rfind(b"\n", 0, foreign.start()) + 1 :]


def cleaned(block: bytes) -> bytes:
    """Return a block of whole lines without NULs, terminal escapes and carriage returns before newlines."""
    if b"\x00" in block:
        block = block.replace(b"\x00", b"")
    if b"\x1b" in block:
        block = _ANSI.sub(b"", block)
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    return block


def whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield blocks that end with a newline, but perhaps the last. A line above 1 MiB is cut in pieces."""
    carry = b""
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if not end:
            carry += block
            if len(carry) > MAX_LINE_BYTES:
                yield carry + b"\n"
                carry = b""
            continue
        yield carry + block[:end]
        carry = block[end:]
    if carry:
        yield carry


def read_blocks(path: Path, *, encoding: str | None, check: Callable[[], None]) -> Iterator[bytes]:
    """Yield cleaned blocks of whole lines of a file of any supported compression and encoding.

    Calls `check` before each block. Raises UnreadableLog for a binary file, OSError as it comes.
    """
    first = True
    decoded = to_utf8(read_decompressed(path), encoding)
    for block in whole_lines(block.replace(b"\x00", b"") if b"\x00" in block else block for block in decoded):
        check()
        if first:
            first = False
            if is_binary(block):
                raise UnreadableLog("binary file")
        yield cleaned(block)
