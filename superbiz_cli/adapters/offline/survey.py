"""Searches for an incident that no procedure fits: from the question's own words to ever broader ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from superbiz_cli.adapters.offline.gain import is_trouble
from superbiz_cli.adapters.offline.plan import Planned
from superbiz_cli.adapters.offline.query_terms import QueryTerms, as_term
from superbiz_cli.adapters.offline.transcript import Fact, Transcript
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import ToolName

APPLICATION = "APPLICATION"
_BROAD = ("warn", "fail", "exception", "timeout")
_LOOK_BACK_FACTOR = 6
_MAX_LOOK_BACKS = 2
_DEFAULT_MINUTES = 30
_MAX_MINUTES = 1440
_PHRASE = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{2,}){1,4}|[一-鿿]{4,12}")


@dataclass(frozen=True, slots=True)
class _Search:
    planned: Planned
    is_broad: bool


def next_search(transcript: Transcript, terms: QueryTerms, *, after_a_miss: bool) -> Planned | None:
    """Return the next search of the survey, None when it is done.

    After a miss a broad search comes first: two misses in a row end the collection. If nothing was
    found at all yet, that is the search for every event: it can only miss if there is none.
    """
    everything = _log_search("", minutes=_MAX_MINUTES if transcript.since is None else None)
    if after_a_miss and not any(call.observation.found for call in transcript.calls):
        return everything if _is_open(transcript, everything) else None
    open_searches = [
        search for search in _searches(transcript, terms) if _is_open(transcript, search.planned)
    ]
    if after_a_miss:
        open_searches.sort(key=lambda search: not search.is_broad)
    return open_searches[0].planned if open_searches else None


def _is_open(transcript: Transcript, planned: Planned) -> bool:
    return transcript.offers(planned.tool, planned.input) and not transcript.made(planned.tool, planned.input)


def _searches(transcript: Transcript, terms: QueryTerms) -> Iterator[_Search]:
    minutes = _MAX_MINUTES if _is_quiet_of_late(transcript) else None
    yield from (_narrow(term) for term in (terms.text, terms.identifier, terms.error_code) if term)
    spoken = _in_own_words(terms, minutes)
    if spoken is not None:
        yield _Search(spoken, is_broad=False)
    made = transcript.made(spoken.tool, spoken.input) if spoken is not None else None
    is_answered = made is not None and made.observation.found
    for symptom in () if is_answered else terms.symptoms or ("",):
        if terms.service or symptom:
            yield _narrow(terms.service, symptom, minutes=minutes)
    yield _broad("error", minutes)
    if terms.service and not is_answered:
        yield _narrow(terms.service, "error", minutes=minutes)
    if not _shows_trouble(transcript):
        yield _broad("", minutes)
        yield from (_broad(word, minutes) for word in _BROAD)
        yield from (_narrow(symptom, minutes=minutes) for symptom in terms.symptoms)
    yield from _origin_of_the_loudest(transcript)
    yield _Search(_log_search("error", topic="SYSTEM_EVENTS"), is_broad=False)
    if terms.symptom == "slow":
        yield _Search(_log_search("Query_time", topic="DATABASE_SLOW_QUERY"), is_broad=False)
    yield _Search(
        Planned(ToolName.LOOKUP_KNOWLEDGE, {"query": " ".join(transcript.query.split())[:300]}),
        is_broad=False,
    )


def _in_own_words(terms: QueryTerms, minutes: int | None) -> Planned | None:
    return _log_search(" ".join(terms.spoken), minutes=minutes) if terms.spoken else None


def _narrow(*terms: str, minutes: int | None = None) -> _Search:
    query = " ".join(as_term(term) for term in terms if term)
    return _Search(_log_search(query, minutes=minutes), is_broad=False)


def _broad(word: str, minutes: int | None) -> _Search:
    return _Search(_log_search(word, minutes=minutes), is_broad=True)


def _log_search(query: str, *, topic: str = APPLICATION, minutes: int | None = None) -> Planned:
    arguments: dict[str, JsonValue] = {"topic": topic, "query": query}
    if minutes is not None:
        arguments["lookback_minutes"] = minutes
    return Planned(ToolName.QUERY_LOGS, arguments)


def _is_quiet_of_late(transcript: Transcript) -> bool:
    """Whether a search over the last day found events, but none in the time that is searched by default."""
    if transcript.until is None:
        return False
    recent = transcript.until - timedelta(minutes=_DEFAULT_MINUTES)
    day = [call for call in transcript.calls if call.input.get("lookback_minutes") == _MAX_MINUTES]
    last = [fact.last for call in day for fact in call.observation.facts() if fact.last is not None]
    return bool(last) and max(last) < recent


def _shows_trouble(transcript: Transcript) -> bool:
    return any(is_trouble(fact) for call in transcript.calls for fact in call.observation.facts())


def _origin_of_the_loudest(transcript: Transcript) -> Iterator[_Search]:
    """Search the most frequent trouble over a longer time: what was there before is background."""
    if sum("lookback_minutes" in call.input for call in transcript.calls) >= _MAX_LOOK_BACKS:
        return
    facts = [fact for call in transcript.calls for fact in call.observation.facts() if is_trouble(fact)]
    seen: set[str] = set()
    for fact in sorted(facts, key=lambda fact: -(fact.count or 0)):
        phrase = _phrase_of(fact)
        if phrase and phrase not in seen and len(seen) < _MAX_LOOK_BACKS:
            seen.add(phrase)
            yield _Search(_log_search(as_term(phrase), minutes=_look_back_minutes(transcript)), is_broad=True)


def _look_back_minutes(transcript: Transcript) -> int:
    length = timedelta(minutes=_DEFAULT_MINUTES)
    if transcript.since is not None and transcript.until is not None:
        length = max(length, transcript.until - transcript.since)
    return min(_MAX_MINUTES, int(length.total_seconds() // 60) * _LOOK_BACK_FACTOR)


def _phrase_of(fact: Fact) -> str:
    """Return the longest run of plain words of a message: its fixed part, fit for a search."""
    line = fact.text.splitlines()[0] if fact.text else ""
    return max((match.group(0) for match in _PHRASE.finditer(line)), key=len, default="")
