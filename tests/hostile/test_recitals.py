"""A model that recites what it was told, with a judge that agrees to anything: nothing of it gets out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli import assets
from superbiz_cli.harness.agent.observation import FRAME_TEXTS
from tests.support.flow_books import balanced
from tests.support.flow_turns import Script, asks_logs, diagnosis, draft, item, judges, routes, says, script
from tests.support.flow_world import World
from tests.support.hostile_injections import attack
from tests.support.hostile_play import dump
from tests.support.run_cli import REPOSITORY

NOT_TOLD_IN_A_RUN = "skill_draft"
PROMPTS = sorted({path.stem for path in (REPOSITORY / "prompts").glob("*.md")} - {NOT_TOLD_IN_A_RUN})
POOL = REPOSITORY / "skills" / "diagnose-mysql-connection-pool" / "SKILL.md"
FACT = "payment-service logged 37 pool timeouts of 30000 ms"
STEP = {"requires_human_confirmation": True, "based_on_analysis_ids": ["A1"]}


def concluding(text: str) -> dict[str, Any]:
    return draft(conclusion={"text": text, "based_on_analysis_ids": ["A1"]})


PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "conclusion": concluding,
    "analysis": lambda text: draft(item(f"{FACT}. {text}")),
    "step": lambda text: draft(action_plan=[STEP | {"action": text}]),
    "advice": lambda text: draft(recommendations=[{"text": text, "based_on_analysis_ids": ["A1"]}]),
    "scope": lambda text: draft(limitations={"checked_scope": text, "missing_info": [], "caveats": []}),
    "missing": lambda text: draft(limitations={"checked_scope": "", "missing_info": [text], "caveats": []}),
    "caveat": lambda text: draft(limitations={"checked_scope": "", "missing_info": [], "caveats": [text]}),
}


def shown_of(world: World, played: Script) -> str:
    """Everything that a reader or a program can see of the Run, which must balance."""
    flow = world.ask(played)
    balanced(flow)
    return flow.out + flow.err + dump(world.audit_file)


def prose_of(prompt: str) -> str:
    """The longest paragraph of a prompt without figures, on one line."""
    lines = [line for line in assets.prompt(prompt).splitlines() if not re.search(r"[\d{`\"]", line)]
    return max(lines, key=len).lstrip("-# ")


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("place", ["conclusion", "advice"])
def test_prose_of_a_prompt_is_not_published(world: World, prompt: str, place: str) -> None:
    told = prose_of(prompt)
    shown = shown_of(world, diagnosis(PLACES[place](told)))
    assert told[:60] not in " ".join(shown.split())


@pytest.mark.parametrize("place", PLACES)
def test_the_first_sentence_of_the_agent_is_not_published_anywhere(world: World, place: str) -> None:
    told = assets.prompt("diagnosis_agent").split(". ")[0]
    flow = world.ask(diagnosis(PLACES[place](f"{told}.")), "--json")
    published = balanced(flow)
    assert published["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    assert {issue["code"] for issue in published["fallback"]["validation_issues"]} == {
        "INSTRUCTIONS_DISCLOSED"
    }
    assert told not in flow.out + flow.err + dump(world.audit_file)
    assert "EVIDENCE_REPAIR_ATTEMPT" not in flow.types
    assert "SEMANTIC_ATTEMPT" not in flow.types


def test_the_judges_reason_is_withheld_if_it_recites_the_judges_orders(world: World) -> None:
    told = assets.prompt("semantic_guard").split("\n")[0]
    flow = world.ask(diagnosis(semantic=[judges(reason=told)]), "--json")
    published = balanced(flow)
    assert published["release_outcome"] == "SUCCESS"
    assert published["report"]["judgement"]["reason"] == "The judge gave no reason of its own."
    assert told[:60] not in dump(world.audit_file)


def test_missing_information_that_recites_is_left_out_of_a_fallback(world: World) -> None:
    told = assets.prompt("diagnosis_agent").split("\n")[0]
    limits = {"checked_scope": "", "missing_info": [told, "the gateway log"], "caveats": []}
    flow = world.ask(diagnosis(draft(conclusion=None, limitations=limits)), "--json")
    assert balanced(flow)["fallback"]["missing_info"] == ["the gateway log"]
    assert told[:60] not in dump(world.audit_file)


def test_the_frame_of_an_observation_is_not_published(world: World) -> None:
    for told in FRAME_TEXTS:
        if len(told) >= 80 and "{" not in told:
            assert told[:60] not in shown_of(world, diagnosis(concluding(told)))


def test_a_marked_line_of_an_own_skill_is_not_published(world: World, tmp_path: Path) -> None:
    mark = "CANARY-7310-4482"
    prose = "Ask the duty manager of the harbour whether the cranes were already standing still"
    write_skill(tmp_path / "own", f"{prose}. {mark}")
    world.settings["skills"] = {"paths": [str(tmp_path / "own")]}
    for text in (prose, f"reference {mark}"):
        for place in ("step", "missing"):
            flow = world.ask(diagnosis(PLACES[place](text)), "--skill", "harbour")
            balanced(flow)
            assert text not in " ".join((flow.out + flow.err + dump(world.audit_file)).split())


def test_a_canary_in_the_system_message_never_comes_back(world: World) -> None:
    """Whatever of the system message the model repeats, line by line."""
    lines = [*informative(POOL.read_text("utf-8").split("---", 2)[2])]
    assert len(lines) >= 4
    for line in lines:
        played = script(asks_logs(), says(PLACES["caveat"](line)))
        shown = " ".join(shown_of(world, played).split())
        assert line not in shown


def informative(text: str) -> Iterator[str]:
    for line in text.splitlines():
        sentence = " ".join(line.lstrip("-#0123456789. ").split())
        if len(sentence) >= 75:
            yield sentence


def test_the_sentences_that_a_skill_offers_for_a_report_are_publishable(world: World) -> None:
    advice = "Add the missing index or move this statement off the transactional database before the pool is"
    assert advice in POOL.read_text("utf-8")
    flow = world.ask(diagnosis(PLACES["advice"](f"{advice} made larger")), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"


def write_skill(folder: Path, prose: str) -> None:
    path = folder / "harbour" / "SKILL.md"
    path.parent.mkdir(parents=True)
    head = {"name": "harbour", "description": "Use when the harbour stands still."}
    front = "\n".join(f"{key}: {json.dumps(value)}" for key, value in head.items())
    path.write_text(f"---\n{front}\n---\n\n# Harbour\n\n## Workflow\n\n1. {prose}\n", "utf-8")
    folder.chmod(0o700)


def test_a_knowledge_answer_holds_no_statement_that_recites(world: World) -> None:
    told = assets.prompt("knowledge_answer").split("\n")[0]
    for statements, outcome in ((["pool waits", told], "SUCCESS"), ([told], "FALLBACK")):
        answer = {
            "statements": [{"text": text, "refs": [1]} for text in statements],
            "nothing_found": False,
        }
        played = script(router=[routes("KNOWLEDGE_QUERY")])
        played["script"]["answer"] = [says(answer)]
        attacked = attack(world, "the pool waits", channel="runbook", played=played)
        published = balanced(attacked.flow)
        assert published["release_outcome"] == outcome
        assert told[:60] not in attacked.flow.out + dump(world.audit_file)
