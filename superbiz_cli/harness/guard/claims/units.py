"""Units of what a claim counts or measures, and what may be converted into what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from superbiz_cli.harness.guard.claims.normal import CJK


class Dimension(StrEnum):
    """What a unit measures. OPAQUE units compare by name only; NONE is a bare number or a count."""

    TIME = "time"
    DATA = "data"
    PERCENT = "percent"
    FACTOR = "factor"
    OPAQUE = "opaque"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. `factors` are the sizes in the base unit (seconds, bytes) that the name can mean."""

    dimension: Dimension
    name: str = ""
    factors: tuple[Decimal, ...] = (Decimal(1),)

    @property
    def is_measure(self) -> bool:
        """Whether the unit must be that of the evidence, or convertible into it."""
        return self.dimension in (Dimension.TIME, Dimension.DATA, Dimension.PERCENT)


BARE = Unit(Dimension.NONE)
PERCENT = Unit(Dimension.PERCENT, "%")
SECOND = Unit(Dimension.TIME, "s")

_TIMES = {
    "ns nanosecond nanoseconds 纳秒": "0.000000001",
    "us µs μs microsecond microseconds 微秒": "0.000001",
    "ms msec msecs millis millisecond milliseconds 毫秒": "0.001",
    "s sec secs second seconds 秒 秒钟": "1",
    "m min mins minute minutes 分钟": "60",
    "h hr hrs hour hours 小时 个小时": "3600",
    "d day days 天": "86400",
    "week weeks 周": "604800",
}
_SIZES = {
    "b byte bytes 字节": 0,
    "kb kib ki 千字节": 1,
    "mb mib mi m 兆 兆字节": 2,
    "gb gib gi g": 3,
    "tb tib ti t": 4,
}
_RATE_NAMES = "qps rps tps ops r/s req/s reqs/s request/s requests/s 每秒"
_RATES = {
    "per second": "/s /sec /second /秒",
    "per minute": "/min /minute /分钟",
    "per hour": "/h /hour /小时",
}
_CURRENCY = "元 角 分 美元 usd cny rmb eur $ ¥ €"


def _table() -> dict[str, Unit]:
    table = {
        name: Unit(Dimension.TIME, names.split()[0], (Decimal(seconds),))
        for names, seconds in _TIMES.items()
        for name in names.split()
    }
    for names, power in _SIZES.items():
        unit = Unit(
            Dimension.DATA, names.split()[0], tuple({Decimal(base) ** power: 0 for base in (1024, 1000)})
        )
        table |= {name: unit for name in names.split() if name not in table}
    for name in (
        "%",
        "percent",
        "pct",
        "个百分点",
        "百分点",
        "percentage points",
        "percentage point",
        "per cent",
    ):
        table[name] = PERCENT
    for name in ("x", "×", "倍"):
        table[name] = Unit(Dimension.FACTOR, "x")
    table |= {name: Unit(Dimension.OPAQUE, "per second") for name in _RATE_NAMES.split()}
    table |= {name: Unit(Dimension.OPAQUE, rate) for rate, names in _RATES.items() for name in names.split()}
    table |= {name: Unit(Dimension.OPAQUE, name) for name in _CURRENCY.split()}
    return table


_UNITS = _table()
_CASE_SENSITIVE = {"m": "M", "g": "G", "t": "T"}  # 5m is minutes, 5M mega; 5g and 5t mean nothing
_ASCII_NAMES = sorted((name for name in _UNITS if name.isascii() and name.isalpha()), key=len, reverse=True)
_OTHER_NAMES = sorted((name for name in _UNITS if name not in _ASCII_NAMES), key=len, reverse=True)

# After a number: a rate, a known unit (a hyphen or a space may stand between), or letters glued to it.
UNIT_AFTER = (
    r"(?P<unit>"
    r"[\s-]?(?:[A-Za-z]{1,10}/(?:sec|second|min|minute|s|h|hour|秒|分钟))(?![A-Za-z])"
    rf"|\s?(?:{'|'.join(re.escape(name) for name in _OTHER_NAMES)})"
    rf"|[\s-]?(?:(?i:{'|'.join(_ASCII_NAMES)}))(?![A-Za-z0-9_])"
    r"|[A-Za-zµμ]{1,6}(?![A-Za-z0-9_/-]|\.[A-Za-z0-9])"
    r")?"
)


def unit_of(written: str | None) -> Unit:
    """Return the unit for what stood behind a number; BARE for nothing."""
    if not written:
        return BARE
    name = written.strip().lstrip("-").strip()
    glued = written == name
    if name.lower() in _CASE_SENSITIVE:
        if not glued:
            return BARE
        if name == _CASE_SENSITIVE[name.lower()]:
            return Unit(Dimension.DATA, name, _UNITS[{"M": "mb", "G": "gb", "T": "tb"}[name]].factors)
        return _UNITS["m"] if name == "m" else Unit(Dimension.OPAQUE, name)
    known = _UNITS.get(name.lower())
    thing, slash, period = name.lower().rpartition("/")
    if slash and thing not in _UNITS and (rate := _UNITS.get(f"/{period}")):
        return rate
    return known or Unit(Dimension.OPAQUE, re.sub(r"\s+", "", name.lower()))


def same_unit(left: Unit, right: Unit) -> bool:
    """Whether two quantities may be added, subtracted or divided: same dimension, opaque by name."""
    if Dimension.NONE in (left.dimension, right.dimension):
        return True
    if left.dimension is not right.dimension:
        return False
    return left.dimension is not Dimension.OPAQUE or left.name == right.name


IDEOGRAPH_AFTER = re.compile(f"\\s?[{CJK}]")
