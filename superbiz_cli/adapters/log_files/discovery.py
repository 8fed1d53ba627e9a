"""Which files a source has: paths, folders and globs, each file once, bounded, without loops."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_FILES = 100_000
_SKIPPED_SUFFIXES = (".swp", ".pid", ".lock", ".sock", ".tmp~")


@dataclass(slots=True)
class Discovery:
    """The files found, and what could not be looked at."""

    files: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def discover(paths: tuple[str, ...], *, check: Callable[[], None]) -> Discovery:
    """Return every regular file below `paths` (files, folders, globs), sorted by name."""
    found = Discovery()
    seen: set[tuple[int, int]] = set()
    for text in paths:
        expanded = str(Path(text).expanduser())
        is_glob = glob.has_magic(expanded) and not Path(expanded).exists()
        matches = sorted(glob.glob(expanded, recursive=True)) if is_glob else [expanded]  # noqa: PTH207
        if not matches:
            found.problems.append(f"nothing matches {text}")
        for match in matches:
            check()
            _add(Path(match), found, seen, check)
            if len(found.files) >= MAX_FILES:
                found.problems.append(f"only the first {MAX_FILES} files were looked at")
                return found
    return found


def _add(path: Path, found: Discovery, seen: set[tuple[int, int]], check: Callable[[], None]) -> None:
    try:
        status = path.stat()
    except OSError as error:
        found.problems.append(f"{path.name}: {problem_of(error)}")
        return
    identity = (status.st_dev, status.st_ino)
    if identity in seen:
        return
    seen.add(identity)
    if path.is_file():
        if not path.name.endswith(_SKIPPED_SUFFIXES):
            found.files.append(path)
    elif not path.is_dir():
        found.problems.append(f"{path.name}: is neither a file nor a folder")
    else:
        for child in _children(path, found):
            check()
            _add(child, found, seen, check)
            if len(found.files) >= MAX_FILES:
                return


def _children(path: Path, found: Discovery) -> Iterator[Path]:
    try:
        names = sorted(child.name for child in path.iterdir())
    except OSError as error:
        found.problems.append(f"{path.name}: {problem_of(error)}")
        return
    for name in names:
        if not name.startswith("."):
            yield path / name


def problem_of(error: OSError) -> str:
    """Return a short word for what the system refused."""
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, PermissionError):
        return "permission denied"
    return "cannot be read"


def newest_files(files: list[Path], most: int) -> tuple[list[Path], int]:
    """Return at most `most` files, those written last, in their order, and how many are left out."""
    if len(files) <= most:
        return files, 0
    kept = set(sorted(files, key=_written, reverse=True)[:most])
    return [path for path in files if path in kept], len(files) - len(kept)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # vanished: last in the order, and named when it is opened


_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst|zstd|Z)$")
_NUMBERED = re.compile(r"^(.*?)\.(\d{1,4})$")
_DATED = re.compile(r"^(.*?)[-._]?((?:19|20)\d\d)[-_.]?(\d\d)[-_.]?(\d\d)(?:[-_.T]?(\d{1,10}))?(.*)$")


def rotated_sets(files: list[Path]) -> list[tuple[Path, ...]]:
    """Group files that rotation made of one log, each group from the oldest to the newest.

    `app.log`, `app.log.1` ... `app.log.104.gz` by number; `app-20240310.log`, `app.2024-03-10.1.log.gz`
    by date and number. A file alone is a group of its own.
    """
    names = {(path.parent, path.name) for path in files}
    groups: dict[tuple[Path, str], list[tuple[tuple[int, int, int], Path]]] = {}
    for path in files:
        stem, age = _rotation(path.name)
        if "." not in stem and stem != path.name and (path.parent, stem) not in names:
            stem, age = path.name, (2, 0, 0)  # `report.1` beside no `report` is no rotation
        groups.setdefault((path.parent, stem), []).append((age, path))
    return [tuple(path for _, path in sorted(members)) for members in groups.values()]


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file, and its place in the set that rotation made of one log."""

    path: Path
    following: Path | None = None
    continues_another: bool = False


def in_order(sets: list[tuple[Path, ...]]) -> Iterator[LogFile]:
    """Yield the files of each set from the oldest to the newest."""
    for files in sets:
        for number, path in enumerate(files):
            following = files[number + 1] if number + 1 < len(files) else None
            yield LogFile(path, following, continues_another=number > 0)


def _rotation(name: str) -> tuple[str, tuple[int, int, int]]:
    """Return the name before rotation, and a key that grows with time."""
    plain = _PACKED.sub("", name)
    if (numbered := _NUMBERED.match(plain)) is not None:
        inner, (rank, day, part) = _rotation(numbered[1])
        return inner, (rank, day, int(numbered[2])) if rank == 0 else (1, -int(numbered[2]), part)
    if (dated := _DATED.match(plain)) is not None and 1 <= int(dated[3]) <= 12 and 1 <= int(dated[4]) <= 31:
        day = int(dated[2]) * 10_000 + int(dated[3]) * 100 + int(dated[4])
        return dated[1].rstrip(".-_") + dated[6], (0, day, int(dated[5] or 0))
    return plain, (2, 0, 0)
