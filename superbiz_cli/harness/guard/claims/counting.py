"""Counts that the evidence gives without writing them down: all matches, patterns, subsets of events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise

from superbiz_cli.harness.guard.claims.corpus import Corpus
from superbiz_cli.harness.guard.claims.quantities import Hedge, Quantity
from superbiz_cli.harness.guard.claims.scan import Scan
from superbiz_cli.harness.guard.claims.spoken import clause_around, holds, telling_words
from superbiz_cli.harness.guard.claims.tolerance import agrees, is_bare

_COUNT_BEFORE = re.compile(
    r"(?i)(?:count(?:ed)?|total|matches|次数|总数|总计|共计?|合计|数量|条数|=|\()\s*(?:of|is|was|为|是|:)?\s*$"
)
_LIMIT_BEFORE = re.compile(
    r"(?i)(?:limit|threshold|maximum|max|quota|cap|alarm|capacity|上限|阈值|限额|限制|最大)[^\s高低多少超差出]*\s*"
    r"(?:of|is|was|at|to|为|是|:|=|设为)?\s*$"
)
_FIRST_OR_LAST = re.compile(r"(?i)(?:\b(?:first|last|next)|[前后]|最后|最近|其余)\s*$")
_LIMIT_IS = re.compile(
    r"(?i)(?:limit|threshold|maximum|quota|cap|target|上限|阈值|限额|目标)\S*\s*(?:of|is|was|at|为|是|:|=|设为)\s*$"
)
_LIMIT_AFTER = re.compile(
    r"(?i)\s*(?:的)?(?:limit|threshold|target|quota|budget|alarm|slo\b|上限|阈值|限额|目标|告警|报警|警戒)"
)
_FROM_TO = re.compile(r"(?i)(?:\bfrom|\bto|->|从|(?<!不)到|至|由|降到|升到|增至|减至|变成|变为)\s*$")
_ADDS_UP = re.compile(r"(?i)(?:add\w*\s+up|amount\w*|sum\w*|com(?:e|es|ing)|came|total\w*)\s+to\s*$")
_STATUS = re.compile(r"(?<![\w.])[1-5]\d\d(?!\w|\.\d|%)")


def is_counted(claim: Quantity, scan: Scan, corpus: Corpus) -> bool:
    """Whether the claim is a count that the evidence confirms.

    Never for a limit, or one end of a change: "a limit of 10 orders", "from 2 to 8 replicas".
    """
    if is_limit(claim, scan.text) or is_end_of_change(claim, scan.text):
        return False
    if not is_bare(claim) or claim.step < 1:
        return False
    if not (claim.is_count or claim.is_ordinal or _COUNT_BEFORE.search(scan.text[: claim.start])):
        return False
    if claim.is_ordinal or _FIRST_OR_LAST.search(scan.text[: claim.start]):
        return 0 < claim.value <= max([*corpus.totals, 0])
    if claim.hedge is Hedge.OVER and any(claim.value == count for count in corpus.at_least):
        return True
    return any(agrees(claim, Decimal(value)) for value in _counts(claim, scan, corpus))


def is_limit(claim: Quantity, text: str) -> bool:
    """Whether the text presents the number as a limit, target or threshold."""
    before, after = text[: claim.start], text[claim.end :]
    return _LIMIT_BEFORE.search(before) is not None or _LIMIT_AFTER.match(after) is not None


def is_named_limit(claim: Quantity, text: str) -> bool:
    """Whether the number is said to be the limit itself: "a limit of 98 %", not "98 % of the limit"."""
    before, after = text[: claim.start], text[claim.end :]
    return _LIMIT_IS.search(before) is not None or _LIMIT_AFTER.match(after) is not None


def is_end_of_change(claim: Quantity, text: str) -> bool:
    """Whether the number is one end of "from 2 to 8"; "adds up to 9" is a total."""
    before = text[: claim.start]
    return _FROM_TO.search(before) is not None and _ADDS_UP.search(before) is None


def _counts(claim: Quantity, scan: Scan, corpus: Corpus) -> Iterator[int]:
    clause = clause_around(scan.text, claim.start, claim.end)
    selecting = _selecting(clause, corpus) if corpus.is_complete else []
    if not selecting:
        yield from _totals(clause, corpus)
        yield from _subsets(clause, scan, corpus, range(len(corpus.records)))
        return
    # The clause itself names what was counted: a total over all services would be of something else.
    for chosen in (*selecting, set[int]().union(*selecting), set.intersection(*selecting)):
        yield len(chosen)
        yield from _subsets(clause, scan, corpus, sorted(chosen))


def _totals(clause: str, corpus: Corpus) -> Iterator[int]:
    yield from corpus.totals
    if not corpus.is_complete:
        yield from (pattern.count for pattern in corpus.patterns)
    if re.search(r"(?i)pattern|模式", clause):
        yield len(corpus.patterns)
    if re.search(r"(?i)service|服务|component|组件", clause):
        yield len(corpus.services)
    if re.search(r"(?i)peak|minute|峰|分钟", clause):
        yield from corpus.peaks


def _subsets(clause: str, scan: Scan, corpus: Corpus, records: Sequence[int]) -> Iterator[int]:
    """Yield how many of `records` hold a word of the clause, or lie between two stated times.

    Nothing is counted as zero: that a word is absent says nothing about what was searched.
    """
    chosen = [corpus.records[index] for index in records]
    for part in telling_words(clause):
        if corpus.is_complete:
            found = sum(holds(record.text, part) for record in chosen)
        else:
            found = sum(pattern.count for pattern in corpus.patterns if holds(pattern.text, part))
        if found:
            yield found
    if corpus.is_complete:
        yield from _events_between(scan, [record.at for record in chosen if record.at])


def _selecting(clause: str, corpus: Corpus) -> list[set[int]]:
    """Return, for each service and three-digit status that the clause names, the events that hold it.

    Only those that tell some events from others.
    """
    rest = clause.casefold()
    parts = {service.casefold() for service in corpus.services if service.casefold() in rest}
    parts.update(_STATUS.findall(rest))
    texts = [record.text.casefold() for record in corpus.records]
    found = [{index for index, text in enumerate(texts) if part in text} for part in parts]
    return [records for records in found if 0 < len(records) < len(corpus.records)]


def _events_between(scan: Scan, times: Sequence[datetime]) -> Iterator[int]:
    """Yield how many of `times` lie between two stated times, both included as written."""
    for first, last in pairwise(scan.moments):
        starts = [at for at in times if first.is_of(at)]
        ends = [at for at in times if last.is_of(at)]
        if starts and ends:
            yield sum(min(starts) <= at <= max(ends) for at in times)
