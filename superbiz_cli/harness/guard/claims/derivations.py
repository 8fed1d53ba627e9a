"""The derivations: numbers that may be stated although the evidence does not write them down.

Each rule is a function with its name in RULES. Operands are quantities of the same statement that
are themselves in the evidence: a rule never combines numbers that the reader cannot see.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import combinations, pairwise, permutations

from superbiz_cli.harness.guard.claims.corpus import Corpus, window_length
from superbiz_cli.harness.guard.claims.counting import is_end_of_change, is_limit
from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.scan import Scan
from superbiz_cli.harness.guard.claims.tolerance import agrees, base_value, is_bare, same_in
from superbiz_cli.harness.guard.claims.units import Dimension, same_unit

_SUM_WORDS = re.compile(
    r"(?i)total|altogether|together|combined|\bsum|overall|plus|\+|\ball\b|both|in all|accounts? for|covered|"
    r"共|合计|总|加|一起|累计|全部|之和"
)
_DIFFERENCE_WORDS = re.compile(
    r"(?i)\bby\b|fell|fall|drop|declin|decreas|increas|ris(?:e|en|ing)|\brose|grew|gr[eo]w|differ|\bgap|ahead|behind|"
    r"beyond|exceed|over\b|above|below|under\b|freed?|releas|gain|lost|los[es]|more|less|fewer|faster|slower|longer|"
    r"shorter|higher|lower|later|earlier|apart|left|remain|short of|went|improv|sav|"
    r"减|增|提高|提升|升|降|下|超|差|多|少|涨|跌|释放|回收|间隔|缩短|延长|快|慢|剩|余|距"
)
_GROWTH_WORDS = re.compile(r"(?i)increas|grew|rose|\bby\b|more|增加|增长|提高|提升|上升|上涨|涨")
_INTERVAL_WORDS = re.compile(r"(?i)every|apart|interval|每隔|间隔|相隔")
_SPAN_WORDS = re.compile(
    r"(?i)last|within|window|minutes|lookback|for\b|over\b|during|span|最近|过去|窗口|内|持续|历时|历经|期间|前后"
)
_MAX_OPERANDS = 8
_TELLING_DIGITS = 4
_FEW = 12  # small counts are everywhere: they are operands of counts only


@dataclass(frozen=True, slots=True)
class Stated:
    """What a statement says and the evidence holds: the operands of all rules."""

    scan: Scan
    corpus: Corpus
    quantities: tuple[Quantity, ...]
    moments: tuple[Moment, ...]


def derivation_of(claim: Quantity, stated: Stated) -> str | None:
    """Return the name of the rule by which `claim` follows, or None.

    A limit, or one end of a change ("from 4 to 6"), is a value: it is in the evidence or it is not.
    """
    is_value = is_limit(claim, stated.scan.text) or is_end_of_change(claim, stated.scan.text)
    if is_value and claim.unit.dimension not in (Dimension.PERCENT, Dimension.FACTOR):
        return None
    for name, rule in RULES:
        if rule(claim, stated):
            return name
    return None


def _enumeration(claim: Quantity, stated: Stated) -> bool:
    """How many measured values the statement lists: "the two pauses of 3340ms and 4788ms"."""
    if not claim.is_count or claim.value > _FEW:
        return False
    listed = Counter(part.unit.dimension for part in _all_but(claim, stated) if part.unit.is_measure)
    return any(claim.value == number > 1 for number in listed.values())


def _sum(claim: Quantity, stated: Stated) -> bool:
    """A total of stated numbers: two of them, a run of neighbours, or a whole numeric column or key."""
    says_total = _SUM_WORDS.search(stated.scan.text) is not None
    if says_total and any(_is_value(claim, total) for total in _key_totals(claim, stated.corpus)):
        return True
    if not says_total and not _is_telling(claim):
        return False
    operands = _operands(claim, stated)
    runs = [
        operands[start:end] for start, end in combinations(range(len(operands) + 1), 2) if end - start > 1
    ]
    return any(
        _is_value(claim, sum((base_value(part) for part in parts), Decimal(0)))
        for parts in (*combinations(operands, 2), *runs)
    )


def _is_telling(claim: Quantity) -> bool:
    """Whether the number has so many digits that it is no sum or difference by chance."""
    return len(claim.value.normalize().as_tuple().digits) >= _TELLING_DIGITS


def _key_totals(claim: Quantity, corpus: Corpus) -> Iterator[Decimal]:
    if not corpus.is_complete:
        return
    by_key: dict[str, list[Decimal]] = {}
    for number in corpus.numbers:
        if number.record >= 0 and number.key and same_unit(claim.unit, number.quantity.unit):
            by_key.setdefault(number.key, []).append(base_value(number.quantity))
    yield from (sum(values, Decimal(0)) for values in by_key.values() if len(values) > 1)


def _difference(claim: Quantity, stated: Stated) -> bool:
    """How much two stated numbers differ."""
    if not (_is_telling(claim) or _DIFFERENCE_WORDS.search(stated.scan.text)):
        return False
    return any(
        _is_value(claim, abs(base_value(left) - base_value(right)))
        for left, right in combinations(_operands(claim, stated), 2)
    )


def _percentage(claim: Quantity, stated: Stated) -> bool:
    """One stated number as a share of another, or by which share it changed, or the rest to 100 %."""
    if claim.unit.dimension is not Dimension.PERCENT:
        return False
    parts = [part for part in stated.quantities if part is not claim]
    shares = [part.value for part in parts if part.unit.dimension is Dimension.PERCENT]
    if any(agrees(claim, 100 - share) for share in shares) or _difference_in_points(claim, shares):
        return True
    operands = [part for part in parts if part.unit.dimension is not Dimension.PERCENT]
    return any(
        agrees(claim, share)
        for left, right in permutations(operands[:_MAX_OPERANDS], 2)
        if same_unit(left.unit, right.unit) and right.value
        for share in _shares(*_comparable(left, right), stated)
    )


def _comparable(left: Quantity, right: Quantity) -> tuple[Decimal, Decimal]:
    """Return both in one unit; a number without a unit is in that of the other."""
    if is_bare(left) or is_bare(right):
        return left.value, right.value
    return base_value(left), base_value(right)


def _shares(part: Decimal, whole: Decimal, stated: Stated) -> Iterator[Decimal]:
    yield part / whole * 100
    if _DIFFERENCE_WORDS.search(stated.scan.text):
        yield abs(whole - part) / whole * 100


def _difference_in_points(claim: Quantity, shares: Sequence[Decimal]) -> bool:
    return any(agrees(claim, abs(left - right)) for left, right in combinations(shares, 2))


def _factor(claim: Quantity, stated: Stated) -> bool:
    """How many times as large one stated number is as another."""
    if claim.unit.dimension is not Dimension.FACTOR:
        return False
    ratios = [
        part / whole
        for left, right in permutations(_all_but(claim, stated)[:_MAX_OPERANDS], 2)
        if same_unit(left.unit, right.unit) and right.value
        for part, whole in [_comparable(left, right)]
    ]
    grew_by = [ratio - 1 for ratio in ratios] if _GROWTH_WORDS.search(stated.scan.text) else []
    return any(agrees(claim, ratio) for ratio in (*ratios, *grew_by))


def _duration(claim: Quantity, stated: Stated) -> bool:
    """The time between two stated times, or between the events that hold two stated numbers.

    Without two stated times also between the first and the last event.
    """
    if claim.unit.dimension is not Dimension.TIME:
        return False
    return any(_is_span(claim, span) for span in (*_spans(stated), *_spans_of_numbers(claim, stated)))


def _spans_of_numbers(claim: Quantity, stated: Stated) -> Iterator[timedelta]:
    """Yield what lies between events that hold stated numbers, and from each to its neighbours."""
    times = [
        {
            stated.corpus.records[number.record].at
            for number in stated.corpus.numbers
            if number.record >= 0 and same_in(part, number.quantity, number.key)
        }
        for part in _all_but(claim, stated)[:_MAX_OPERANDS]
    ]
    anchors = [at for ats in times if len(ats) == 1 for at in ats if at]
    for left, right in combinations(anchors, 2):
        yield abs(left - right)
    in_order = sorted(record.at for record in stated.corpus.records if record.at)
    for earlier, later in pairwise(in_order):
        if earlier in anchors or later in anchors:
            yield later - earlier


def _spans(stated: Stated) -> Iterator[timedelta]:
    corpus, instants = stated.corpus, sorted(stated.corpus.instants)
    if len(stated.moments) > 1:
        for left, right in combinations(stated.moments, 2):
            yield from _between(left, right, instants)
        return
    if len(stated.moments) == 1:
        for at in _readings(stated.moments[0], instants):
            yield from (abs(other - at) for other in _neighbours(at, instants))
        return
    if instants:
        yield instants[-1] - instants[0]
    yield from (pattern.last - pattern.first for pattern in corpus.patterns if pattern.first and pattern.last)


def _between(left: Moment, right: Moment, instants: Sequence[datetime]) -> Iterator[timedelta]:
    """Yield what lies between two times: as written, and exactly as the evidence has them."""
    if (
        left.hour is not None
        and right.hour is not None
        and left.minute is not None
        and right.minute is not None
    ):
        first = timedelta(hours=left.hour, minutes=left.minute, seconds=left.second or 0)
        last = timedelta(hours=right.hour, minutes=right.minute, seconds=right.second or 0)
        yield (last - first) % timedelta(days=1)
    for at in _readings(left, instants):
        yield from (abs(other - at) for other in _readings(right, instants))


def _readings(moment: Moment, instants: Sequence[datetime]) -> list[datetime]:
    zones = moment.zones
    return [
        at
        for at in instants
        if (any(moment.is_of(at.astimezone(zone)) for zone in zones) if zones else moment.is_of(at))
    ]


def _neighbours(at: datetime, instants: Sequence[datetime]) -> list[datetime]:
    earlier = [other for other in instants if other < at]
    later = [other for other in instants if other > at]
    return [*earlier[:1], *earlier[-1:], *later[:1], *later[-1:]]


def _interval(claim: Quantity, stated: Stated) -> bool:
    """The time between two neighbouring events, where the claim speaks of an interval."""
    if claim.unit.dimension is not Dimension.TIME or not _INTERVAL_WORDS.search(stated.scan.text):
        return False
    times = sorted(record.at for record in stated.corpus.records if record.at)
    return any(_is_span(claim, later - earlier) for earlier, later in pairwise(times))


def _window(claim: Quantity, stated: Stated) -> bool:
    """The length of the searched window."""
    if claim.unit.dimension is not Dimension.TIME or not _SPAN_WORDS.search(stated.scan.text):
        return False
    return any(_is_span(claim, window_length(window)) for window in stated.corpus.windows)


RULES: tuple[tuple[str, Callable[[Quantity, Stated], bool]], ...] = (
    ("enumeration", _enumeration),
    ("sum", _sum),
    ("difference", _difference),
    ("percentage", _percentage),
    ("factor", _factor),
    ("duration", _duration),
    ("interval", _interval),
    ("window", _window),
)


def _operands(claim: Quantity, stated: Stated) -> list[Quantity]:
    """The stated quantities that may be added to or subtracted from each other to give `claim`."""
    return [
        part
        for part in _all_but(claim, stated)
        if same_unit(part.unit, claim.unit)
        and part.unit.dimension is not Dimension.FACTOR
        and (claim.is_count or not part.is_count or part.step > 1 or part.value > _FEW)
    ][:_MAX_OPERANDS]


def _all_but(claim: Quantity, stated: Stated) -> list[Quantity]:
    return [part for part in stated.quantities if part is not claim]


def _is_value(claim: Quantity, base: Decimal) -> bool:
    return any(agrees(claim, base / factor) for factor in claim.unit.factors)


def _is_span(claim: Quantity, span: timedelta) -> bool:
    seconds = Decimal(str(span.total_seconds()))
    is_whole = claim.step * claim.unit.factors[0] >= 1
    readings = (seconds, seconds // 1) if is_whole else (seconds,)
    return any(_is_value(claim, reading) for reading in readings)
