"""Which of the observed troubles matter most: new before old, severe before mild, frequent before rare."""

from __future__ import annotations

from dataclasses import dataclass

from superbiz_cli.adapters.offline.gain import is_trouble, skeleton
from superbiz_cli.adapters.offline.query_terms import QueryTerms
from superbiz_cli.adapters.offline.sighting import quote_of
from superbiz_cli.adapters.offline.statements import is_background
from superbiz_cli.adapters.offline.transcript import Fact, Observation, Transcript, is_new
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.logs.headline import telling_line
from superbiz_cli.harness.tool.logs.http_status import is_server_failure

_SEVERITY = {"FATAL": 3, "CRITICAL": 3, "ERROR": 2, "WARN": 1, "WARNING": 1}


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A log pattern with the observation that shows it over the longest time."""

    fact: Fact
    observation: Observation
    skeleton: str
    quote: str

    @classmethod
    def of(cls, fact: Fact, observation: Observation) -> RankedFact:
        """Rank a fact of an observation."""
        return cls(fact, observation, skeleton(fact.text), quote_of(telling_line(fact.text)))

    @property
    def is_new(self) -> bool:
        """Whether it began in the searched window."""
        return is_new(self.fact, self.observation.window)


def dominant_facts(transcript: Transcript, terms: QueryTerms) -> list[RankedFact]:
    """Return the troubles seen, the most telling first.

    What began inside the window comes before what was there already, what is about the question's
    service or symptom before the rest, then by severity and count.
    """

    def weight(ranked: RankedFact) -> tuple[int, int, int, int]:
        fact = ranked.fact
        old = transcript.since is not None and is_background(fact, transcript.since)
        about = f"{fact.service or ''} {fact.text}".lower()
        wanted = [term.lower() for term in (terms.service, *terms.symptoms, terms.text) if term]
        return (
            0 if old else 2 if ranked.is_new else 1,
            sum(term in about for term in wanted),
            2 if is_server_failure(fact.text) else _SEVERITY.get(fact.level or "", 0),
            fact.count or 1,
        )

    return sorted(_patterns(transcript), key=weight, reverse=True)


def background_facts(transcript: Transcript) -> list[RankedFact]:
    """Return the troubles that were there before the incident began, the most frequent first.

    Without a known beginning: those that were there when the searched window opened.
    """
    since = transcript.since
    old = [
        ranked
        for ranked in _patterns(transcript)
        if (is_background(ranked.fact, since) if since else not ranked.is_new)
    ]
    return sorted(old, key=lambda ranked: -(ranked.fact.count or 1))


def _patterns(transcript: Transcript) -> list[RankedFact]:
    widest: dict[str, RankedFact] = {}
    for call in transcript.calls:
        observation = call.observation
        if call.tool != ToolName.QUERY_LOGS or not observation.found or observation.window is None:
            continue
        for fact in observation.facts():
            ranked = RankedFact.of(fact, observation)
            if fact.count is None or not is_trouble(fact) or not ranked.quote:
                continue
            known = widest.get(ranked.skeleton)
            if known is None or _start(ranked) < _start(known):
                widest[ranked.skeleton] = ranked
    return list(widest.values())


def _start(ranked: RankedFact) -> float:
    window = ranked.observation.window
    return window[0].timestamp() if window else 0.0
