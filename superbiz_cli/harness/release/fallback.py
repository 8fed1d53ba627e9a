"""The safe fallback: what was checked, what was found, what is missing; never an unproven cause.

Facts come from the canonical store, sentences from us. Of the model's words only the list of
missing information is used, bounded, cleaned and without anything of its conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import EvidenceSnapshot, ObservedFact
from superbiz_cli.harness.contract.report import EvidenceRef, FallbackFact, SafeFallback, ValidationIssue
from superbiz_cli.harness.contract.status import EvidenceStatus, FailureStage, FallbackType, StopReason
from superbiz_cli.harness.contract.violation import Violation
from superbiz_cli.harness.release.facts import checked_in_words, fact_in_words
from superbiz_cli.harness.release.next_steps import steps_from_facts
from superbiz_cli.harness.release.publishable import clean
from superbiz_cli.harness.release.wording import MESSAGE_OF, PROGRAM, Language, Sentence, remark_in_words, say
from superbiz_cli.harness.tool.bounds import clip

MAX_FACTS = 12
MAX_FACT_CHARS = 320
MAX_SOURCE_CHARS = 160
MAX_MISSING = 8
MAX_MISSING_CHARS = 240
MAX_ISSUES = 24
SHARED_RUN_CHARS = 24
SHARED_RUN_CJK_CHARS = 10

_LINK = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)

_STAGE_OF = {
    FallbackType.EVIDENCE_VALIDATION_FAILED: FailureStage.EVIDENCE_VALIDATION,
    FallbackType.SEMANTIC_UNSUPPORTED: FailureStage.SEMANTIC_VALIDATION,
    FallbackType.SEMANTIC_UNAVAILABLE: FailureStage.SEMANTIC_VALIDATION,
    FallbackType.INSUFFICIENT_EVIDENCE: FailureStage.DIAGNOSIS_COLLECTION,
    FallbackType.MISSING_REQUIRED_CONTEXT: FailureStage.DIAGNOSIS_INPUT,
}
_STOP_MESSAGE = {
    StopReason.INFORMATION_SATURATED: Sentence.SATURATED,
    StopReason.BUDGET_LIMIT_REACHED: Sentence.OUT_OF_BUDGET,
    StopReason.PROGRESS_PROTOCOL_VIOLATED: Sentence.PROTOCOL_BROKEN,
}
_NEXT_STEP_OF = {
    FallbackType.EVIDENCE_VALIDATION_FAILED: Sentence.RUN_AGAIN,
    FallbackType.SEMANTIC_UNAVAILABLE: Sentence.CHECK_JUDGE,
    FallbackType.MISSING_REQUIRED_CONTEXT: Sentence.SUPPLY_MISSING,
}


def safe_fallback(
    kind: FallbackType,
    snapshot: EvidenceSnapshot,
    *,
    language: Language,
    run_id: str,
    stopped_by: StopReason | DraftFault | None = None,
    because: Sentence | None = None,
    missing_info: Sequence[str] = (),
    violations: Sequence[Violation] = (),
    has_conclusion: bool = True,
    similar_cases: Sequence[str] = (),
    notes: Sequence[str] = (),
    query: str = "",
    program: str = PROGRAM,
) -> SafeFallback:
    """Return the fallback of `kind` over what the store of the Run confirms.

    `notes` say what of the question's time was not understood and which sources are not there; they come
    first among the limits. `query` is the redacted question and `program` what a command begins with, for
    what the reader may type next.
    """
    facts = snapshot.facts[:MAX_FACTS]
    message = because or _message(kind, facts, stopped_by)
    if message is Sentence.VALIDATION_FAILED and not has_conclusion:
        message = Sentence.REFERENCES_FAILED
    limitations = [clean(line) for line in (*notes, *snapshot.limitations)]
    if any(fact.evidence_status is EvidenceStatus.NO_EVIDENCE for fact in facts):
        limitations.append(say(Sentence.EMPTY_IS_NO_PROOF, language))
    calls = snapshot.calls or facts
    if calls:
        limitations.append(clean(checked_in_words(calls, language)))
    limitations += [clean(remark_in_words(line, language)) for line in snapshot.remarks]
    refs = _refs(facts)
    return SafeFallback(
        type=kind,
        message=say(message, language, count=len(violations)),
        verified_sources=tuple(dict.fromkeys(_source(call) for call in calls)),
        observed_facts=tuple(
            FallbackFact(
                text=clip(clean(fact_in_words(fact, language)), MAX_FACT_CHARS), ref=refs[fact.tool_call_id]
            )
            for fact in facts
        ),
        limitations=tuple(limitations),
        missing_info=tuple(missing_info),
        next_steps=(
            *(
                say(Sentence.COMPARE_CASE, language, case_id=case_id, program=program)
                for case_id in similar_cases
            ),
            *map(clean, steps_from_facts(snapshot, query=query, language=language, program=program)),
            *(say(step, language, run_id=run_id, program=program) for step in _next_steps(kind, message)),
        ),
        failure_stage=_STAGE_OF[kind],
        validation_issues=tuple(
            ValidationIssue(code=violation.code.value, target=violation.target)
            for violation in violations[:MAX_ISSUES]
        ),
    )


def footnotes_of_facts(snapshot: EvidenceSnapshot) -> tuple[EvidenceRef, ...]:
    """Return the footnotes of the facts that `safe_fallback` lists: one for each call that they cite."""
    facts = snapshot.facts[:MAX_FACTS]
    cited = {fact.tool_call_id: fact for fact in reversed(facts)}  # the first fact of a call is quoted
    return tuple(
        EvidenceRef(
            ref=ref,
            tool_call_id=tool_call_id,
            tool_name=fact.tool_name,
            source_type=fact.source_type,
            source=fact.source,
            scope=fact.scope,
            excerpt=fact.excerpt,
        )
        for tool_call_id, ref in _refs(facts).items()
        if (fact := cited[tool_call_id])
    )


def _refs(facts: Sequence[ObservedFact]) -> dict[str, int]:
    """Number the calls in the order in which the facts name them."""
    return {call: ref for ref, call in enumerate(dict.fromkeys(fact.tool_call_id for fact in facts), start=1)}


def missing_info_of(draft: Draft) -> tuple[str, ...]:
    """Return what the draft says is missing: at most 8 short lines, no link, nothing of its conclusion."""
    stated = draft.limitations.missing_info if draft.limitations else ()
    conclusion = clean((draft.conclusion and draft.conclusion.text) or "")
    return _distinct(
        line for text in stated if (line := _missing_line(text)) and not _repeats(line, conclusion)
    )[:MAX_MISSING]


def _missing_line(text: str) -> str:
    return clip(clean(_LINK.sub("[link]", text)), MAX_MISSING_CHARS)


def _distinct(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple({line.casefold(): line for line in lines}.values())


def _repeats(line: str, conclusion: str) -> bool:
    """Whether `line` holds the conclusion or a long run of it: a way round the ban on publishing it."""
    line, conclusion = line.casefold(), conclusion.casefold()
    if not conclusion:
        return False
    if conclusion in line or line in conclusion:
        return True
    width = SHARED_RUN_CHARS if conclusion.isascii() else SHARED_RUN_CJK_CHARS
    return any(conclusion[start : start + width] in line for start in range(len(conclusion) - width + 1))


def _message(
    kind: FallbackType, facts: Sequence[ObservedFact], stopped_by: StopReason | DraftFault | None
) -> Sentence:
    if isinstance(stopped_by, DraftFault):
        return Sentence.DRAFT_UNUSABLE
    if stopped_by is not None:
        return _STOP_MESSAGE[stopped_by]
    is_all_empty = bool(facts) and all(fact.evidence_status is EvidenceStatus.NO_EVIDENCE for fact in facts)
    if kind is FallbackType.INSUFFICIENT_EVIDENCE and is_all_empty:
        return Sentence.NOTHING_MATCHED
    return MESSAGE_OF[kind]


def _next_steps(kind: FallbackType, message: Sentence) -> list[Sentence]:
    steps = []
    if message is Sentence.OUT_OF_BUDGET:
        steps.append(Sentence.RAISE_BUDGET)
    elif message is Sentence.MODEL_LOST:
        steps.append(Sentence.CHECK_MODEL)
    elif kind in _NEXT_STEP_OF:
        steps.append(_NEXT_STEP_OF[kind])
    return [*steps, Sentence.LOOK_AT_TRACE]


def _source(fact: ObservedFact) -> str:
    return clip(clean(f"{fact.source_type.value}: {fact.source}"), MAX_SOURCE_CHARS)
