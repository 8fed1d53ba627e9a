"""The knowledge branch: statements with footnotes that hold, or an honest word about what is near."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from superbiz_cli.harness.application.knowledge_answer import MAX_STATEMENTS, parse_answer
from superbiz_cli.harness.audit.events import TraceType
from superbiz_cli.harness.contract.model import ModelRole, ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.report import Answer, RunResult, SafeFallback
from superbiz_cli.harness.contract.status import FailureCode, FallbackType, ReleaseOutcome
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.retry.attempts import AttemptFailed
from superbiz_cli.harness.tool.knowledge.contract import (
    KnowledgeQuery,
    KnowledgeUnavailable,
    NearDocument,
    RawKnowledge,
    RawPassage,
)
from superbiz_cli.harness.tool.knowledge.tool import KnowledgeTool
from superbiz_cli.harness.tool.redact import Redactor
from superbiz_cli.knowledge.ingest.secrets import credential_rules
from tests.support.asking import Asking
from tests.support.scripted import Turn, says

ROUTE = says('{"intent":"KNOWLEDGE_QUERY"}')
POOL = "Stop the caller of the slow statement. The pool waits 30 s before it gives up."
DISK = "Truncate a log that is still open instead of deleting it."


class Shelf:
    """A retrieval back end that gives one answer, or fails."""

    describes = ""

    def __init__(self, answer: RawKnowledge | None) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def lookup(self, query: KnowledgeQuery, *, run: Run) -> RawKnowledge:
        self.asked.append(query.query)
        if self.answer is None:
            raise KnowledgeUnavailable("knowledge_base_locked")
        return self.answer


def passage(number: int, content: str, **fields: Any) -> RawPassage:
    given = {"section": "Do", "chunk_index": number, "is_cut": False, "quality": 0.9, **fields}
    return RawPassage(doc_id=f"db/doc{number}.md", title=f"Title {number}", content=content, **given)


FOUND = RawKnowledge(relevance_level="PRECISE", passages=(passage(1, POOL), passage(2, DISK)))
NOTHING = RawKnowledge(
    relevance_level=None, near=(NearDocument(doc_id="db/near.md", title="Something near"),)
)


def answers(*statements: tuple[str, Sequence[int]], nothing_found: bool | None = None) -> str:
    """An answer as the model would write it."""
    return json.dumps(
        {
            "statements": [{"text": text, "refs": list(refs)} for text, refs in statements],
            "nothing_found": not statements if nothing_found is None else nothing_found,
        },
        ensure_ascii=False,
    )


def asking(*agent: Turn, raw: RawKnowledge | None = FOUND, **fields: Any) -> tuple[Asking, Shelf]:
    shelf = Shelf(raw)
    tool = KnowledgeTool(shelf, redactor=Redactor(), passage_redactor=Redactor(credential_rules()))
    return Asking(agent=agent, guard=(ROUTE,), tools=(tool,), **fields), shelf  # type: ignore[arg-type]


def ask(*agent: Turn, raw: RawKnowledge | None = FOUND, query: str = "what do I do first?") -> RunResult:
    return asking(*agent, raw=raw)[0].ask(query)


def answer_of(result: RunResult) -> Answer:
    assert isinstance(result.answer, Answer), result
    return result.answer


def fallback_of(result: RunResult) -> SafeFallback:
    assert result.release_outcome is ReleaseOutcome.FALLBACK
    assert isinstance(result.fallback, SafeFallback), result
    return result.fallback


def test_statements_are_published_with_the_passages_that_they_rest_on() -> None:
    result = ask(says(answers((DISK, [2]), ("The pool waits 30 s.", [1, 2]))))
    assert result.release_outcome is ReleaseOutcome.SUCCESS
    assert [(item.text, item.refs) for item in answer_of(result).statements] == [
        (DISK, (1,)),
        ("The pool waits 30 s.", (2, 1)),
    ]
    assert [(note.ref, note.source) for note in result.evidence] == [
        (1, "db/doc2.md · Title 2"),
        (2, "db/doc1.md · Title 1"),
    ]
    assert result.evidence[1].excerpt == POOL


def test_the_model_sees_the_question_and_numbered_passages_and_nothing_else() -> None:
    made, shelf = asking(says(answers((DISK, [2]))))
    made.ask("what do I do first?")
    (request,) = made.agent_model.requests
    assert request.role is ModelRole.ANSWER
    assert not request.tools
    sent = json.loads(request.messages[-1].content)
    assert set(sent) == {"task", "query", "evidence"}
    assert sent["evidence"][0] == {"ref": 1, "title": "Title 1", "section": "Do", "excerpt": POOL}
    assert shelf.asked == ["what do I do first?"]


def test_a_statement_whose_figure_is_not_in_its_passage_is_withheld() -> None:
    made, _ = asking(says(answers(("The pool waits 45 s.", [1]), (DISK, [2]))))
    result = made.ask("how long does it wait?")
    assert [item.text for item in answer_of(result).statements] == [DISK]
    assert [note.source for note in result.evidence] == ["db/doc2.md · Title 2"]
    event = made.event(TraceType.EVIDENCE_GUARD_INITIAL).event
    assert event.attributes["violations"] == 1


def test_a_figure_of_another_passage_than_the_cited_one_is_withheld() -> None:
    result = ask(says(answers(("The pool waits 30 s.", [2]))))
    fallback = fallback_of(result)
    assert fallback.type is FallbackType.EVIDENCE_VALIDATION_FAILED
    assert [issue.target for issue in fallback.validation_issues] == ["statements[0]"]
    assert [fact.text for fact in fallback.observed_facts] == ["Title 1 (Do)", "Title 2 (Do)"]
    assert len(result.evidence) == 2


@pytest.mark.parametrize(
    ("query", "said", "step"),
    [
        ("how do I rotate the key?", "holds no answer", "Something near"),
        ("密钥怎么轮换？", "没有能回答", "Something near"),
    ],
)
def test_nothing_found_is_said_and_what_is_near_is_named(query: str, said: str, step: str) -> None:
    made, _ = asking(raw=NOTHING)
    fallback = fallback_of(made.ask(query))
    assert said in fallback.message
    assert step in fallback.next_steps[0]
    assert made.agent_model.requests == []


def test_passages_that_the_model_finds_no_answer_in_are_named_as_near() -> None:
    fallback = fallback_of(ask(says(answers())))
    assert "Title 1 (Do); Title 2 (Do)" in fallback.next_steps[0]


def test_an_answer_that_cannot_be_read_is_asked_for_once_more() -> None:
    made, _ = asking(says("I think so"), says(answers((DISK, [2]))))
    assert answer_of(made.ask("what now?")).statements[0].text == DISK
    assert len(made.agent_model.requests) == 2


def test_a_model_that_gives_no_usable_answer_fails_the_run() -> None:
    for turns in ((says("no"), says("no")), (ModelUnavailable(RetryFailure.UNKNOWN),) * 2):
        failure = ask(*turns).failure
        assert failure is not None
        assert (failure.code, failure.unavailable) == (FailureCode.KNOWLEDGE_UNAVAILABLE, "model")


def test_a_knowledge_base_that_cannot_be_searched_is_said_without_its_details() -> None:
    failure = ask(raw=None).failure
    assert failure is not None
    assert (failure.code, failure.unavailable) == (FailureCode.KNOWLEDGE_UNAVAILABLE, "knowledge")
    assert failure.message == "The knowledge base could not be asked (knowledge base locked)."


@pytest.mark.parametrize(
    "bad",
    [
        {"statements": []},
        {"statements": [], "nothing_found": False},
        {"statements": [{"text": "x", "refs": [1]}], "nothing_found": True},
        {"statements": [{"text": "x", "refs": [1]}] * (MAX_STATEMENTS + 1), "nothing_found": False},
        {"statements": [{"text": "x", "refs": []}], "nothing_found": False},
        {"statements": [{"text": "x", "refs": [3]}], "nothing_found": False},
        {"statements": [{"text": "x", "refs": [0]}], "nothing_found": False},
        {"statements": [{"text": "x", "refs": [True]}], "nothing_found": False},
        {"statements": [{"text": "x", "refs": ["1"]}], "nothing_found": False},
        {"statements": [{"text": " ", "refs": [1]}], "nothing_found": False},
        {"statements": [{"text": "x" * 2001, "refs": [1]}], "nothing_found": False},
        {"statements": [{"text": "x", "refs": [1], "sure": True}], "nothing_found": False},
        {"statements": ["x"], "nothing_found": False},
        {"statements": "x", "nothing_found": False},
        {"statements": [], "nothing_found": "yes"},
        {"statements": [], "nothing_found": True, "note": "x"},
    ],
)
def test_an_answer_of_another_shape_is_refused(bad: Mapping[str, Any]) -> None:
    with pytest.raises(AttemptFailed) as refused:
        parse_answer(json.dumps(bad), passages=2)
    assert refused.value.failure is RetryFailure.SCHEMA_INVALID


def test_an_answer_that_is_no_json_is_refused() -> None:
    with pytest.raises(AttemptFailed) as refused:
        parse_answer("maybe", passages=2)
    assert refused.value.failure is RetryFailure.PARSE_ERROR


def test_repeated_references_count_once() -> None:
    (statement,) = parse_answer(answers(("x", [2, 1, 2])), passages=2)
    assert statement.refs == (2, 1)
