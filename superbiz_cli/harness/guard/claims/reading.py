"""One text of the evidence, read once: its numbers, times, and every form of name that it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from superbiz_cli.harness.guard.claims.moments import Moment, moments
from superbiz_cli.harness.guard.claims.names import squashed
from superbiz_cli.harness.guard.claims.normal import normal
from superbiz_cli.harness.guard.claims.quantities import Quantity, plain_quantities
from superbiz_cli.harness.guard.claims.scan import erase
from superbiz_cli.harness.guard.claims.units import SECOND

_RUNS = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]+")
_TOKENS = re.compile(r"[^\s,;=:()\[\]{}\"'<>|，。；、]+")
_LONG_DIGITS = re.compile(r"(?<=[A-Za-z_#-])[0-9]{4,}(?![0-9A-Za-z])")
_VERSION = re.compile(r"(?<=[A-Za-z])\d+(?:\.\d+)+")
_LENGTH = re.compile(
    r"(?i)(?P<key>[\w.-]*(?:lag|delay|duration|elapsed|took|uptime|age|waited|behind|latency|延迟|耗时|时长))"
    r"\s?[=:]\s?(?P<hours>\d{1,3}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:\.\d{1,9})?)(?![\d:])"
)
_MAX_JOINED = 6
_LOOK_AROUND = 48  # characters in which the word beside a number can stand


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text holds.

    `numbers` holds each quantity with the words before and after it. `joined` holds every run of up to
    six words written as one, `followers` what stands right behind each word. `long_digits` and `versions` are
    digits inside identifiers that may be quoted alone ("order 730041" for GD730041).
    """

    text: str
    moments: tuple[Moment, ...]
    numbers: tuple[tuple[Quantity, str, str], ...]
    joined: frozenset[str]
    followers: Mapping[str, frozenset[str]]
    long_digits: frozenset[str]
    versions: frozenset[str]


class Reader:
    """Reads each distinct text once: the same lines come back for every statement that cites them."""

    def __init__(self) -> None:
        self._readings: dict[str, Reading] = {}

    def read(self, text: str) -> Reading:
        """Return the reading of `text`."""
        if text not in self._readings:
            self._readings[text] = _read(text)
        return self._readings[text]


def _read(text: str) -> Reading:
    clean = normal(text)
    lengths = list(_LENGTH.finditer(clean))
    rest = clean
    for match in lengths:
        rest = erase(rest, match.start("hours"), match.end())
    times = tuple(moments(rest))
    for moment in times:
        rest = erase(rest, moment.start, moment.end)
    return Reading(
        text=clean,
        moments=times,
        numbers=(
            *(
                (found, _word_before(rest, found.start), _word_after(rest, found.end))
                for found in plain_quantities(rest)
            ),
            *((_length_of(match), squashed(match["key"]), "") for match in lengths),
        ),
        joined=_joined(clean),
        followers=_followers(clean),
        long_digits=frozenset(_LONG_DIGITS.findall(clean)),
        versions=frozenset(_VERSION.findall(clean)),
    )


def _length_of(match: re.Match[str]) -> Quantity:
    """Return a length of time that is written like a time of day ("lag=00:01:47.9")."""
    seconds = Decimal(match["seconds"])
    value = int(match["hours"]) * 3600 + int(match["minutes"]) * 60 + seconds
    step = Decimal(1).scaleb(int(seconds.as_tuple().exponent))
    start, end = match.start("hours"), match.end()
    return Quantity(value, step, SECOND, start, end, match.string[start:end])


def _joined(text: str) -> frozenset[str]:
    runs = [match.group().casefold() for match in _RUNS.finditer(text)]
    found: set[str] = set()
    for start in range(len(runs)):
        joined = ""
        for run in runs[start : start + _MAX_JOINED]:
            joined += ("." if joined[-1:].isdigit() and run[0].isdigit() else "") + run
            found.add(joined)
    return frozenset(found)


def _followers(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for left, right in pairwise(_TOKENS.findall(text)):
        found.setdefault(squashed(left), set()).add(right.rstrip(".").casefold())
    return {word: frozenset(values) for word, values in found.items()}


def _word_before(text: str, position: int) -> str:
    tokens = _TOKENS.findall(text, max(0, position - _LOOK_AROUND), position)
    return squashed(tokens[-1]) if tokens else ""


def _word_after(text: str, position: int) -> str:
    token = _TOKENS.search(text, position, position + _LOOK_AROUND)
    return squashed(token.group()) if token else ""
