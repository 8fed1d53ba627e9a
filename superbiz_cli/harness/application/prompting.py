"""What the agent is given first: its instructions with the active skills, and the question as data."""

from __future__ import annotations

from collections.abc import Sequence

from superbiz_cli.harness.application.parts import Question
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.skill import Skill
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json


def agent_system_prompt(instructions: str, skills: Sequence[Skill]) -> str:
    """Return the instructions followed by the whole text of every active skill."""
    blocks = [f'<skill name="{skill.name}">\n{skill.text.strip()}\n</skill>' for skill in skills]
    return "\n\n".join([instructions.strip(), *blocks])


def agent_input(question: Question, *, query: str) -> str:
    """Return the first user message: one JSON object, so that the question stays data.

    `query` is the redacted question.
    """
    return canonical_json(
        {
            "query": query,
            "incident": _window_json(question.incident),
            "previous_turn": dict(question.previous_turn) if question.previous_turn else None,
            "similar_cases": list(question.similar_cases.hints),
        }
    )


def _window_json(window: IncidentWindow) -> JsonValue:
    json: dict[str, JsonValue] = {"until": window.until.isoformat(), "timezone": window.timezone}
    if window.since is not None:
        json["since"] = window.since.isoformat()
    return json
