"""The time that a question states, and the words in it that look like a time and could not be read.

Only what the engineer says counts: quoted messages, pasted lines that begin like log lines, and what was
piped in below the question are no statement about when it happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from superbiz_cli.cli.time_patterns import AGO_AT, DAY, DISTANCE, FLAGS, POINT, distance
from superbiz_cli.cli.time_words import Reading, read_point

AROUND = timedelta(minutes=30)
MAX_QUOTED = 3
MAX_READ_CHARS = 4_000
_SHORTEST = timedelta(minutes=1)  # "30 s" is how long a request took
_SHORTEST_WITHIN = timedelta(minutes=10)  # "5分钟内" is a rate more often than a window
_LAST_UNIT = r"(?:minute|hour|day|week)"
_ABOUT = r"(?:(?:at|on|about|around|approximately|roughly|circa|ca\.|the)\s+|~\s*|大约|大概|约)?"
_ONGOING = r"\b(?:been|already|down|broken|failing|slow|unavailable|unreachable|[a-z]+ing)\b"
_FORMS: tuple[tuple[str, str], ...] = (
    (
        "range",
        rf"(?P<d>{DAY.pattern}),?\s+(?:between|from)\s+(?P<a>{POINT})\s*(?:and|to|until|till|-|–|—)\s*(?P<b>{POINT})",
    ),
    (
        "range",
        rf"\b(?:between|from)\s+(?P<a>\d{{1,2}})\s*(?:and|to|until|till|-|–|—)\s*(?P<b>{POINT})",
    ),
    ("range", rf"\b(?:between|from)\s+(?P<a>{POINT})\s*(?:and|to|until|till|through|-|–|—)\s*(?P<b>{POINT})"),
    ("range", rf"(?:从|自|在)?\s*(?P<a>{POINT})\s*(?:到|至|和|与)\s*(?P<b>{POINT})(?:之间|期间)?"),
    ("range", rf"(?P<a>{POINT})\s*(?P<dash>-|–|—|~|\bto\b|\buntil\b|\btill\b)\s*(?P<b>{POINT})"),
    (
        "range",
        rf"\b(?:start|began|beg[iu]n)(?:s|ed|ing|ning)?\s+{_ABOUT}(?P<a>{POINT})[^.;\n]{{0,30}}?"
        rf"\b(?:end|stop|recover)(?:s|ed|ped)?\s+{_ABOUT}(?P<b>{POINT})",
    ),
    (
        "range",
        rf"(?P<a>{POINT})\s*(?:左右)?开始[^。；\n]{{0,12}}?(?P<b>{POINT})\s*(?:左右)?(?:结束|恢复|停止)",
    ),
    (
        "since",
        r"\b(?:since|after|from|as\s+of|(?:start|began|begin|begun)(?:s|ed|ing|ning)?(?:\s+from)?)\s+"
        rf"{_ABOUT}(?P<a>{POINT})",
    ),
    ("back", rf"\bsince\s+(?:(?:about|around|the|over)\s+)?(?:(?:last|past)\s+)?(?P<length>{DISTANCE})"),
    ("since", rf"(?P<a>{POINT})\s*(?:onwards?\b|and\s+later\b)"),
    (
        "since",
        rf"(?:从|自|自从|打从)?\s*{_ABOUT}(?P<a>{POINT})(?:左右|前后|许|多)?\s*(?:以来|起|开始|之后|以后|后|至今)",
    ),
    ("since", rf"(?:从|自从|打从)\s*{_ABOUT}(?P<a>{POINT})"),
    ("ago", rf"(?P<a>{AGO_AT})"),
    (
        "back",
        r"(?:\b(?:in|over|for|during|within|throughout)\s+)?(?:\bthe\s+)?\b(?:last|past|previous)\s+"
        rf"(?P<length>{DISTANCE}|{_LAST_UNIT}\b)",
    ),
    ("back", rf"(?:最近|过去|近|这)\s*(?:的)?\s*(?P<length>{DISTANCE})"),
    ("back", rf"(?P<length>{DISTANCE})\s*(?:以来|了)"),
    ("within", rf"(?P<length>{DISTANCE})\s*(?:之内|以内|内)"),
    ("back", rf"{_ONGOING}[^.;,!?]{{0,60}}?\bfor\s+(?:about\s+|around\s+|over\s+)?(?P<length>{DISTANCE})"),
    ("back", rf"\bfor\s+(?:about\s+|around\s+|over\s+)?(?P<length>{DISTANCE})\s+(?:now|already|straight)\b"),
    ("until", rf"\b(?:until|till|up\s+to|before|by)\s+{_ABOUT}(?P<b>{POINT})"),
    ("until", rf"(?P<b>{POINT})\s*(?:之前|以前|前)"),
    ("dated", rf"(?P<a>{POINT})"),
    (
        "around",
        rf"(?:\b(?:around|about|near|circa|at|on|during|approximately)\s+|~\s*|大约|大概|在)\s*(?P<a>{POINT})",
    ),
    ("around", rf"(?P<a>{POINT})\s*(?:左右|前后|附近|那会儿?|的时候|期间)"),
    ("bare", rf"(?P<a>{POINT})"),
)
# Most questions name no time; the patterns below take a tenth of a second to compile.
_MAY_NAME_A_TIME = re.compile(
    r"\d|\b(?:since|ago|now|last|past|previous|few|couple|several|yesterday|today|tonight|noon|midday|midnight"
    r"|morning|afternoon|evening|night|overnight|lunch|weekend|hours?|minutes?|weeks?|days?|while|moments?|long"
    r"|[a-z]+day|after|before|until|around)\b"
    r"|[昨今前天晚早晨午夜点时周月年日半几]|自|从|以来|最近|过去|星期|礼拜|分钟|小时|现在|目前",
    FLAGS,
)
_SINCE_THEN = re.compile(
    r"\b(?:ever\s+)?since(?:\s+then\b|[.,!?]?\s*$)|(?:自|从)?(?:那时|此)(?:以来|之后|起)", FLAGS
)
_LOOKS_LIKE_A_TIME = re.compile(
    r"\bsince\s+(?!then\b)(?:(?:the|our|my|a|an|last|that|\d+)\s+)*[\w/.:-]{1,40}\w"
    r"|(?<![\w/.-])\d{4}-\d{2}-\d{2}(?![/-])(?:[T ]\d{2}:\d{2}\S{0,20})?"
    r"|\b(?:a\s+)?(?:few|couple(?:\s+of)?|several|some|many)\s+(?:seconds?|minutes?|mins?|hours?|days?|weeks?)(?:\s+ago)?\b"
    r"|\b(?:a\s+while|moments?|long)\s+ago\b|\b[\w-]+\s+(?:months?|years?)\s+ago\b"
    r"|\b(?:last|past|previous)\s+(?:few\s+\w+|couple\s+of\s+\w+|weekend|month|quarter|year|evening|morning)\b"
    r"|\bovernight\b|\bthe\s+other\s+day\b|\b(?:during|in|at)\s+(?:the\s+)?night\b|前[几两些]天?|\b\d{1,2}/\d{1,2}\b"
    r"|\b(?:yesterday|tonight|today|midnight|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|\b(?:at|around|about|before|after|by)\s+(?:lunch(?:\s?time)?|breakfast|dinner|dawn|dusk|night|noon)\b"
    r"|(?<![\w.:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\w:])|\b\d{1,2}\s*[ap]\.?m\b"
    r"|\bbetween\s+\d{1,2}\s+and\s+\d{1,2}(?:\s*[ap]\.?m\b|\s*o.clock)"
    r"|(?:自从|自|从)[^，。,.；;\s]{1,12}(?:以来|开始|起|之后|以后)"
    r"|(?:好)?几(?:秒钟?|分钟|个?小时|天|周)(?:之前|以前|前|以来)?"
    r"|[上下](?:个?月|周末|季度)|(?:前|昨|今)[天晚早]|(?:早上|上午|中午|下午|傍晚|晚上|夜里|凌晨|半夜|深夜)"
    r"|[\d一二三四五六七八九十]{1,3}点(?:钟|半|多|左右)|周末|月初|月底|年初|饭点|午饭|午休",
    FLAGS,
)
_TOO_VAGUE = re.compile(r"\d{1,2}[日号]", FLAGS)
_EXACT_CLOCK = re.compile(r"(?<![\w.:])\d{1,2}[:：]\d\d|\d\s*[ap]\.?m\b|[晨早午晚夜上间里]\s*\d", FLAGS)
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|`[^`\n]{1,400}`|'[^'\n]{12,400}'(?!\w)")
_LOG_LINE = re.compile(
    r"^\s*(?:[\[<{(]|\d{4}[-/]\d\d[-/]\d\d[T ]\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d).*$", re.M
)


@dataclass(frozen=True, slots=True)
class StatedTime:
    """The window that a question states, in its own words, and what of it could not be read.

    `until` is None where the window goes on to now; `since` is None for "until 10:30".
    """

    since: datetime | None = None
    until: datetime | None = None
    said: str | None = None
    unread: tuple[str, ...] = ()


def stated_time(query: str, *, now: datetime, zone: ZoneInfo) -> StatedTime:
    """Return what `query` says about when it happened."""
    text = _spoken(query)
    if not _MAY_NAME_A_TIME.search(text):
        return StatedTime()
    for kind, pattern in _FORMS:
        for match in re.compile(pattern, FLAGS).finditer(text):
            window = _window(kind, match, now=now, zone=zone)
            if window is None:
                continue
            since, until = window
            rest = f"{text[: match.start()]}\n{text[match.end() :]}"
            if kind in ("around", "bare") and until is not None and (then := _SINCE_THEN.search(rest)):
                until, rest = None, rest.replace(then.group(), "\n")
            return StatedTime(since, until, " ".join(match.group().split()), _unread(rest))
    return StatedTime(unread=_unread(text))


def _spoken(query: str) -> str:
    """Return the part of the question that its author says; the rest is blanked."""
    text = query.strip().partition("\n\n")[0][:MAX_READ_CHARS].replace("\u3000", " ")
    return _QUOTED.sub("\n", _LOG_LINE.sub("\n", text) if "\n" in text else text)


def _unread(text: str) -> tuple[str, ...]:
    found = (" ".join(match.group().split()) for match in _LOOKS_LIKE_A_TIME.finditer(text))
    return tuple(dict.fromkeys(words for words in found if words))[:MAX_QUOTED]


def _window(
    kind: str, match: re.Match[str], *, now: datetime, zone: ZoneInfo
) -> tuple[datetime | None, datetime | None] | None:
    """Return beginning and end of what a form states, None if it states no window before `now`."""
    if kind in ("back", "within"):
        return _back(match["length"], now, shortest=_SHORTEST_WITHIN if kind == "within" else _SHORTEST)
    if kind == "range":
        return next(_ranges(match, now, zone), None)
    named = match["b" if kind == "until" else "a"]
    if (kind == "dated" and not _has_day_and_time(named)) or (kind == "bare" and not _stands_alone(named)):
        return None
    point = read_point(named, now=now, zone=zone)
    if point is None or point.begin > now:
        return None
    if kind == "until":
        return None, point.begin if match.group().lower().startswith("before") else min(point.end, now)
    if kind == "since" or point.is_distance:
        return (point.begin, None) if point.begin < now else None
    return _around(point, now)


def _back(text: str, now: datetime, *, shortest: timedelta) -> tuple[datetime, None] | None:
    length = distance(text) or distance(f"one {text}")
    try:
        return (now - length, None) if length >= shortest else None
    except OverflowError:
        return None


def _ranges(match: re.Match[str], now: datetime, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime]]:
    """Yield the readings of "A to B" that make sense: either may take the day from the other."""
    first, last = match["a"], match["b"]
    if first.isdecimal():
        half = re.search(r"[ap]\.?m", last, FLAGS)
        if half is None:
            return  # "between 2 and 3" of whatever
        first += half.group()
    dash = match.groupdict().get("dash")
    if dash == "-" and re.search(r"\dT\d", first) and "- " not in match.group():
        return  # "2026-11-30T10:00-03:00" is a time with its offset
    likes = [(last if not DAY.search(first) else "", first if not DAY.search(last) else ""), ("", "")]
    likes.insert(1, ("", likes[0][1]))
    if day := match.groupdict().get("d"):
        likes = [(day, day)]
    for like_last, like_first in likes:
        begin = read_point(first, now=now, zone=zone, like=like_last)
        end = read_point(last, now=now, zone=zone, like=like_first)
        if begin is None or end is None:
            return
        until = end.end
        if until <= begin.begin and not DAY.search(last):
            until += timedelta(days=1)
        if begin.begin < min(until, now):
            yield begin.begin, min(until, now)


def _around(point: Reading, now: datetime) -> tuple[datetime, datetime | None]:
    """Half an hour to both sides of an instant; a stretch as it is. Not beyond `now`."""
    margin = AROUND if point.is_instant else timedelta(0)
    end = point.end + margin
    return point.begin - margin, None if end >= now else end


def _has_day_and_time(text: str) -> bool:
    day = DAY.search(text)
    return day is not None and len(day.group()) < len(text)


def _stands_alone(text: str) -> bool:
    """Whether a point says when it happened without a word before it: a day, a time with its part of it."""
    if _TOO_VAGUE.fullmatch(text):
        return False
    return DAY.search(text) is not None or _EXACT_CLOCK.search(text) is not None
