"""Was an observation worth its call? The rating that the agent gives, recomputed from the history."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from superbiz_cli.adapters.offline.plan import Progress
from superbiz_cli.adapters.offline.transcript import Call, Fact
from superbiz_cli.harness.contract.skill import PlanStep
from superbiz_cli.harness.tool.logs.http_status import failing_status, is_server_failure

SEVERE = frozenset({"ERROR", "FATAL", "CRITICAL", "WARN", "WARNING"})
_VARIABLE = re.compile(r"\b(?:0x)?[0-9a-f]*\d[\w.:-]*", re.IGNORECASE)
_TROUBLE = re.compile(
    r"error|exception|fail|fatal|refused|denied|timed? ?out|unavailable|exhaust|deadlock|panic|killed"
    r"|错误|异常|失败|超时",
    re.IGNORECASE,
)


def skeleton(text: str) -> str:
    """Return `text` without its variable parts, a failing HTTP status kept: equal for one kind of message."""
    shape = " ".join(_VARIABLE.sub("#", text.splitlines()[0] if text else "").lower().split())[:200]
    return f"{shape} {failing_status(text)}".rstrip()


def is_trouble(fact: Fact) -> bool:
    """Whether a fact reports that something went wrong, by its HTTP status, its level or its words."""
    if is_server_failure(fact.text):
        return True
    return fact.level in SEVERE if fact.level else bool(_TROUBLE.search(fact.text))


def gains(calls: Sequence[Call], progress: Sequence[Progress]) -> list[bool]:
    """Return for each call whether it brought something: a signal of its step, news, or an origin.

    News is a fact that no earlier observation showed, for a step of a plan only if it is trouble. An
    origin is a known fact in a window that begins earlier than before: it shows when it began.
    """
    earliest: dict[str, datetime | None] = {}
    rated = []
    for call in calls:
        steps = [(step, plan) for plan in progress for step, answer in plan.answered if answer is call]
        facts = call.observation.facts() if call.observation.found else ()
        start = call.observation.window[0] if call.observation.window else None
        fresh = [fact for fact in facts if skeleton(fact.text) not in earliest]
        gained = (
            any(_shows_signal(step, plan, call) for step, plan in steps)
            or any(is_trouble(fact) or not steps for fact in fresh)
            or any(_is_earlier(start, earliest.get(skeleton(fact.text))) for fact in facts)
        )
        rated.append(call.observation.is_result and gained)
        for fact in facts:
            key = skeleton(fact.text)
            if key not in earliest or _is_earlier(start, earliest[key]):
                earliest[key] = start
    return rated


def _is_earlier(start: datetime | None, known: datetime | None) -> bool:
    return start is not None and known is not None and start < known


def fruitless_streak(rated: Sequence[bool]) -> int:
    """Return how many of the newest calls brought nothing, up to the last one that did."""
    streak = 0
    for gained in reversed(rated):
        if gained:
            break
        streak += 1
    return streak


def _shows_signal(step: PlanStep, plan: Progress, call: Call) -> bool:
    wanted = step.gained_if or tuple(signal.name for signal in step.signals) or (step.id,)
    return any(
        (sighting := plan.seen.sightings.get(name)) is not None and sighting.observation is call.observation
        for name in wanted
    )
