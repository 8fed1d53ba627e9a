"""A proposal for a skill, made of confirmed cases: a skeleton for a person to complete.

It is deterministic and never activated by itself. The texts of cases come from outside: they are
quoted line by line, and nothing in them can end the quotation or the skill.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from superbiz_cli.harness.application.concepts import BUSINESS, CONCEPTS, SPECIFIC
from superbiz_cli.harness.application.terms import terms_of
from superbiz_cli.harness.contract.case import Case
from superbiz_cli.harness.tool.sanitize import sanitize

MAX_CASES = 10
_MAX_TRIGGERS = 12
_MAX_SERVICES = 8
_MAX_SEARCHES = 2
_QUOTED_CASES = 5  # with their texts cut, so that the skill fits the prompt
_QUOTED_CHARS = 200
_DESCRIPTION_CHARS = 1_000
_WORD = re.compile(r"[a-z0-9]+")
_MARKUP = str.maketrans({"<": "‹", ">": "›", "`": "'"})
_SLOW_QUERY = "slow query"
_MACHINE = frozenset({"disk", "network", "dns", "pod", "memory", "cpu"})


@dataclass(frozen=True, slots=True)
class SkillProse:
    """What of a skill is written for a reader, each section as a list of points."""

    description: str
    workflow: tuple[str, ...]
    required_evidence: tuple[str, ...]
    stop_conditions: tuple[str, ...]
    report_rules: tuple[str, ...]


def draft_skill(topic: str, cases: Sequence[Case], *, prose: SkillProse | None = None) -> str:
    """Return a whole SKILL.md about `topic` from `cases` (at least one), best match first.

    `prose` takes the place of our own general sentences.
    """
    used = cases[:MAX_CASES]
    shared = _shared_concepts(topic, used)
    said = prose or general_prose(topic, used)
    matter = [
        f"name: {skill_name(topic)}",
        f"description: {_text(clean(said.description))}",
        f"triggers: {_list(_triggers(topic, used, shared))}",
        f"services: {_list(_services(used))}",
        "tools: [query_logs, lookup_knowledge]",
        "plan:",
        *_plan(shared),
    ]
    return "\n".join(["---", *matter, "---", "", *_body(topic, used, said), ""])


def general_prose(topic: str, cases: Sequence[Case]) -> SkillProse:
    """Return what holds for every skill, in our own words."""
    symptoms = "; ".join(_distinct(case.symptoms[0] for case in cases if case.symptoms)[:3])
    return SkillProse(
        description=f"Use when an incident is about {topic}. Reported before: {symptoms}"[
            :_DESCRIPTION_CHARS
        ],
        workflow=(
            "Confirm the symptom, its count and when it began; compare with the window before.",
            "Look for the mechanism that the symptom waits for, with the steps of the plan.",
            "Prove or exclude each cause that was confirmed before (below); say which one was not checked.",
        ),
        required_evidence=(
            "The symptom with its count and first time, new inside the window.",
            "For the cause a result of this run that shows its mechanism; an earlier case is no evidence.",
        ),
        stop_conditions=(
            "One cause is proven and the others are excluded or said to be unchecked: report.",
            "No mechanism is found: say what is missing, name no cause.",
        ),
        report_rules=("Figures come from this run. A step that changes something needs confirmation.",),
    )


def skill_name(topic: str) -> str:
    """Return a name that follows the rules of skill names."""
    words = _WORD.findall(topic.lower()) or _WORD.findall(" ".join(terms_of(topic)).lower())
    return "-".join(["diagnose", *(words or ["draft"])])[:64].rstrip("-")


def _shared_concepts(topic: str, cases: Sequence[Case]) -> list[str]:
    """Return the concepts that the topic names, then those that at least half of the cases share."""
    asked = [term for term in terms_of(topic) if term in CONCEPTS]
    counts = Counter(
        term for case in cases for term in terms_of(_whole(case)) if CONCEPTS.get(term, (0.0,))[0] >= SPECIFIC
    )
    common = [term for term, count in counts.most_common() if count * 2 >= len(cases)]
    return list(dict.fromkeys([*asked, *common]))


def _triggers(topic: str, cases: Sequence[Case], shared: Sequence[str]) -> list[str]:
    """Return the topic and the wordings of shared concepts that the cases really use."""
    spoken = " ".join(_whole(case) for case in cases).lower()
    wordings = [
        wording
        for concept in shared
        if concept not in BUSINESS
        for wording in (*CONCEPTS[concept][1].split("|"), *CONCEPTS[concept][2].split("|"))
        if wording and wording in spoken and _is_telling(wording)
    ]
    plain = " ".join(clean(topic).lower().split())
    return list(dict.fromkeys([plain, *wordings]))[:_MAX_TRIGGERS]


def _is_telling(wording: str) -> bool:
    return " " in wording or len(wording) >= (7 if wording.isascii() else 3)


def _services(cases: Sequence[Case]) -> list[str]:
    counts = Counter(clean(service) for case in cases for service in case.services)
    return [service for service, _ in counts.most_common(_MAX_SERVICES)]


def _plan(shared: Sequence[str]) -> Iterator[str]:
    yield from _step("symptom", "query_logs", topic="APPLICATION", query="{service} {symptom}")
    searched = [concept for concept in shared if concept not in BUSINESS and concept != _SLOW_QUERY]
    for concept in searched[:_MAX_SEARCHES]:
        topic = "SYSTEM_EVENTS" if concept in _MACHINE else "APPLICATION"
        id_ = "about_" + "_".join(_WORD.findall(concept))
        word = CONCEPTS[concept][1].split("|")[0]
        yield from _step(id_, "query_logs", topic=topic, query=word, lookback_minutes=180)
    if _SLOW_QUERY in shared or "database" in shared:
        yield from _step(
            "statements", "query_logs", topic="DATABASE_SLOW_QUERY", query="Query_time", lookback_minutes=180
        )
    yield from _step("runbook", "lookup_knowledge", query="{service} {symptom}")


def _step(id_: str, tool: str, **arguments: str | int) -> Iterator[str]:
    yield f"  - id: {id_}"
    yield f"    tool: {tool}"
    yield f"    input: {json.dumps(arguments, ensure_ascii=False)}"


def _body(topic: str, cases: Sequence[Case], prose: SkillProse) -> Iterator[str]:
    yield f"# {clean(topic)}"
    yield ""
    drafted_from = "1 confirmed case" if len(cases) == 1 else f"{len(cases)} confirmed cases"
    yield f"Drafted from {drafted_from}. Complete it before it is used: a `findings` entry for"
    yield "each cause that the plan can prove, and what tells the causes apart."
    yield from _section("Workflow", prose.workflow, numbered=True)
    yield from _section("Confirmed before", ())
    for case in cases[:_QUOTED_CASES]:
        yield f"- {case.case_id}"
        for word, texts in (
            ("reported", case.symptoms[:1]),
            ("seen", case.symptoms[1:3]),
            ("cause", (case.root_cause,)),
            ("helped", (case.solution,)),
            ("documents", case.documents),
        ):
            yield from (f"  > {word}: {line}" for line in _distinct(texts))
    yield from _section("Required Evidence", prose.required_evidence)
    yield from _section("Stop Conditions", prose.stop_conditions)
    yield from _section("Report Rules", prose.report_rules)
    yield from _section("Eval Anchor", ())
    yield "None yet. Add an incident on which this skill must be selected and reach its finding."


def _section(title: str, points: Sequence[str], *, numbered: bool = False) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    for number, point in enumerate(points, start=1):
        yield f"{number}. {clean(point)}" if numbered else f"- {clean(point)}"


def _distinct(texts: Iterable[str]) -> list[str]:
    lines = (clean(text)[:_QUOTED_CHARS] for text in texts)
    return list(dict.fromkeys(line for line in lines if line))


def clean(text: str) -> str:
    """Return `text` on one line, without what could end a quotation, a skill or a terminal's patience."""
    return sanitize(" ".join(text.split())).translate(_MARKUP)


def _whole(case: Case) -> str:
    return " ".join((*case.symptoms, case.root_cause, *case.services))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # a JSON string is a YAML one


def _list(values: Sequence[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
