"""The words of a time as patterns: days, parts of a day, clock times, zones, distances; two languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import NamedTuple

FLAGS = re.IGNORECASE | re.ASCII
_UNIT_S: Mapping[str, int] = {
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    "秒": 1, "分": 60, "小": 3600, "钟": 3600, "天": 86_400, "周": 604_800, "星": 604_800, "礼": 604_800,
}  # fmt: skip
_EN_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
}  # fmt: skip
_ZH_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_EN_UNIT = (
    r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![A-Za-z0-9])"
    r"|(?:s|m|h|d|w)(?=\d)"
)
_EN_COUNT = (
    rf"(?:\d{{1,5}}(?:\.\d)?|half(?:\s+an?)?|(?:a\s+)?couple(?:\s+of)?|\b(?:{'|'.join(_EN_NUMBERS)})\b)"
)
_EN_PART = rf"{_EN_COUNT}\s*-?\s*(?:{_EN_UNIT})(?:\s+and\s+a\s+half\b)?"
_ZH_NUMBER = r"(?:\d{1,5}|[零〇一二两三四五六七八九十]{1,3})"
_ZH_UNIT = r"(?:秒钟?|分钟?|小时|钟头|天|周|星期|礼拜)"
_ZH_PART = rf"(?:半个?|{_ZH_NUMBER}\s*个?半?)\s*(?:{_ZH_UNIT})"
DISTANCE = rf"(?:{_EN_PART}(?:\s*(?:,|and)?\s*{_EN_PART}){{0,3}}|{_ZH_PART}(?:\s*{_ZH_PART}){{0,3}})"
_DISTANCE_PART = re.compile(rf"({_EN_COUNT})\s*-?\s*({_EN_UNIT})(\s+and\s+a\s+half\b)?", FLAGS)
_ZH_DISTANCE_PART = re.compile(rf"(半|{_ZH_NUMBER})\s*个?(半?)\s*({_ZH_UNIT})")
AGO = rf"{DISTANCE}(?:\s+(?:ago|earlier|back)\b|\s*(?:之前|以前|前))"

MONTH_NAME = rf"(?:(?:{'|'.join(m for m in MONTHS if m != 'may')})[a-z]{{0,6}}\.?|(?-i:May))"
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)\b"
_DAYS: Mapping[str, str] = {
    "iso": r"(?<![\w/.-])\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)",
    "month_first": r"(?<![\d-])\d{2}-\d{2}(?=[ T]\d{1,2}:)",
    "day_first": r"(?<![\d.])\d{1,2}\.\d{1,2}\.(?:\d{4})?(?=\s|$)",
    "slashed": r"(?<![\d/])\d{1,2}/\d{1,2}(?:/\d{4})?(?![\d/])(?=,?\s+(?:at\s+)?\d{1,2}:)",
    "zh_date": r"(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]?",
    "month_day": rf"\b{MONTH_NAME}\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+\d{{4}}\b)?",
    "day_month": rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH_NAME}(?![a-z])(?:,?\s+\d{{4}}\b)?",
    "before_yesterday": r"\bthe\s+day\s+before\s+yesterday\b|前天|前日",
    "night_before": r"\blast\s+night\b|昨晚|昨夜",
    "yesterday": r"\byesterday\b|昨天|昨日|昨(?=早|晨)",
    "this_part": r"\bthis\s+(?=morning|afternoon|evening)|今(?=早|晨)",
    "tonight": r"\btonight\b|今晚|今夜",
    "today": r"\btoday\b|今天|今日|当天",
    "week": r"\b(?:last|this)\s+week\b|[上这本](?:个?星期|个?礼拜|周)(?![一二三四五六日天末])",
    "weekday": rf"\b(?:last\s+|this\s+)?{_WEEKDAY}",
    "zh_weekday": r"[上这本]?个?(?:周|星期|礼拜)[一二三四五六日天]",
    "day_of_month": r"(?<![\d月])\d{1,2}[日号]",
}
_PARTS: Mapping[str, str] = {
    "small_hours": r"凌晨",
    "morning": r"\bmorning\b|清晨|早晨|早上|上午|(?<=[今昨])[早晨]",
    "noon": r"\bnoon\b|\bmidday\b|中午|正午",
    "afternoon": r"\bafternoon\b|下午",
    "evening": r"\bevening\b|傍晚|晚上|晚间",
    "midnight": r"\bmidnight\b|午夜|半夜|零点",
    "night": r"\bnight\b|夜里|夜间|深夜",
}
_TIMES: Mapping[str, str] = {
    "digital": (
        r"(?<![\d:：.])(?:[01]?\d|2[0-4])[:：][0-5]\d(?:[:：][0-5]\d(?:[.,]\d{1,6})?)?(?![\d:：])"
        r"(?:\s*[ap]\.?m\b\.?)?"
    ),
    "am_pm": r"(?<![\d:.])(?:1[0-2]|0?[1-9])(?:\.[0-5]\d)?\s*[ap]\.?m\b\.?",
    "o_clock": r"\b(?:1\d|2[0-4]|0?\d)\s*o['’]?\s*clock\b",
    "zh_clock": (
        r"(?<!\d)(?:\d{1,2}|[零〇一二两三四五六七八九十]{1,3})(?:点钟?|时)"
        r"(?:半|一刻|三刻|整|(?:\d{1,2}|[零〇一二两三四五六七八九十]{1,3})分?(?:\d{1,2}秒)?)?(?!\d)"
    ),
}  # fmt: skip
_BARE_HOUR = r"(?<=at )(?:1\d|2[0-4]|0?\d)(?![\d:.%\w])"  # "last night at 11": only beside a day or a part
_ZONES = r"(?<![A-Za-z])(?:UTC|GMT|Z)(?![A-Za-z])|[+-]\d{2}:?[0-5]\d(?!\d)|北京时间"
_GLUE = r"(?:\s*(?:,\s*|\bat\b|\bon\b|\bin\s+the\b|\bof\b|的|T(?=\d))?\s*)"


def _group(patterns: Mapping[str, str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns.values())


_COMPONENT = f"(?:{_group(_DAYS)}|{_group(_PARTS)}|{_group(_TIMES)}|{_ZONES})"
_CALENDAR = rf"(?:北京时间\s*)?(?!{_ZONES}){_COMPONENT}(?:{_GLUE}(?:{_COMPONENT}|{_BARE_HOUR})){{0,4}}"
AGO_AT = rf"{AGO}(?:{_GLUE}(?:{_group(_PARTS)}|{_group(_TIMES)}|{_BARE_HOUR})){{0,2}}"
POINT = rf"(?:{AGO_AT}|\bnow\b|现在|目前|{_CALENDAR})"
DAY = re.compile(f"(?:{_group(_DAYS)})", FLAGS)
_COMPILED = {
    kind: {name: re.compile(pattern, FLAGS) for name, pattern in patterns.items()}
    for kind, patterns in (
        ("day", _DAYS),
        ("time", {**_TIMES, "bare_hour": _BARE_HOUR}),
        ("part", _PARTS),
        ("zone", {"zone": _ZONES}),
    )
}
_FILLER = re.compile(r"(?:\s|,|\bat\b|\bon\b|\bin\s+the\b|\bthe\b|\bof\b|的|T(?=\d))*", FLAGS)


class Component(NamedTuple):
    """One word of a time: its kind (day, time, part, zone), the pattern that it fits, where it stands."""

    kind: str
    name: str
    text: str
    start: int
    end: int


def distance(text: str) -> timedelta:
    """Return the length of "1h30m", "half an hour", "2 hours and 5 minutes", "一个半小时"."""
    seconds = 0.0
    for count, unit, half in _DISTANCE_PART.findall(text):
        word = count.lower()
        number = 0.5 if word.startswith("half") else 2 if "couple" in word else _EN_NUMBERS.get(word)
        whole = float(word) if number is None else number
        seconds += (whole + (0.5 if half else 0)) * _UNIT_S[unit[0].lower()]
    if not seconds:
        for count, half, unit in _ZH_DISTANCE_PART.findall(text):
            number = 0.5 if count == "半" else zh_number(count)
            seconds += (number + (0.5 if half else 0)) * _UNIT_S[unit[0]]
    return timedelta(seconds=seconds)


def is_distance(text: str) -> bool:
    """Whether `text` is a distance, with or without "ago"."""
    return re.fullmatch(rf"{DISTANCE}|{AGO}", " ".join(text.split()), FLAGS) is not None


def zh_number(text: str) -> int:
    """Return a number up to 99 in digits or Chinese numerals. Raises ValueError."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if ten:
        return _zh_digits(tens or "一") * 10 + (_zh_digits(ones) if ones else 0)
    return _zh_digits(text)


def _zh_digits(text: str) -> int:
    value = 0
    for char in text:
        if char not in _ZH_DIGITS:
            raise ValueError("not a Chinese numeral")
        value = value * 10 + _ZH_DIGITS[char]
    return value


def components(text: str) -> Iterator[Component]:
    """Yield the components of `text`; raises ValueError if anything else is in it."""
    at = 0
    while at < len(text):
        found = next(
            (
                Component(kind, name, match.group(), at, match.end())
                for kind, patterns in _COMPILED.items()
                for name, pattern in patterns.items()
                if (match := pattern.match(text, at)) is not None
            ),
            None,
        )
        if found is not None:
            yield found
        filler = _FILLER.match(text, at)
        end = found.end if found is not None else filler.end() if filler is not None else at
        if end == at:
            raise ValueError("a word that belongs to no time")
        at = end
