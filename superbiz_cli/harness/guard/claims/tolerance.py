"""When a number of the claim counts as a number of the evidence: units, rounding, hedges.

The tolerances, all of them:
- rounding: half a unit of the claim's last written place ("4.8 s" for 4788 ms, "1.28 万" for 12794);
- about: also half a unit of the last digit that is not a trailing zero, at most 5 %, and whole numbers cut;
- over / under: the claim is at most one unit of that digit, and 10 %, below / above the evidence; 二十多
  goes up to the next ten;
- units: time and data sizes are converted (data by 1024 or 1000); a bare number of the evidence takes
  the unit that its key names (`took_ms`, `size_bytes`, `hit_rate`); an unmeasured claim takes any unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import assert_never

from superbiz_cli.harness.guard.claims.quantities import Hedge, Quantity
from superbiz_cli.harness.guard.claims.units import BARE, Dimension, Unit

_HALF = Decimal("0.5")
_MOST_ABOUT = Decimal("0.05")
_MOST_OVER = Decimal("0.1")
_UP_TO_THE_NEXT = re.compile("[多余]")  # 二十多 is anything from 20 to 29

_KEY_UNITS: tuple[tuple[re.Pattern[str], Dimension, str], ...] = (
    (re.compile(r"(?:millis|milliseconds|[a-z]ms|\bms|毫秒)$"), Dimension.TIME, "0.001"),
    (re.compile(r"(?:micros|[a-z]us)$"), Dimension.TIME, "0.000001"),
    (
        re.compile(r"(?:seconds?|secs?|[a-z]sec|(?:query|lock)time|timeout|ttl|uptime|age|秒)$"),
        Dimension.TIME,
        "1",
    ),
    (re.compile(r"(?:minutes?|mins?)$"), Dimension.TIME, "60"),
    (re.compile(r"(?:bytes?|bytessent|bytesreceived)$"), Dimension.DATA, "1"),
    (re.compile(r"(?:kb|kib)$"), Dimension.DATA, "1024"),
    (re.compile(r"(?:mb|mib)$"), Dimension.DATA, "1048576"),
    (re.compile(r"(?:gb|gib)$"), Dimension.DATA, "1073741824"),
    (
        re.compile(r"(?:rate|ratio|pct|percent(?:age)?|usage|used|util(?:i[sz]ation)?|hit|率|占比|比例)$"),
        Dimension.PERCENT,
        "1",
    ),
)
_TIMELIKE_KEY = re.compile(
    r"(?:time|latency|duration|elapsed|cost|took|takes|delay|lag|wait(?:ed)?|pause|interval|valid|expires?|rt|p\d\d+|"
    r"耗时|用时|超时|延迟|等待|间隔|窗口)$"
)


def agrees(claim: Quantity, value: Decimal) -> bool:
    """Whether `value`, in the unit of `claim`, is the claimed number within its tolerance."""
    difference = value - claim.value
    if abs(difference) <= claim.step * _HALF:
        return True
    grain = grain_of(claim)
    match claim.hedge:
        case Hedge.NONE:
            return False
        case Hedge.ABOUT:
            is_close = abs(difference) <= min(grain * _HALF, abs(value) * _MOST_ABOUT)
            return is_close or (claim.step == 1 and 0 <= difference < 1)
        case Hedge.OVER:
            most = grain if _UP_TO_THE_NEXT.search(claim.text) else abs(value) * _MOST_OVER
            return 0 <= difference <= min(grain, most)
        case Hedge.UNDER:
            return 0 <= -difference <= min(grain, claim.value * _MOST_OVER)
        case _:
            assert_never(claim.hedge)


def grain_of(claim: Quantity) -> Decimal:
    """Return one in the last place that is not a trailing zero: 100 for 5,600 and 0.1 for 1.2."""
    units = claim.value / claim.step
    grain = claim.step
    while units and units % 10 == 0:
        units /= 10
        grain *= 10
    return grain


def same_in(claim: Quantity, found: Quantity, key: str = "") -> bool:
    """Whether `found`, a number of the evidence after `key`, is the claimed quantity."""
    return any(agrees(claim, value) for value in _in_unit_of(claim, found, key))


def _in_unit_of(claim: Quantity, found: Quantity, key: str) -> Iterator[Decimal]:
    wanted, given = claim.unit, found.unit
    if wanted.dimension is Dimension.NONE:
        is_thing_counted = claim.is_count and given.is_measure
        if not is_thing_counted:
            yield found.value
    elif given.dimension is Dimension.NONE:
        yield from _by_key(claim, found, key)
    elif wanted.dimension is given.dimension:
        yield from converted(found.value, given, wanted)


def converted(value: Decimal, given: Unit, wanted: Unit) -> Iterator[Decimal]:
    """Yield `value` of one unit in another of the same dimension, under each meaning of the names."""
    if wanted.dimension is Dimension.OPAQUE:
        if wanted.name == given.name:
            yield value
        return
    for index in range(max(len(given.factors), len(wanted.factors))):
        own = given.factors[min(index, len(given.factors) - 1)]
        yield value * own / wanted.factors[min(index, len(wanted.factors) - 1)]


def _by_key(claim: Quantity, found: Quantity, key: str) -> Iterator[Decimal]:
    """A bare number of the evidence: its key may name the unit."""
    wanted = claim.unit
    if wanted.dimension in (Dimension.OPAQUE, Dimension.FACTOR):
        yield found.value
        return
    for pattern, dimension, factor in _KEY_UNITS:
        if dimension is wanted.dimension and pattern.search(key):
            for own in wanted.factors:
                yield found.value * Decimal(factor) / own
            if dimension is Dimension.PERCENT and found.value <= 1:
                yield found.value * 100
            return
    if wanted.dimension is Dimension.TIME and _TIMELIKE_KEY.search(key):
        yield found.value


def base_value(quantity: Quantity) -> Decimal:
    """Return the quantity in seconds, bytes or its own unit."""
    return quantity.value * quantity.unit.factors[0]


def base_values(quantity: Quantity) -> tuple[Decimal, ...]:
    """Return the quantity in seconds, bytes or its own unit, under each meaning of its unit."""
    return tuple(quantity.value * factor for factor in quantity.unit.factors)


def is_bare(quantity: Quantity) -> bool:
    """Whether the quantity has no unit."""
    return quantity.unit == BARE
