"""What a Run publishes: a report, a fallback, an answer or a failure, and the record of the Run.

These are the shapes of `--json` (docs/schema/run.v1.json); ids of the model's draft are replaced by
footnote numbers (`refs`) into `RunResult.evidence`.
"""

from __future__ import annotations

from typing import Literal

from superbiz_cli.harness.contract.status import (
    AnalysisKind,
    FailureCode,
    FailureStage,
    FallbackType,
    Intent,
    ReleaseOutcome,
    RunState,
)
from superbiz_cli.harness.contract.strict import StrictModel
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName

SCHEMA = "superbiz.run/v1"


class CitedText(StrictModel):
    """A sentence with its footnotes."""

    text: str
    refs: tuple[int, ...]


class ReportedAnalysis(StrictModel):
    """One published analysis item."""

    kind: AnalysisKind
    text: str
    refs: tuple[int, ...]


class ReportedAction(StrictModel):
    """One published step. A step that changes state always requires confirmation."""

    action: str
    requires_human_confirmation: bool
    refs: tuple[int, ...]


class ReportedLimitations(StrictModel):
    """What the report does not cover."""

    checked_scope: str = ""
    missing_info: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()


class Judgement(StrictModel):
    """What the guards found: references verified by code, support judged by the isolated judge."""

    references_verified: int
    references_total: int
    verdict: Literal["SUPPORTED"]
    reason: str


class Report(StrictModel):
    """A released diagnosis: every guard passed.

    `similar_cases` names the earlier cases that were given to the agent as hints.
    """

    conclusion: CitedText
    analysis: tuple[ReportedAnalysis, ...]
    action_plan: tuple[ReportedAction, ...] = ()
    recommendations: tuple[CitedText, ...] = ()
    limitations: ReportedLimitations
    judgement: Judgement
    skills: tuple[str, ...] = ()
    similar_cases: tuple[str, ...] = ()


class FallbackFact(StrictModel):
    """Something that is certain, with its footnote."""

    text: str
    ref: int | None = None


class ValidationIssue(StrictModel):
    """Why the draft was not released: a stable code and the item that it concerns."""

    code: str
    target: str


class SafeFallback(StrictModel):
    """The honest, bounded degraded result."""

    type: FallbackType
    conclusion: None = None
    message: str
    verified_sources: tuple[str, ...] = ()
    observed_facts: tuple[FallbackFact, ...] = ()
    limitations: tuple[str, ...] = ()
    missing_info: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    failure_stage: FailureStage
    validation_issues: tuple[ValidationIssue, ...] = ()


class Answer(StrictModel):
    """Reply of the SYSTEM_CHAT and KNOWLEDGE_QUERY branches: paragraphs with footnotes."""

    statements: tuple[CitedText, ...]
    nothing_found: bool = False
    near: tuple[str, ...] = ()


class Failure(StrictModel):
    """Nothing could be published. `message` and `hint` are our own sentences.

    `unavailable` names the dependency that was missing ("model", "store"), if that was the cause.
    """

    code: FailureCode
    message: str
    hint: str | None = None
    unavailable: str | None = None


class EvidenceRef(StrictModel):
    """The footnote `ref`: which tool call, what it covered, and a redacted excerpt."""

    ref: int
    tool_call_id: str
    tool_name: ToolName
    source_type: SourceType
    source: str
    scope: str
    excerpt: str


class Usage(StrictModel):
    """What the Run spent."""

    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    run_bytes: int = 0


class RunResult(StrictModel):
    """The outcome of one Run, as printed by `--json` and kept in the audit."""

    run_id: str
    session_id: str
    query: str
    intent: Intent | None
    run_state: RunState
    release_outcome: ReleaseOutcome
    report: Report | None = None
    fallback: SafeFallback | None = None
    answer: Answer | None = None
    failure: Failure | None = None
    evidence: tuple[EvidenceRef, ...] = ()
    usage: Usage = Usage()
    started_at: str
    completed_at: str
    duration_ms: int
    model: str

    @property
    def content_type(self) -> Literal["report", "fallback", "answer", "failure"]:
        """Which of the four contents is set."""
        if self.report is not None:
            return "report"
        if self.fallback is not None:
            return "fallback"
        if self.answer is not None:
            return "answer"
        return "failure"
