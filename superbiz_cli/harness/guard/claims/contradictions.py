"""What a statement says against itself: a share, a change or a span that its own figures deny.

Each part may be in the evidence, or follow from other parts of it by chance, and the whole be wrong all
the same: "2 of 412 logins (75 %)". Only figures that stand together are compared, with twice the rounding
that one number may have; hedged bounds ("more than") are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.quantities import Hedge, Quantity
from superbiz_cli.harness.guard.claims.scan import Scan, erase
from superbiz_cli.harness.guard.claims.tolerance import grain_of, is_bare
from superbiz_cli.harness.guard.claims.units import Dimension, same_unit

_HEDGE = r"(?:(?:about|around|roughly|approximately|some|nearly|almost|~|约为?|大约|近|将近)\s*)?"
_OF = re.compile(r"\s*(?:(?:out )?of(?: the| all| all the)?|/)\s*")
_IN_OF_ZH = re.compile(r"[^\d,;。]{0,8}[中里][^\d,;。]{0,3}")
_SHARE_FOLLOWS = re.compile(
    rf"(?i)(?!.*\b(?:is|are|was|were|at|with|use[ds]?|full|busy|each|of)\b)[^\d()]{{0,24}}\(\s*{_HEDGE}"
)
_BRACKET_ENDS = re.compile(r"\s*\)")
# Between two ends of a change; times and lengths of time are blanks there.
_FROM = re.compile(rf"(?i)(?:\bfrom|[从由])\s*(?:[^\s\d]{{1,6}}\s?)?{_HEDGE}$")
_TO = re.compile(
    rf"(?i)[^.;。\d]{{0,40}}?\b(?:down |up |back )?to\s*{_HEDGE}"
    r"|[^.,;。\d]{0,8}?[降升涨增减跌扩缩变提](?:低|高|到|至|为|长|加|少|回|大|小|容){0,2}[到至为]"
    rf"\s*[^\s\d]{{0,4}}?\s*{_HEDGE}"
)
_CHANGED_BY = (
    r"(?:\bby|\b(?:up|down)(?: by)?|\ban? (?:increase|decrease|drop|fall|rise|gain|loss|growth|reduction) of"
    r"|(?:增加|减少|上升|下降|提高|降低|上涨|下跌|增长|涨|跌|多|少|扩大|缩小)了?)"
)
_BY_AFTER = re.compile(
    r"(?i)[^\d,.;。()]{0,24}[,(]?\s*(?:i\.e\.,?\s*|that is,?\s*)?(?:or\s+)?(?:[之以]?内)?[即共净]?"
    rf"{_CHANGED_BY}\s*{_HEDGE}"
)
_BY_BEFORE = re.compile(rf"(?i)\bby\s*{_HEDGE}$")
_BETWEEN = re.compile(rf"(?i)[^\d,.;。()]{{0,60}},?\s*(?:\bfrom|[从由])\s*{_HEDGE}")
_SPAN_BEGINS = re.compile(r"(?i)(?:\bfrom|\bbetween|[从由自在])\s*$")
_SPAN = re.compile(r"(?i)\s*(?:to|until|till|and|through|-|~|到|至)\s*")
_AT = re.compile(r"(?i)\s*(?:[A-Za-z%]{1,12}\s*)?\b(?:at|by)\s*$")
_OF_ZH = re.compile(rf"\s*(?:的|时的?)\s*{_HEDGE}")
_HALF_DAY_S = 43_200
_HUNDRED = Decimal(100)


def contradictions(scan: Scan) -> Iterator[str]:
    """Yield the parts of a statement that the figures beside them deny."""
    yield from _shares(scan)
    yield from _changes(scan)
    yield from _spans(scan)


def _shares(scan: Scan) -> Iterator[str]:
    """Check "309 of 412 logins (75 %)" and its Chinese order, whole before part."""
    text, numbers = scan.text, scan.quantities
    for first, second, share in zip(numbers, numbers[1:], numbers[2:], strict=False):
        if share.unit.dimension is not Dimension.PERCENT or not _are_plain(first, second, share):
            continue
        between = text[first.end : second.start]
        if _OF.fullmatch(between):
            part, whole = first, second
        elif _IN_OF_ZH.fullmatch(between):
            whole, part = first, second
        else:
            continue
        is_beside = _SHARE_FOLLOWS.fullmatch(text[second.end : share.start]) is not None
        if not is_beside or not _BRACKET_ENDS.match(text[share.end :]) or not whole.value:
            continue
        if not same_unit(part.unit, whole.unit) or part.value > whole.value:
            continue
        if abs(share.value - part.value / whole.value * _HUNDRED) > 2 * _slack(share):
            yield share.text


def _changes(scan: Scan) -> Iterator[str]:
    """Check "from 2 to 122, up by 120" and "by 120, from 2 to 122", and the times of both ends."""
    lengths = [one for one in scan.quantities if one.unit.dimension is Dimension.TIME]
    yield from _changes_among(scan, scan.quantities, [])
    if 0 < len(lengths) < len(scan.quantities):
        yield from _changes_among(scan, [one for one in scan.quantities if one not in lengths], lengths)


def _changes_among(scan: Scan, numbers: Sequence[Quantity], left_out: Sequence[Quantity]) -> Iterator[str]:
    text = scan.text
    spans = [(one.start, one.end) for one in scan.moments] + [(one.start, one.end) for one in left_out]
    for start, end in spans:
        text = erase(text, start, end)
    for index, (old, new) in enumerate(pairwise(numbers)):
        if not _FROM.search(text[: old.start]) or not _TO.fullmatch(text[old.end : new.start]):
            continue
        yield from _ends_in_time(scan, old, new)
        if old.value == new.value and old.unit == new.unit and _are_plain(old, new):
            yield new.text
        for by in numbers[index + 2 : index + 3]:
            if _BY_AFTER.fullmatch(text[new.end : by.start]) and _denies(old, new, by):
                yield by.text
        for by in numbers[max(0, index - 1) : index]:
            is_named = _BY_BEFORE.search(text[: by.start]) and _BETWEEN.fullmatch(text[by.end : old.start])
            if is_named and _denies(old, new, by):
                yield by.text


def _denies(old: Quantity, new: Quantity, by: Quantity) -> bool:
    """Whether `by` cannot be what lies between two values, in any reading of it."""
    if not _are_plain(old, new, by) or old.unit != new.unit:
        return False
    change, slack = abs(new.value - old.value), _slack(old) + _slack(new)
    readings: list[tuple[Decimal, Decimal]] = []
    if by.unit.dimension is Dimension.FACTOR:
        low, high = sorted((old.value, new.value))
        ratios = (high / low, high / low - 1) if low else ()
        readings = [(ratio, ratio * slack / low) for ratio in ratios]
    elif by.unit.dimension is Dimension.PERCENT:
        readings = [(change, slack)] if old.unit.dimension in (by.unit.dimension, Dimension.NONE) else []
        readings += [
            (change / end * _HUNDRED, slack / end * _HUNDRED) for end in (old.value, new.value) if end
        ]
    elif by.unit == old.unit or by.unit.dimension is Dimension.NONE:
        readings = [(change, slack)]
    return bool(readings) and all(abs(by.value - value) > 2 * _slack(by) + more for value, more in readings)


def _ends_in_time(scan: Scan, old: Quantity, new: Quantity) -> Iterator[str]:
    """Check that a change goes forward: "from 200 at 10:02 to 44 at 10:04", "从 10:02 的 2 到 10:04 的 4"."""
    begins = [
        *(
            one
            for one in scan.moments
            if old.end <= one.start < new.start and _AT.search(scan.text[: one.start])
        ),
        *(
            one
            for one in scan.moments
            if one.end < old.start and _OF_ZH.fullmatch(scan.text[one.end : old.start])
        ),
    ]
    ends = [
        *(
            one
            for one in scan.moments
            if one.start >= new.end and _AT.fullmatch(scan.text[new.end : one.start])
        ),
        *(
            one
            for one in scan.moments
            if one.end < new.start and _OF_ZH.fullmatch(scan.text[one.end : new.start])
        ),
    ]
    if len(begins) == len(ends) == 1 and _goes_back(begins[0], ends[0]):
        yield ends[0].text


def _spans(scan: Scan) -> Iterator[str]:
    """Check that "from 10:02 to 10:04" goes forward; over midnight it may seem to go back."""
    text = scan.text
    for begin, end in pairwise(scan.moments):
        between = text[begin.end : end.start]
        is_span = _SPAN.fullmatch(between) and (
            _SPAN_BEGINS.search(text[: begin.start]) or between.strip() in ("到", "至")
        )
        if is_span and _goes_back(begin, end):
            yield end.text


def _goes_back(begin: Moment, end: Moment) -> bool:
    if begin.zones != end.zones or begin.month_day != end.month_day:
        return False
    first, last = _second_of_day(begin), _second_of_day(end)
    if first is None or last is None:
        return False
    if begin.second is None or end.second is None:
        return last // 60 < first // 60 and first - last < _HALF_DAY_S
    if last == first:
        return begin.fraction == end.fraction
    return last < first and first - last < _HALF_DAY_S


def _second_of_day(moment: Moment) -> int | None:
    if moment.hour is None or moment.minute is None:
        return None
    return moment.hour * 3600 + moment.minute * 60 + (moment.second or 0)


def _are_plain(*quantities: Quantity) -> bool:
    return all(one.hedge in (Hedge.NONE, Hedge.ABOUT) for one in quantities)


def _slack(quantity: Quantity) -> Decimal:
    """Return how far the true value may lie from the written one: a plain count is exact."""
    if is_bare(quantity) and quantity.step == 1 and quantity.hedge is Hedge.NONE:
        return Decimal(0)
    step = grain_of(quantity) if quantity.hedge is Hedge.ABOUT else quantity.step
    return step / 2
