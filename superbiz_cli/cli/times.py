"""Points in time as people type them, on the command line and inside a question.

What a point may look like is in `time_words`, how a question states a window in `question_time`.
Without an offset a time is in the zone given; a clock time without a day is the last one before now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from superbiz_cli.cli.question_time import StatedTime, stated_time
from superbiz_cli.cli.time_patterns import AGO, DAY, FLAGS, is_distance
from superbiz_cli.cli.time_words import read_point
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.evidence import IncidentWindow

MAX_WINDOW = timedelta(days=31)
DEFAULT_WINDOW = timedelta(minutes=30)
EXAMPLES = "2026-11-30T10:00+08:00, 10:00, yesterday 10:00 or 2h"


@dataclass(frozen=True, slots=True)
class StatedWindow:
    """The incident window, and the words that it was read from (None: the default window).

    `unread` holds words of the question that look like a time and could not be read as one.
    """

    window: IncidentWindow
    said: str | None = None
    unread: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The window as the header states it."""
        why = f"from {self.said}" if self.said else ""
        if self.unread:
            missed = ", ".join(f'"{words}"' for words in self.unread)
            why = f"{why}; not understood: {missed}" if why else f"not understood: {missed}"
        return f"{window_in_words(self.window)}   ({why})" if why else window_in_words(self.window)


def window_in_words(window: IncidentWindow) -> str:
    """Return "2026-11-30 10:00 → 10:15 +08:00", "up to …" without a beginning."""
    zone = ZoneInfo(window.timezone)
    until = window.until.astimezone(zone)
    offset = until.strftime("%z")
    shown_offset = f"{offset[:3]}:{offset[3:5]}"
    if window.since is None:
        return f"up to {until:%Y-%m-%d %H:%M} {shown_offset}"
    since = window.since.astimezone(zone)
    end = f"{until:%H:%M}" if since.date() == until.date() else f"{until:%Y-%m-%d %H:%M}"
    return f"{since:%Y-%m-%d %H:%M} → {end} {shown_offset}"


def stated_window(
    *,
    query: str,
    at: str | None,
    since: str | None,
    until: str | None,
    now: datetime,
    zone_name: str,
) -> StatedWindow:
    """Return the window that flags and question name; flags win over the question.

    A distance ("1h") counts back from now; with --at from that time: --until alone does not move it. A
    time in the question that cannot be read, or is not used, becomes a note of the window. Raises
    SuperbizError (TIME_INVALID) for a flag that is no time, an end before the beginning, a window that
    lies in the future or is longer than 31 days.
    """
    zone = ZoneInfo(zone_name)
    end_flag, end_text = ("--at", at) if at is not None else ("--until", until)
    if at is not None and until is not None:
        raise _invalid("--at and --until both name the end of the window", "give one of them")
    end = parse_time(end_text, now=now, zone=zone, what=end_flag) if end_text is not None else None
    base = end if at is not None and end is not None else now
    said = [f"{flag} {text}" for flag, text in (("--since", since), (end_flag, end_text)) if text is not None]
    if since is not None:
        is_of_the_end = end is not None and not is_distance(since) and bool(DAY.search(end_text or ""))
        begin = parse_time(since, now=end if is_of_the_end and end else base, zone=zone, what="--since")
        _check(begin, end or now, now=now, zone=zone)
        window = IncidentWindow(until=end or now, since=begin, timezone=zone_name)
        return StatedWindow(window, ", ".join(said))
    _check(None, end or now, now=now, zone=zone)
    return _from_question(
        stated_time(query, now=base, zone=zone), query, end=end, said=said, now=now, zone_name=zone_name
    )


def parse_time(text: str, *, now: datetime, zone: ZoneInfo, what: str) -> datetime:
    """Return the aware time that `text` names; of a day or a night its beginning.

    A distance with or without "ago" counts back from `now`. Raises SuperbizError (TIME_INVALID).
    """
    words = " ".join(text.split())
    if is_distance(words) and not re.fullmatch(AGO, words, FLAGS):
        words += " ago"
    found = read_point(words, now=now, zone=zone)
    if found is None:
        raise _invalid(f"'{text}' is not a time ({what})", f"write it like {EXAMPLES}; superbiz help times")
    return found.begin


def _from_question(
    stated: StatedTime, query: str, *, end: datetime | None, said: list[str], now: datetime, zone_name: str
) -> StatedWindow:
    begin, until, unread = stated.since, end or stated.until or now, stated.unread
    if stated.said is not None and begin is not None and begin >= until:  # a flag ends it before that
        begin, unread = None, (stated.said, *unread)
    elif stated.said is not None:
        said = [f'"{stated.said}"', *said]
    is_cut = begin is not None and until - begin > MAX_WINDOW
    window = IncidentWindow(until=until, since=until - MAX_WINDOW if is_cut else begin, timezone=zone_name)
    chinese = any("一" <= char <= "鿿" for char in query)
    notes = [_CUT[chinese].format(days=MAX_WINDOW.days)] if is_cut else []
    if unread:
        shown = (
            "、".join(f"“{words}”" for words in unread) if chinese else ", ".join(f'"{w}"' for w in unread)
        )
        phrases = _NOT_USED if stated.said else _NOT_READ
        used = window_in_words(window if begin is not None else _with_default_begin(window))
        notes.append(phrases[chinese].format(words=shown, window=used))
    return StatedWindow(replace(window, notes=tuple(notes)), ", ".join(said) or None, unread)


_NOT_READ = (
    "The time in the question, {words}, was not understood; the window used is {window}. "
    "Name it with --since, --until or --at.",
    "没有看懂问题里的时间 {words}；使用的时间窗口是 {window}。请用 --since、--until 或 --at 指明时间。",
)
_NOT_USED = (
    "Not used as a time: {words}. The window is {window}; --since, --until or --at name another one.",
    "没有当作时间使用：{words}。时间窗口是 {window}；可以用 --since、--until 或 --at 指定。",
)
_CUT = (
    "The question names more than {days} days; only the last {days} days are looked at.",
    "问题里的时间超过 {days} 天，只检查最近 {days} 天。",
)


def _with_default_begin(window: IncidentWindow) -> IncidentWindow:
    return replace(window, since=window.until - DEFAULT_WINDOW)


# A day of slack for every time zone: arithmetic on the calendar's first and last day overflows.
_FIRST_YEAR, _LAST_YEAR = 1970, 9998


def _check(begin: datetime | None, end: datetime, *, now: datetime, zone: ZoneInfo) -> None:
    """Raise SuperbizError unless a window makes sense: forward, not in the future, not endless."""
    if any(not _FIRST_YEAR <= moment.year <= _LAST_YEAR for moment in (begin or end, end)):
        raise _invalid(
            f"the window lies outside the years {_FIRST_YEAR} to {_LAST_YEAR}",
            f"name times that a log can hold, such as {EXAMPLES}",
        )
    first = end - DEFAULT_WINDOW if begin is None else begin
    if first == end:
        raise _invalid(
            f"the window is empty: it begins and ends at {_shown(end, zone)}",
            f"name times such as {EXAMPLES}",
        )
    if first > end:
        raise _invalid(
            f"the window ends ({_shown(end, zone)}) before it begins ({_shown(first, zone)})",
            f"name times such as {EXAMPLES}; a distance such as 2h counts from now, or from --at",
        )
    if first >= now:
        raise _invalid(
            f"the window lies in the future: it begins {_shown(first, zone)}, now is {_shown(now, zone)}",
            f"name times that have passed, such as {EXAMPLES}",
        )
    if end - first > MAX_WINDOW:
        raise _invalid(
            f"the window is too long: {_shown(first, zone)} is more than {MAX_WINDOW.days} days before "
            f"its end ({_shown(end, zone)})",
            "choose a later --since, or an earlier end with --at",
        )


def _shown(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def _invalid(message: str, hint: str) -> SuperbizError:
    return SuperbizError(ErrorCode.TIME_INVALID, message, hint=hint)
