"""Amounts that an event tells without writing them: what is left, what changed, how much a piece takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations

from superbiz_cli.harness.guard.claims.corpus import Keyed
from superbiz_cli.harness.guard.claims.quantities import Quantity, plain_quantities
from superbiz_cli.harness.guard.claims.stated import (
    FEW,
    MANY_DIGITS,
    MAX_OPERANDS,
    Stated,
    digits_of,
    is_value,
)
from superbiz_cli.harness.guard.claims.tolerance import agrees, base_value, converted, is_bare
from superbiz_cli.harness.guard.claims.units import Dimension, same_unit

_PER_PIECE = re.compile(
    r"(?i)\b(?:a|an|per|each|every)\s+[a-z]|\bon average\b|\baverag|\bmean\b|平均"
    r"|每[次个条笔份单台天小时分秒]"
)
_LEFT_OVER = re.compile(r"(?i)\bleft\b|\bfree\b|remain|\bspare\b|\bavailable\b|headroom|剩|余|可用|空闲|还有")
_WHOLE_KEY = re.compile(
    r"(?i)limit|max|total|size|capacity|quota|ceiling|allowed|上限|总|容量|配额|限额|额度"
)
_LIMIT_KEY = re.compile(r"(?i)limit|quota|ceiling|allowed|上限|配额|限额|额度")
_BEYOND = re.compile(r"(?i)\bover|exceed|beyond|above|more than|超")
_USED_KEY = re.compile(
    r"(?i)used|usage|current|active|actual|busy|taken|allocated|已用|已使用|使用|当前|占用|活跃"
)
_CHANGE_WORDS = re.compile(
    r"(?i)\badd|\bremov|\bscal|\bgrew|\bgrow|\bby\b|\bmore\b|\bfewer\b|increas|decreas|\brais|\blower|\bdrop|"
    r"增|减|扩|缩|多|少|升|降|加"
)
_USED_OF_WHOLE = re.compile(
    r"(?<![\w./])(?P<used>\d[\d,]*(?:\.\d+)?)\s?(?:/|(?:out )?of)\s?"
    r"(?P<whole>\d[\d,]*(?:\.\d+)?(?:\s?[A-Za-z%]{1,9})?)(?![\w/])"
)
_PER = r"[^\s,;，；]{0,6}"
_FROM_TO = re.compile(
    rf"(?i)\bfrom\s+(?P<a>\d[\d,.]*{_PER})\s+to\s+(?P<b>\d[\d,.]*{_PER})"
    rf"|(?P<c>\d[\d,.]*{_PER})\s*->\s*(?P<d>\d[\d,.]*{_PER})"
    rf"|[从由]\s*(?P<e>\d[\d,.]*)\S{{0,3}}?\s*[到至]\s*(?P<f>\d[\d,.]*)"
)


def quotient(claim: Quantity, stated: Stated) -> bool:
    """How much there is a piece: one stated amount over a stated count ("about 7 MB a call").

    A small count makes a quotient only of several digits, which is none by chance.
    """
    if is_bare(claim) or not _PER_PIECE.search(stated.scan.text):
        return False
    others = stated.others(claim)[:MAX_OPERANDS]
    least = 1 if digits_of(claim) >= MANY_DIGITS - 1 else FEW
    counts = [part.value for part in others if is_bare(part) and part.value > least]
    measures = [part for part in others if part.unit.dimension is claim.unit.dimension]
    return any(_equals(claim, measure, per=count) for measure in measures for count in counts)


def remainder(claim: Quantity, stated: Stated) -> bool:
    """What is left of a limit that an event names beside what is used of it, or goes beyond the limit."""
    text = stated.scan.text
    if _BEYOND.search(text) and any(
        is_value(claim, excess) for excess in _excesses(claim, stated) if excess > 0
    ):
        return True
    if not _LEFT_OVER.search(text):
        return False
    if any(is_value(claim, left) for left in _left_of_wholes(claim, stated)):
        return True
    return any(
        same_unit(claim.unit, whole.quantity.unit)
        and is_value(claim, base_value(whole.quantity) - base_value(used.quantity))
        for whole, used in _wholes(stated)
    )


def _left_of_wholes(claim: Quantity, stated: Stated) -> Iterator[Decimal]:
    """Yield what is left where a text writes the used and the whole as "31.9/32.0 GB"."""
    for text in stated.corpus.texts:
        for match in _USED_OF_WHOLE.finditer(text):
            whole = plain_quantities(match["whole"])
            used = plain_quantities(match["used"])
            if len(whole) == len(used) == 1 and same_unit(claim.unit, whole[0].unit):
                yield (whole[0].value - used[0].value) * whole[0].unit.factors[0]


def _excesses(claim: Quantity, stated: Stated) -> Iterator[Decimal]:
    """Yield by how much the numbers of an event go beyond a limit of the same unit in it."""
    for left, right in _pairs(stated):
        for whole, other in ((left, right), (right, left)):
            is_limit = _LIMIT_KEY.search(whole.key) and not _LIMIT_KEY.search(other.key)
            is_measured = not is_bare(whole.quantity) and same_unit(whole.quantity.unit, claim.unit)
            if is_limit and is_measured and same_unit(whole.quantity.unit, other.quantity.unit):
                yield base_value(other.quantity) - base_value(whole.quantity)


def change(claim: Quantity, stated: Stated) -> bool:
    """By how much an event changed a number that it writes as "from 6 to 9"."""
    if not _CHANGE_WORDS.search(stated.scan.text):
        return False
    for text in stated.corpus.texts:
        for match in _FROM_TO.finditer(text):
            ends = [plain_quantities(end) for end in match.groups() if end]
            if all(ends):
                first, last = ends[0][0], ends[1][0]
                if same_unit(first.unit, claim.unit) and is_value(
                    claim, abs(base_value(last) - base_value(first))
                ):
                    return True
    return False


def restatement(claim: Quantity, stated: Stated) -> bool:
    """A stated amount once more in another unit: "0.3 TB (about 300 GB)"."""
    if claim.unit.dimension not in (Dimension.TIME, Dimension.DATA):
        return False
    return any(
        part.unit.dimension is claim.unit.dimension
        and part.unit.name != claim.unit.name
        and _equals(claim, part)
        for part in stated.others(claim)
    )


def _equals(claim: Quantity, part: Quantity, *, per: Decimal = Decimal(1)) -> bool:
    """Whether the claim is `part`, or so much of it a piece, under one meaning of the units."""
    return any(agrees(claim, value / per) for value in converted(part.value, part.unit, claim.unit))


def _wholes(stated: Stated) -> Iterator[tuple[Keyed, Keyed]]:
    for left, right in _pairs(stated):
        for whole, used in ((left, right), (right, left)):
            if _WHOLE_KEY.search(whole.key) and _USED_KEY.search(used.key):
                yield whole, used


def _pairs(stated: Stated) -> Iterator[tuple[Keyed, Keyed]]:
    """Yield the pairs of numbers of each event."""
    by_record: dict[int, list[Keyed]] = {}
    for number in stated.corpus.numbers:
        if number.record >= 0 and number.key:
            by_record.setdefault(number.record, []).append(number)
    for numbers in by_record.values():
        yield from combinations(numbers[:MAX_OPERANDS], 2)
