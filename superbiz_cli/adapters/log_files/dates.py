"""Find the years and days that the times of one file leave open, from its name, its end, its age."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

from superbiz_cli.adapters.log_files.bytes_in import compression_of
from superbiz_cli.adapters.log_files.header import find_header
from superbiz_cli.adapters.log_files.profile import HeaderMatcher
from superbiz_cli.adapters.log_files.stamps import SECOND_US, Lacks, Stamp
from superbiz_cli.harness.tool.logs.contract import from_us

_NAME_DATE = re.compile(r"(?<!\d)(20\d\d|19\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?([0-2]\d|3[01])(?!\d)")
_TAIL_BYTES = 64 << 10
_HOUR_US = 3600 * SECOND_US
_SLACK = timedelta(minutes=1)
_MAX_DAYS = 3_650
_LINES_FOR_YEAR = 200


def date_in_name(name: str) -> date | None:
    """Return the date in a file's name, None if there is none."""
    match = _NAME_DATE.search(name)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def latest_stamp(path: Path, sample: Sequence[bytes], matcher: HeaderMatcher) -> Stamp | None:
    """Return the last stamp of a file in time order, the first of one that begins with the newest event.

    None where the order of the sample tells neither, or the end cannot be read.
    """
    stamps = [header.stamp for line in sample if (header := matcher.match(line)) is not None]
    pairs = list(pairwise(stamps))
    later = sum(1 for first, second in pairs if second.wall_us > first.wall_us)
    earlier = sum(1 for first, second in pairs if second.wall_us < first.wall_us)
    if earlier > 4 * later:
        return stamps[0]
    if later < 4 * earlier or not stamps:
        return None
    last = [header.stamp for line in _tail(path) if (header := matcher.match(line)) is not None]
    return last[-1] if last and last[-1].lacks is Lacks.YEAR else None


def year_in_lines(sample: Sequence[bytes], matcher: HeaderMatcher) -> int | None:
    """Return the year that lines themselves tell behind a time without one, None if they do not agree.

    A message can hold the same day in full (haproxy), and other lines of the file can state their year.
    """
    years: set[int] = set()
    for line in sample[:_LINES_FOR_YEAR]:
        header = matcher.match(line)
        if header is None:
            continue
        if header.stamp.lacks is Lacks.NOTHING:
            years.add(from_us(header.stamp.wall_us).year)
            continue
        inner = find_header(line[header.end :])
        if inner is not None and inner.stamp.lacks is Lacks.NOTHING and inner.shape.name != "epoch":
            written, told = from_us(header.stamp.wall_us), from_us(inner.stamp.wall_us)
            if (written.month, written.day) == (told.month, told.day):
                years.add(told.year)
    return years.pop() if len(years) == 1 else None


def _tail(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            if compression_of(file.read(16)) is not None:
                return []
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            return file.read(_TAIL_BYTES).split(b"\n")[1 if size > _TAIL_BYTES else 0 :]
    except OSError:
        return []


def first_day_of(lines: Iterable[bytes], matcher: HeaderMatcher, written: datetime, zone: ZoneInfo) -> date:
    """Return the day of the first bare time of a file whose last one is not after `written`.

    A clock that falls back by more than an hour has passed midnight.
    """
    days = 0
    clock_us = last_us = -1
    for line in lines:
        header = matcher.match(line)
        if header is None or header.stamp.lacks is not Lacks.DATE:
            continue
        last_us = header.stamp.wall_us
        if last_us < clock_us - _HOUR_US:
            days += 1
        clock_us = last_us
    local = (written + _SLACK).astimezone(zone)
    of_day_us = ((local.hour * 60 + local.minute) * 60 + local.second) * SECOND_US
    return local.date() - timedelta(days=min(days, _MAX_DAYS) + (1 if last_us > of_day_us else 0))
