"""What a result of query_logs says, as facts: errors and what is new before the ordinary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from superbiz_cli.harness.contract.evidence import LogPattern, LogSearch, ObservedFact
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.tool.logs.headline import headline
from superbiz_cli.harness.tool.logs.http_status import failing_status, is_server_failure
from superbiz_cli.harness.tool.logs.patterns import mask

MAX_PATTERN_FACTS = 8
MAX_NEWS = 2
MAX_NEWS_COUNT = 20  # a start or a change of configuration is rare; what is frequent is traffic
_ERRORS = frozenset({"ERROR", "FATAL"})
_TROUBLE = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|s|ing)?|fatal|refused|denied|timed? ?out|unavailable|exhausted"
    r"|deadlock|panic|killed|abort(?:ed)?|unreachable|reset by peer|(?<!\.)50[0234](?!\.\d))\b"
    r"|错误|异常|失败|超时|拒绝|崩溃",
    re.IGNORECASE,
)
_NEW_ERROR, _NEW_TROUBLE, _OLD_ERROR, _OLD_TROUBLE, _NEWS, _ORDINARY = range(6)


def log_search(payload: Mapping[str, JsonValue]) -> LogSearch | None:
    """Return what a verified result of query_logs covered, None for a payload of another tool."""
    scope = payload.get("scope")
    if not isinstance(scope, dict) or not {"topic", "query", "start", "end"} <= scope.keys():
        return None
    start, end = (datetime.fromisoformat(str(scope[key])) for key in ("start", "end"))
    return LogSearch(topic=str(scope["topic"]), query=str(scope["query"]), start=start, end=end)


def log_patterns(payload: Mapping[str, JsonValue]) -> list[LogPattern]:
    """Return the patterns of a verified result of query_logs."""
    patterns: Any = payload.get("patterns") or ()
    return [
        LogPattern(
            count=pattern["count"],
            first=datetime.fromisoformat(pattern["first_seen"]),
            last=datetime.fromisoformat(pattern["last_seen"]),
            message=headline(pattern["example"]),
            level=pattern["level"],
            service=pattern["service"],
            is_new=pattern.get("is_new"),
            is_sampled=pattern.get("is_sampled") is True,
        )
        for pattern in patterns
    ]


def telling_facts(facts: Iterable[ObservedFact]) -> list[ObservedFact]:
    """Return the facts about patterns that are worth telling, the most telling first.

    What is new in the window comes before what was there before, and errors before warnings. Of what is
    ordinary the most frequent is told only if there is nothing else. A pattern that several searches
    show is told once, by the search that shows most of it.
    """
    distinct: dict[tuple[str | None, str | None, str], tuple[ObservedFact, LogPattern]] = {}
    for fact in facts:
        if (pattern := fact.pattern) is None:
            continue
        key = (pattern.level, pattern.service, f"{mask(pattern.message)} {failing_status(pattern.message)}")
        known = distinct.get(key)
        if known is None or pattern.count > known[1].count:
            distinct[key] = (fact, pattern)
    ranked = sorted(distinct.values(), key=lambda pair: (weight(pair[1]), -pair[1].count))
    trouble = [fact for fact, pattern in ranked if weight(pattern) < _NEWS]
    news = [fact for fact, pattern in ranked if weight(pattern) == _NEWS]
    told = [*trouble[:MAX_PATTERN_FACTS], *news[:MAX_NEWS]]
    return told or [fact for fact, _ in ranked[:1]]


def weight(pattern: LogPattern) -> int:
    """Return how telling a pattern is; less is more."""
    is_new = pattern.is_new is True
    if pattern.level in _ERRORS or is_server_failure(pattern.message):
        return _NEW_ERROR if is_new else _OLD_ERROR
    if pattern.level == "WARN" or (pattern.level != "DEBUG" and _TROUBLE.search(pattern.message)):
        return _NEW_TROUBLE if is_new else _OLD_TROUBLE
    return _NEWS if is_new and pattern.count <= MAX_NEWS_COUNT else _ORDINARY


def source_remarks(payload: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return what the sources say that they left out: files that were binary or could not be read."""
    remarks = payload.get("limitations")
    return tuple(text for text in remarks if isinstance(text, str)) if isinstance(remarks, list) else ()


def with_patterns(fact: ObservedFact, patterns: Sequence[LogPattern]) -> list[ObservedFact]:
    """Return one fact for each pattern of a search; `fact` itself where it has none."""
    if not patterns:
        return [fact]
    return [replace(fact, pattern=pattern, excerpt=pattern.message) for pattern in patterns]
