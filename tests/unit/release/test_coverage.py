"""What a report says about its own limits: windows, samples, cut rows and passages."""

from __future__ import annotations

from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import SOURCE_TYPE_OF, ToolName
from superbiz_cli.harness.release.coverage import coverage

WINDOW: JsonValue = {"start": "2026-11-30T09:45:00+08:00", "end": "2026-11-30T10:15:00+08:00"}


def evidence(ref: int, tool: ToolName, **payload: JsonValue) -> VerifiedEvidence:
    return VerifiedEvidence(
        ref=ref,
        tool_call_id=f"ev-{ref}",
        tool_name=tool,
        source_type=SOURCE_TYPE_OF[tool],
        evidence_status=EvidenceStatus.EVIDENCE_FOUND,
        source="s",
        scope="",
        summary="",
        excerpt="",
        payload=payload,
    )


def test_a_window_is_named_once_for_all_that_share_it() -> None:
    items = [evidence(number, ToolName.QUERY_LOGS, scope=WINDOW) for number in (1, 3)]
    assert coverage(items, "en") == (
        "Logs were searched from 2026-11-30 09:45+08:00 to 2026-11-30 10:15+08:00. [1][3]",
    )


def test_sampled_events_and_patterns_are_counted() -> None:
    item = evidence(
        2, ToolName.QUERY_LOGS, match_count=214, events=[{}, {}], pattern_count=41, patterns=[{}, {}, {}]
    )
    assert coverage([item], "en") == (
        "A sample of the matching events was read, the counts cover all: 2 of 214 [2].",
        "Not all patterns were read: 3 of 41 [2].",
    )


def test_samples_of_several_searches_are_one_sentence() -> None:
    items = [evidence(number, ToolName.QUERY_LOGS, match_count=9 * number, events=[{}]) for number in (1, 2)]
    assert coverage(items, "en") == (
        "A sample of the matching events was read, the counts cover all: 1 of 9 [1], 1 of 18 [2].",
    )
    assert coverage(items, "zh") == (
        "匹配事件只读取了抽样，计数覆盖全部事件：9 条中的 1 条 [1]，18 条中的 1 条 [2]。",
    )


def test_counts_of_a_sample_are_not_said_to_cover_all() -> None:
    sampled = evidence(1, ToolName.QUERY_LOGS, match_count=900, events=[{}], patterns=[{"is_sampled": True}])
    whole = evidence(2, ToolName.QUERY_LOGS, match_count=9, events=[{}], patterns=[{}])
    first, second = coverage([sampled, whole], "en")
    assert first == "A sample of the matching events was read, the counts cover all: 1 of 9 [2]."
    assert second.startswith("Only a sample of the matching events was fetched")
    assert "1 of 900 [1]" in second


def test_a_window_that_the_draft_names_is_not_named_again() -> None:
    items = [evidence(1, ToolName.QUERY_LOGS, scope=WINDOW)]
    assert coverage(items, "en", stated="application logs 2026-11-30 09:45–10:15 +08:00 (one search)") == ()
    assert len(coverage(items, "en", stated="application logs since 09:45")) == 1


def test_what_a_source_could_not_read_is_named_once() -> None:
    remarks: JsonValue = ["app: core.bin: binary file", 7]
    items = [evidence(number, ToolName.QUERY_LOGS, limitations=remarks) for number in (1, 2)]
    assert coverage(items, "en") == ("Log source app: core.bin: binary file",)
    assert coverage(items, "zh") == ("日志源 app: core.bin: 二进制文件，没有读取",)
    assert coverage([evidence(1, ToolName.QUERY_LOGS, limitations="none")], "en") == ()


def test_a_complete_result_needs_no_word() -> None:
    item = evidence(1, ToolName.QUERY_LOGS, match_count=1, events=[{}], patterns=[{}])
    assert coverage([item], "en") == ()


def test_cut_rows_and_passages_are_named() -> None:
    items = [
        evidence(1, ToolName.QUERY_MYSQL, rows=[[1], [2]], truncated=True),
        evidence(2, ToolName.LOOKUP_KNOWLEDGE, evidence=[{}], truncated=True),
        evidence(3, ToolName.QUERY_MYSQL, rows=[[1]], truncated=False),
        evidence(4, ToolName.LOOKUP_KNOWLEDGE, truncated=True),
    ]
    assert coverage(items, "zh") == (
        "只读取了前 2 行。[1]",
        "只读取了前 1 段文档。[2]",
        "只读取了前 0 段文档。[4]",
    )


def test_a_scope_without_readable_times_is_passed_over() -> None:
    items = [
        evidence(1, ToolName.QUERY_LOGS, scope={"start": "noon", "end": None}),
        evidence(2, ToolName.QUERY_LOGS, scope="all"),
        evidence(3, ToolName.QUERY_LOGS, match_count="many", events="none"),
    ]
    assert coverage(items, "en") == ()
