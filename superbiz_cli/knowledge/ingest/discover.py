"""Which files an ingestion reads: paths, folders, globs and standard input, each file once."""

from __future__ import annotations

import glob
import os
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

STDIN = "-"
STDIN_NAME = "stdin.md"
_HIDDEN_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read. `relative` is its path below the argument that named it, with "/" between.

    `root` is the folder of that argument; `path` is None for standard input, whose bytes are `content`.
    """

    path: Path | None
    root: Path
    relative: str
    content: bytes = b""

    @property
    def location(self) -> str:
        """Where the document comes from, as it is remembered."""
        return STDIN if self.path is None else str(self.path)

    @property
    def folder(self) -> str:
        """The name of the folder it is in, "" directly below the argument."""
        return self.relative.rpartition("/")[0].rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be ingested, and why; the rest goes on."""

    subject: str
    reason: str
    hint: str | None = None


@dataclass(slots=True)
class Found:
    """Files to read, what went wrong, and how many files of folders are of no known format."""

    sources: list[Source] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ignored: int = 0
    roots: list[Path] = field(default_factory=list)


def discover(
    arguments: Sequence[str], *, suffixes: Collection[str], stdin: Callable[[], bytes] = bytes
) -> Found:
    """Return the files that `arguments` name, in a stable order. `stdin` is read for the argument "-".

    In folders only files with one of `suffixes` count, and hidden ones do not. Links are followed, but
    no folder is entered twice.
    """
    found = Found()
    seen: set[str] = set()
    for argument in arguments:
        for source in _of_argument(argument, found, suffixes, stdin):
            identity = source.location if source.path is None else os.path.realpath(source.path)
            if identity not in seen:
                seen.add(identity)
                found.sources.append(source)
    return found


def _of_argument(
    argument: str, found: Found, suffixes: Collection[str], stdin: Callable[[], bytes]
) -> Iterator[Source]:
    if argument == STDIN:
        yield Source(None, Path(), STDIN_NAME, content=stdin())
        return
    path = Path(argument).expanduser()
    if path.is_dir():
        root = _absolute(path)
        found.roots.append(root)
        yield from _of_folder(root, found, suffixes)
    elif path.exists() or path.is_symlink():
        absolute = _absolute(path)
        yield Source(absolute, absolute.parent, _normal(absolute.name))
    elif glob.has_magic(argument):
        yield from _of_glob(path, found, suffixes)
    else:
        found.problems.append(Problem(argument, "does not exist"))


def _of_glob(pattern: Path, found: Found, suffixes: Collection[str]) -> Iterator[Source]:
    parts = pattern.parts
    fixed = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    root = _absolute(Path(*parts[:fixed]))
    matches = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207 (an absolute pattern)
    if not matches:
        found.problems.append(Problem(str(pattern), "matches no file"))
    for match in matches:
        path = _absolute(Path(match))
        if path.is_file() and path.suffix.lower() in suffixes:
            yield Source(path, root, _normal(path.relative_to(root).as_posix()))
        elif path.is_file():
            found.ignored += 1


def _of_folder(root: Path, found: Found, suffixes: Collection[str]) -> Iterator[Source]:
    def report(error: OSError) -> None:
        found.problems.append(Problem(str(error.filename), _reason(error)))

    entered: set[tuple[int, int]] = set()
    for folder, subfolders, files in os.walk(root, onerror=report, followlinks=True):
        identity = Path(folder).stat()
        if (identity.st_dev, identity.st_ino) in entered:
            subfolders.clear()
            continue
        entered.add((identity.st_dev, identity.st_ino))
        subfolders[:] = sorted(name for name in subfolders if not _is_hidden(name))
        for name in sorted(files):
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in suffixes:
                found.ignored += 1
            else:
                yield Source(path, root, _normal(path.relative_to(root).as_posix()))


def _absolute(path: Path) -> Path:
    """Return the path from the root, links as they are: mounted folders change what their links point to."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in _HIDDEN_FOLDERS


def _reason(error: OSError) -> str:
    return "cannot be opened: no permission" if isinstance(error, PermissionError) else "cannot be opened"


def _normal(relative: str) -> str:
    """Return the name in one Unicode form: some file systems decompose letters."""
    return unicodedata.normalize("NFC", relative.encode("utf-8", "replace").decode("utf-8"))
