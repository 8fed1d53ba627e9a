"""Times of day, dates and time zones in a text, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_MONTHS = re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec")
_MONTH_NAMES = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = (
    r"(?P<year>\d{4})[-/.年]\s?(?P<month>\d{1,2})[-/.月]\s?(?P<day>\d{1,2})日?(?!\d)"
    r"|(?P<month_zh>\d{1,2})\s?月\s?(?P<day_zh>\d{1,2})\s?[日号]"
    rf"|(?P<month_en>{_MONTH_NAMES})\.?\s(?P<day_en>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<year_en>\d{{4}}))?(?![:\d])"
    rf"|(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?\s(?P<month_last>{_MONTH_NAMES})(?:\.?,?\s(?P<year_last>\d{{4}}))?(?![:\w])"
)
_DAYTIME = r"(?P<daytime>上午|下午|晚上|夜里|凌晨|早上|早晨|清晨|中午|傍晚)?\s?"
_CLOCK = (
    rf"{_DAYTIME}(?<![\d.:])(?P<hour>[01]?\d|2[0-4])"
    r"(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d|60)(?:[.,](?P<fraction>\d{1,9}))?)?(?![:\d])"
    r"|\s?[点时]\s?(?:(?P<minute_zh>[0-5]?\d)\s?分?(?:\s?(?P<second_zh>[0-5]?\d)\s?秒)?(?!\d)|(?P<half>半)|(?P<sharp>整|钟)?)"
    r"|(?=\s?[ap]\.?m\b)|(?=\s?o'clock\b))"
    r"(?:\s?(?P<meridiem>[AaPp])\.?[Mm]\b\.?|\s?o'clock)?"
)
_OFFSET_RIGHT = r"(?P<offset>Z(?![A-Za-z0-9])|[+-]\d{2}:?\d{2}(?!\d))?"
_MOMENT = re.compile(
    rf"(?:(?:{_DATE})(?:\s?[T,]?\s?(?:at\s)?)?)?(?:(?<=\dT)|(?<![A-Za-z0-9_.]))(?:{_CLOCK}){_OFFSET_RIGHT}",
    re.IGNORECASE,
)
_DATE_ONLY = re.compile(_DATE, re.IGNORECASE)

_FIXED_ZONES = {
    "utc|gmt|zulu|协调世界时|世界时|世界协调时|格林(?:尼治|威治)(?:标准)?时间": 0,
    "beijing|peking|shanghai|china|chinese|hong kong|singapore|taipei": 480,
    "北京|上海|中国标准|中国|东八区|香港|新加坡|台北": 480,
    "jst|tokyo|japan|东京|日本|seoul|首尔": 540,
    "ist|india|印度": 330,
    "msk|moscow|莫斯科": 180,
}
_NAMED_ZONES = {
    r"est|edt|eastern|new york|纽约|美东|美国东部": "America/New_York",
    r"pst|pdt|pacific|san francisco|los angeles|seattle|美西|美国西部|旧金山": "America/Los_Angeles",
    r"cdt|central time|chicago|芝加哥": "America/Chicago",
    r"cet|cest|berlin|paris|frankfurt|柏林|巴黎|法兰克福": "Europe/Berlin",
    r"bst|london|伦敦": "Europe/London",
    r"aest|aedt|sydney|悉尼": "Australia/Sydney",
}
_ZONE_TEXT = "|".join(
    [
        r"(?P<signed>(?:utc|gmt)?\s?[+-]\d{1,2}(?::?\d{2})?(?![\d:]))",
        r"(?P<cst>cst)",
        *(rf"(?P<fixed{index}>{names})" for index, names in enumerate(_FIXED_ZONES)),
        *(rf"(?P<named{index}>{names})" for index, names in enumerate(_NAMED_ZONES)),
    ]
)
_ZONE = re.compile(rf"(?<![A-Za-z])(?:{_ZONE_TEXT})(?![A-Za-z])", re.IGNORECASE)
_ZONE_GAP_RIGHT = re.compile(r"[\s(,]*(?:in\s|at\s)?$")
_ZONE_GAP_LEFT = re.compile(
    r"^[\s,:)的]*(?:local\s)?(?:standard\s)?(?:时间|time|时区)?[\s,:)的]*(?:从|自|在|约|at\s)?\s*$"
)
_TIME_BEFORE = re.compile(r"[从自在到至于约近过]\s?$|截至\s?$|早于\s?$|晚于\s?$")
_TIME_AFTER = re.compile(r"\s?(?:起|左右|前|后|之|开始|到|至|以|许|多|,|、|$)")
_CHINA, _CENTRAL = timezone(timedelta(hours=8)), timezone(timedelta(hours=-6))


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as written: to the hour, minute, second or fraction; with a date or a zone if stated.

    `zones` is empty when none is stated. `hour` is None for a date alone.
    """

    start: int
    end: int
    text: str
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    microsecond: int | None = None
    month_day: tuple[int, int] | None = None
    year: int | None = None
    zones: tuple[tzinfo, ...] = ()

    def is_of(self, local: datetime) -> bool:
        """Whether `local`, a time in the zone meant, is this time, cut to what is written."""
        written = (self.minute, self.second, self.microsecond)
        actual = (local.minute, local.second, local.microsecond)
        if self.hour is not None and self.hour % 24 != local.hour:
            return False
        if any(mine is not None and mine != theirs for mine, theirs in zip(written, actual, strict=True)):
            return self.microsecond is not None and self._same_fraction(local)
        if self.month_day is not None and self.month_day != (local.month, local.day):
            return False
        return self.year is None or self.year == local.year

    def _same_fraction(self, local: datetime) -> bool:
        digits = len(self.text.rpartition(".")[2].rstrip("Zz")) if "." in self.text else 6
        unit = 10 ** max(0, 6 - digits)
        same = (self.minute, self.second) == (local.minute, local.second)
        return same and self.microsecond is not None and self.microsecond // unit == local.microsecond // unit


def moments(text: str) -> list[Moment]:
    """Return the times and dates in a normalised `text`, each with the zone that is stated for it."""
    found = list(_clock_times(text))
    taken = [(moment.start, moment.end) for moment in found]
    for match in _DATE_ONLY.finditer(text):
        if not any(match.start() < end and start < match.end() for start, end in taken):
            year, month_day = _date_of(match)
            if month_day is not None:
                found.append(
                    Moment(
                        start=match.start(),
                        end=match.end(),
                        text=match.group(),
                        year=year,
                        month_day=month_day,
                    )
                )
    return sorted(found, key=lambda moment: moment.start)


def zone_spans(text: str) -> list[tuple[int, int]]:
    """Return where zones are named in a normalised `text` that states a time."""
    return [match.span() for match in _ZONE.finditer(text)]


def _clock_times(text: str) -> Iterator[Moment]:
    inherited: tuple[tzinfo, ...] = ()
    previous_end = 0
    for match in _MOMENT.finditer(text):
        if not _is_time(match):
            continue
        if re.search(r"[.;。!?]\s|[。;]", text[previous_end : match.start()]):
            inherited = ()
        own = _zones_of(match, text)
        inherited = own or inherited
        previous_end = match.end()
        year, month_day = _date_of(match)
        yield Moment(
            start=match.start(),
            end=match.end(),
            text=match.group().strip(),
            hour=_hour_of(match),
            minute=_number(match["minute"] or match["minute_zh"], default=30 if match["half"] else None),
            second=_number(match["second"] or match["second_zh"]),
            microsecond=int(match["fraction"].ljust(6, "0")[:6]) if match["fraction"] else None,
            month_day=month_day,
            year=year,
            zones=own or inherited,
        )


def _is_time(match: re.Match[str]) -> bool:
    """Refuse what only looks like a time: a bare number, or 3 点 as "3 points"."""
    if match["minute"] or match["minute_zh"] or match["half"] or match["meridiem"]:
        return True
    written = match.group()
    if "o'clock" in written.lower() or match["sharp"] or match["daytime"]:
        return True
    if "点" not in written and "时" not in written:
        return False
    has_date = bool(match["month_zh"] or match["year"])
    before, after = match.string[: match.start()], match.string[match.end() :]
    return has_date or bool(_TIME_BEFORE.search(before) or ("点" in written and _TIME_AFTER.match(after)))


def _hour_of(match: re.Match[str]) -> int:
    hour = int(match["hour"])
    meridiem = (match["meridiem"] or "").lower()
    daytime = match["daytime"] or ""
    if (meridiem == "p" or daytime in ("下午", "晚上", "傍晚", "夜里")) and hour < 12:
        return hour + 12
    if meridiem == "a" and hour == 12:
        return 0
    return hour


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


def _zones_of(match: re.Match[str], text: str) -> tuple[tzinfo, ...]:
    if offset := match["offset"]:
        return (_fixed(offset),)
    after = text[match.end() : match.end() + 40]
    if (right := _ZONE.search(after)) and _ZONE_GAP_RIGHT.fullmatch(after[: right.start()]):
        second = _ZONE.search(after, right.end())
        is_explained = second and re.fullmatch(r"\s?(?:time)?[\s(,]*", after[right.end() : second.start()])
        return _zone(second) if second and is_explained else _zone(right)
    before = text[max(0, match.start() - 24) : match.start()]
    left = list(_ZONE.finditer(before))
    if left and _ZONE_GAP_LEFT.fullmatch(before[left[-1].end() :]):
        return _zone(left[-1])
    return ()


def _zone(match: re.Match[str]) -> tuple[tzinfo, ...]:
    if match["signed"]:
        return (_fixed(re.sub(r"(?i)utc|gmt|\s", "", match["signed"])),)
    if match["cst"]:
        return (_CHINA, _CENTRAL)
    for index, minutes in enumerate(_FIXED_ZONES.values()):
        if match[f"fixed{index}"]:
            return (timezone(timedelta(minutes=minutes)),)
    names = [name for index, name in enumerate(_NAMED_ZONES.values()) if match[f"named{index}"]]
    return (ZoneInfo(names[0]),)


def _fixed(offset: str) -> tzinfo:
    if offset.upper() == "Z":
        return UTC
    sign = -1 if offset.startswith("-") else 1
    digits = offset.lstrip("+-").replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    return timezone(sign * timedelta(hours=min(int(hours), 23), minutes=int(minutes)))


def _number(digits: str | None, *, default: int | None = None) -> int | None:
    return int(digits) if digits else default
