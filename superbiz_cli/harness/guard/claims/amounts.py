"""Amounts that follow from stated ones: how many are listed, sums, differences, shares, factors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, pairwise, permutations

from superbiz_cli.harness.guard.claims.corpus import Corpus
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.stated import (
    FEW,
    MANY_DIGITS,
    MAX_OPERANDS,
    Stated,
    comparable,
    digits_of,
    is_value,
)
from superbiz_cli.harness.guard.claims.tolerance import agrees, base_value, base_values
from superbiz_cli.harness.guard.claims.units import Dimension, same_unit

_SUM_WORDS = re.compile(
    r"(?i)total|altogether|together|combined|\bsum|overall|plus|\+|\ball\b|both|in all|accounts? for|covered|"
    r"共|合计|总|加|一起|累计|全部|之和"
)
_DIFFERENCE_WORDS = re.compile(
    r"(?i)\bby\b|fell|fall|drop|declin|decreas|increas|ris(?:e|en|ing)|\brose|grew|gr[eo]w|differ|\bgap|ahead|"
    r"behind|beyond|exceed|over\b|above|below|under\b|freed?|releas|gain|lost|los[es]|more|less|fewer|faster|"
    r"slower|longer|shorter|higher|lower|later|earlier|apart|left|remain|short of|went|improv|sav|warm|cool|"
    r"climb|jump|degree|points?\b|between|reclaim|recover|shr[aiu]nk|surplus|deficit|excess|missing|cut|trim|减|增|提高|提升|升|降|下|超|差|多|少|高|低|大|小|涨|跌|释放|回收|间隔|缩短|"
    r"延长|快|慢|剩|余|距|推进|落后|领先|缺|腾出|空出|缩|扩|加"
)
_GROWTH_WORDS = re.compile(r"(?i)increas|grew|rose|\bby\b|more|增加|增长|提高|提升|上升|上涨|涨")
_CHANGED_BY = re.compile(
    r"(?i)(?:\b(?:fell|dropp?(?:ed|s)?|rose|grew|reduced|increased|decreased|shrank|down|up)\s+by"
    r"|[降增涨跌减]幅|(?:下降|降低|减少|缩减|上升|增长|增加|提高|上涨|下跌)了?)"
    r"(?:\s*(?:about|around|roughly|some|over|nearly|almost|more than|less than|约为?|大约|近"
    r"|将近|超过|为|达到?|是))*\s*$"
)
_ALL_BUT = re.compile(r"(?i)(?:all but|all except|missing|short of|short by|只差|仅差|除了?)(?: the)?\s*$")
_LISTED = re.compile(r"\s*(?:,|、|/|and|或|和|与|及|以及|,\s*and|&)\s*")


def enumeration(claim: Quantity, stated: Stated) -> bool:
    """How many things the statement lists: "the two pauses of 3340ms and 4788ms", "twice, to A and B"."""
    if not claim.is_count or not 1 < claim.value <= FEW:
        return False
    measured = Counter(part.unit.dimension for part in stated.others(claim) if part.unit.is_measure)
    return claim.value in {*measured.values(), *_runs(claim, stated)}


def _runs(claim: Quantity, stated: Stated) -> Iterator[int]:
    """Yield the lengths of lists of names, or of numbers: neighbours with only a separator between."""
    scan = stated.scan
    names = [(name.start, name.start + len(name.text)) for name in scan.names]
    numbers = [(part.start, part.end) for part in scan.quantities if part is not claim and not part.is_count]
    for spans in (names, numbers):
        length = 1
        for (_, end), (start, _) in pairwise(spans):
            length = length + 1 if _LISTED.fullmatch(scan.text[end:start]) else 1
            yield length


def total(claim: Quantity, stated: Stated) -> bool:
    """A total of stated numbers: two of them, a run of neighbours, or a whole numeric column or key."""
    says_total = _SUM_WORDS.search(stated.scan.text) is not None
    if says_total and any(is_value(claim, value) for value in _key_totals(claim, stated.corpus)):
        return True
    operands = stated.operands(claim)
    if not says_total and not _is_telling(claim, operands):
        return False
    pairs = stated.pairs(claim, operands) if says_total or digits_of(claim) >= MANY_DIGITS else ()
    runs = [
        operands[start:end] for start, end in combinations(range(len(operands) + 1), 2) if end - start > 1
    ]
    return any(
        is_value(claim, sum((base_value(part) for part in parts), Decimal(0)))
        for parts in (*pairs, *runs)
        if all(same_unit(part.unit, claim.unit) for part in parts)
    )


def difference(claim: Quantity, stated: Stated) -> bool:
    """How much two stated numbers differ, or two numbers of the event that the statement speaks of."""
    operands = stated.operands(claim)
    if not (_is_telling(claim, operands) or _DIFFERENCE_WORDS.search(stated.scan.text)):
        return False
    return any(
        is_value(claim, abs(first - second))
        for left, right in (*stated.pairs(claim, operands), *_of_one_key(claim, stated))
        if same_unit(left.unit, right.unit) and same_unit(left.unit, claim.unit)
        for first, second in zip(base_values(left), base_values(right), strict=False)
    )


def complement(claim: Quantity, stated: Stated) -> bool:
    """What an event misses of a stated whole: "all but 12" for "4,988 of 5,000"."""
    if not _ALL_BUT.search(stated.scan.text[: claim.start]):
        return False
    return any(
        is_value(claim, abs(base_value(left) - base_value(right)))
        for left, right in stated.pairs_within_events(claim)
        if same_unit(left.unit, right.unit)
    )


def _of_one_key(claim: Quantity, stated: Stated) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield neighbouring values of a key for a difference of so many digits that it is none by chance."""
    if digits_of(claim) >= MANY_DIGITS - 1:
        yield from stated.pairs_of_one_key(claim)


def percentage(claim: Quantity, stated: Stated) -> bool:
    """One stated number as a share of another, or by which share it changed, or the rest to 100 %."""
    if claim.unit.dimension is not Dimension.PERCENT:
        return False
    parts = stated.others(claim)
    shares = [part.value for part in parts if part.unit.dimension is Dimension.PERCENT]
    if any(agrees(claim, 100 - share) for share in shares):
        return True
    operands = [part for part in parts if part.unit.dimension is not Dimension.PERCENT][:MAX_OPERANDS]
    return any(
        agrees(claim, share)
        for pair in (*stated.pairs(claim, operands), *stated.pairs_of_one_key(claim))
        if not any(part.unit.dimension is Dimension.PERCENT for part in pair)
        for part, whole in permutations(pair)
        if same_unit(part.unit, whole.unit) and whole.value
        for share in _shares(claim, *comparable(part, whole), stated)
    )


def factor(claim: Quantity, stated: Stated) -> bool:
    """How many times as large one stated number is as another, or as what an event names beside it."""
    if claim.unit.dimension is not Dimension.FACTOR:
        return False
    pairs = [
        *combinations(stated.others(claim)[:MAX_OPERANDS], 2),
        *stated.pairs_of_one_key(claim),
        *stated.measures_of_a_named_key(),
    ]
    ratios = [
        part / whole
        for pair in pairs
        for left, right in permutations(pair)
        if same_unit(left.unit, right.unit) and right.value
        for part, whole in [comparable(left, right)]
    ]
    grew_by = [ratio - 1 for ratio in ratios] if _GROWTH_WORDS.search(stated.scan.text) else []
    return any(agrees(claim, ratio) for ratio in (*ratios, *grew_by))


def _is_telling(claim: Quantity, operands: Sequence[Quantity]) -> bool:
    """Whether the number has so many digits that it is no sum or difference by chance."""
    return digits_of(claim) >= (MANY_DIGITS - 1 if len(operands) < 5 else MANY_DIGITS)


def _key_totals(claim: Quantity, corpus: Corpus) -> Iterator[Decimal]:
    if not corpus.is_complete:
        return
    by_key: dict[tuple[str, str], list[Decimal]] = {}
    for number in corpus.numbers:
        if number.record >= 0 and same_unit(claim.unit, number.quantity.unit):
            for key in (("before", number.key), ("after", number.after)):
                if key[1]:
                    by_key.setdefault(key, []).append(base_value(number.quantity))
    yield from (sum(values, Decimal(0)) for values in by_key.values() if len(values) > 1)


def _shares(claim: Quantity, part: Decimal, whole: Decimal, stated: Stated) -> Iterator[Decimal]:
    """Yield the share, and by which share it changed; "fell by 40 %" can only mean the latter."""
    text = stated.scan.text
    if not _CHANGED_BY.search(text[: claim.start]):
        yield part / whole * 100
    if _DIFFERENCE_WORDS.search(text):
        yield abs(whole - part) / whole * 100
