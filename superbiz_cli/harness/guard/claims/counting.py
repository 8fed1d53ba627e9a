"""Counts that the evidence gives without writing them down: all matches, patterns, subsets of events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from superbiz_cli.harness.guard.claims.corpus import Corpus
from superbiz_cli.harness.guard.claims.names import words
from superbiz_cli.harness.guard.claims.quantities import Quantity
from superbiz_cli.harness.guard.claims.scan import Scan
from superbiz_cli.harness.guard.claims.tolerance import agrees, is_bare

_CLAUSE_END = re.compile(r"[,;:。;!?()]|\.\s|\bwhile\b|\bwhereas\b|而|其中")
_COUNT_BEFORE = re.compile(
    r"(?i)(?:count(?:ed)?|total|matches|次数|总数|总计|共计?|合计|数量|条数|=|\()\s*(?:of|is|was|为|是|:)?\s*$"
)
_LIMIT_BEFORE = re.compile(
    r"(?i)(?:limit|threshold|maximum|max|quota|cap|alarm|capacity|上限|阈值|限额|限制|最大)\S*\s*"
    r"(?:of|is|was|at|to|为|是|:|=|设为)?\s*$"
)
_FROM_TO = re.compile(r"(?i)(?:\bfrom|\bto|->|从|到|至|由|降到|升到|增至|减至|变成|变为)\s*$")
_CJK_WORD = re.compile(r"[\u4e00-\u9fff]{2,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
        the and for was were are with from that this they them all its had has have been not but each per
        one two three four five six seven eight nine ten times time again which more than only just also
        into over after before between during until first last same other events event lines line log
        logs logged entries recorded total count matches matching
        """,
    )
)


def is_counted(claim: Quantity, scan: Scan, corpus: Corpus) -> bool:
    """Whether the claim is a count that the evidence confirms.

    Never for a limit, or one end of a change: "a limit of 10 orders", "from 2 to 8 replicas".
    """
    before = scan.text[: claim.start]
    if not is_bare(claim) or claim.step < 1 or _LIMIT_BEFORE.search(before) or _FROM_TO.search(before):
        return False
    if not (claim.is_count or claim.is_ordinal or _COUNT_BEFORE.search(before)):
        return False
    if claim.is_ordinal:
        return 0 < claim.value <= max([*corpus.totals, 0])
    return any(agrees(claim, _decimal(value)) for value in _counts(claim, scan, corpus))


def _counts(claim: Quantity, scan: Scan, corpus: Corpus) -> Iterator[int]:
    yield from corpus.totals
    clause = clause_around(scan.text, claim.start, claim.end)
    if re.search(r"(?i)pattern|模式", clause):
        yield len(corpus.patterns)
    if re.search(r"(?i)service|服务|component|组件", clause):
        yield len(corpus.services)
    for part in _filters(clause, claim.text):
        yield _events_with(part, corpus)
    yield from _events_between(scan, corpus)


def clause_around(text: str, start: int, end: int) -> str:
    """Return the clause of a normalised `text` that holds the span."""
    left = [match.end() for match in _CLAUSE_END.finditer(text, 0, start)]
    right = _CLAUSE_END.search(text, end)
    return text[left[-1] if left else 0 : right.start() if right else len(text)]


def _filters(clause: str, number: str) -> Iterator[str]:
    """Yield the words of a clause by which events may have been selected."""
    for word in dict.fromkeys(words(clause.replace(number, " "))):
        if len(word) > 2 and word.casefold() not in _STOP:
            yield word.casefold()
    for run in _CJK_WORD.findall(clause):
        for width in (4, 3, 2):
            for start in range(len(run) - width + 1):
                yield run[start : start + width]


def _events_with(part: str, corpus: Corpus) -> int:
    if corpus.is_complete:
        return sum(part in record.text.casefold() for record in corpus.records)
    return sum(pattern.count for pattern in corpus.patterns if part in pattern.text.casefold())


def _events_between(scan: Scan, corpus: Corpus) -> Iterator[int]:
    """Yield how many events lie between two stated times, both included as written."""
    if not corpus.is_complete:
        return
    times = [record.at for record in corpus.records if record.at]
    for first, last in zip(scan.moments, scan.moments[1:], strict=False):
        starts = [at for at in times if first.is_of(at)]
        ends = [at for at in times if last.is_of(at)]
        if starts and ends:
            yield sum(min(starts) <= at <= max(ends) for at in times)


def _decimal(value: int) -> Decimal:
    return Decimal(value)
