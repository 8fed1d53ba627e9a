"""Numbers with their units, found in a text: digits, scale words, English and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from superbiz_cli.harness.guard.claims.numerals import (
    CHINESE_NUMBER,
    ENGLISH_NUMBER,
    SCALES,
    chinese_number,
    english_number,
)
from superbiz_cli.harness.guard.claims.units import (
    BARE,
    PERCENT,
    SECOND,
    UNIT_AFTER,
    Dimension,
    Unit,
    unit_of,
)


class Hedge(StrEnum):
    """How a number is qualified in words."""

    NONE = "none"
    ABOUT = "about"
    OVER = "over"
    UNDER = "under"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit. `value` is in that unit; `step` is one in its last written place.

    `is_count` tells that the number stands before a thing that is counted (times, rows, 次, 条).
    """

    value: Decimal
    step: Decimal
    unit: Unit
    start: int
    end: int
    text: str
    hedge: Hedge = Hedge.NONE
    is_count: bool = False
    is_ordinal: bool = False


_MAY_HOLD_A_NUMBER = re.compile(rf"(?i)\d|{CHINESE_NUMBER}|{ENGLISH_NUMBER}|third|quarter|half|fold\b|半")
_DIGITS = r"(?P<digits>\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,12})?|\d{1,18}(?:\.\d{1,12})?)"
_NOT_INSIDE_WORD = r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)"
_NAME_BEFORE = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][\w.-]*-$")  # of the 2 of "mongo-rs0-2"
_SCALE = (
    r"(?:\s?(?P<scale>百万|千万|[万亿千百]|(?:hundred|thousand|million|billion)\b)"
    r"|(?P<kilo>[kKw])(?![A-Za-z0-9_/]))?"
)
_NUMBER = re.compile(
    rf"{_NOT_INSIDE_WORD}[+#-]?{_DIGITS}(?!xx\b)"
    rf"(?:(?=(?:st|nd|rd|th)\b)|{_SCALE}{UNIT_AFTER}(?![A-Za-z0-9_])(?!\.\d))"
)
_ENGLISH = re.compile(rf"(?i)\b(?P<words>{ENGLISH_NUMBER})\b{UNIT_AFTER}")
_FRACTION_ZH = re.compile(
    rf"(?P<whole>{CHINESE_NUMBER}|\d{{1,6}})\s?分之\s?(?P<part>{CHINESE_NUMBER}|\d{{1,6}})"
)
_TENTHS_ZH = re.compile("(?P<tenths>[一二三四五六七八九])成(?P<half>半)?")
_FRACTION_EN = re.compile(
    r"(?i)\b(?P<part>a|one|two|three|four|five|six|seven|eight|nine)[\s-]"
    r"(?P<whole>third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)s?\b"
)
_WHOLE_EN = {
    name: value
    for value, name in enumerate(
        re.findall(r"\w+", "third quarter fifth sixth seventh eighth ninth tenth"), 3
    )
}
_ONE_IN_EN = re.compile(
    rf"(?i)\bone (?:[a-z]+ ){{0,2}}(?:in|out of)(?: every)? (?P<whole>\d{{1,3}}|(?:{ENGLISH_NUMBER}))\b"
    r"(?! (?:second|minute|hour|day))"
)
_FRACTION_STEP = Decimal(8)  # a fraction in words stands for a share within four points
_PERCENT_ZH = re.compile(rf"百分之(?P<words>{CHINESE_NUMBER}|\d{{1,9}}(?:\.\d{{1,9}})?)")
_COUNTED_ZH = "多?余?个?[次条笔行起台份张件种类项轮批组层步位名家处套块片路列段根只个倍]"
_CHINESE = re.compile(
    rf"(?P<ordinal>第)?(?P<words>{CHINESE_NUMBER})(?:\s?(?P<unit>毫秒|微秒|秒钟|秒|分钟|小时|个小时|天|周)"
    rf"|(?P<counted>\s?{_COUNTED_ZH}))"
)
_HALF_ZH = re.compile(r"半(?:个)?(?P<unit>小时|分钟|秒)|(?P<unit2>\d{1,6})?个半(?P<unit3>小时|分钟)")
_PART_OF_TIME_EN = re.compile(
    r"(?i)\b(?P<part>half|a quarter of|three quarters of)\s(?:an?\s)(?P<unit>hour|minute|second|day)\b"
)
_AND_A_HALF_EN = re.compile(
    rf"(?i){_NOT_INSIDE_WORD}(?P<words>\d{{1,6}}|\b(?:{ENGLISH_NUMBER})\b)"
    r"\sand\s(?P<part>a half|a quarter|three quarters)"
    r"\s(?P<unit>weeks?|days?|hours?|minutes?|seconds?)\b"
)
_AND_A_HALF_ZH = re.compile(
    rf"(?P<words>\d{{1,6}}|{CHINESE_NUMBER})\s?(?:个半(?P<unit>小时)|(?P<unit2>分钟|分|秒|天|小时)半钟?)"
)
_FOLD_EN = re.compile(
    rf"(?i)\b(?P<words>{ENGLISH_NUMBER})-?fold\b"
    rf"|{_NOT_INSIDE_WORD}(?P<digits>\d{{1,6}}(?:\.\d{{1,3}})?)-?fold\b"
)
_PART_EN = {
    "half": Decimal("0.5"),
    "a half": Decimal("0.5"),
    "a quarter": Decimal("0.25"),
    "a quarter of": Decimal("0.25"),
    "three quarters": Decimal("0.75"),
    "three quarters of": Decimal("0.75"),
}
# Composite durations: "2 min 41 s", "1h 5m", "3 分 43 秒", "2 小时 10 分".
_PART = rf"(?:\d{{1,9}}(?:\.\d{{1,9}})?|\b(?:{ENGLISH_NUMBER})\b|{CHINESE_NUMBER})"
_HOURS = rf"(?P<hours{{0}}>{_PART})\s?(?:hours?|hrs?|h|个?小时)[\s,]*(?:and\s+)?"
_MINUTES = rf"(?P<minutes{{0}}>{_PART})\s?(?:minutes?|mins?|m|分钟|分)"
_SECONDS = rf"(?P<seconds{{0}}>{_PART})\s?(?:seconds?|secs?|s|秒钟|秒)"
_GAP = r"[\s,零又]*(?:and\s+)?"
_COMPOSITE = re.compile(
    rf"(?i){_NOT_INSIDE_WORD}(?:{_HOURS}{_MINUTES}(?:{_GAP}{_SECONDS})?".replace("{0}", "1")
    + rf"|{_MINUTES}{_GAP}{_SECONDS})(?![A-Za-z0-9])".replace("{0}", "2")
)

_ABOUT = (
    r"about|around|roughly|approximately|approx\.?|circa|some|close to|~|约为?|大约|大概|接近|差不多|左右"
)
_OVER = (
    r"more than|over|just over|above|at least|no less than|upwards of|beyond|exceeding|"
    r"超过|超出|至少|高达|不少于|逾|>=?"
)
_UNDER = (
    r"less than|within|under|just under|below|almost|nearly|not quite|fewer than|at most|"
    r"不到|不足|近|将近|不超过|小于|<=?"
)
_HEDGE_BEFORE = re.compile(
    rf"(?i)(?:(?P<about>{_ABOUT})|(?P<over>{_OVER})|(?P<under>{_UNDER}))(?:\s+(?:the|a|an|of))?\s*$"
)
_HEDGE_AFTER = re.compile(
    r"\s*(?:(?P<about>左右|上下|or so)|(?P<over>以上|or more|多|余|\+(?!\s?\d))|(?P<under>[之以]?内|以下))"
)
_COUNTED_AFTER = re.compile(
    rf"\s?{_COUNTED_ZH}|\s(?:of|out of)\s(?:the|these|those|them|its|\d)"
    r"|\s(?:[a-z][\w'-]*\s){0,3}?(?!is\b|was\b|has\b|as\b|its\b|this\b|us\b|hours\b)(?:[A-Za-z][\w'-]*s|people|data)\b"
    r"|\stimes?\b|\s(?:a|per|each)\s(?:second|minute|hour|day)\b"
)
_LOOK_AROUND = 48  # characters in which a hedge or the thing counted can stand
_FACTOR_AFTER = re.compile(
    r"(?i)\s?times\s(?:the|as|more|higher|larger|greater|bigger|longer|its|that|what|over)\b"
)
_RATE_AFTER = re.compile(r"(?i)(?:\s[a-z][\w-]*){0,2}\s?(?:\bper|\ban?)\s(?P<time>second|minute|hour)\b")
_RATE_BEFORE = re.compile(r"每(?P<time>秒|分钟|小时)[^\d,;。]{0,4}$")
_PERIODS = {"秒": "second", "分钟": "minute", "小时": "hour"}
_RATE_DIGITS = 100  # smaller whole numbers a minute are counts, which the events give
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)\b")


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a normalised `text` in order, with their hedges and shared units."""
    return _sharing_units(text, [_qualified(text, quantity) for quantity in plain_quantities(text)])


def plain_quantities(text: str) -> list[Quantity]:
    """Return the quantities of a normalised `text` in order; overlapping readings are dropped."""
    if not _MAY_HOLD_A_NUMBER.search(text):
        return []
    taken: list[Quantity] = []
    covered: set[int] = set()
    for found in (
        *_composites(text),
        *_and_a_half(text),
        *_folds(text),
        *_percents(text),
        *_halves(text),
        *_fractions(text),
        *_numbers(text),
        *_words(text),
        *_ideographs(text),
    ):
        span = range(found.start, found.end)
        if covered.isdisjoint(span):
            taken.append(found)
            covered.update(span)
    return sorted(taken, key=lambda quantity: quantity.start)


def _composites(text: str) -> Iterator[Quantity]:
    for match in _COMPOSITE.finditer(text):
        hours, minutes = match["hours1"], match["minutes1"] or match["minutes2"]
        seconds = match["seconds1"] or match["seconds2"]
        parts = ((hours, 3600), (minutes, 60), (seconds, 1))
        value = sum((_number_of(part) * size for part, size in parts if part), Decimal(0))
        last, size = (seconds, 1) if seconds else (minutes, 60)
        yield _quantity(match, value, _step_of(last) * size, SECOND)


def _percents(text: str) -> Iterator[Quantity]:
    for match in _PERCENT_ZH.finditer(text):
        yield _quantity(match, _number_of(match["words"]), Decimal(1), PERCENT)


def _fractions(text: str) -> Iterator[Quantity]:
    for match in _FRACTION_ZH.finditer(text):
        part, whole = _number_of(match["part"]), _number_of(match["whole"])
        if whole:
            yield _quantity(match, part / whole * 100, _FRACTION_STEP, PERCENT)
    for match in _FRACTION_EN.finditer(text):
        part = Decimal(1) if match["part"].lower() == "a" else english_number(match["part"])
        yield _quantity(match, part / _WHOLE_EN[match["whole"].lower()] * 100, _FRACTION_STEP, PERCENT)
    for match in _ONE_IN_EN.finditer(text):
        whole = _number_of(match["whole"])
        if whole > 1:
            yield _quantity(match, 100 / whole, 100 / whole**2, PERCENT)
    for match in _TENTHS_ZH.finditer(text):
        half, step = (Decimal(5), Decimal(5)) if match["half"] else (Decimal(0), Decimal(10))
        yield _quantity(match, chinese_number(match["tenths"]) * 10 + half, step, PERCENT)


def _number_of(words: str) -> Decimal:
    if words[0].isdigit():
        return Decimal(words)
    return english_number(words) if words.isascii() else chinese_number(words)


def _halves(text: str) -> Iterator[Quantity]:
    for match in _HALF_ZH.finditer(text):
        name = match["unit"] or match["unit3"]
        whole = Decimal(match["unit2"] or 0) if match["unit"] else Decimal(match["unit2"] or 1)
        yield _quantity(match, whole + Decimal("0.5"), Decimal("0.5"), unit_of(name))
    for match in _PART_OF_TIME_EN.finditer(text):
        yield _quantity(match, _PART_EN[match["part"].lower()], Decimal("0.25"), unit_of(match["unit"]))


def _and_a_half(text: str) -> Iterator[Quantity]:
    """Yield "six and a half minutes", 六分半, 两个半小时."""
    for match in _AND_A_HALF_EN.finditer(text):
        value = _number_of(match["words"]) + _PART_EN[match["part"].lower()]
        yield _quantity(match, value, Decimal("0.25"), unit_of(match["unit"]))
    for match in _AND_A_HALF_ZH.finditer(text):
        name = {"分": "分钟"}.get(match["unit2"] or "", match["unit2"]) or match["unit"]
        yield _quantity(match, _number_of(match["words"]) + Decimal("0.5"), Decimal("0.25"), unit_of(name))


def _folds(text: str) -> Iterator[Quantity]:
    """Yield "elevenfold" and "3-fold"."""
    for match in _FOLD_EN.finditer(text):
        words = match["words"]
        value = english_number(words) if words else Decimal(match["digits"])
        yield _quantity(match, value, _step_of(match["digits"]), unit_of("x"))


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        if _NAME_BEFORE.search(text, max(0, match.start() - _LOOK_AROUND), match.start()):
            continue
        digits = match["digits"]
        scale = SCALES.get((match["scale"] or match["kilo"] or "").lower(), 1)
        value = Decimal(digits.replace(",", "")) * scale
        yield _quantity(match, value, _step_of(digits) * scale, unit_of(match["unit"]))


def _words(text: str) -> Iterator[Quantity]:
    for match in _ENGLISH.finditer(text):
        words = match["words"].strip()
        value = english_number(words)
        if words.lower() in ("one", "zero"):
            continue
        is_adverb = words.lower() in ("twice", "thrice")
        unit = BARE if is_adverb or not match["unit"] else unit_of(match["unit"])
        yield replace(_quantity(match, value, Decimal(1), unit), is_count=unit is BARE)


def _ideographs(text: str) -> Iterator[Quantity]:
    for match in _CHINESE.finditer(text):
        value = chinese_number(match["words"])
        if match["words"] in ("一", "零", "〇") or match["ordinal"]:
            continue
        unit = unit_of(match["unit"]) if match["unit"] else BARE
        if (match["counted"] or "").strip().endswith("倍"):
            unit = unit_of("倍")
        counted = match["counted"] or ""
        hedge = Hedge.OVER if "多" in counted or "余" in counted else Hedge.NONE
        yield replace(_quantity(match, value, Decimal(1), unit), is_count=unit is BARE, hedge=hedge)


def _quantity(match: re.Match[str], value: Decimal, step: Decimal, unit: Unit) -> Quantity:
    return Quantity(
        value=value, step=step, unit=unit, start=match.start(), end=match.end(), text=match.group().strip()
    )


def _step_of(digits: str | None) -> Decimal:
    _, point, decimals = (digits or "").partition(".")
    return Decimal(1).scaleb(-len(decimals)) if point else Decimal(1)


def _qualified(text: str, quantity: Quantity) -> Quantity:
    before = text[max(0, quantity.start - _LOOK_AROUND) : quantity.start]
    after = text[quantity.end : quantity.end + _LOOK_AROUND]
    rate = _RATE_AFTER.match(after) or _RATE_BEFORE.search(before)
    is_rate = rate is not None and quantity.unit is BARE
    if rate and is_rate and (quantity.step < 1 or quantity.value >= _RATE_DIGITS):
        period = _PERIODS.get(rate["time"], rate["time"].lower())
        quantity = replace(quantity, unit=Unit(Dimension.OPAQUE, f"per {period}"))
    hedge = _HEDGE_BEFORE.search(before) or _HEDGE_AFTER.match(after)
    kind = Hedge(hedge.lastgroup) if hedge and hedge.lastgroup else quantity.hedge
    if _FACTOR_AFTER.match(after):
        return replace(quantity, unit=unit_of("x"), is_count=False, hedge=kind)
    is_count = quantity.is_count or (
        quantity.unit is BARE and quantity.step >= 1 and _COUNTED_AFTER.match(after) is not None
    )
    is_ordinal = before.rstrip().endswith("第") or _ORDINAL_AFTER.match(after) is not None
    return replace(quantity, hedge=kind, is_count=is_count, is_ordinal=is_ordinal)


_LIST_GAP = re.compile(
    r"\s*(?:,|、|/|-|\+|and|or|to|(?:out |instead )?of(?: the)?|versus|vs\.?|和|到|至|与|及|对)\s*"
    r"(?:then\s+|and\s+)?"
)


def _is_unscaled(left: Quantity, right: Quantity) -> bool:
    """Whether both are written alike, and the left one without a scale: not "12.1 万, 两分钟"."""
    return left.text[-1].isascii() and left.text[-1].isdigit() == right.text[0].isdigit()


def _sharing_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give a list such as "40, 80 and 160 s" the unit of its last member."""
    for index in range(len(found) - 2, -1, -1):
        left, right = found[index], found[index + 1]
        is_list = _LIST_GAP.fullmatch(text[left.end : right.start]) is not None
        if (
            is_list
            and _is_unscaled(left, right)
            and left.unit is BARE
            and right.unit.dimension in (Dimension.TIME, Dimension.DATA)
        ):
            found[index] = replace(left, unit=right.unit, is_count=False)
    return found
