"""The shapes in which logs write a time, and what each of them leaves open.

A shape is a pattern over bytes and a function that reads its match into a `Stamp`: a wall clock, the
zone if the text states one, and whether year or date are missing. `resolve` supplies what is missing.
"""

# ruff: noqa: E501 - tables of patterns and words read better unbroken

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from functools import lru_cache

SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
YEARLESS = frozenset({"syslog", "syslog in another language", "zone and syslog", "month-day", "klog"})
LEAP_YEAR = 1972  # stands in for a missing year: every day of a year exists in it


class Lacks(IntEnum):
    """What a stamp leaves open."""

    NOTHING = 0
    YEAR = 1
    DATE = 2


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time as written. `wall_us` is the wall clock in microseconds, counted as if it were UTC.

    `offset_s` is the stated offset from UTC in seconds, None when no zone is stated.
    """

    wall_us: int
    offset_s: int | None = None
    lacks: Lacks = Lacks.NOTHING


Match = re.Match[bytes]
Zones = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to write a time.

    `source` is the pattern without anchors; `at_start_only` keeps weak shapes (a bare time) from being
    found in the middle of a line.
    """

    name: str
    source: bytes
    read: Callable[[Match, Zones], Stamp | None]
    at_start_only: bool = False


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("jan", "january", "janv", "ene", "gen"),
            ("feb", "february", "febr", "févr", "fév"),
            ("mar", "march", "mär", "mars", "mrz"),
            ("apr", "april", "avr", "abr"),
            ("may", "mai", "mei", "mag"),
            ("jun", "june", "juin", "juni", "giu"),
            ("jul", "july", "juil", "juli", "lug"),
            ("aug", "august", "août", "ago"),
            ("sep", "september", "sept", "set"),
            ("oct", "october", "okt", "ott", "out"),
            ("nov", "november"),
            ("dec", "december", "déc", "dez", "dic"),
        ),
        start=1,
    )
    for name in names
}
_MONTH = rb"(?P<mon>[A-Za-z\xc3][A-Za-z\x80-\xff]{2,8})\.?"
_ENGLISH_MONTH = rb"(?P<mon>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)"
_DAY_NAME = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = rb"(?P<H>\d{1,2}):(?P<M>\d\d):(?P<S>\d\d)(?:[.,:](?P<f>\d{1,9})(?!\d))?"
_ZONE = rb"(?:[ ]?(?P<z>Z(?![A-Za-z])|[+-]\d\d:?\d\d(?!\d)|[+-]\d\d(?![\d:.])|(?:UTC|GMT)[+-]\d{1,2}(?::?\d\d)?(?!\d)|[A-Z]{3,5}(?![A-Za-z]))(?::)?)?"
_HALF = rb"(?:[ ]?(?P<half>[AaPp]\.?[Mm]\b\.?))?"

# Abbreviations that mean one offset, or one by far most often. CST is decided by the source's zone.
ZONE_OFFSETS: dict[str, int] = {
    name: round(hours * 3600)
    for name, hours in {
        "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2,
        "EET": 2, "EEST": 3, "MSK": 3, "SAST": 2, "TRT": 3, "GST": 4, "PKT": 5, "IST": 5.5, "ICT": 7, "WIB": 7,
        "HKT": 8, "SGT": 8, "AWST": 8, "PHT": 8, "JST": 9, "KST": 9, "ACST": 9.5, "AEST": 10, "AEDT": 11,
        "NZST": 12, "NZDT": 13, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
        "AKST": -9, "AKDT": -8, "HST": -10, "BRT": -3, "ART": -3, "CST": -6,
    }.items()
}  # fmt: skip


@lru_cache(maxsize=8192)
def day_us(year: int, month: int, day: int) -> int:
    """Return the beginning of a day in microseconds since 1970. Raises ValueError if there is none."""
    return (date(year, month, day).toordinal() - _EPOCH_ORDINAL) * DAY_US


def offset_of(zone: bytes | None, zones: Zones) -> int | None:
    """Return the offset in seconds that `zone` states, None for no zone or an unknown one."""
    if not zone:
        return None
    return _offset(zone.decode("ascii"), zones) if zone[0] not in b"+-" else _numeric(zone)


def _offset(zone: str, zones: Zones) -> int | None:
    if zone in zones:
        return zones[zone]
    if zone[:3] in {"UTC", "GMT"} and len(zone) > 3:
        return _numeric(zone[3:].encode("ascii"))
    return ZONE_OFFSETS.get(zone)


@lru_cache(maxsize=256)
def _numeric(zone: bytes) -> int | None:
    digits = zone[1:].replace(b":", b"")
    hours, minutes = (int(digits[:2]), int(digits[2:] or b"0")) if len(digits) > 1 else (int(digits), 0)
    if hours > 14 or minutes > 59:
        return None
    seconds = hours * 3600 + minutes * 60
    return -seconds if zone[:1] == b"-" else seconds


def fraction_us(digits: bytes | None) -> int:
    """Return a decimal fraction of a second in microseconds, cut, not rounded."""
    return int((digits[:6] + b"000000")[:6]) if digits else 0


def _clock_us(match: Match) -> int | None:
    hour, minute, second = int(match["H"]), int(match["M"]), int(match["S"])
    groups = match.re.groupindex
    half = match["half"] if "half" in groups else None
    if half:
        hour = hour % 12 + (12 if half[:1] in b"pP" else 0)
    if hour > 23 or minute > 59 or second > 60:
        return None
    return (hour * 3600 + minute * 60 + second) * SECOND_US + fraction_us(
        match["f"] if "f" in groups else None
    )


def _full_year(year: int) -> int:
    return year if year >= 100 else year + (2000 if year < 70 else 1900)


def _make(match: Match, zones: Zones, year: int | None, month: int, day: int) -> Stamp | None:
    clock = _clock_us(match)
    if clock is None or (year is not None and not 1970 <= year <= 2199):
        return None
    try:
        start = day_us(LEAP_YEAR if year is None else year, month, day)
    except ValueError:
        return None
    zone = match["z"] if "z" in match.re.groupindex else None
    return Stamp(start + clock, offset_of(zone, zones), Lacks.YEAR if year is None else Lacks.NOTHING)


def _year_first(match: Match, zones: Zones) -> Stamp | None:
    return _make(match, zones, _full_year(int(match["Y"])), int(match["m"]), int(match["d"]))


def _month_name(match: Match, zones: Zones) -> Stamp | None:
    month = MONTHS.get(match["mon"].decode("utf-8", "replace").lower())
    if month is None:
        return None
    groups = match.re.groupindex
    year = (match["Y"] if "Y" in groups else None) or (match["Y2"] if "Y2" in groups else None)
    return _make(match, zones, _full_year(int(year)) if year else None, month, int(match["d"]))


def _day_first(match: Match, zones: Zones) -> Stamp | None:
    day, month = int(match["a"]), int(match["b"])
    if month > 12:
        day, month = month, day
    return _make(match, zones, _full_year(int(match["Y"])), month, day)


def _month_first(match: Match, zones: Zones) -> Stamp | None:
    month, day = int(match["a"]), int(match["b"])
    if month > 12:
        day, month = month, day
    return _make(match, zones, _full_year(int(match["Y"])), month, day)


def _no_year(match: Match, zones: Zones) -> Stamp | None:
    return _make(match, zones, None, int(match["m"]), int(match["d"]))


def _day_of_year(match: Match, zones: Zones) -> Stamp | None:
    stamp = _make(match, zones, int(match["Y"]), 1, 1)
    if stamp is None or not 1 <= int(match["d"]) <= 366:
        return None
    return Stamp(stamp.wall_us + (int(match["d"]) - 1) * DAY_US, stamp.offset_s)


def _time_only(match: Match, _zones: Zones) -> Stamp | None:
    clock = _clock_us(match)
    return None if clock is None else Stamp(clock, None, Lacks.DATE)


def epoch_stamp(number: int, fraction: bytes | None = None) -> Stamp | None:
    """Return the instant of an epoch number in seconds, milli-, micro- or nanoseconds, by its size.

    Only 1990 to 2100 is believed: other numbers are identifiers.
    """
    for limit, factor in ((10**11, SECOND_US), (10**14, 1000), (10**17, 1)):
        if number < limit:
            at_us = number * factor
            break
    else:
        at_us = number // 1000
    at_us += fraction_us(fraction) if factor == SECOND_US else 0
    return Stamp(at_us, 0) if 631_152_000 * SECOND_US <= at_us < 4_102_444_800 * SECOND_US else None


def _epoch(match: Match, _zones: Zones) -> Stamp | None:
    return epoch_stamp(int(match["n"]), match["f"] if "f" in match.re.groupindex else None)


def _tai64n(match: Match, _zones: Zones) -> Stamp | None:
    seconds = int(match["n"], 16) - 2**62 - 10  # TAI64 labels count from 1970 TAI, 10 s ahead of UTC then
    return Stamp(seconds * SECOND_US + int(match["f"], 16) // 1000, 0)


SHAPES: tuple[Shape, ...] = (
    Shape(
        "iso",
        rb"(?P<Y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?:T|[ _]{1,2}|[ \t]{1,8}|, |-|:| - |\" \")[ ]?" + _CLOCK + _HALF + _ZONE,
        _year_first,
    ),
    Shape("colon date", rb"(?P<Y>\d{4}):(?P<m>\d\d):(?P<d>\d\d)[- ]" + _CLOCK + _ZONE, _year_first),
    Shape(
        "chinese",
        "(?P<Y>\\d{4})年(?P<m>\\d{1,2})月(?P<d>\\d{1,2})日 ?(?P<H>\\d{1,2})(?::|时)(?P<M>\\d{1,2})(?::|分)(?P<S>\\d{1,2})(?:秒)?(?:[.,](?P<f>\\d{1,9}))?".encode(),
        _year_first,
    ),
    Shape(
        "compact",
        rb"(?<!\d)(?P<Y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)[-T _.]{1,2}(?P<H>\d{1,2}):?(?P<M>\d{1,2}):?(?P<S>\d{1,2})(?:[.,:](?P<f>\d{1,9})(?!\d))?" + _ZONE,
        _year_first,
    ),
    Shape("yymmdd", rb"(?<![\d.:])(?P<Y>\d\d)(?P<m>\d\d)(?P<d>\d\d)[ \t]{1,2}" + _CLOCK, _year_first),
    Shape("year of two digits", rb"(?<!\d)(?P<Y>\d\d)(?P<s>[/-])(?P<m>\d\d)(?P=s)(?P<d>\d\d)[ T]" + _CLOCK + _ZONE, _year_first),
    Shape(
        "ctime",
        rb"(?:" + _DAY_NAME + rb",? )?" + _ENGLISH_MONTH + rb" {1,2}(?P<d>\d{1,2}) " + _CLOCK
        + rb"(?: (?P<z>[A-Z]{3,5}|[+-]\d{4}))? (?P<Y>(?:19|20)\d\d)(?!\d)",
        _month_name,
    ),
    Shape(
        "month day year",
        rb"(?:" + _DAY_NAME + rb",? )?" + _ENGLISH_MONTH + rb"[a-z]* {1,2}(?P<d>\d{1,2}),? (?P<Y>(?:19|20)\d\d),?(?: at)? " + _CLOCK + _HALF + _ZONE,
        _month_name,
    ),
    Shape("month-day-year", _ENGLISH_MONTH + rb"-(?P<d>\d\d)-(?P<Y>\d\d(?:\d\d)?) " + _CLOCK + _ZONE, _month_name),
    Shape(
        "day month year",
        rb"(?<!\d)(?P<d>\d{1,2})(?P<s>[-/ ])" + _MONTH + rb"(?P=s)(?P<Y>(?:19|20)\d\d|\d\d(?=[ :T]))(?:[ T]|:|, )"
        + rb"(?P<H>\d{1,2})[:.](?P<M>\d\d)[:.](?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?" + _HALF + _ZONE,
        _month_name,
    ),
    Shape(
        "zone and syslog",
        rb"(?P<z>[A-Z]{3,4}) " + _ENGLISH_MONTH + rb" {1,2}(?P<d>\d{1,2}) " + _CLOCK,
        _month_name,
    ),
    Shape(
        "syslog",
        rb"(?<![A-Za-z])" + _ENGLISH_MONTH + rb" {1,2}(?P<d>\d{1,2}) " + _CLOCK,
        _month_name,
    ),
    Shape("syslog in another language", rb"(?<![A-Za-z])" + _MONTH + rb" {1,2}(?P<d>\d{1,2}) " + _CLOCK, _month_name, at_start_only=True),
    Shape("month/day/year", rb"(?<![\d/])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<Y>\d{4})(?:(?: -)?[ T,:]{1,2}|-)" + _CLOCK + _HALF + _ZONE, _month_first),
    Shape("day-month-year", rb"(?<!\d)(?P<a>\d{1,2})(?P<s>[-.])(?P<b>\d{1,2})(?P=s)(?P<Y>\d{4})[ T,:]{1,2}" + _CLOCK + _HALF + _ZONE, _day_first),
    Shape("year and day of year", rb"(?<!\d)(?P<Y>(?:19|20)\d\d)-(?P<d>\d{3})T" + _CLOCK + _ZONE, _day_of_year),
    Shape("month-day", rb"(?<![\d-])(?P<m>\d\d)[-/](?P<d>\d\d)[ T]" + _CLOCK, _no_year, at_start_only=True),
    Shape("klog", rb"(?<=[IWEFDV])(?<![A-Za-z].)(?P<m>\d\d)(?P<d>\d\d) " + _CLOCK, _no_year),
    Shape("TAI64N", rb"@(?P<n>4[0-9a-f]{15})(?P<f>[0-9a-f]{8})", _tai64n),
    Shape("audit", rb"audit\((?P<n>\d{10})\.(?P<f>\d{3})", _epoch),
    Shape(
        "epoch",
        rb"(?<![\w.:/-])(?P<n>\d{19}|\d{16}|\d{13}|\d{10})(?:\.(?P<f>\d{1,9}))?(?![\w.:/-])",
        _epoch,
    ),
    Shape("time", rb"(?P<H>\d\d):(?P<M>\d\d):(?P<S>\d\d)(?:[.,:](?P<f>\d{1,9}))?(?!\d)", _time_only, at_start_only=True),
)  # fmt: skip
