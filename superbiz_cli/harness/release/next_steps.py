"""What the reader can do next: commands with time, topic and words filled in, ready to be typed.

The words of a search are taken from the fixed part of a message: a redacted value finds nothing.
"""

from __future__ import annotations

import re
import shlex
from datetime import datetime, timedelta

from superbiz_cli.harness.contract.evidence import EvidenceSnapshot, LogPattern, LogSearch
from superbiz_cli.harness.release.wording import PROGRAM, Language, Sentence, say

MAX_QUESTION_CHARS = 160
WIDER = 4
_AROUND = timedelta(minutes=2)
_BEFORE = timedelta(minutes=10)
_EARLIER = timedelta(hours=24)
_MAX_SPAN = timedelta(days=30)
_WORDS = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){0,5}|[一-鿿]{2,12}")


def steps_from_facts(
    snapshot: EvidenceSnapshot, *, query: str, language: Language, program: str = PROGRAM
) -> list[str]:
    """Return the commands that lead on from what was seen; none where no log was searched.

    `program` begins each command: "superbiz" with the options that this Run was given.
    """
    told = next(
        ((fact.pattern, fact.search) for fact in snapshot.facts if fact.pattern and fact.search), None
    )
    if told is not None:
        return [*_on_pattern(*told, language, program), *_wider(snapshot, query, language, program)]
    searches = [call.search for call in snapshot.calls if call.search is not None]
    if not searches:
        return []
    return [
        say(Sentence.LOOK_AT_SOURCES, language, program=program),
        *_wider(snapshot, query, language, program),
    ]


def _on_pattern(pattern: LogPattern, search: LogSearch, language: Language, program: str) -> list[str]:
    terms = search_words(pattern.message)
    begin, end = _minute(pattern.first - _AROUND), _minute(pattern.first + _AROUND)
    steps = [
        (Sentence.READ_LINES, _search(search.topic, terms, begin, end)),
        (Sentence.READ_BEFORE, _search(search.topic, "", _minute(pattern.first - _BEFORE), end)),
    ]
    if pattern.is_sampled:
        steps = []  # where it began is not known
    if terms and (pattern.is_sampled or pattern.is_new is not True):
        earlier = _minute(search.end - _EARLIER)
        steps.append((Sentence.SINCE_WHEN, _search(search.topic, terms, earlier, _minute(search.end))))
    return [say(sentence, language, command=f"{program} {command}") for sentence, command in steps]


def search_words(message: str) -> str:
    """Return the longest fixed part of a message as one term, "" if it has none."""
    plain = re.sub(r"\[REDACTED[^\]]*\]", "\n", message)
    phrase = max(_WORDS.findall(plain), key=len, default="")
    return f'"{phrase}"' if " " in phrase else phrase


def _wider(snapshot: EvidenceSnapshot, query: str, language: Language, program: str) -> list[str]:
    """Ask again over four times the time, if nothing that was found began inside the window."""
    if any(fact.pattern is not None and fact.pattern.is_new for fact in snapshot.facts):
        return []
    searches = [call.search for call in snapshot.calls if call.search is not None]
    start, end = min(search.start for search in searches), max(search.end for search in searches)
    since = end - min(_MAX_SPAN, (end - start) * WIDER)
    is_typable = len(query) <= MAX_QUESTION_CHARS and "\n" not in query and "[REDACTED" not in query
    question = shlex.quote(query) if query and is_typable else '-c "..."'
    until = _minute(end + timedelta(minutes=1))  # a question about last night is not asked up to now
    command = f"{program} diagnose {question} --since {_typed(_minute(since))} --until {_typed(until)}"
    return [say(Sentence.ASK_WIDER, language, command=command)]


def _search(topic: str, terms: str, since: datetime, until: datetime) -> str:
    words = f" {shlex.quote(terms)}" if terms else ""
    return f"logs search{words} --topic {topic} --since {_typed(since)} --until {_typed(until)}"


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def _typed(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M")
