"""Against a scripted OpenAI-compatible server: the program as a process, real logs, the real adapter."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.support.flow_books import balanced
from tests.support.flow_turns import CONCLUSION, INVENTED_ID, asks_logs, diagnosis, draft, item, says, script
from tests.support.flow_world import AT, QUESTION, SECRET, Flow, World
from tests.support.hostile_play import watched_scripts
from tests.support.hostile_server import ScriptServer
from tests.support.run_cli import PYTHON, Completed
from tests.support.schemas import RUN_VALIDATOR

KEY = "sk-canary-0123456789abcdefghij"
RAW_LINE = "2026-11-30 10:02:11.000 ERROR [payment-service] HikariPool-1"
EVERYTHING = asks_logs(query="payment-service")


def ask_over_http(world: World, server: ScriptServer) -> Flow:
    world.settings["model.agent"] = {
        "name": "openai/scripted",
        "api_base": server.url,
        "api_key_env": "SUPERBIZ_TEST_KEY",
    }
    world.settings["run.attempts.router"] = {"attempt_s": 60, "total_s": 90}
    command = [PYTHON, "-m", "superbiz_cli", "diagnose", QUESTION, "--at", AT, "--json"]
    ended = subprocess.run(
        [*command, "--config", str(world.config)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "SUPERBIZ_TEST_KEY": KEY},
    )
    return Flow(Completed(ended.returncode, ended.stdout, ended.stderr), world)


@pytest.mark.parametrize(("cited", "code"), [(INVENTED_ID, 3), ("{{id:call_1}}", 0)])
def test_only_the_id_that_was_shown_leads_to_a_release(world: World, cited: str, code: int) -> None:
    played = script(EVERYTHING, says(draft(item(cites=[cited]))))
    with ScriptServer(played) as server:
        flow = ask_over_http(world, server)
    assert flow.code == code, flow.err
    RUN_VALIDATOR.validate(flow.document)
    balanced(flow)
    assert (CONCLUSION in flow.out) == (code == 0)
    assert flow.document["content_type"] == ("report" if code == 0 else "fallback")
    assert len(server.requests) == flow.document["usage"]["model_calls"]
    assert_nothing_raw_was_sent(server, flow)


def assert_nothing_raw_was_sent(server: ScriptServer, flow: Flow) -> None:
    """No raw log line and no password in any request body; the key in the header and nowhere else."""
    bodies = "".join(request.text for request in server.requests)
    assert "timed out after 30000ms" in bodies  # the evidence was there to be seen
    assert "login failed" in bodies
    for secret in (RAW_LINE, SECRET, KEY):
        assert secret not in bodies
        assert secret not in flow.out + flow.err
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    audit = flow.world.audit_file.read_bytes()
    assert SECRET.encode() not in audit
    assert KEY.encode() not in audit


def test_the_judge_sees_neither_ids_nor_the_conversation_of_the_agent(world: World) -> None:
    requests: list[tuple[str, str]] = []
    with watched_scripts(requests, lambda _role, _number: None):
        flow = world.ask(diagnosis(), "--json")
    [footnote] = flow.document["evidence"]
    judged = [text for role, text in requests if role == "semantic"]
    assert len(judged) == 1
    assert footnote["tool_call_id"] not in judged[0]
    assert "previous_observation" not in judged[0]
    assert json.dumps(CONCLUSION)[1:-1] in judged[0]
