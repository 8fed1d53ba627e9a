"""The facts of a fallback in the reader's language; every number, time and quotation is the store's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from superbiz_cli.harness.contract.evidence import LogPattern, LogSearch, ObservedFact
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.tool_call import SourceType
from superbiz_cli.harness.release.wording import Language, Sentence, say, topic_in_words


def fact_in_words(fact: ObservedFact, language: Language) -> str:
    """Return what a fact says."""
    if fact.search is not None:
        if fact.pattern is not None:
            return _pattern(fact.pattern, fact.search, language)
        if fact.evidence_status is EvidenceStatus.NO_EVIDENCE:
            return _nothing(fact.search, language)
    return say(Sentence.FACT_OTHER, language, summary=fact.summary or fact.scope)


def checked_in_words(calls: Sequence[ObservedFact], language: Language) -> str:
    """Return all that was searched, each source and window once, with how often."""
    counts = Counter(_place(call, language) for call in calls)
    parts = [
        place if count == 1 else say(Sentence.CHECKED_TIMES, language, what=place, count=count)
        for place, count in counts.items()
    ]
    return say(Sentence.CHECKED, language, parts=("；" if language == "zh" else "; ").join(parts))


def window_in_words(start: datetime, end: datetime) -> str:
    """Return a window as "2026-11-30 10:00–10:15 +08:00", with the second date where it differs."""
    offset = start.strftime("%z")
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    return f"{start:%Y-%m-%d %H:%M}–{until} {offset[:3]}:{offset[3:5]}"


def _pattern(pattern: LogPattern, search: LogSearch, language: Language) -> str:
    who = " ".join(word for word in (pattern.service, pattern.level) if word)
    is_one_day = search.start.date() == search.end.date()
    first = f"{pattern.first:%H:%M:%S}" if is_one_day else f"{pattern.first:%Y-%m-%d %H:%M:%S}"
    is_same_day = pattern.first.date() == pattern.last.date()
    sentence = Sentence.FACT_PATTERN if pattern.count > 1 else Sentence.FACT_EVENT
    return say(
        Sentence.FACT_SAMPLED if pattern.is_sampled else sentence,
        language,
        who=who or topic_in_words(search.topic, language),
        count=pattern.count,
        first=first,
        last=f"{pattern.last:%H:%M:%S}" if is_same_day else f"{pattern.last:%Y-%m-%d %H:%M:%S}",
        new=_news(pattern.is_new, language),
        message=pattern.message,
    )


def _news(is_new: bool | None, language: Language) -> str:
    if is_new is None:
        return ""
    return say(Sentence.IS_NEW if is_new else Sentence.WAS_BEFORE, language)


def _nothing(search: LogSearch, language: Language) -> str:
    return say(
        Sentence.NO_MATCH if search.query else Sentence.NO_EVENT,
        language,
        topic=topic_in_words(search.topic, language),
        query=search.query,
        window=window_in_words(search.start, search.end),
    )


def _place(call: ObservedFact, language: Language) -> str:
    if (search := call.search) is not None:
        return say(
            Sentence.CHECKED_LOGS,
            language,
            topic=topic_in_words(search.topic, language),
            window=window_in_words(search.start, search.end),
        )
    if call.source_type is SourceType.MYSQL:
        return f"MySQL {call.source.partition(':')[0]}"
    return call.source
