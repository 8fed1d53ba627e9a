"""Points in time in words, English and Chinese: a day, a part of it, a clock time, a distance back.

"2026-11-30T10:00+08:00", "10:00", "3 pm yesterday", "last night at 11", "Nov 30 10:00", "Monday", "20 min
ago", "昨晚11点", "今天凌晨3点半", "11月30日 10:00", "半小时前". The parts may stand in any order; a word that
is none of them makes the whole text unreadable, because a time is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from superbiz_cli.cli.time_patterns import (
    AGO,
    FLAGS,
    MONTH_NAME,
    MONTHS,
    WEEKDAYS,
    Component,
    components,
    distance,
    zh_number,
)

# The hours of a part of the day, from midnight of its day; those of a night go on to the next morning.
_HOURS_OF: Mapping[str, tuple[int, int]] = {
    "small_hours": (0, 6),
    "morning": (5, 12),
    "noon": (12, 12),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 30),
    "midnight": (0, 0),
}
_SMALL_HOURS = 6  # before that, "tonight" is the night that began yesterday
_MONTHS_A_YEAR = 12
_DAY_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text names: an instant (`begin` equals `end`), or a stretch such as a day or a night."""

    begin: datetime
    end: datetime
    is_distance: bool = False

    @property
    def is_instant(self) -> bool:
        """Whether a point was named, not a stretch."""
        return self.begin == self.end


class _Clock(NamedTuple):
    hour: int
    minute: int
    second: int
    microsecond: int
    is_twelve_hours: bool


def read_point(text: str, *, now: datetime, zone: ZoneInfo, like: str = "") -> Reading | None:
    """Return what `text` names, or None. `like` is a text whose day and part `text` may take over.

    A clock time without a day is the last one before `now`.
    """
    words = " ".join(text.split())
    here = now.astimezone(zone)
    if words.lower() in ("now", "现在", "目前"):
        return Reading(here, here)
    try:
        if (ago := re.match(AGO, words, FLAGS)) is not None:
            moment = here - distance(ago.group())
            if ago.end() == len(words):
                return Reading(moment, moment, is_distance=True)
            return _calendar_reading(words[ago.end() :].strip(), here, zone, f"{moment:%Y-%m-%d}")
        return _calendar_reading(words, here, zone, like)
    except (ValueError, OverflowError):
        return None


def _calendar_reading(text: str, now: datetime, zone: ZoneInfo, like: str) -> Reading | None:
    found: dict[str, Component] = {}
    for component in components(text):
        if component.kind in found:
            return None
        found[component.kind] = component
    if not found.keys() & {"day", "time", "part"}:
        return None
    if like:
        borrowed = {component.kind: component for component in _components_or_none(like)}
        for kind in ("zone", *(("part",) if "day" not in found else ()), "day"):
            if kind in borrowed and (kind != "part" or "part" not in found):
                found.setdefault(kind, borrowed[kind])
    there: tzinfo = _zone(found["zone"].text) if "zone" in found else zone
    local = now.astimezone(there)
    day, part = _day(found.get("day"), local), _part(found)
    if "time" in found:
        moment = _at_clock(_clock(found["time"]), day, part, local, found.get("day"))
        return Reading(moment.astimezone(zone), moment.astimezone(zone))
    begin, end = _stretch(found.get("day"), day, part, local)
    return Reading(begin.astimezone(zone), end.astimezone(zone))


def _components_or_none(text: str) -> list[Component]:
    try:
        return list(components(" ".join(text.split())))
    except ValueError:
        return []


def _zone(text: str) -> tzinfo:
    if text == "北京时间":
        return ZoneInfo("Asia/Shanghai")
    if text[0] in "+-":
        parsed = datetime.fromisoformat(f"2000-01-01T00:00{text[:3]}:{text[-2:]}").tzinfo
        if parsed is None:
            raise ValueError("an offset that is none")
        return parsed
    return ZoneInfo("UTC")


def _part(found: Mapping[str, Component]) -> str:
    if "part" in found:
        return found["part"].name
    day = found["day"].name if "day" in found else ""
    return "night" if day in ("night_before", "tonight") else ""


def _day(component: Component | None, now: datetime) -> date | None:
    """Return the day that is named, None if there is none."""
    if component is None:
        return None
    today, text = now.date(), component.text
    match component.name:
        case "today" | "this_part" | "tonight":
            return today
        case "yesterday" | "night_before":
            return today - _DAY_AFTER
        case "before_yesterday":
            return today - 2 * _DAY_AFTER
        case "week":
            monday = today - timedelta(days=today.weekday())
            return monday - timedelta(days=7) if re.match(r"last|上", text, FLAGS) else monday
        case "weekday":
            wanted = WEEKDAYS.index(re.split(r"\s+", text.lower())[-1][:3])
            back = (today.weekday() - wanted) % 7
            return today - timedelta(days=back or (7 if text.lower().startswith("last") else 0))
        case "zh_weekday":
            return _zh_weekday(text, today)
        case "day_of_month":
            return _last_day_of_month(int(text[:-1]), today)
        case _:
            return _calendar_date(_year_first(component), today)


def _year_first(component: Component) -> str:
    """Return a date of numbers as year, month, day. Raises ValueError where day and month may be confused."""
    if component.name not in ("day_first", "slashed"):
        return component.text
    first, second, *year = re.findall(r"\d+", component.text)
    if component.name == "slashed" and int(first) <= _MONTHS_A_YEAR and first != second:
        if int(second) <= _MONTHS_A_YEAR:
            raise ValueError("day and month may be confused")
        first, second = second, first
    return "-".join((*year, second, first))


def _zh_weekday(text: str, today: date) -> date:
    wanted = "一二三四五六日".index(text[-1].replace("天", "日"))
    if text[0] in "上这本":
        monday = today - timedelta(days=today.weekday() + (7 if text[0] == "上" else 0))
        return monday + timedelta(days=wanted)
    return today - timedelta(days=(today.weekday() - wanted) % 7)


def _last_day_of_month(number: int, today: date) -> date:
    first = today.replace(day=1)
    for _ in range(12):
        try:
            wanted = first.replace(day=number)
        except ValueError:
            wanted = None
        if wanted is not None and wanted <= today:
            return wanted
        first = (first - _DAY_AFTER).replace(day=1)
    raise ValueError("no month has this day")


def _calendar_date(text: str, today: date) -> date:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    name = re.search(MONTH_NAME, text, FLAGS)
    if name is not None:
        month = MONTHS.index(name.group().lower()[:3]) + 1
        day, *rest = numbers
        year = rest[0] if rest else None
    else:
        *rest, month, day = numbers
        year = rest[0] if rest else None
    if year is not None:
        return date(year, month, day)
    wanted = date(today.year, month, day)
    return wanted if wanted <= today else date(today.year - 1, month, day)


def _clock(component: Component) -> _Clock:
    text = component.text
    if component.name == "zh_clock":
        hours, _, rest = re.sub("点钟?|时", "点", text).partition("点")
        return _Clock(zh_number(hours), *_zh_minute(rest), 0, True)
    numbers = [int(number) for number in re.findall(r"\d+", text.replace("：", ":"))]
    hour, minute, second = (*numbers[:3], 0, 0)[:3]
    fraction = re.search(r":\d\d[.,](\d{1,6})", text, FLAGS)
    microsecond = int(fraction[1].ljust(6, "0")) if fraction else 0
    if half := re.search(r"([ap])\.?m", text, FLAGS):
        if not 1 <= hour <= 12:
            raise ValueError("not an hour of twelve")
        hour = hour % 12 + (12 if half[1].lower() == "p" else 0)
        return _Clock(hour, minute, second, microsecond, False)
    return _Clock(hour, minute, second, microsecond, hour <= 12)


def _zh_minute(text: str) -> tuple[int, int]:
    if text in ("", "整"):
        return 0, 0
    if text in ("半", "一刻", "三刻"):
        return {"半": 30, "一刻": 15, "三刻": 45}[text], 0
    minute, _, second = text.partition("分")
    return zh_number(minute), int(second.rstrip("秒")) if second else 0


def _at_clock(clock: _Clock, day: date | None, part: str, now: datetime, named: Component | None) -> datetime:
    hour, days = clock.hour, 0
    if part and clock.is_twelve_hours:
        hour, days = _hour_in(part, hour)
    elif part == "night" and hour < 6:
        days = 1
    if hour == 24:
        hour, days = 0, days + 1
    at = datetime(
        *(day or now.date()).timetuple()[:3],
        hour, clock.minute, clock.second, clock.microsecond,
        tzinfo=now.tzinfo,
    )  # fmt: skip
    if day is None and at > now:  # "23:50", asked shortly after midnight, is of the day before
        at = _days_later(at, -1)
    at = _days_later(at, days)
    is_last_night = _is_tonight(named) and now.hour < _SMALL_HOURS
    if at > now and ((named is None and days) or is_last_night):
        return _days_later(at, -1)
    return at


def _is_tonight(named: Component | None) -> bool:
    return named is not None and named.name == "tonight"


def _hour_in(part: str, hour: int) -> tuple[int, int]:
    """Return the hour of 24 and the days to add for an hour of twelve in a part of the day."""
    match part:
        case "afternoon":
            return (hour + 12 if hour < 12 else hour), 0
        case "noon":
            return (hour + 12 if hour < 4 else hour), 0
        case "evening" | "night":
            if hour == 12:
                return 0, 1
            return (hour + 12, 0) if hour > 5 else (hour, 1)
        case _:
            return (0 if hour == 12 else hour), 0


def _stretch(
    named: Component | None, day: date | None, part: str, now: datetime
) -> tuple[datetime, datetime]:
    midnight = datetime(*(day or now.date()).timetuple()[:3], tzinfo=now.tzinfo)
    if not part:
        return midnight, _days_later(midnight, 7 if named is not None and named.name == "week" else 1)
    first, last = _HOURS_OF[part]
    begin = midnight + timedelta(hours=first)
    if begin > now and part == "morning":
        begin = midnight
    elif begin > now and (day is None or (_is_tonight(named) and now.hour < _SMALL_HOURS)):
        midnight = _days_later(midnight, -1)
        begin = midnight + timedelta(hours=first)
    return begin, midnight + timedelta(hours=last)


def _days_later(moment: datetime, days: int) -> datetime:
    """Return the same time of day some days later; a zone's change of offset does not move it."""
    day = moment.date() + timedelta(days=days)
    return moment.replace(year=day.year, month=day.month, day=day.day)
