"""Sentences about what was observed: every number, time and quotation is one of the observation's."""

from __future__ import annotations

from datetime import datetime

from superbiz_cli.adapters.offline.phrases import say
from superbiz_cli.adapters.offline.sighting import quote_of
from superbiz_cli.adapters.offline.times import clock_time
from superbiz_cli.adapters.offline.transcript import Fact, Observation, is_new
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.release.wording import topic_in_words


def fact_sentence(language: str, fact: Fact, observation: Observation, quote: str = "") -> str | None:
    """Say what `fact` shows; None if nothing of it can be quoted."""
    quote = quote or quote_of(fact.text)
    if not quote:
        return None
    if observation.tool == ToolName.QUERY_MYSQL:
        return say(language, "row", quote=quote)
    if observation.tool == ToolName.LOOKUP_KNOWLEDGE:
        return say(language, "passage", quote=quote)
    first, last = clock_time(fact.first, observation.window), clock_time(fact.last, observation.window)
    if first is None or last is None:
        return None
    several = fact.count is not None and fact.count > 1
    values = {"quote": quote, "first": first, "last": last, "count": str(fact.count)}
    phrase = "event" if not several else "sampled" if fact.is_sampled else "pattern"
    if fact.service is None:
        return say(language, f"{phrase}_unnamed", **values)
    return say(language, phrase, service=fact.service, **values)


def origin_sentence(language: str, fact: Fact, observation: Observation, since: datetime | None) -> str:
    """Say whether `fact` began inside the searched window or was there before; "" if that is open."""
    window = observation.window
    if window is None or fact.first is None:
        return ""
    if since is not None and is_background(fact, since):
        return say(language, "background")
    if is_new(fact, window):
        return say(language, "new" if fact.is_new else "began", start=clock_time(window[0], window) or "")
    if fact.is_new is False:
        return say(language, "seen_before")
    if fact.is_sampled:
        return ""
    return say(language, "background_unknown") if since is None else ""


def is_background(fact: Fact, since: datetime) -> bool:
    """Whether a fact was there before the incident is said to have begun."""
    return fact.first is not None and fact.first < since


def negative_sentence(language: str, observation: Observation) -> str:
    """Say that a search found nothing, and nothing more than that."""
    scope, window = observation.scope, observation.window
    if observation.tool == ToolName.QUERY_LOGS and window is not None:
        return say(
            language,
            "negative_logs",
            topic=topic_in_words(str(scope.get("topic", "")), language),
            query=str(scope.get("query", "")),
            start=clock_time(window[0], window) or "",
            end=clock_time(window[1], window) or "",
        )
    source = "MySQL" if observation.tool == ToolName.QUERY_MYSQL else say(language, "scope_knowledge")
    return say(language, "negative_other", source=source)
