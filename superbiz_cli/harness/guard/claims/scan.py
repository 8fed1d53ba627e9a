"""One text taken apart: quotations, times, key=value pairs, identifiers and quantities."""

from __future__ import annotations

import re
from dataclasses import dataclass

from superbiz_cli.harness.guard.claims.moments import Moment, moments
from superbiz_cli.harness.guard.claims.names import Name, names
from superbiz_cli.harness.guard.claims.normal import normal
from superbiz_cli.harness.guard.claims.quantities import Quantity, quantities
from superbiz_cli.harness.guard.claims.zones import zone_names

_QUOTED = re.compile(
    r"\"([^\"]{1,400})\"|`([^`]{1,400})`|(?<![A-Za-z0-9])'([^']{2,400})'(?![A-Za-z0-9])|《([^》]+)》"
)
_PAIR = re.compile(
    r"(?P<key>[A-Za-z_\u4e00-\u9fff][\w.\-]*)\s?={1,2}\s?(?P<value>(?:[^\s,;=()\[\]{}\"'。、)]|(?<=\d),(?=\d{3}))+)"
)
_BLANK = " "


@dataclass(frozen=True, slots=True)
class Pair:
    """A setting written as key=value."""

    key: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text states. `text` is normalised; positions of all parts are positions in it."""

    text: str
    quotes: tuple[str, ...]
    moments: tuple[Moment, ...]
    pairs: tuple[Pair, ...]
    names: tuple[Name, ...]
    quantities: tuple[Quantity, ...]


def scan(text: str) -> Scan:
    """Take `text` apart. What is read as one kind is not read again as another."""
    whole = normal(text)
    rest = whole
    quotes: list[str] = []
    for match in _QUOTED.finditer(whole):
        quotes.append(next(group for group in match.groups() if group is not None))
        rest = erase(rest, *match.span())
    times = tuple(moments(rest))
    if times:
        for zone in zone_names(rest):
            rest = erase(rest, zone.start, zone.end)
    for moment in times:
        rest = erase(rest, moment.start, moment.end)
    pairs: list[Pair] = []
    for match in _PAIR.finditer(rest):
        value = match["value"].rstrip(".!?:")
        pairs.append(Pair(match["key"], value, match.group()))
        rest = erase(rest, match.start(), match.start("value") + len(value))
    numbers = tuple(quantities(rest))
    for quantity in numbers:
        rest = erase(rest, quantity.start, quantity.end)
    return Scan(whole, tuple(quotes), times, tuple(pairs), tuple(names(rest)), numbers)


def erase(text: str, start: int, end: int) -> str:
    """Return `text` with blanks in place of a span, so that positions stay."""
    return text[:start] + _BLANK * (end - start) + text[end:]
