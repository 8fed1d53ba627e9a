"""A quick look at a source: how many files, how they are understood, how new the newest event is.

Reads only beginnings and ends, so that `doctor` and `logs sources` answer at once on any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from superbiz_cli.adapters.log_files.bytes_in import UnreadableLog, cleaned, compression_of
from superbiz_cli.adapters.log_files.discovery import discover, problem_of, rotated_sets
from superbiz_cli.adapters.log_files.events import FileReader, split_lines
from superbiz_cli.adapters.log_files.inspect import shapes_of
from superbiz_cli.adapters.log_files.source import LogSource
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.tool.logs.contract import from_us

_TAIL_BYTES = 256 << 10
_MOST_LOGS = 50
_HEAD_EVENTS = 20


@dataclass(slots=True)
class SourceSurvey:
    """What a look at a source has shown. `newest_us` is the newest event found, None if there is none."""

    name: str
    topic: str
    kind: str
    files: int = 0
    total_bytes: int = 0
    newest_us: int | None = None
    shapes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def newest(self) -> datetime | None:
        """The time of the newest event, in UTC."""
        return None if self.newest_us is None else from_us(self.newest_us)

    def as_json(self) -> dict[str, JsonValue]:
        """Return the survey as it is printed with `--json`."""
        return {
            "name": self.name,
            "topic": self.topic,
            "kind": self.kind,
            "files": self.files,
            "bytes": self.total_bytes,
            "newest_event": None if self.newest is None else self.newest.isoformat(),
            "shapes": list(self.shapes),
            "problems": list(self.problems),
        }


def survey_files(source: LogSource, *, check: Callable[[], None] = lambda: None) -> SourceSurvey:
    """Look at a source of files; of a rotated set only at the newest file, of many logs at the newest 50."""
    survey = SourceSurvey(source.name, source.topic.value, source.kind.value)
    found = discover(source.paths, check=check)
    survey.problems += found.problems
    survey.files = len(found.files)
    newest: list[tuple[float, Path]] = []
    for files in rotated_sets(found.files):
        sizes = [_status(path, survey) for path in files]
        survey.total_bytes += sum(size for _, size in sizes)
        newest.append((sizes[-1][0], files[-1]))
    for _, path in sorted(newest, reverse=True)[:_MOST_LOGS]:
        check()
        try:
            _look_at(path, source, survey, check)
        except UnreadableLog as error:
            survey.problems.append(f"{path.name}: {error.reason}")
        except OSError as error:
            survey.problems.append(f"{path.name}: {problem_of(error)}")
    return survey


def reaches_back(source: LogSource, at_us: int, *, check: Callable[[], None]) -> bool:
    """Whether some log of the source has an event at or before an instant, at its beginning or its end.

    Only then does silence before an event say anything. Of a rotated set the oldest file is looked at.
    """
    for files in rotated_sets(discover(source.paths, check=check).files)[:_MOST_LOGS]:
        check()
        try:
            if _begins_by(files[0], source, at_us, check):
                return True
        except (UnreadableLog, OSError):
            continue
    return False


def _begins_by(path: Path, source: LogSource, at_us: int, check: Callable[[], None]) -> bool:
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    reader = FileReader(path, source, reference=written, written=written, check=check)
    head = islice(reader.events(reader.open()), _HEAD_EVENTS)
    if any(seen is not None and seen <= at_us for seen, _ in head):
        return True
    tail = _tail(path)  # of a file with the newest event first; a long one is not unpacked for that
    events = reader.assemble(_first_lines(reader.open()) if tail is None else tail)
    return any(seen is not None and seen <= at_us for seen, _ in events)


def _status(path: Path, survey: SourceSurvey) -> tuple[float, int]:
    try:
        status = path.stat()
    except OSError as error:
        survey.problems.append(f"{path.name}: {problem_of(error)}")
        return 0.0, 0
    return status.st_mtime, status.st_size


def _look_at(path: Path, source: LogSource, survey: SourceSurvey, check: Callable[[], None]) -> None:
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    reader = FileReader(path, source, reference=written, written=written, check=check)
    blocks = reader.open()
    survey.shapes += [shape for shape in shapes_of(reader) if shape not in survey.shapes]
    lines = _tail(path)
    for at_us, _ in reader.assemble(_last_lines(blocks) if lines is None else lines):
        if at_us is not None and at_us > (survey.newest_us or 0):
            survey.newest_us = at_us


def _first_lines(blocks: Iterable[bytes]) -> list[bytes]:
    """Return the first lines of decoded blocks, all of them of a short file."""
    kept = b""
    for block in blocks:
        kept += block
        if len(kept) >= _TAIL_BYTES:
            return split_lines(kept[: kept.rfind(b"\n", 0, _TAIL_BYTES) + 1])
    return split_lines(kept)


def _last_lines(blocks: Iterable[bytes]) -> list[bytes]:
    """Return the last lines of decoded blocks, all of them of a short file."""
    kept = b""
    for block in blocks:
        kept = block if len(block) >= _TAIL_BYTES else (kept + block)[-2 * _TAIL_BYTES :]
    return split_lines(kept) if len(kept) <= _TAIL_BYTES else split_lines(kept[-_TAIL_BYTES:])[1:]


def _tail(path: Path) -> list[bytes] | None:
    """Return the last lines of a file, None for one that must be read from its beginning."""
    with path.open("rb") as file:
        head = file.read(4096)
        size = file.seek(0, 2)
        if size <= _TAIL_BYTES or compression_of(head) is not None or b"\x00" in head:
            return None
        file.seek(size - _TAIL_BYTES)
        return split_lines(cleaned(file.read(_TAIL_BYTES)))[1:]
