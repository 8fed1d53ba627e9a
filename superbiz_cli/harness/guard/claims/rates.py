"""Rates: how fast a value changed between two events, how long an amount takes at a stated rate."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations

from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.stated import MAX_OPERANDS, Stated, digits_of, is_value
from superbiz_cli.harness.guard.claims.tolerance import agrees, base_value, is_bare
from superbiz_cli.harness.guard.claims.units import Dimension, Unit

_SECONDS_OF = {"per second": Decimal(1), "per minute": Decimal(60), "per hour": Decimal(3600)}
_TELLING_DIGITS = 3  # so many are met by chance in few events
_LEAST = 10  # smaller rates are met by chance


def rate(claim: Quantity, stated: Stated) -> bool:
    """By how much a value changed a second, minute or hour between two events, or a stated amount did."""
    period = seconds_of(claim.unit)
    if period is None or claim.value < _LEAST:
        return False
    return any(agrees(claim, change * period / seconds) for change, seconds in _changes(claim, stated))


def time_at_rate(claim: Quantity, stated: Stated) -> bool:
    """How long a stated amount takes at a stated rate: 48,000 messages at 1600/s in half a minute."""
    if claim.unit.dimension is not Dimension.TIME:
        return False
    others = stated.others(claim)[:MAX_OPERANDS]
    rates = [(part.value, period) for part in others if (period := seconds_of(part.unit)) and part.value]
    amounts = [part.value for part in others if is_bare(part)]
    return any(is_value(claim, amount * period / speed) for amount in amounts for speed, period in rates)


def seconds_of(unit: Unit) -> Decimal | None:
    """Return the seconds of the period of a rate, or None for another unit."""
    return _SECONDS_OF.get(unit.name)


def _changes(claim: Quantity, stated: Stated) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield amounts with the seconds in which they came about."""
    corpus = stated.corpus
    for left, right in stated.neighbours_of_one_key():
        earlier, later = corpus.records[left.record].at, corpus.records[right.record].at
        if earlier and later and earlier != later:
            difference = abs(base_value(left.quantity) - base_value(right.quantity))
            yield difference, Decimal(str(abs(later - earlier).total_seconds()))
    if digits_of(claim) >= _TELLING_DIGITS:
        for left, right in stated.keyed_pairs_within_events():
            for amount, time in permutations((left.quantity, right.quantity)):
                if is_bare(amount) and time.unit.dimension is Dimension.TIME and time.value:
                    yield amount.value, base_value(time)
    others = stated.others(claim)[:MAX_OPERANDS]
    times = [base_value(part) for part in others if part.unit.dimension is Dimension.TIME and part.value]
    yield from ((part.value, time) for part in others if is_bare(part) for time in times)
