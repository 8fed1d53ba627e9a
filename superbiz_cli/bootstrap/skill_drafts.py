"""Drafts of skills from the case library, polished by the guard model if one is configured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from superbiz_cli import assets
from superbiz_cli.bootstrap.limits import run_limits
from superbiz_cli.bootstrap.models import open_model
from superbiz_cli.bootstrap.registered_secrets import redactor_for
from superbiz_cli.bootstrap.stores import open_archive
from superbiz_cli.errors import ErrorCode, SuperbizError
from superbiz_cli.harness.application.skill_draft import MAX_CASES, SkillProse, draft_skill, skill_name
from superbiz_cli.harness.application.skill_polish import MAX_REPLY_BYTES, TIMES, polished_prose
from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.audit.recorder import NullRecorder
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.core.budget import BudgetExceeded
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.core.run import Run, RunAborted
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.retry.attempts import AttemptsExhausted
from superbiz_cli.harness.retry.policy import JUDGE
from superbiz_cli.settings import Settings

_THRESHOLD = 0.3  # a draft is read by a person: rather a case too many than one too few


@dataclass(frozen=True, slots=True)
class DraftedSkill:
    """A proposal: a whole SKILL.md, the cases that it was made of, and whether a model polished it."""

    name: str
    text: str
    case_ids: tuple[str, ...]
    polished: bool


def draft_from_cases(
    settings: Settings, topic: str, *, use_model: bool, warn: Callable[[str], None]
) -> DraftedSkill:
    """Draft a skill about `topic`; without a usable model in our own words.

    Raises SuperbizError if no case is about it.
    """
    redact = redactor_for(settings).redact
    with open_archive(settings) as archive:
        found = archive.case_library().most_similar(terms_of(topic), limit=MAX_CASES, threshold=_THRESHOLD)
    if not found:
        raise SuperbizError(
            ErrorCode.NOT_FOUND,
            f"no case is about '{topic}'",
            hint="superbiz case list shows the cases; superbiz feedback RUN --helpful makes one",
        )
    topic = redact(topic)
    cases = [scored.case.bounded(redact) for scored in found]
    prose = None
    if use_model and not settings.model.guard_route.is_offline:
        prose = _polished(settings, topic, cases, warn)
    return DraftedSkill(
        name=skill_name(topic),
        text=draft_skill(topic, cases, prose=prose),
        case_ids=tuple(case.case_id for case in cases),
        polished=prose is not None,
    )


def _polished(
    settings: Settings, topic: str, cases: Sequence[Case], warn: Callable[[str], None]
) -> SkillProse | None:
    limits = run_limits(settings)
    run = Run.start(session_id="none", deadline_s=limits.time.deadline_s, limits=limits.budget)
    try:
        with ExitStack() as stack:
            call = GuardCall(
                gate=ModelGate(
                    model=open_model(settings.model.guard_route, stack), run=run, recorder=NullRecorder()
                ),
                run=run,
                system_prompt=assets.prompt("skill_draft"),
                role=ModelRole.SKILL,
                policy=JUDGE,
                times=TIMES,
                max_input_bytes=limits.payload.judge_input_bytes,
                max_output_bytes=MAX_REPLY_BYTES,
            )
            with run.watching_deadline():
                return polished_prose(topic, cases, call=call)
    except SuperbizError as error:
        warn(f"The draft is not polished: {error}")
    except AttemptsExhausted as error:
        warn(f"The draft is not polished: the guard model gave no usable answer ({error.failure.value}).")
    except (RunAborted, BudgetExceeded):
        warn("The draft is not polished: the deadline or the budget ended it.")
    return None
