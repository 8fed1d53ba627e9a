"""lookup_knowledge as a tool: strict input, bounded and rated output, strictly read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.contract.evidence import IncidentWindow
from superbiz_cli.harness.contract.limits import utf8_size
from superbiz_cli.harness.contract.status import EvidenceStatus, RelevanceLevel
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.tool.knowledge.contract import (
    KnowledgeQuery,
    KnowledgeUnavailable,
    RawKnowledge,
    RawPassage,
)
from superbiz_cli.harness.tool.knowledge.project import MAX_RESULT_BYTES
from superbiz_cli.harness.tool.knowledge.tool import KnowledgeTool
from superbiz_cli.harness.tool.port import CallContext, ProjectionFailed, ToolExecutionFailed, ToolRejected
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.knowledge.ingest.secrets import credential_rules
from tests.support.knowledge import knowledge_run

CALL = "ev-abcdefgh-1"
WINDOW = IncidentWindow(until=datetime(2026, 11, 30, tzinfo=UTC))


class Backend:
    describes = "19 documents about database, cache"

    def __init__(self, answer: RawKnowledge | None = None) -> None:
        self.answer = answer

    def lookup(self, query: KnowledgeQuery, *, run: Run) -> RawKnowledge:
        if self.answer is None:
            raise KnowledgeUnavailable("knowledge_base_locked")
        return self.answer


def tool(answer: RawKnowledge | None = None) -> KnowledgeTool:
    return KnowledgeTool(Backend(answer), redactor=Redactor(), passage_redactor=Redactor(credential_rules()))


def passage(number: int = 0, content: str = "kill the statement", **changes: Any) -> RawPassage:
    fields: dict[str, Any] = {
        "doc_id": f"db/pool{number}.md",
        "title": "Pool",
        "section": "What to do",
        "chunk_index": number,
        "content": content,
        "is_cut": False,
        "quality": 0.9,
        **changes,
    }
    return RawPassage(**fields)


def found(*passages: RawPassage, **changes: Any) -> RawKnowledge:
    fields: dict[str, Any] = {"relevance_level": "PRECISE", "passages": passages, **changes}
    return RawKnowledge(**fields)


def projected(raw: RawKnowledge, query: str = "pool exhausted") -> dict[str, Any]:
    made = tool(raw)
    request = made.parse({"query": query}, incident=WINDOW)
    projection = made.project(request, raw.model_dump_json(), tool_call_id=CALL)
    result = json.loads(projection.agent_result)
    assert result["evidence_status"] == projection.evidence_status.value
    made.read(projection.agent_result, tool_call_id=CALL)
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize(
    ("payload", "category"),
    [
        ({}, "query_missing"),
        ({"query": "  "}, "query_missing"),
        ({"query": 7}, "query_missing"),
        ({"query": "x", "top_k": 3}, "unknown_field"),
        ({"query": "x" * 2001}, "query_too_long"),
    ],
)
def test_what_is_no_query_is_rejected_by_one_word(payload: Mapping[str, JsonValue], category: str) -> None:
    with pytest.raises(ToolRejected) as caught:
        tool().parse(payload, incident=WINDOW)
    assert caught.value.category == category


def test_requests_that_search_alike_have_one_scope() -> None:
    made = tool()
    one = made.parse({"query": "Pool  exhausted"}, incident=WINDOW)
    other = made.parse({"query": "pool exhausted"}, incident=WINDOW)
    assert made.scope_key(one) == made.scope_key(other)
    for spelled in ("pool, exhausted?", "ＰＯＯＬ exhausted!", '"pool" exhausted .', "pool exhausted？"):
        assert made.scope_key(made.parse({"query": spelled}, incident=WINDOW)) == made.scope_key(one)
    assert made.scope_key(made.parse({"query": "?!"}, incident=WINDOW)) != made.scope_key(
        made.parse({"query": "..."}, incident=WINDOW)
    )
    assert made.scope_key(one) != made.scope_key(made.parse({"query": "pool"}, incident=WINDOW))
    assert json.loads(made.request_json(one)) == {"query": "Pool exhausted"}


def test_what_is_shown_of_a_request_is_redacted_and_short() -> None:
    made = tool()
    shown = made.scope_display(made.parse({"query": "password=hunter2secret " + "x" * 300}, incident=WINDOW))
    assert "hunter2secret" not in shown
    assert len(shown) <= 120


def test_the_description_tells_what_the_knowledge_base_holds() -> None:
    assert "19 documents about database, cache" in tool().description


def test_the_result_has_passages_and_a_rating_and_no_score() -> None:
    result = projected(found(passage(0), passage(1), retrieval_trace="{}", near=()))
    assert result == {
        "tool_call_id": CALL,
        "scope": {"query": "pool exhausted"},
        "evidence_status": "EVIDENCE_FOUND",
        "relevance_level": "PRECISE",
        "returned_count": 2,
        "evidence": [
            {
                "doc_id": f"db/pool{n}.md",
                "title": "Pool",
                "section": "What to do",
                "chunk_index": n,
                "excerpt": "kill the statement",
            }
            for n in range(2)
        ],
        "truncated": False,
    }


def test_nothing_found_has_no_relevance() -> None:
    result = projected(RawKnowledge(relevance_level=None, passages=(passage(),)))
    assert (result["evidence_status"], result["relevance_level"], result["evidence"]) == (
        "NO_EVIDENCE",
        None,
        [],
    )


def test_credentials_are_redacted_and_addresses_are_not() -> None:
    result = projected(found(passage(content="curl -u admin:hunter2secret http://127.0.0.1:8848/nacos")))
    excerpt = result["evidence"][0]["excerpt"]
    assert "hunter2secret" not in excerpt
    assert "127.0.0.1:8848" in excerpt


def test_hidden_characters_are_written_out() -> None:
    excerpt = projected(found(passage(content="ok\x1b[31m\u202e hidden")))["evidence"][0]["excerpt"]
    assert excerpt == "ok\\x1b[31m\\u202e hidden"


@pytest.mark.parametrize(
    "raw",
    [
        found(*(passage(n) for n in range(9))),
        found(passage(content="x" * 1201)),
        found(passage(), omitted=1),
        found(passage(is_cut=True)),
        found(*(passage(n, "字" * 1200) for n in range(8))),
    ],
)
def test_whatever_is_left_out_is_said(raw: RawKnowledge) -> None:
    result = projected(raw)
    assert result["truncated"] is True
    assert len(result["evidence"]) <= 8
    assert utf8_size(canonical_json(result)) <= MAX_RESULT_BYTES
    assert all(len(item["excerpt"]) <= 1200 for item in result["evidence"])


def test_a_long_query_is_cut_in_the_scope() -> None:
    result = projected(found(passage()), query="pool " * 300)
    assert len(result["scope"]["query"]) == 500
    assert result["truncated"] is True


def test_the_tail_is_dropped_first() -> None:
    result = projected(found(*(passage(n, "字" * 1200) for n in range(8))))
    assert [item["chunk_index"] for item in result["evidence"]] == list(range(len(result["evidence"])))
    assert 0 < len(result["evidence"]) < 8


@given(st.lists(st.text(min_size=1, max_size=3000), max_size=10), st.text(max_size=2000))
def test_whatever_the_passages_the_result_fits_and_can_be_read_again(texts: list[str], query: str) -> None:
    made = tool()
    passages = [passage(n, text) for n, text in enumerate(texts)]
    raw = found(*passages) if passages else RawKnowledge(relevance_level=None)
    projection = made.project(KnowledgeQuery(query), raw.model_dump_json(), tool_call_id=CALL)
    assert utf8_size(projection.agent_result) <= MAX_RESULT_BYTES
    read = made.read(projection.agent_result, tool_call_id=CALL)
    assert read.control.evidence_status is projection.evidence_status
    assert max(len(read.source), len(read.scope), len(read.summary), len(read.excerpt)) <= 320


def test_a_result_in_words_names_the_first_document() -> None:
    made = tool()
    request = KnowledgeQuery("pool exhausted")
    text = made.project(request, found(passage(0), passage(1)).model_dump_json(), tool_call_id=CALL)
    read = made.read(text.agent_result, tool_call_id=CALL)
    assert read.source == "db/pool0.md · Pool"
    assert read.scope == 'knowledge base, "pool exhausted"'
    assert read.summary == "2 passages: Pool (What to do)"
    assert read.excerpt == "kill the statement"
    assert read.control.relevance_level is RelevanceLevel.PRECISE
    nothing = made.project(request, RawKnowledge(relevance_level=None).model_dump_json(), tool_call_id=CALL)
    empty = made.read(nothing.agent_result, tool_call_id=CALL)
    assert empty.control.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert empty.excerpt == ""


GOOD = {
    "tool_call_id": CALL,
    "scope": {"query": "q"},
    "evidence_status": "EVIDENCE_FOUND",
    "relevance_level": "REFERENCE",
    "returned_count": 1,
    "evidence": [{"doc_id": "a.md", "title": "A", "section": "", "chunk_index": 0, "excerpt": "x"}],
    "truncated": False,
}
TWICE = [*GOOD["evidence"], *GOOD["evidence"]]  # type: ignore[misc]


def test_a_good_result_is_read() -> None:
    assert tool().read(canonical_json(GOOD), tool_call_id=CALL).control.returned_count == 1


@pytest.mark.parametrize(
    "change",
    [
        {"tool_call_id": "ev-other-1"},
        {"evidence_status": "NO_EVIDENCE"},
        {"evidence_status": "ERROR"},
        {"relevance_level": None},
        {"relevance_level": "GREAT"},
        {"returned_count": 2},
        {"evidence": [], "returned_count": 0},
        {"evidence": TWICE, "returned_count": 2},
        {"evidence": [{**GOOD["evidence"][0], "excerpt": ""}]},  # type: ignore[index]
        {"evidence": [{**GOOD["evidence"][0], "excerpt": "x" * 1201}]},  # type: ignore[index]
        {"evidence": [{**GOOD["evidence"][0], "score": 0.9}]},  # type: ignore[index]
        {"evidence": [{**GOOD["evidence"][0], "chunk_index": -1}]},  # type: ignore[index]
        {"scope": {"query": "x" * 501}},
        {"truncated": "no"},
        {"extra": 1},
    ],
)
def test_a_result_that_this_tool_would_not_write_is_refused(change: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ProjectionFailed):
        tool().read(canonical_json({**GOOD, **change}), tool_call_id=CALL)


@pytest.mark.parametrize("text", ["", "[]", "{", canonical_json(GOOD) + " ", json.dumps(GOOD)])
def test_a_result_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(ProjectionFailed):
        tool().read(text, tool_call_id=CALL)


def test_a_raw_answer_of_another_shape_is_refused() -> None:
    with pytest.raises(ProjectionFailed):
        tool().project(KnowledgeQuery("q"), '{"hits": []}', tool_call_id=CALL)


def test_a_knowledge_base_that_cannot_be_used_is_a_tool_error() -> None:
    context = CallContext(run=knowledge_run(), incident=WINDOW)
    with pytest.raises(ToolExecutionFailed) as caught:
        tool().fetch(KnowledgeQuery("q"), context)
    assert caught.value.category == "knowledge_base_locked"
    raw = found(passage())
    assert RawKnowledge.model_validate_json(tool(raw).fetch(KnowledgeQuery("q"), context)) == raw
