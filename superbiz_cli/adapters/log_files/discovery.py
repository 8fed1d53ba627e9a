"""Which files a source has: paths, folders and globs, each file once, bounded, without loops."""

from __future__ import annotations

import glob
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
    elif path.is_dir():
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
