"""Lets the guard model make the prose of a drafted skill specific; only sentences come back, no plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, TypeAlias

from pydantic import Field, ValidationError

from superbiz_cli.harness.application.skill_draft import MAX_CASES, SkillProse, general_prose
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.contract.limits import AttemptLimits
from superbiz_cli.harness.contract.model import RetryFailure
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, StrictModel, parse_strict_object
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.attempts import AttemptFailed

TIMES = AttemptLimits(attempt_s=45.0, total_s=60.0)
MAX_REPLY_BYTES = 24_000

_Point: TypeAlias = Annotated[str, Field(min_length=1, max_length=600)]
_Points: TypeAlias = Annotated[tuple[_Point, ...], Field(min_length=1, max_length=8)]


class _Reply(StrictModel):
    description: Annotated[str, Field(min_length=1, max_length=800)]
    workflow: _Points
    required_evidence: _Points
    stop_conditions: _Points
    report_rules: _Points


def polished_prose(topic: str, cases: Sequence[Case], *, call: GuardCall) -> SkillProse:
    """Return the prose as the model writes it. `cases` are redacted.

    Raises AttemptsExhausted; RunAborted and BudgetExceeded pass through.
    """
    told: list[JsonValue] = [_told(case) for case in cases[:MAX_CASES]]
    general: dict[str, JsonValue] = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in asdict(general_prose(topic, cases)).items()
    }
    return call.ask({"task": "skill", "topic": topic, "cases": told, "draft": general}, parse_prose)


def parse_prose(text: str) -> SkillProse:
    """Read exactly one object of the five texts. Raises AttemptFailed PARSE_ERROR or SCHEMA_INVALID."""
    try:
        parse_strict_object(text)
    except StrictJsonError as error:
        raise AttemptFailed(RetryFailure.PARSE_ERROR) from error
    try:
        reply = _Reply.model_validate_json(text)
    except ValidationError as error:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID) from error
    return SkillProse(
        description=reply.description,
        workflow=reply.workflow,
        required_evidence=reply.required_evidence,
        stop_conditions=reply.stop_conditions,
        report_rules=reply.report_rules,
    )


def _told(case: Case) -> JsonValue:
    return {
        "reported": case.symptoms[0] if case.symptoms else "",
        "seen": list(case.symptoms[1:3]),
        "cause": case.root_cause,
        "helped": case.solution,
        "services": list(case.services),
    }
