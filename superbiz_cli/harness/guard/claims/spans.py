"""Durations that follow from times: between stated ones, between events, of the searched window."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import combinations, pairwise

from superbiz_cli.harness.guard.claims.corpus import window_length
from superbiz_cli.harness.guard.claims.moments import Moment
from superbiz_cli.harness.guard.claims.quantities import Hedge, Quantity
from superbiz_cli.harness.guard.claims.spoken import clause_around, named_events
from superbiz_cli.harness.guard.claims.stated import MAX_OPERANDS, Stated, is_value
from superbiz_cli.harness.guard.claims.tolerance import same_in
from superbiz_cli.harness.guard.claims.units import Dimension

_INTERVAL_WORDS = re.compile(r"(?i)every|apart|interval|每隔|间隔|相隔")
_LEAST_EXACT_S = 10
_SPAN_WORDS = re.compile(
    r"(?i)last|within|window|minutes|lookback|for\b|over\b|during|span|最近|过去|窗口|内|持续|历时|历经|期间|前后"
)


def duration(claim: Quantity, stated: Stated) -> bool:
    """The time between two stated times, or between the events that hold two stated numbers.

    Without two stated times also between the first and the last event.
    """
    if claim.unit.dimension is not Dimension.TIME:
        return False
    spans = (*_of_times(claim, stated), *_of_numbers(claim, stated), *_of_named_events(claim, stated))
    return any(_is_span(claim, span) for span in spans)


def interval(claim: Quantity, stated: Stated) -> bool:
    """The time between two neighbouring events, where the claim speaks of an interval."""
    if claim.unit.dimension is not Dimension.TIME or not _INTERVAL_WORDS.search(stated.scan.text):
        return False
    return any(_is_span(claim, later - earlier) for earlier, later in pairwise(_event_times(stated)))


def window(claim: Quantity, stated: Stated) -> bool:
    """The length of the searched window."""
    if claim.unit.dimension is not Dimension.TIME or not _SPAN_WORDS.search(stated.scan.text):
        return False
    return any(_is_span(claim, window_length(searched)) for searched in stated.corpus.windows)


def _of_times(claim: Quantity, stated: Stated) -> Iterator[timedelta]:
    corpus, instants = stated.corpus, sorted(stated.corpus.instants)
    if len(stated.moments) > 1:
        for left, right in combinations(stated.moments, 2):
            yield from _between(left, right, instants)
        return
    if stated.moments:
        for at in _readings(stated.moments[0], instants):
            others = instants if _is_exact(claim) else _neighbours(at, instants)
            yield from (abs(other - at) for other in others)
        return
    if instants and not corpus.at_least:  # a sample has no ends
        yield instants[-1] - instants[0]
    yield from (pattern.last - pattern.first for pattern in corpus.patterns if pattern.first and pattern.last)


def _between(left: Moment, right: Moment, instants: Sequence[datetime]) -> Iterator[timedelta]:
    """Yield what lies between two times: as written, and exactly as the evidence has them."""
    first, last = _time_of_day(left), _time_of_day(right)
    if first is not None and last is not None:
        yield (last - first) % timedelta(days=1)
    for at in _readings(left, instants):
        yield from (abs(other - at) for other in _readings(right, instants))


def _time_of_day(moment: Moment) -> timedelta | None:
    if moment.hour is None or moment.minute is None:
        return None
    return timedelta(hours=moment.hour, minutes=moment.minute, seconds=moment.second or 0)


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


def _is_exact(claim: Quantity) -> bool:
    """Whether the claim is exact to the second and too long to be met by chance."""
    size = claim.unit.factors[0]
    return claim.hedge is Hedge.NONE and claim.step * size <= 1 and claim.value * size >= _LEAST_EXACT_S


def _of_named_events(claim: Quantity, stated: Stated) -> Iterator[timedelta]:
    """Yield what lies between an event that the clause of the claim names and others.

    The others are those that the statement gives the time of, and those that it names.
    """
    corpus, text = stated.corpus, stated.scan.text
    here = named_events(clause_around(text, claim.start, claim.end), corpus)
    ends = [at for index in here if (at := corpus.records[index].at)]
    instants = sorted(corpus.instants)
    others = [at for moment in stated.moments for at in _readings(moment, instants)]
    others += [at for index in named_events(text, corpus) if (at := corpus.records[index].at)]
    yield from (abs(end - other) for end in ends for other in others if end != other)


def _of_numbers(claim: Quantity, stated: Stated) -> Iterator[timedelta]:
    """Yield what lies between events that hold stated numbers, and from each to its neighbours."""
    anchors: list[datetime] = []
    others: list[datetime] = []
    for part in stated.others(claim)[:MAX_OPERANDS]:
        holding = {
            at
            for number in stated.corpus.numbers
            if number.record >= 0
            and same_in(part, number.quantity, number.key)
            and (at := stated.corpus.records[number.record].at)
        }
        (anchors if len(holding) == 1 else others).extend(holding)
    for left, right in combinations(anchors, 2):
        yield abs(left - right)
    yield from (abs(anchor - other) for anchor in anchors for other in others)
    for earlier, later in pairwise(_event_times(stated)):
        if earlier in anchors or later in anchors:
            yield later - earlier


def _event_times(stated: Stated) -> list[datetime]:
    return sorted(record.at for record in stated.corpus.records if record.at)


def _is_span(claim: Quantity, span: timedelta) -> bool:
    seconds = Decimal(str(span.total_seconds()))
    is_whole = claim.step * claim.unit.factors[0] >= 1
    readings = (seconds, seconds // 1) if is_whole else (seconds,)
    return any(is_value(claim, reading) for reading in readings)
