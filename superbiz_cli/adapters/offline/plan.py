"""Executes a skill's plan: which steps have been answered, what they showed, which one is next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from superbiz_cli.adapters.offline.phrases import readable_number
from superbiz_cli.adapters.offline.query_terms import QueryTerms, as_term
from superbiz_cli.adapters.offline.sighting import Seen, Sighting, sightings_in
from superbiz_cli.adapters.offline.times import clock_time
from superbiz_cli.adapters.offline.transcript import Call, Transcript
from superbiz_cli.adapters.skill_check import PLACEHOLDER
from superbiz_cli.harness.contract.skill import Finding, PlanStep, Skill
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import ToolName


@dataclass(frozen=True, slots=True)
class Planned:
    """A call to make. `step` is None when it belongs to no plan."""

    tool: str
    input: Mapping[str, JsonValue]
    step: PlanStep | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the plan of one skill is. `answered` holds the calls of its steps, in plan order."""

    skill: Skill
    seen: Seen
    answered: tuple[tuple[PlanStep, Call], ...] = ()
    next: Planned | None = None
    not_run: tuple[PlanStep, ...] = ()


def follow(skill: Skill, transcript: Transcript, terms: QueryTerms) -> Progress:
    """Replay the plan of `skill` over the calls that were made and find the first open step.

    A step is skipped when its tool or topic is not offered, its `when` is not met, or its input
    needs something that neither the question nor an observation yields.
    """
    sightings: dict[str, Sighting] = {}
    ran: set[str] = set()
    answered: list[tuple[PlanStep, Call]] = []
    not_run: list[PlanStep] = []
    upcoming: Planned | None = None
    for step in skill.plan:
        seen = Seen(dict(sightings), frozenset(ran))
        arguments = fill_input(step, terms, seen)
        if arguments is None or not seen.meets(step.when):
            not_run.append(step)
            continue
        call = transcript.made(step.tool, arguments)
        if call is not None:
            answered.append((step, call))
            if call.observation.is_result:
                ran.update((step.id, *(signal.name for signal in step.signals)))
                for name, sighting in sightings_in(step, call.observation).items():
                    sightings.setdefault(name, sighting)
            continue
        not_run.append(step)
        if upcoming is None and transcript.offers(step.tool, arguments):
            upcoming = Planned(step.tool, arguments, step)
    return Progress(skill, Seen(sightings, frozenset(ran)), tuple(answered), upcoming, tuple(not_run))


def fill_input(step: PlanStep, terms: QueryTerms, seen: Seen) -> dict[str, JsonValue] | None:
    """Fill the placeholders of a step's input; None if what it needs is not known.

    A placeholder of the question that yields nothing is dropped from a search; a search that is left
    with no term is not made. A value from an observation must be there. In a log search a value of
    several words becomes one quoted term.
    """
    filled: dict[str, JsonValue] = {}
    for key, value in step.input.items():
        in_search = step.tool == ToolName.QUERY_LOGS and key == "query"
        if isinstance(value, list):
            texts = [
                _fill(item, terms, seen, quoted=False) if isinstance(item, str) else item for item in value
            ]
            if None in texts:
                return None
            filled[key] = texts
        elif isinstance(value, str):
            text = _fill(value, terms, seen, quoted=in_search)
            if not text:
                return None
            filled[key] = text
        else:
            filled[key] = value
    return filled


def _fill(template: str, terms: QueryTerms, seen: Seen, *, quoted: bool) -> str | None:
    if not PLACEHOLDER.search(template):
        return template
    missing = False

    def value_of(match: re.Match[str]) -> str:
        nonlocal missing
        name, wanted = match.group(1), match.group(2)
        value = terms.field(name) if wanted is None else observed_value(seen, name, wanted)
        missing = missing or value is None
        return as_term(value or "") if quoted else value or ""

    text = " ".join(PLACEHOLDER.sub(value_of, template).split())
    return None if missing else text


def observed_value(seen: Seen, name: str, wanted: str) -> str | None:
    """Return what the observation of `name` gives for a field of a template, None if it gives nothing."""
    sighting = seen.sightings.get(name)
    if sighting is None:
        return None
    fact, window = sighting.fact, sighting.observation.window
    match wanted:
        case "count" | "first" | "last" if fact.is_sampled:
            return None  # of a sample: no figure to state
        case "count":
            return None if fact.count is None else str(fact.count)
        case "first":
            return clock_time(fact.first, window)
        case "last":
            return clock_time(fact.last, window)
        case "service":
            return fact.service
        case "quote":
            return sighting.quote or None
        case _:
            return sighting.values.get(wanted)


def fill_sentence(template: str, seen: Seen) -> str | None:
    """Fill a sentence from observations only; None if a value is not there: nothing is made up.

    A decimal number is cut to what a reader needs: 29.5 for 29.548559.
    """
    missing = False

    def value_of(match: re.Match[str]) -> str:
        nonlocal missing
        value = observed_value(seen, match.group(1), match.group(2) or "")
        missing = missing or value is None
        return readable_number(value or "")

    text = PLACEHOLDER.sub(value_of, template)
    return None if missing else text


def proven_finding(progress: Progress) -> Finding | None:
    """Return the first finding whose condition and order hold and whose statement can be filled."""
    seen = progress.seen
    for finding in progress.skill.findings:
        if (
            seen.meets(finding.when)
            and (not finding.order or seen.in_order(finding.order))
            and fill_sentence(finding.statement.en, seen) is not None
        ):
            return finding
    return None
