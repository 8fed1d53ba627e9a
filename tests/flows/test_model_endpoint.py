"""Against a scripted OpenAI-compatible server: the program as a process, real logs, the real adapter."""

from __future__ import annotations

import json

import pytest

from tests.support.endpoint_run import diagnose_over_http
from tests.support.flow_books import balanced
from tests.support.flow_turns import CONCLUSION, INVENTED_ID, asks_logs, diagnosis, draft, item, says, script
from tests.support.flow_world import SECRET, Flow, World
from tests.support.hostile_play import KEY, watched_scripts
from tests.support.hostile_server import ScriptServer
from tests.support.schemas import RUN_VALIDATOR

RAW_LINE = "2026-11-30 10:02:11.000 ERROR [payment-service] HikariPool-1"
EVERYTHING = asks_logs(query="payment-service")


@pytest.mark.parametrize(("cited", "code"), [(INVENTED_ID, 3), ("{{id:call_1}}", 0)])
def test_only_the_id_that_was_shown_leads_to_a_release(world: World, cited: str, code: int) -> None:
    played = script(EVERYTHING, says(draft(item(cites=[cited]))))
    with ScriptServer(played) as server:
        flow = diagnose_over_http(world, server)
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
