"""What the evidence covers and what it leaves out, said by code from the verified results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from superbiz_cli.harness.contract.evidence import VerifiedEvidence
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import SourceType
from superbiz_cli.harness.progress.log_facts import source_remarks
from superbiz_cli.harness.release.wording import Language, Sentence, remark_in_words, say


def coverage(
    evidence: Sequence[VerifiedEvidence], language: Language, *, stated: str = ""
) -> tuple[str, ...]:
    """Return sentences on searched windows, sampled events, cut rows and passages, with footnotes.

    A window that `stated`, what the draft says it checked, names already is not said again. What a
    source could not read stands last, in the source's own words.
    """
    remarks = {line: None for item in evidence for line in source_remarks(item.payload)}
    return (
        *_windows(evidence, language, stated),
        *_samples(evidence, language),
        *(line for item in evidence for line in _cuts(item, language)),
        *(remark_in_words(remark, language) for remark in remarks),
    )


def _windows(evidence: Sequence[VerifiedEvidence], language: Language, stated: str) -> list[str]:
    refs_of: dict[tuple[str, str], list[int]] = {}
    for item in evidence:
        scope = item.payload.get("scope")
        if item.source_type is SourceType.LOGS and isinstance(scope, dict):
            window = (_minute(scope.get("start")), _minute(scope.get("end")))
            refs_of.setdefault(window, []).append(item.ref)
    return [
        say(Sentence.WINDOW, language, start=start, end=end, refs=_footnotes(refs))
        for (start, end), refs in refs_of.items()
        if start and end and not (_is_named(start, stated) and _is_named(end, stated))
    ]


def _is_named(minute: str, stated: str) -> bool:
    """Whether `stated` holds the clock time of `minute`."""
    return minute.split(" ")[1][:5] in stated


def _samples(evidence: Sequence[VerifiedEvidence], language: Language) -> list[str]:
    """Return one sentence for all searches of which only a sample of events, or of patterns, was read."""
    lines = []
    sampled = [item for item in evidence if _is_sampled(item)]
    counted = [item for item in evidence if not _is_sampled(item)]
    for sentence, items, shown_key, total_key in (
        (Sentence.EVENTS_SHOWN, counted, "events", "match_count"),
        (Sentence.EVENTS_SAMPLED, sampled, "events", "match_count"),
        (Sentence.PATTERNS_SHOWN, evidence, "patterns", "pattern_count"),
    ):
        parts = [
            say(Sentence.SHOWN_OF, language, shown=shown, total=total, refs=_footnotes([item.ref]))
            for item in items
            if item.source_type is SourceType.LOGS
            and (shown := _length(item, shown_key)) is not None
            and (total := _number(item, total_key)) is not None
            and shown < total
        ]
        if parts:
            lines.append(
                say(sentence, language, parts="，".join(parts) if language == "zh" else ", ".join(parts))
            )
    return lines


def _is_sampled(item: VerifiedEvidence) -> bool:
    """Whether the counts of a search of logs are those of a sample."""
    patterns = item.payload.get("patterns")
    return isinstance(patterns, list) and any(
        isinstance(pattern, dict) and pattern.get("is_sampled") is True for pattern in patterns
    )


def _cuts(item: VerifiedEvidence, language: Language) -> list[str]:
    match item.source_type:
        case SourceType.LOGS:
            return []
        case SourceType.MYSQL:
            return _when_truncated(item, Sentence.ROWS_CUT, "rows", language)
        case SourceType.KNOWLEDGE:
            return _when_truncated(item, Sentence.PASSAGES_CUT, "evidence", language)
        case _:
            assert_never(item.source_type)


def _when_truncated(item: VerifiedEvidence, sentence: Sentence, key: str, language: Language) -> list[str]:
    if item.payload.get("truncated") is not True:
        return []
    return [say(sentence, language, shown=_length(item, key) or 0, refs=_footnotes([item.ref]))]


def _length(item: VerifiedEvidence, key: str) -> int | None:
    value = item.payload.get(key)
    return len(value) if isinstance(value, list) else None


def _number(item: VerifiedEvidence, key: str) -> int | None:
    value = item.payload.get(key)
    return value if isinstance(value, int) else None


def _minute(value: JsonValue) -> str:
    """Return an ISO 8601 time as "2026-11-30 10:15+08:00", "" if it is none."""
    try:
        return datetime.fromisoformat(str(value)).isoformat(sep=" ", timespec="minutes")
    except ValueError:
        return ""


def _footnotes(refs: Sequence[int]) -> str:
    return "".join(f"[{ref}]" for ref in refs)
