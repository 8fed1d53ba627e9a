"""The prompts: what they promise must be what the code reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from superbiz_cli import assets
from superbiz_cli.adapters.log_backend import ConfiguredLogs
from superbiz_cli.harness.agent.draft_parser import parse_draft
from superbiz_cli.harness.agent.envelope import parse_envelope
from superbiz_cli.harness.application.intent import parse_intent
from superbiz_cli.harness.contract.status import AnalysisKind, Intent
from superbiz_cli.harness.contract.tool_call import TOOL_CALL_ID_PATTERN
from superbiz_cli.harness.guard.semantic import Supported, Unsupported, parse_verdict
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.logs.tool import LogTool
from superbiz_cli.harness.tool.redact import Redactor
from tests.support.logs import NOON, a_source
from tests.support.offline import agent_input

NAMES = ["diagnosis_agent", "intent_router", "semantic_guard", "evidence_repair", "knowledge_answer"]
MAX_FIRST_REQUEST_TOKENS = 3_500
MAX_OTHER_TOOLS_TOKENS = 1_100


def test_the_first_request_without_skills_is_small() -> None:
    tools = ToolCatalog([LogTool(ConfiguredLogs([a_source(Path("/var/log"))]), redactor=Redactor())])
    specs = json.dumps([[spec.name, spec.description, spec.parameters] for spec in tools.specs()])
    sent = assets.prompt("diagnosis_agent") + specs + agent_input("payment service times out", until=NOON)
    assert len(sent.encode()) / 3 <= MAX_FIRST_REQUEST_TOKENS - MAX_OTHER_TOOLS_TOKENS


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_frames_outside_text_as_data(name: str) -> None:
    assert re.search(r"\bdata\b", assets.prompt(name))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"intent_router", "evidence_repair"}])
def test_every_prompt_that_makes_text_settles_its_language(name: str) -> None:
    assert "language of `query`" in assets.prompt(name)


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
