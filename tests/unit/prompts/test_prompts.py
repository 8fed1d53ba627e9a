"""The prompts: what they promise must be what the code reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.harness.agent.draft_parser import parse_draft
from superbiz_cli.harness.agent.envelope import parse_envelope
from superbiz_cli.harness.application.intent import parse_intent
from superbiz_cli.harness.application.skill_draft import SkillProse, general_prose
from superbiz_cli.harness.application.skill_polish import parse_prose, polished_prose
from superbiz_cli.harness.contract.status import AnalysisKind, Intent
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import TOOL_CALL_ID_PATTERN
from superbiz_cli.harness.guard.semantic import Supported, Unsupported, parse_verdict
from superbiz_cli.harness.retry.attempts import AttemptFailed
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.cases import a_case
from tests.support.logs import NOON, a_source
from tests.support.offline import agent_input

NAMES = [
    "diagnosis_agent",
    "intent_router",
    "semantic_guard",
    "evidence_repair",
    "knowledge_answer",
    "skill_draft",
]
ASKED = {"skill_draft": "topic"}  # where another field than `query` holds what was asked
MAX_FIRST_REQUEST_TOKENS = 3_500
MAX_OTHER_TOOLS_TOKENS = 1_100


def test_the_first_request_without_skills_is_small() -> None:
    tools = ToolCatalog([LogTool(ConfiguredLogs([a_source(Path("/var/log"))]), redactor=Redactor())])
    specs = json.dumps([[spec.name, spec.description, spec.parameters] for spec in tools.specs()])
    sent = assets.prompt("diagnosis_agent") + specs + agent_input("payment service times out", until=NOON)
    assert len(sent.encode()) / 3 <= MAX_FIRST_REQUEST_TOKENS - MAX_OTHER_TOOLS_TOKENS


def test_every_prompt_that_ships_is_tested() -> None:
    shipped = {path.stem for path in (assets.skills_root().parent / "prompts").glob("*.md")}
    assert shipped == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_frames_outside_text_as_data(name: str) -> None:
    assert re.search(r"\bdata\b", assets.prompt(name))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"intent_router", "evidence_repair"}])
def test_every_prompt_that_makes_text_settles_its_language(name: str) -> None:
    assert f"language of `{ASKED.get(name, 'query')}`" in assets.prompt(name)


def test_the_shape_in_the_agents_prompt_is_a_draft() -> None:
    prompt = assets.prompt("diagnosis_agent")
    shape = prompt[prompt.index('{"analysis":[') : prompt.index("\n- `kind` NORMAL")]
    draft = parse_draft(shape, max_bytes=10_000)
    assert draft.conclusion is not None
    assert draft.limitations is not None


def test_the_example_in_the_agents_prompt_is_valid() -> None:
    prompt = assets.prompt("diagnosis_agent")
    for arguments in re.findall(r"^call +query_logs (\{.*\})$", prompt, re.MULTILINE):
        assert parse_envelope(arguments).input["topic"]
    example = re.search(r"^draft +(\{.*\})$", prompt, re.MULTILINE)
    assert example is not None
    draft = parse_draft(example[1], max_bytes=10_000)
    assert draft.conclusion is None
    assert {item.kind for item in draft.analysis or ()} == set(AnalysisKind)


def test_the_examples_ids_can_never_be_real_ones() -> None:
    """A minted id holds eight characters of base32 between its dashes."""
    ids = set(re.findall(r"ev-[a-z0-9]+-\d", assets.prompt("diagnosis_agent")))
    assert ids == {"ev-example-1", "ev-example-2"}
    assert all(TOOL_CALL_ID_PATTERN.fullmatch(one) for one in ids)
    assert not any(re.fullmatch(r"ev-[a-z2-7]{8}-\d+", one) for one in ids)


def test_the_routers_answers_are_those_that_are_read() -> None:
    answers = re.findall(r'\{"intent":"[A-Z_]+"\}', assets.prompt("intent_router"))
    assert {parse_intent(answer) for answer in answers} == set(Intent)


def test_the_judges_answers_are_those_that_are_read() -> None:
    answers = re.findall(r'\{"verdict":"[A-Z]+","reason":"\.\.\."\}', assets.prompt("semantic_guard"))
    assert {type(parse_verdict(answer)) for answer in answers} == {Supported, Unsupported}


def test_the_repairer_is_told_the_only_three_fields() -> None:
    prompt = assets.prompt("evidence_repair")
    assert "only these fields: `analysis_id`, `tool_call_ids`, `based_on_analysis_ids`" in prompt


def test_the_answer_that_a_drafter_is_shown_is_the_one_that_is_read() -> None:
    [shape] = re.findall(r'^(\{"description".*\})$', assets.prompt("skill_draft"), re.MULTILINE)
    assert parse_prose(shape) == SkillProse("...", ("...",), ("...",), ("...",), ("...",))
    named = set(re.findall(r"^- `([a-z_]+)`:", assets.prompt("skill_draft"), re.MULTILINE))
    assert named == {field.name for field in fields(SkillProse)} == set(json.loads(shape))


def test_a_drafter_may_write_as_much_as_it_is_told() -> None:
    assert "one to eight points of at most 300 characters" in assets.prompt("skill_draft")
    answer = {"description": "d" * 300} | {
        name: ["p" * 300] * 8 for name in ("workflow", "required_evidence", "stop_conditions", "report_rules")
    }
    assert len(parse_prose(json.dumps(answer)).workflow) == 8
    with pytest.raises(AttemptFailed):
        parse_prose(json.dumps(answer | {"workflow": ["p"] * 9}))


def test_a_drafter_is_told_the_fields_of_its_task() -> None:
    sent: list[Mapping[str, JsonValue]] = []

    class Overhearing:
        def ask(self, task: Mapping[str, JsonValue], parse: Callable[[str], SkillProse]) -> SkillProse:
            sent.append(task)
            return general_prose("pool", [case])

    case = a_case()
    polished_prose("pool", [case], call=Overhearing())  # type: ignore[arg-type]
    [task] = sent
    prompt = assets.prompt("skill_draft")
    assert task["task"] == "skill"
    assert 'task` is "skill"' in prompt
    assert all(f"`{key}`" in prompt for key in task)
