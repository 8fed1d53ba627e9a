"""The only exit: a report when every guard agreed, else a safe fallback, else nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from superbiz_cli.harness.agent.outcome import Collection, Completed, DraftFault, Stopped
from superbiz_cli.harness.audit.events import Scalar, TraceEvent, TraceType
from superbiz_cli.harness.audit.recorder import Recorder
from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.evidence import EvidenceSnapshot
from superbiz_cli.harness.contract.report import EvidenceRef, Report, SafeFallback
from superbiz_cli.harness.contract.status import FallbackType, ReleaseOutcome, StopReason
from superbiz_cli.harness.contract.violation import Violation, ViolationCode
from superbiz_cli.harness.core.run import Run
from superbiz_cli.harness.guard.claims import check_claims
from superbiz_cli.harness.guard.disclosure import NO_INSTRUCTIONS, Instructions, check_disclosure, quoted
from superbiz_cli.harness.guard.draft_view import draft_view
from superbiz_cli.harness.guard.evidence import NO_DRAFT, Rejected, Verified, verify_evidence
from superbiz_cli.harness.guard.model_call import GuardCall
from superbiz_cli.harness.guard.semantic import SemanticGuard, Supported, Unavailable, Unsupported
from superbiz_cli.harness.release.fallback import footnotes_of_facts, missing_info_of, safe_fallback
from superbiz_cli.harness.release.publishable import footnotes_of, publishable, report_of
from superbiz_cli.harness.release.repair import can_be_repaired, repair
from superbiz_cli.harness.release.wording import PROGRAM, LanguageSetting, Sentence, language_of, say
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import InvocationStore

_MAX_TRACED_CODES = 5


class NothingPublishable(Exception):
    """There is neither a proven cause nor a verified fact nor a known gap. The Run fails closed.

    `reason` is the stop reason or the draft's fault, or None after a draft that said nothing.
    """

    def __init__(self, reason: StopReason | DraftFault | None = None) -> None:
        super().__init__(reason.value if reason else "nothing to publish")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PublishedReport:
    """SUCCESS: every reference holds, every claim is in the evidence, the judge agreed."""

    report: Report
    evidence: tuple[EvidenceRef, ...]


@dataclass(frozen=True, slots=True)
class PublishedFallback:
    """FALLBACK: what is certain, and why there is no more."""

    fallback: SafeFallback
    evidence: tuple[EvidenceRef, ...]


Published: TypeAlias = PublishedReport | PublishedFallback


@dataclass(frozen=True, slots=True)
class _Examined:
    """A draft without violations, in the form in which it would be published."""

    shown: Draft
    verified: Verified


@dataclass(frozen=True, slots=True)
class Release:
    """The publishing point of one Run.

    `snapshot` reads again what the collection saw; it is asked only when a repair or a fallback
    needs it. `skills` names the procedures that guided the Run, `similar_cases` the earlier cases that
    it was given as hints, `instructions` is what its models were told and no reader is shown. `notes` and
    `program` are those of `fallback.safe_fallback`.
    """

    run: Run
    store: InvocationStore
    catalog: ToolCatalog
    repair_call: GuardCall
    judge: SemanticGuard
    snapshot: Callable[[], EvidenceSnapshot]
    recorder: Recorder
    skills: tuple[str, ...] = ()
    similar_cases: tuple[str, ...] = ()
    instructions: Instructions = NO_INSTRUCTIONS
    language: LanguageSetting = "auto"
    notes: tuple[str, ...] = ()
    program: str = PROGRAM

    def decide(self, collection: Collection, *, query: str) -> Published:
        """Return what may be published of `collection`.

        Raises NothingPublishable if that is nothing; RunAborted and BudgetExceeded pass through.
        """
        match collection:
            case Completed(draft) if draft.conclusion is not None:
                return self._with_conclusion(draft, query)
            case Completed(draft):
                return self._without_conclusion(draft, query)
            case Stopped(reason):
                return self._insufficient(query, stopped_by=reason, violations=NO_DRAFT.violations)
            case _:
                assert_never(collection)

    def fallback_for_exhaustion(
        self, snapshot: EvidenceSnapshot, *, query: str = ""
    ) -> PublishedFallback | None:
        """Return the fallback of a Run whose budget is spent, or None if it observed no fact."""
        if not snapshot.facts:
            return None
        return self._fall_back(
            FallbackType.INSUFFICIENT_EVIDENCE,
            query,
            snapshot=snapshot,
            stopped_by=StopReason.BUDGET_LIMIT_REACHED,
        )

    def fallback_for_lost_model(self, *, query: str) -> PublishedFallback | None:
        """Return the fallback of a collection whose model stopped answering, or None without a fact."""
        snapshot = self.snapshot()
        if not snapshot.facts:
            return None
        return self._fall_back(
            FallbackType.INSUFFICIENT_EVIDENCE, query, snapshot=snapshot, because=Sentence.MODEL_LOST
        )

    def _with_conclusion(self, draft: Draft, query: str) -> Published:
        examined = self._examine(draft, query, TraceType.EVIDENCE_GUARD_INITIAL)
        if isinstance(examined, Rejected):
            examined = self._repaired(draft, examined, query)
        if isinstance(examined, Rejected):
            return self._fall_back(
                FallbackType.EVIDENCE_VALIDATION_FAILED,
                query,
                because=_why(examined.violations),
                violations=examined.violations,
            )
        return self._judged(examined, query)

    def _examine(self, draft: Draft, query: str, event: TraceType) -> _Examined | Rejected:
        result = verify_evidence(draft, run_id=self.run.run_id, store=self.store, catalog=self.catalog)
        examined = result if isinstance(result, Rejected) else self._held_against(draft, result, query)
        self._emit(event, _guard_attributes(draft, examined))
        return examined

    def _held_against(self, draft: Draft, verified: Verified, query: str) -> _Examined | Rejected:
        shown = publishable(draft, verified.evidence, language_of(query, self.language), notes=self.notes)
        violations = (
            *check_claims(shown, verified.evidence, verified.ref_of, query=query),
            *check_disclosure(shown, verified.evidence, self.instructions, query=query),
        )
        return Rejected(violations) if violations else _Examined(shown, verified)

    def _repaired(self, draft: Draft, rejected: Rejected, query: str) -> _Examined | Rejected:
        if not can_be_repaired(rejected.violations):
            return rejected
        mended = repair(draft, rejected.violations, self.snapshot(), call=self.repair_call)
        if mended is None:
            return rejected
        return self._examine(mended, query, TraceType.EVIDENCE_GUARD_RECHECK)

    def _judged(self, examined: _Examined, query: str) -> Published:
        verified = examined.verified
        decision = self.judge.judge(draft_view(examined.shown, verified.ref_of), verified.evidence, query)
        match decision:
            case Supported(reason) if (gone := self._gone(examined.shown)) is not None:
                return self._fall_back(
                    FallbackType.EVIDENCE_VALIDATION_FAILED, query, violations=gone.violations
                )
            case Supported(reason):
                report = report_of(
                    examined.shown,
                    verified,
                    reason=self._reason(reason, verified, query),
                    skills=self.skills,
                    similar_cases=self.similar_cases,
                )
                self._emit(TraceType.RELEASE_DECISION, {"outcome": ReleaseOutcome.SUCCESS.value})
                return PublishedReport(report, footnotes_of(verified.evidence, report))
            case Unsupported():
                kind = FallbackType.SEMANTIC_UNSUPPORTED
            case Unavailable():
                kind = FallbackType.SEMANTIC_UNAVAILABLE
            case _:
                assert_never(decision)
        return self._fall_back(kind, query, missing_info=missing_info_of(examined.shown))

    def _gone(self, shown: Draft) -> Rejected | None:
        """Return what of the evidence is no longer in the store after the judge has taken his time."""
        again = verify_evidence(shown, run_id=self.run.run_id, store=self.store, catalog=self.catalog)
        if isinstance(again, Verified):
            return None
        self._emit(TraceType.EVIDENCE_GUARD_RECHECK, _guard_attributes(shown, again))
        return again

    def _without_conclusion(self, draft: Draft, query: str) -> Published:
        result = verify_evidence(draft, run_id=self.run.run_id, store=self.store, catalog=self.catalog)
        self._emit(TraceType.EVIDENCE_GUARD_INITIAL, _guard_attributes(draft, result))
        if isinstance(result, Rejected):
            return self._fall_back(
                FallbackType.EVIDENCE_VALIDATION_FAILED,
                query,
                violations=result.violations,
                has_conclusion=False,
            )
        return self._insufficient(query, missing_info=self._own_words(missing_info_of(draft), query))

    def _reason(self, reason: str, verified: Verified, query: str) -> str:
        """Return the judge's reason, unless it is a piece of the judge's instructions."""
        if not self.instructions.recited_in({"reason": reason}, known=quoted(verified.evidence, query)):
            return reason
        return say(Sentence.REASON_WITHHELD, language_of(query, self.language))

    def _own_words(self, lines: Sequence[str], query: str) -> tuple[str, ...]:
        """Return the lines that repeat nothing of what the model was told."""
        numbered = {str(number): line for number, line in enumerate(lines)}
        recited = self.instructions.recited_in(numbered, known=[query])
        return tuple(line for number, line in numbered.items() if number not in recited)

    def _insufficient(
        self,
        query: str,
        *,
        stopped_by: StopReason | DraftFault | None = None,
        missing_info: Sequence[str] = (),
        violations: Sequence[Violation] = (),
    ) -> PublishedFallback:
        snapshot = self.snapshot()
        if snapshot.facts:
            kind = FallbackType.INSUFFICIENT_EVIDENCE
        elif missing_info:
            kind = FallbackType.MISSING_REQUIRED_CONTEXT
        else:
            raise NothingPublishable(stopped_by)
        return self._fall_back(
            kind,
            query,
            snapshot=snapshot,
            stopped_by=stopped_by,
            missing_info=missing_info,
            violations=violations,
        )

    def _fall_back(
        self,
        kind: FallbackType,
        query: str,
        *,
        snapshot: EvidenceSnapshot | None = None,
        stopped_by: StopReason | DraftFault | None = None,
        because: Sentence | None = None,
        missing_info: Sequence[str] = (),
        violations: Sequence[Violation] = (),
        has_conclusion: bool = True,
    ) -> PublishedFallback:
        seen = self.snapshot() if snapshot is None else snapshot
        fallback = safe_fallback(
            kind,
            seen,
            language=language_of(query, self.language),
            run_id=self.run.run_id,
            stopped_by=stopped_by,
            because=because,
            missing_info=missing_info,
            violations=violations,
            has_conclusion=has_conclusion,
            similar_cases=self.similar_cases,
            notes=self.notes,
            program=self.program,
            query=query,
        )
        self._emit(
            TraceType.RELEASE_DECISION,
            {"outcome": ReleaseOutcome.FALLBACK.value, "fallback_type": kind.value},
        )
        return PublishedFallback(fallback, footnotes_of_facts(seen))

    def _emit(self, type_: TraceType, attributes: dict[str, Scalar]) -> None:
        self.recorder.emit(TraceEvent(type_, attributes))


def _why(violations: Sequence[Violation]) -> Sentence | None:
    discloses = any(found.code is ViolationCode.INSTRUCTIONS_DISCLOSED for found in violations)
    return Sentence.INSTRUCTIONS_REPEATED if discloses else None


def _guard_attributes(draft: Draft, result: _Examined | Verified | Rejected) -> dict[str, Scalar]:
    violations = result.violations if isinstance(result, Rejected) else ()
    cited = {call_id for item in draft.analysis or () for call_id in item.tool_call_ids or ()}
    codes = dict.fromkeys(violation.code.value for violation in violations)
    return {
        "violations": len(violations),
        "references": len(cited),
        "codes": ",".join([*codes][:_MAX_TRACED_CODES]),
    }
