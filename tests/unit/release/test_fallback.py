"""The safe fallback: bounded, honest, in the reader's language, and nothing of the model's conclusion."""

from __future__ import annotations

import re

import pytest

from superbiz_cli.harness.agent.outcome import DraftFault
from superbiz_cli.harness.contract.evidence import EvidenceSnapshot, ObservedFact
from superbiz_cli.harness.contract.report import SafeFallback
from superbiz_cli.harness.contract.status import EvidenceStatus, FallbackType, StopReason
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName
from superbiz_cli.harness.contract.violation import Violation, ViolationCode
from superbiz_cli.harness.release.fallback import footnotes_of_facts, missing_info_of, safe_fallback
from superbiz_cli.harness.release.wording import Language, Sentence, language_of, say
from tests.support.drafts import a_draft

PLACES: tuple[str, ...] = (
    "count",
    "run_id",
    "refs",
    "shown",
    "total",
    "start",
    "end",
    "case_id",
    "parts",
    "remark",
)
PLACES += ("who", "first", "last", "new", "message", "summary", "topic", "query", "window", "what", "command")


def fact(
    number: int = 1, *, status: EvidenceStatus = EvidenceStatus.EVIDENCE_FOUND, summary: str = ""
) -> ObservedFact:
    return ObservedFact(
        tool_call_id=f"ev-{number}",
        tool_name=ToolName.QUERY_LOGS,
        source_type=SourceType.LOGS,
        evidence_status=status,
        source="app",
        scope=f"scope {number}",
        summary=summary or f"fact {number}",
        excerpt="quote",
    )


def build(
    kind: FallbackType = FallbackType.INSUFFICIENT_EVIDENCE,
    *facts: ObservedFact,
    language: Language = "en",
    stopped_by: StopReason | DraftFault | None = None,
    missing_info: tuple[str, ...] = (),
    violations: tuple[Violation, ...] = (),
    limitations: tuple[str, ...] = (),
) -> SafeFallback:
    return safe_fallback(
        kind,
        EvidenceSnapshot(facts=facts or (fact(),), limitations=limitations),
        language=language,
        run_id="7f3k",
        stopped_by=stopped_by,
        missing_info=missing_info,
        violations=violations,
    )


@pytest.mark.parametrize("kind", FallbackType)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_type_has_a_message_a_stage_and_a_next_step_and_never_a_conclusion(
    kind: FallbackType, language: Language
) -> None:
    result = build(kind, language=language)
    assert result.conclusion is None
    assert result.message
    assert "{" not in result.message
    assert any("superbiz trace show 7f3k" in step for step in result.next_steps)


@pytest.mark.parametrize("sentence", Sentence)
def test_every_sentence_exists_in_both_languages_with_the_same_places(sentence: Sentence) -> None:
    values = {key: f"<{key}>" for key in PLACES}
    english, chinese = say(sentence, "en", **values), say(sentence, "zh", **values)
    assert english != chinese
    assert sorted(re.findall("<\\w+>", english)) == sorted(re.findall("<\\w+>", chinese))


@pytest.mark.parametrize(
    ("stopped_by", "words"),
    [
        (StopReason.INFORMATION_SATURATED, "nothing new"),
        (StopReason.BUDGET_LIMIT_REACHED, "budget"),
        (StopReason.PROGRESS_PROTOCOL_VIOLATED, "rules"),
        (DraftFault.INVALID_JSON, "could not be used"),
    ],
)
def test_the_message_says_why_the_search_ended(stopped_by: StopReason | DraftFault, words: str) -> None:
    assert words in build(stopped_by=stopped_by).message


def test_a_budget_stop_says_how_to_raise_it() -> None:
    assert any("[run]" in step for step in build(stopped_by=StopReason.BUDGET_LIMIT_REACHED).next_steps)


def test_only_empty_results_are_called_that_and_no_proof_of_health() -> None:
    empty = fact(status=EvidenceStatus.NO_EVIDENCE)
    result = build(FallbackType.INSUFFICIENT_EVIDENCE, empty)
    assert result.message.startswith("Nothing matched")
    assert any("not that all is well" in line for line in result.limitations)
    mixed = build(FallbackType.INSUFFICIENT_EVIDENCE, empty, fact(2))
    assert mixed.message.startswith("What was found")


def test_facts_carry_their_footnotes_and_sources_are_named_once() -> None:
    snapshot = EvidenceSnapshot(facts=(fact(1), fact(2)))
    result = build(FallbackType.INSUFFICIENT_EVIDENCE, fact(1), fact(2))
    assert [(one.text, one.ref) for one in result.observed_facts] == [("fact 1", 1), ("fact 2", 2)]
    assert result.verified_sources == ("logs: app",)
    assert [(ref.ref, ref.tool_call_id, ref.scope, ref.excerpt) for ref in footnotes_of_facts(snapshot)] == [
        (1, "ev-1", "scope 1", "quote"),
        (2, "ev-2", "scope 2", "quote"),
    ]


def test_facts_are_bounded_in_number_and_length() -> None:
    facts = tuple(fact(number, summary="x" * 400) for number in range(20))
    result = build(FallbackType.INSUFFICIENT_EVIDENCE, *facts)
    assert len(result.observed_facts) == 12
    assert all(len(one.text) == 320 for one in result.observed_facts)
    assert len(footnotes_of_facts(EvidenceSnapshot(facts=facts))) == 12


def test_texts_of_the_store_are_cleaned_for_the_reader() -> None:
    result = build(FallbackType.INSUFFICIENT_EVIDENCE, fact(summary="a\x1b[2J\nb\u202e"))
    assert result.observed_facts[0].text == "a\\x1b[2J b\\u202e"


def test_what_could_not_be_verified_is_a_limitation() -> None:
    assert build(limitations=("A result is gone.",)).limitations[0] == "A result is gone."


def test_without_facts_nothing_is_said_about_searches() -> None:
    result = safe_fallback(
        FallbackType.MISSING_REQUIRED_CONTEXT,
        EvidenceSnapshot(),
        language="en",
        run_id="r",
        missing_info=("order id",),
    )
    assert (result.limitations, result.observed_facts, result.verified_sources) == ((), (), ())
    assert any("diagnose -c" in step for step in result.next_steps)


def test_violations_are_listed_with_code_and_target_and_bounded() -> None:
    many = tuple(Violation(ViolationCode.TOOL_CALL_ID_BLANK, f"analysis[{n}]") for n in range(30))
    result = build(FallbackType.EVIDENCE_VALIDATION_FAILED, violations=many)
    assert "30 of its references" in result.message
    assert len(result.validation_issues) == 24
    assert (result.validation_issues[0].code, result.validation_issues[0].target) == (
        "TOOL_CALL_ID_BLANK",
        "analysis[0]",
    )


def missing(*lines: str, conclusion: str | None = None) -> tuple[str, ...]:
    draft = a_draft(
        conclusion=conclusion, limitations={"checked_scope": "", "missing_info": [*lines], "caveats": []}
    )
    return missing_info_of(draft)


def test_missing_info_is_bounded_cleaned_and_listed_once() -> None:
    lines = missing(
        "log of  gateway\n", "LOG of gateway", " ", "x" * 400, "a\x07b", *(f"item {n}" for n in range(10))
    )
    assert lines[0].casefold() == "log of gateway"
    assert len(lines) == 8
    assert max(map(len, lines)) == 240
    assert "a\\x07b" in lines


def test_missing_info_cannot_carry_a_link() -> None:
    assert missing("see https://evil.example/x?y=1 for the key") == ("see [link] for the key",)


@pytest.mark.parametrize(
    "line",
    [
        "The connection pool of payment-service is exhausted",
        "note: THE CONNECTION POOL OF PAYMENT-SERVICE IS EXHAUSTED!",
        "connection pool",
        "whether connection pool of payment-service is what we think",
    ],
)
def test_missing_info_cannot_smuggle_the_conclusion_out(line: str) -> None:
    assert missing(line, "gateway log", conclusion="The connection pool of payment-service is exhausted") == (
        "gateway log",
    )


def test_missing_info_cannot_smuggle_a_chinese_conclusion_out() -> None:
    assert missing(
        "请确认支付服务的数据库连接池已经耗尽", "网关日志", conclusion="支付服务的数据库连接池已经耗尽。"
    ) == ("网关日志",)


def test_a_draft_without_limitations_has_nothing_missing() -> None:
    assert missing_info_of(a_draft(conclusion=None, limitations=None)) == ()


@pytest.mark.parametrize(
    ("query", "setting", "language"),
    [
        ("payment", "auto", "en"),
        ("支付", "auto", "zh"),
        ("支付", "en", "en"),
        ("payment", "zh", "zh"),
        ("", "auto", "en"),
    ],
)
def test_the_language_is_that_of_the_query_unless_it_is_set(query: str, setting: str, language: str) -> None:
    assert language_of(query, setting) == language  # type: ignore[arg-type]


def test_a_fallback_points_to_the_earlier_cases_and_tells_nothing_of_them() -> None:
    fallback = safe_fallback(
        FallbackType.INSUFFICIENT_EVIDENCE,
        EvidenceSnapshot(),
        language="en",
        run_id="r",
        similar_cases=("case-ab12cd34",),
    )
    assert fallback.next_steps[0] == "Compare with an earlier incident:  superbiz case show case-ab12cd34"
