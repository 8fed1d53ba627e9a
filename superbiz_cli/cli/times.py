"""Points in time as people type them, on the command line and inside a question.

ISO 8601 ("2026-11-30T10:00+08:00", "2026-11-30 10:00", "2026-11-30"), a time of day ("10:00", the
last one before now), "yesterday 10:00", "today 10:00", "now", and distances back ("2h", "1h30m",
"2 hours ago"). Without an offset a time is in the zone given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.contract.evidence import IncidentWindow

_UNIT_S: Mapping[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_UNIT = r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)"
_DISTANCE = re.compile(rf"(?:\d{{1,5}}\s*{_UNIT}\s*)+(?:ago)?", re.IGNORECASE)
_DISTANCE_PART = re.compile(rf"(\d{{1,5}})\s*({_UNIT})", re.IGNORECASE)
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?"
_DAY_WORD = r"(?:today|yesterday|今天|昨天)"
_DAY_AND_CLOCK = re.compile(rf"({_DAY_WORD})?(?:\s+at)?\s*({_CLOCK})?", re.IGNORECASE)
_ISO_DATE = r"\d{4}-\d{2}-\d{2}"
_ISO = rf"{_ISO_DATE}(?:[T ]{_CLOCK}(?:\.\d{{1,6}})?(?:\s?(?:Z|[+-]\d{{2}}:?\d{{2}}))?)?"
_CHINESE_UNIT: Mapping[str, str] = {"秒": "s", "分钟": "m", "分": "m", "小时": "h", "天": "d"}
_POINT = rf"(?:{_ISO}|{_DAY_WORD}\s*(?:at\s+)?(?:{_CLOCK})?|{_CLOCK})"
_IN_QUESTION = (
    re.compile(
        rf"\b(?:between|from)\s+(?P<since>{_POINT})\s+(?:and|to|until|till)\s+(?P<until>{_POINT})", re.I
    ),
    re.compile(rf"\b(?:since|from|after)\s+(?P<since>{_POINT}|\d{{1,5}}\s*{_UNIT}\s+ago)", re.I),
    re.compile(rf"\b(?:in|over|for|during)\s+the\s+(?:last|past)\s+(?P<since>\d{{1,5}}\s*{_UNIT})\b", re.I),
    re.compile(rf"(?P<since>{_POINT})\s*(?:到|至|-|~|—)\s*(?P<until>{_POINT})"),
    re.compile(rf"(?:自|从)?\s*(?P<since>{_POINT})\s*(?:以来|起|开始|之后|以后)"),
    re.compile(r"(?:最近|过去)\s*(?P<since>\d{1,5}\s*(?:秒|分钟|分|小时|天))"),
)
EXAMPLES = "2026-11-30T10:00+08:00, 10:00, yesterday 10:00 or 2h"


@dataclass(frozen=True, slots=True)
class StatedWindow:
    """The incident window, and the words that it was read from (None: the default window)."""

    window: IncidentWindow
    said: str | None = None

    def __str__(self) -> str:
        """The window as the header states it."""
        zone = ZoneInfo(self.window.timezone)
        until = self.window.until.astimezone(zone)
        why = f"   (from {self.said})" if self.said else ""
        offset = until.strftime("%z")
        shown_offset = f"{offset[:3]}:{offset[3:5]}"
        if self.window.since is None:
            return f"up to {until:%Y-%m-%d %H:%M} {shown_offset}{why}"
        since = self.window.since.astimezone(zone)
        end = f"{until:%H:%M}" if since.date() == until.date() else f"{until:%Y-%m-%d %H:%M}"
        return f"{since:%Y-%m-%d %H:%M} → {end} {shown_offset}{why}"


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

    Raises SuperbizError (TIME_INVALID) for what is no time, and for an end before the beginning.
    """
    zone = ZoneInfo(zone_name)
    end_flag, end_text = ("--at", at) if at is not None else ("--until", until)
    if at is not None and until is not None:
        raise _invalid("--at and --until both name the end of the window", "give one of them")
    end = parse_time(end_text, now=now, zone=zone, what=end_flag) if end_text is not None else None
    begin = parse_time(since, now=end or now, zone=zone, what="--since") if since is not None else None
    said = [f"{flag} {text}" for flag, text in (("--since", since), (end_flag, end_text)) if text is not None]
    if begin is None and (found := _in_question(query, now=end or now, zone=zone)) is not None:
        begin, asked_end, words = found
        end = end or asked_end
        said.insert(0, f'"{words}"')
    end = end or now
    if begin is not None and begin >= end:
        raise _invalid(
            f"the window ends ({_shown(end, zone)}) before it begins ({_shown(begin, zone)})",
            f"name times such as {EXAMPLES}",
        )
    window = IncidentWindow(until=end, since=begin, timezone=zone_name)
    return StatedWindow(window, ", ".join(said) or None)


def parse_time(text: str, *, now: datetime, zone: ZoneInfo, what: str) -> datetime:
    """Return the aware time that `text` names. Raises SuperbizError (TIME_INVALID)."""
    found = _read(" ".join(text.split()), now=now.astimezone(zone), zone=zone)
    if found is None:
        raise _invalid(f"'{text}' is not a time ({what})", f"write it like {EXAMPLES}")
    return found


def _read(text: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
    if text.lower() in ("now", "现在"):
        return now
    if _DISTANCE.fullmatch(text):
        return _back(text, now)
    for chinese, unit in _CHINESE_UNIT.items():
        if re.fullmatch(rf"\d{{1,5}}\s*{chinese}", text):
            return _back(text.replace(chinese, unit), now)
    if (match := _DAY_AND_CLOCK.fullmatch(text)) is not None and text:
        return _day_and_clock(match[1], match[2], now, zone)
    return _iso(text, zone)


def _back(text: str, now: datetime) -> datetime | None:
    seconds = sum(int(count) * _UNIT_S[unit[0].lower()] for count, unit in _DISTANCE_PART.findall(text))
    try:
        return now - timedelta(seconds=seconds)
    except OverflowError:
        return None


def _day_and_clock(day: str | None, clock: str | None, now: datetime, zone: ZoneInfo) -> datetime:
    at = datetime.strptime(clock, "%H:%M:%S" if clock.count(":") == 2 else "%H:%M").time() if clock else None
    word = (day or "").lower()
    chosen: date = now.date() - timedelta(days=1) if word in ("yesterday", "昨天") else now.date()
    midnight = datetime(chosen.year, chosen.month, chosen.day, tzinfo=zone)
    moment = midnight if at is None else midnight.replace(hour=at.hour, minute=at.minute, second=at.second)
    if not day and moment > now:  # "23:50", asked shortly after midnight, is of the day before
        moment = moment.replace(year=(p := chosen - timedelta(days=1)).year, month=p.month, day=p.day)
    return moment


def _iso(text: str, zone: ZoneInfo) -> datetime | None:
    if not re.fullmatch(_ISO, text):
        return None
    try:
        moment = datetime.fromisoformat(re.sub(r"\s(?=Z$|[+-])", "", text))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def _in_question(
    query: str, *, now: datetime, zone: ZoneInfo
) -> tuple[datetime | None, datetime | None, str] | None:
    """Return beginning, end and words of the first window that the question names."""
    for pattern in _IN_QUESTION:
        if (match := pattern.search(query)) is None:
            continue
        named = match.groupdict()
        since = _read(named["since"].strip(), now=now.astimezone(zone), zone=zone)
        until_text = named.get("until")
        until = _read(until_text.strip(), now=now.astimezone(zone), zone=zone) if until_text else None
        if since is None or (until is not None and until <= since) or since >= (until or now):
            continue
        return since, until, match.group().strip()
    return None


def _shown(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def _invalid(message: str, hint: str) -> SuperbizError:
    return SuperbizError(ErrorCode.TIME_INVALID, message, hint=hint)
