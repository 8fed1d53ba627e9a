"""The knowledge branch: look up, let the model answer from the passages, publish what the passages say.

Every statement names the passages that it rests on. Those are read again from the canonical store, and
the statement's figures, names and quotations must stand in them; a statement that fails is withheld.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from superbiz_cli.harness.application.knowledge_passages import (
    FoundPassages,
    Passage,
    PassagesUnreadable,
    read_passages,
)
from superbiz_cli.harness.application.knowledge_words import nothing_found, unproven_answer
from superbiz_cli.harness.application.parts import Parts, Question
from superbiz_cli.harness.application.prompting import instructions_of
from superbiz_cli.harness.audit.events import Scalar, TraceEvent, TraceType
from superbiz_cli.harness.contract.draft import AnalysisItem, Draft
from superbiz_cli.harness.contract.model import ModelRole, RetryFailure
from superbiz_cli.harness.contract.report import (
    Answer,
    CitedText,
    EvidenceRef,
    SafeFallback,
    ValidationIssue,
)
from superbiz_cli.harness.contract.status import AnalysisKind, FallbackType, Intent, ReleaseOutcome
from superbiz_cli.harness.contract.strict import JsonValue, StrictJsonError, parse_strict_object
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolFailed, ToolName, ToolReady
from superbiz_cli.harness.contract.violation import ViolationCode
from superbiz_cli.harness.core.model_gate import ModelGate
from superbiz_cli.harness.guard.claims import check_claims
from superbiz_cli.harness.guard.disclosure import check_disclosure
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.release.publishable import clean
from superbiz_cli.harness.release.wording import language_of
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted
from superbiz_cli.harness.retry.policy import JUDGE
from superbiz_cli.harness.tool.boundary import ToolBoundary, ToolCallEnvelope
from superbiz_cli.harness.tool.port import EvidenceTool, ToolRejected

MAX_STATEMENTS = 8
MAX_STATEMENT_CHARS = 2_000
_QUERY_CHARS = 2_000
_ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


class KnowledgeLookupFailed(Exception):
    """The knowledge base could not be searched. `code` and `category` are the boundary's stable words."""

    def __init__(self, code: ToolErrorCode, category: str | None) -> None:
        super().__init__(code.value)
        self.code = code
        self.category = category


class AnswerUnavailable(Exception):
    """The model gave no usable answer within its attempts. `hint` is our own sentence for the user."""

    def __init__(self, failure: RetryFailure, *, hint: str | None = None) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.hint = hint


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """What may be published about a knowledge question, with its footnotes."""

    content: Answer | SafeFallback
    evidence: tuple[EvidenceRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of the model: its text, and the numbers of the passages that it cites."""

    text: str
    refs: tuple[int, ...]


def answer_from_knowledge(question: Question, query: str, parts: Parts) -> KnowledgeAnswer:
    """Return what the knowledge base says to `query`, the redacted question.

    Raises KnowledgeLookupFailed, AnswerUnavailable and StoreError when nothing can be said;
    RunAborted and BudgetExceeded pass through.
    """
    call_id = _look_up(question, query, parts)
    try:
        found = read_passages(call_id, run_id=parts.run.run_id, store=parts.store, catalog=parts.catalog)
    except PassagesUnreadable as error:
        raise KnowledgeLookupFailed(ToolErrorCode.STORE_ERROR, None) from error
    language = language_of(query, parts.language)
    if not found.passages:
        return _released(KnowledgeAnswer(nothing_found(language, near=found.near)), parts)
    statements = _ask(query, found, parts)
    if not statements:
        near = [passage.place for passage in found.passages] or list(found.near)
        return _released(KnowledgeAnswer(nothing_found(language, near=tuple(dict.fromkeys(near))[:3])), parts)
    kept, withheld = _confirmed(statements, found, query, parts)
    if not kept:
        issues = [
            ValidationIssue(code=code.value, target=f"statements[{index}]")
            for index, code in withheld.items()
        ]
        places = [passage.place for passage in found.passages]
        fallback = unproven_answer(language, places=places, issues=issues)
        footnotes = tuple(passage.footnote(ref) for ref, passage in enumerate(found.passages, start=1))
        return _released(KnowledgeAnswer(fallback, footnotes), parts)
    return _released(_published(kept, found.passages), parts)


def answer_call(parts: Parts) -> GuardCall:
    """The question "what do these passages say to this?": answered by the agent's model, strictly."""
    payload = parts.limits.payload
    gate = ModelGate(
        model=parts.agent_model,
        run=parts.run,
        recorder=parts.ledger,
        prompt_sha256=parts.prompts.sha256.get(ModelRole.ANSWER),
    )
    return GuardCall(
        gate=gate,
        run=parts.run,
        system_prompt=parts.prompts.texts[ModelRole.ANSWER],
        role=ModelRole.ANSWER,
        policy=JUDGE,
        times=parts.limits.time.agent,
        max_input_bytes=payload.agent_input_bytes,
        max_output_bytes=payload.draft_bytes,
    )


def _look_up(question: Question, query: str, parts: Parts) -> str:
    """Run lookup_knowledge through the boundary; returns the id under which its result is kept."""
    tool = parts.catalog.get(ToolName.LOOKUP_KNOWLEDGE)
    if tool is None:
        raise KnowledgeLookupFailed(ToolErrorCode.TOOL_EXECUTION_ERROR, "not_configured")
    try:
        request = tool.parse({"query": query[:_QUERY_CHARS]}, incident=question.incident)
    except ToolRejected as error:
        raise KnowledgeLookupFailed(ToolErrorCode.INVALID_REQUEST, error.category) from error
    outcome = _boundary(question, parts).execute(tool, _envelope(tool, request, parts))
    match outcome:
        case ToolReady(tool_call_id=call_id):
            return call_id
        case ToolFailed():
            parts.run.check_active()  # a budget that ran dry ended the Run, and that is the reason
            raise KnowledgeLookupFailed(outcome.code, outcome.category)


def _boundary(question: Question, parts: Parts) -> ToolBoundary:
    return ToolBoundary(
        run=parts.run,
        store=parts.store,
        recorder=parts.ledger,
        limits=parts.limits.payload,
        incident=question.incident,
        branch=Intent.KNOWLEDGE_QUERY,
    )


def _envelope(tool: EvidenceTool[object], request: object, parts: Parts) -> ToolCallEnvelope[object]:
    nonce = "".join(secrets.choice(_ID_ALPHABET) for _ in range(8))
    return ToolCallEnvelope(
        run_id=parts.run.run_id,
        tool_call_id=f"ev-{nonce}-1",
        request=request,
        request_json=tool.request_json(request),
    )


def _ask(query: str, found: FoundPassages, parts: Parts) -> list[Statement]:
    evidence: list[JsonValue] = [
        {
            "ref": number,
            "title": passage.title,
            "section": passage.section,
            "excerpt": passage.excerpt,
        }
        for number, passage in enumerate(found.passages, start=1)
    ]
    known = len(found.passages)
    try:
        return answer_call(parts).ask(
            {"task": "answer", "query": query, "evidence": evidence},
            lambda text: parse_answer(text, passages=known),
        )
    except AttemptsExhausted as error:
        raise AnswerUnavailable(error.failure, hint=error.hint) from error


def parse_answer(text: str, *, passages: int) -> list[Statement]:
    """Read exactly {"statements": [{"text", "refs"}], "nothing_found": bool}; [] says that nothing answers.

    Raises AttemptFailed PARSE_ERROR or SCHEMA_INVALID, also for a statement without a passage, or with one
    that does not exist.
    """
    try:
        answer = parse_strict_object(text)
    except StrictJsonError as error:
        raise AttemptFailed(RetryFailure.PARSE_ERROR) from error
    statements, is_empty = answer.get("statements"), answer.get("nothing_found")
    if set(answer) != {"statements", "nothing_found"} or not isinstance(statements, list):
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    if not isinstance(is_empty, bool) or is_empty != (not statements) or len(statements) > MAX_STATEMENTS:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    return [_statement(item, passages) for item in statements]


def _statement(item: JsonValue, passages: int) -> Statement:
    if not isinstance(item, dict) or set(item) != {"text", "refs"}:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    text, refs = item["text"], item["refs"]
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_STATEMENT_CHARS:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    if not isinstance(refs, list) or not refs:
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    numbers = [ref for ref in refs if isinstance(ref, int) and not isinstance(ref, bool)]
    if len(numbers) != len(refs) or not all(1 <= ref <= passages for ref in numbers):
        raise AttemptFailed(RetryFailure.SCHEMA_INVALID)
    return Statement(clean(text), tuple(dict.fromkeys(numbers)))


def _confirmed(
    statements: Sequence[Statement], found: FoundPassages, query: str, parts: Parts
) -> tuple[list[Statement], dict[int, ViolationCode]]:
    """Return the statements that may be published, and what is wrong with each of the others.

    A statement's figures, names and quotations must stand in what it cites, and it must not repeat what
    the model was told.
    """
    draft = Draft(
        analysis=tuple(
            AnalysisItem(
                analysis_id=f"s{index}",
                kind=AnalysisKind.NORMAL,
                text=statement.text,
                tool_call_ids=tuple(_passage_id(ref) for ref in statement.refs),
            )
            for index, statement in enumerate(statements)
        )
    )
    evidence = [passage.evidence for passage in found.passages]
    ref_of = {_passage_id(item.ref): item.ref for item in evidence}
    violations = (
        *check_claims(draft, evidence, ref_of, query=query),
        *check_disclosure(draft, evidence, instructions_of(parts, ()), query=query),
    )
    code_at = {violation.target: violation.code for violation in violations}
    withheld = {
        index: code_at[target]
        for index in range(len(statements))
        if (target := f"analysis[{index}].text") in code_at
    }
    attributes: dict[str, Scalar] = {
        "violations": len(withheld),
        "references": len(found.passages),
        "codes": ",".join(dict.fromkeys(code.value for code in withheld.values())),
    }
    parts.ledger.emit(TraceEvent(TraceType.EVIDENCE_GUARD_INITIAL, attributes))
    return [statement for index, statement in enumerate(statements) if index not in withheld], withheld


def _passage_id(ref: int) -> str:
    return f"passage-{ref}"


def _published(statements: Sequence[Statement], passages: Sequence[Passage]) -> KnowledgeAnswer:
    """Number the footnotes anew, in the order in which they are first cited."""
    cited = list(dict.fromkeys(ref for statement in statements for ref in statement.refs))
    number = {ref: position for position, ref in enumerate(cited, start=1)}
    answer = Answer(
        statements=tuple(
            CitedText(text=statement.text, refs=tuple(number[ref] for ref in statement.refs))
            for statement in statements
        )
    )
    return KnowledgeAnswer(answer, tuple(passages[ref - 1].footnote(number[ref]) for ref in cited))


def _released(answer: KnowledgeAnswer, parts: Parts) -> KnowledgeAnswer:
    attributes: dict[str, Scalar] = {"outcome": ReleaseOutcome.SUCCESS.value}
    if isinstance(answer.content, SafeFallback):
        fallback: FallbackType = answer.content.type
        attributes = {"outcome": ReleaseOutcome.FALLBACK.value, "fallback_type": fallback.value}
    parts.ledger.emit(TraceEvent(TraceType.RELEASE_DECISION, attributes))
    return answer
