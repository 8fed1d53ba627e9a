"""What the agent is given first: its instructions with the active skills, and the question as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from superbiz_cli.harness.agent.observation import FRAME_TEXTS
from superbiz_cli.harness.application.parts import Parts, Question
from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.skill import BilingualText, Skill
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.guard.disclosure import Instructions


def agent_system_prompt(instructions: str, skills: Sequence[Skill]) -> str:
    """Return the instructions followed by the guide of every active skill."""
    blocks = [f'<skill name="{skill.name}">\n{skill.guide.strip()}\n</skill>' for skill in skills]
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


def instructions_of(parts: Parts, skills: Sequence[Skill]) -> Instructions:
    """Return what the models of a Run are told: prompts, skills, tools, frames.

    The sentences that a skill offers for a report are public.
    """
    told = (
        *parts.prompts.texts.values(),
        *(skill.guide for skill in skills),
        *(spec.description for spec in parts.catalog.specs()),
        *FRAME_TEXTS,
    )
    return Instructions(told, public=tuple(text for skill in skills for text in _reportable(skill)))


def _reportable(skill: Skill) -> Iterator[str]:
    texts: list[BilingualText | None] = [signal.note for step in skill.plan for signal in step.signals]
    for finding in skill.findings:
        texts += [finding.statement, *finding.actions, *finding.advice]
    for text in texts:
        if text is not None:
            yield from filter(None, (text.en, text.zh))


def _window_json(window: IncidentWindow) -> JsonValue:
    json: dict[str, JsonValue] = {"until": window.until.isoformat(), "timezone": window.timezone}
    if window.since is not None:
        json["since"] = window.since.isoformat()
    return json
