"""Times of day and dates in a text, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from superbiz_cli.harness.guard.claims.zones import ZoneName, fixed_offset, zone_names, zones_stated_for

_MONTHS = re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec")
_MONTH_NAMES = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = (
    r"(?P<year>\d{4})[-/.年]\s?(?P<month>\d{1,2})[-/.月]\s?(?P<day>\d{1,2})(?:日|(?!\d))"
    r"|(?P<month_zh>\d{1,2})\s?月\s?(?P<day_zh>\d{1,2})\s?[日号]"
    rf"|(?P<month_en>{_MONTH_NAMES})\.?\s(?P<day_en>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<year_en>\d{{4}}))?"
    r"(?![:\d])"
    rf"|(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?\s(?P<month_last>{_MONTH_NAMES})(?:\.?,?\s(?P<year_last>\d{{4}}))?"
    r"(?![:\w])"
)
_CLOCK = (
    r"(?P<daytime>上午|下午|晚上|夜里|凌晨|早上|早晨|清晨|中午|傍晚)?\s?"
    r"(?<![\d.:])(?P<hour>[01]?\d|2[0-4])"
    r"(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d|60)(?:[.,](?P<fraction>\d{1,9}))?)?(?!:?\d)"
    r"|\s?[点时]\s?(?:(?P<minute_zh>[0-5]?\d)\s?分?(?:\s?(?P<second_zh>[0-5]?\d)\s?秒)?(?!\d)|(?P<half>半)|(?P<sharp>整|钟)?)"
    r"|(?=\s?[ap]\.?m\b)|(?=\s?o'clock\b))"
    r"(?:\s?(?P<meridiem>[ap])\.?m\b\.?|\s?(?P<oclock>o'clock))?"
)
_MOMENT = re.compile(
    rf"(?:(?:{_DATE})(?:\s?[T,]?\s?(?:at\s)?)?)?(?:(?<=\dT)|(?<![A-Za-z0-9_.]))(?:{_CLOCK})"
    r"(?P<offset>Z(?![A-Za-z0-9])|[+-]\d{2}:?\d{2}(?!\d))?",
    re.IGNORECASE,
)
_DATE_ONLY = re.compile(_DATE, re.IGNORECASE)
_AFTERNOON = frozenset({"下午", "晚上", "傍晚", "夜里"})
_TIME_BEFORE = re.compile(r"(?:[从自在到至于约近过]|截至|早于|晚于)\s?$")
_TIME_AFTER = re.compile(r"\s?(?:起|左右|前|后|之|开始|到|至|以|许|多|,|、|$)")
# "10:02:30-33": the second time is written by its seconds alone.
_SECONDS_OF_A_RANGE = re.compile(r"\s?[-~]\s?(?P<second>[0-5]\d)(?!\d|[:.]\d|%|[A-Za-z])")
_SENTENCE_END = re.compile(r"[.!?]\s|[。;！？]")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as written: to the hour, minute, second or fraction; with a date or a zone if stated.

    `zones` is empty when none is stated for it; `nearby` holds those that the sentence names
    elsewhere. `hour` is None for a date alone. `fraction` holds the decimals of the second.
    """

    start: int
    end: int
    text: str
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    fraction: str | None = None
    month_day: tuple[int, int] | None = None
    year: int | None = None
    zones: tuple[tzinfo, ...] = ()
    nearby: tuple[tzinfo, ...] = ()

    def is_of(self, local: datetime) -> bool:
        """Whether `local`, a time in the zone meant, is this time, cut to what is written."""
        wanted = (self.hour, self.minute, self.second, self.month_day, self.year)
        actual = (local.hour, local.minute, local.second, (local.month, local.day), local.year)
        if any(mine is not None and mine != theirs for mine, theirs in zip(wanted, actual, strict=True)):
            return False
        return self.fraction is None or f"{local.microsecond:06d}".startswith(self.fraction[:6])

    def is_same_as(self, other: Moment) -> bool:
        """Whether a time written elsewhere, zone included, is this one, cut to what is written here."""
        if self.zones and self.zones != other.zones:
            return False
        wanted = (self.hour, self.minute, self.second, self.fraction, self.month_day, self.year)
        actual = (other.hour, other.minute, other.second, other.fraction, other.month_day, other.year)
        return all(mine is None or mine == theirs for mine, theirs in zip(wanted, actual, strict=True))


def moments(text: str) -> list[Moment]:
    """Return the times and dates in a normalised `text`, each with the zone that is stated for it."""
    if not any(char.isdigit() for char in text):
        return []
    found = list(_clock_times(text, zone_names(text)))
    covered = {position for moment in found for position in range(moment.start, moment.end)}
    for match in _DATE_ONLY.finditer(text):
        year, month_day = _date_of(match)
        if match.start() not in covered and month_day is not None:
            start, end = match.span()
            found.append(Moment(start=start, end=end, text=match.group(), year=year, month_day=month_day))
    return sorted(found, key=lambda moment: moment.start)


def _clock_times(text: str, named: Sequence[ZoneName]) -> Iterator[Moment]:
    ends = [match.end() for match in _SENTENCE_END.finditer(text)] if named else []
    for match in _MOMENT.finditer(text):
        if not _is_time(match):
            continue
        start, end = match.span()
        offset = match["offset"]
        year, month_day = _date_of(match)
        moment = Moment(
            start=start,
            end=end,
            text=match.group().strip(),
            hour=_hour_of(match),
            minute=_number(match["minute"] or match["minute_zh"], default=30 if match["half"] else None),
            second=_number(match["second"] or match["second_zh"]),
            fraction=match["fraction"],
            month_day=month_day,
            year=year,
            zones=(fixed_offset(offset),) if offset else zones_stated_for(named, text, start, end),
            nearby=_in_sentence(named, ends, start),
        )
        yield moment
        if moment.second is not None and (other := _SECONDS_OF_A_RANGE.match(text, end)):
            yield replace(
                moment,
                start=other.start("second"),
                end=other.end(),
                text=other["second"],
                second=int(other["second"]),
                fraction=None,
            )


def _in_sentence(named: Sequence[ZoneName], ends: Sequence[int], position: int) -> tuple[tzinfo, ...]:
    left = max((end for end in ends if end <= position), default=0)
    right = min((end for end in ends if end > position), default=None)
    inside = (zone for zone in named if left <= zone.start and (right is None or zone.start < right))
    return tuple(reading for zone in inside for reading in zone.zones)


def _is_time(match: re.Match[str]) -> bool:
    """Refuse what only looks like a time: a bare number, or 3 点 as "3 points"."""
    if any(match[part] for part in ("minute", "minute_zh", "half", "meridiem", "oclock", "sharp", "daytime")):
        return True
    if match["month_zh"] or match["year"]:
        return "点" in match.group() or "时" in match.group()
    before = match.string[max(0, match.start() - 4) : match.start()]
    return "点" in match.group() and bool(
        _TIME_BEFORE.search(before) or _TIME_AFTER.match(match.string, match.end())
    )


def _hour_of(match: re.Match[str]) -> int:
    hour = int(match["hour"])
    meridiem = (match["meridiem"] or "").lower()
    if (meridiem == "p" or match["daytime"] in _AFTERNOON) and hour < 12:
        return hour + 12
    return 0 if hour == 24 or (meridiem == "a" and hour == 12) else hour


def _date_of(match: re.Match[str]) -> tuple[int | None, tuple[int, int] | None]:
    groups = match.groupdict()
    year = groups["year"] or groups["year_en"] or groups["year_last"]
    named = groups["month_en"] or groups["month_last"]
    month = groups["month"] or groups["month_zh"] or (named and str(_MONTHS.index(named[:3].lower()) + 1))
    day = groups["day"] or groups["day_zh"] or groups["day_en"] or groups["day_first"]
    if not month or not day:
        return None, None
    try:
        date(int(year or 2024), int(month), int(day))
    except ValueError:
        return None, None
    return int(year) if year else None, (int(month), int(day))


def _number(digits: str | None, *, default: int | None = None) -> int | None:
    return int(digits) if digits else default
