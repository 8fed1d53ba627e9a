"""The router: an incident, documented knowledge, or the tool itself."""

from __future__ import annotations

from collections.abc import Mapping

from superbiz_cli.harness.application.question_words import (
    ABOUT_US,
    DOCUMENTED,
    FOLLOW_UP,
    HAPPENING,
    SMALL_TALK,
    TROUBLE,
)
from superbiz_cli.harness.contract.status import Intent
from superbiz_cli.harness.contract.strict import JsonValue

_FOLLOW_UP_CHARS = 40


def route_question(task: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Answer a route task: exactly {"intent": ...}."""
    query = task.get("query")
    recent = task.get("recent")
    turns = [turn for turn in recent if isinstance(turn, dict)] if isinstance(recent, list) else []
    return {"intent": intent_of(query if isinstance(query, str) else "", turns).value}


def intent_of(query: str, recent: list[dict[str, JsonValue]]) -> Intent:
    """Return the intent of `query`; a doubt between an incident and knowledge is an incident."""
    text = " ".join(query.split())
    trouble, happening = bool(TROUBLE.search(text)), bool(HAPPENING.search(text))
    documented = bool(DOCUMENTED.search(text))
    if SMALL_TALK.search(text):
        return Intent.SYSTEM_CHAT
    if ABOUT_US.search(text) and not (trouble and happening):
        return Intent.SYSTEM_CHAT
    if len(text) <= _FOLLOW_UP_CHARS and FOLLOW_UP.search(text) and not (trouble and documented):
        previous = _previous(recent)
        if previous is not None:
            return previous
    if documented and not (trouble and happening):
        return Intent.KNOWLEDGE_QUERY
    return Intent.DIAGNOSIS


def _previous(recent: list[dict[str, JsonValue]]) -> Intent | None:
    """Return the intent of the newest earlier question; the list is in order of time."""
    for turn in reversed(recent):
        try:
            return Intent(str(turn.get("intent")))
        except ValueError:
            continue
    return None
