"""Time zones named in a text, English and Chinese, and which of the times there they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_FIXED_MINUTES = {
    "utc|gmt|zulu|协调世界时|世界时|世界协调时|格林(?:尼治|威治)(?:标准)?时间": 0,
    "beijing|peking|shanghai|china|chinese|hong kong|singapore|taipei": 480,
    "北京|上海|中国标准|中国|东八区|香港|新加坡|台北": 480,
    "jst|tokyo|japan|东京|日本|seoul|首尔": 540,
    "ist|india|印度": 330,
    "msk|moscow|莫斯科": 180,
}
_NAMED = {
    "est|edt|eastern|new york|纽约|美东|美国东部": "America/New_York",
    "pst|pdt|pacific|san francisco|los angeles|seattle|美西|美国西部|旧金山": "America/Los_Angeles",
    "cdt|central time|chicago|芝加哥": "America/Chicago",
    "cet|cest|berlin|paris|frankfurt|柏林|巴黎|法兰克福": "Europe/Berlin",
    "bst|london|伦敦": "Europe/London",
    "aest|aedt|sydney|悉尼": "Australia/Sydney",
}
_CHINA, _CENTRAL = timezone(timedelta(hours=8)), timezone(timedelta(hours=-6))
_SIGNED = r"(?P<signed>(?:(?:utc|gmt)\s?[+-]\d{1,2}(?::?\d{2})?|(?<=[\s(])[+-]\d{2}:?\d{2})(?![\d:]))"
_NAMES = "|".join(
    [_SIGNED, "(?P<cst>cst)"]
    + [f"(?P<fixed{index}>{names})" for index, names in enumerate(_FIXED_MINUTES)]
    + [f"(?P<named{index}>{names})" for index, names in enumerate(_NAMED)]
)
_ZONE = re.compile(f"(?<![A-Za-z])(?:{_NAMES})(?![A-Za-z])", re.IGNORECASE)
_GAP_AFTER_TIME = re.compile(r"[\s(,]*(?:in\s|at\s)?")
_GAP_BEFORE_TIME = re.compile(
    r"[\s,:)的]*(?:local\s)?(?:standard\s)?(?:时间|time|时区)?[\s,:)的]*(?:从|自|在|约|at\s)?\s*"
)
_EXPLAINED = re.compile(r"\s?(?:time)?[\s(,]*")


@dataclass(frozen=True, slots=True)
class ZoneName:
    """A zone where the text names it. Several readings only for an ambiguous abbreviation."""

    start: int
    end: int
    zones: tuple[tzinfo, ...]


def zone_names(text: str) -> list[ZoneName]:
    """Return every zone that a normalised `text` names."""
    return [ZoneName(match.start(), match.end(), _zones(match)) for match in _ZONE.finditer(text)]


def zones_stated_for(named: Sequence[ZoneName], text: str, start: int, end: int) -> tuple[tzinfo, ...]:
    """Return the zone that stands right behind or before the time at `start`..`end`, or ().

    "18:03 CST (UTC+8)": an abbreviation that is explained means what the explanation says.
    """
    for index, zone in enumerate(named):
        if zone.start >= end and _GAP_AFTER_TIME.fullmatch(text[end : zone.start]):
            following = named[index + 1] if index + 1 < len(named) else None
            if following and _EXPLAINED.fullmatch(text[zone.end : following.start]):
                return following.zones
            return zone.zones
    before = [zone for zone in named if zone.end <= start]
    if before and _GAP_BEFORE_TIME.fullmatch(text[before[-1].end : start]):
        return before[-1].zones
    return ()


def fixed_offset(offset: str) -> tzinfo:
    """Return the zone of an ISO 8601 offset such as Z, +08:00, +0800 or +8."""
    if offset.upper() == "Z":
        return UTC
    sign = -1 if offset.startswith("-") else 1
    digits = offset.lstrip("+-").replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    return timezone(sign * timedelta(hours=min(int(hours), 23), minutes=min(int(minutes), 59)))


def _zones(match: re.Match[str]) -> tuple[tzinfo, ...]:
    if match["signed"]:
        return (fixed_offset(re.sub(r"(?i)utc|gmt|\s", "", match["signed"])),)
    if match["cst"]:
        return (_CHINA, _CENTRAL)
    for index, minutes in enumerate(_FIXED_MINUTES.values()):
        if match[f"fixed{index}"]:
            return (timezone(timedelta(minutes=minutes)),)
    names = [name for index, name in enumerate(_NAMED.values()) if match[f"named{index}"]]
    return (ZoneInfo(names[0]),)
