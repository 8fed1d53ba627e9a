"""What the knowledge branch says in its own words, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from superbiz_cli.harness.contract.report import FallbackFact, SafeFallback, ValidationIssue
from superbiz_cli.harness.contract.status import FailureStage, FallbackType
from superbiz_cli.harness.release.wording import Language

_MAX_FACT_CHARS = 320


def nothing_found(language: Language, *, near: Sequence[str]) -> SafeFallback:
    """Say that the knowledge base holds no answer, and name what comes near."""
    chinese = language == "zh"
    steps = (
        [f"接近的文档：{'；'.join(near)}" if chinese else f"Documents that come near: {'; '.join(near)}"]
        if near
        else []
    )
    if chinese:
        steps += [
            "换用告警名、错误码或组件名再问一次",
            "把包含答案的文档加入知识库：superbiz kb ingest PATH",
        ]
    else:
        steps += [
            "ask again with an alert name, an error code or the name of a component",
            "add the document that holds the answer:  superbiz kb ingest PATH",
        ]
    return SafeFallback(
        type=FallbackType.INSUFFICIENT_EVIDENCE,
        message=(
            "知识库中没有能回答这个问题的内容。"
            if chinese
            else "The knowledge base holds no answer to this question."
        ),
        missing_info=("包含答案的文档",) if chinese else ("a document that answers this",),
        next_steps=tuple(steps),
        failure_stage=FailureStage.DIAGNOSIS_COLLECTION,
    )


def unproven_answer(
    language: Language, *, places: Sequence[str], issues: Sequence[ValidationIssue]
) -> SafeFallback:
    """Say that an answer was written but is not in the passages that it cites; the passages are named."""
    chinese = language == "zh"
    return SafeFallback(
        type=FallbackType.EVIDENCE_VALIDATION_FAILED,
        message=(
            "已找到相关文档，但模型的回答无法在所引用的段落中核实，因此不予发布。"
            if chinese
            else "Passages were found, but the model's answer could not be confirmed in the passages that it"
            " cites. It is not published."
        ),
        observed_facts=tuple(
            FallbackFact(text=place[:_MAX_FACT_CHARS], ref=ref) for ref, place in enumerate(places, start=1)
        ),
        next_steps=(
            ("直接阅读以上段落：superbiz kb show 文档名", "重新提问，模型可能会给出可核实的回答")
            if chinese
            else (
                "read the passages above:  superbiz kb show DOCUMENT",
                "ask again: the model may stay closer to the passages",
            )
        ),
        failure_stage=FailureStage.EVIDENCE_VALIDATION,
        validation_issues=tuple(issues),
    )
