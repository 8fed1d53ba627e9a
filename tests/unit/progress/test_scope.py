from __future__ import annotations

from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.progress.scope import rejected_scope, scope_of
from tests.support.fakes import FakeEvidenceTool, FakeRequest


def test_requests_that_the_back_end_cannot_tell_apart_have_one_scope() -> None:
    tool = FakeEvidenceTool()
    first = scope_of(tool, FakeRequest({"query": "payment timeout", "lookback": 30}))
    second = scope_of(tool, FakeRequest({"lookback": 30, "query": "  Payment   TIMEOUT "}))
    assert first == second


def test_the_same_words_for_two_tools_are_two_scopes() -> None:
    request = FakeRequest({"query": "payment"})
    logs = scope_of(FakeEvidenceTool(ToolName.QUERY_LOGS), request)
    knowledge = scope_of(FakeEvidenceTool(ToolName.LOOKUP_KNOWLEDGE), request)
    assert logs != knowledge


def test_a_scope_holds_no_word_of_the_query() -> None:
    scope = scope_of(FakeEvidenceTool(), FakeRequest({"query": "hunter2"}))
    assert "hunter2" not in repr(scope)


def test_a_rejected_input_is_the_same_in_any_key_order() -> None:
    one = rejected_scope(ToolName.QUERY_MYSQL, {"sql": "SELECT *", "params": []})
    two = rejected_scope(ToolName.QUERY_MYSQL, {"params": [], "sql": "SELECT *"})
    assert one == two


def test_a_rejected_input_is_never_the_scope_of_an_effective_request() -> None:
    tool = FakeEvidenceTool()
    request = FakeRequest({"query": "payment"})
    assert rejected_scope(tool.name, dict(request.input)) != scope_of(tool, request)
