"""Short-term memory: what a Run may know of the Runs before it in the session.

Only the last released diagnosis, as it was published, and how the last questions were routed; no
tool ids, no raw evidence, no message history. All of it is a hint: nothing in here can be cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from superbiz_cli.harness.audit.rows import RoutingEntry
from superbiz_cli.harness.contract.limits import PayloadLimits, utf8_size
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.status import Intent, ReleaseOutcome
from superbiz_cli.harness.contract.strict import JsonValue, canonical_json
from superbiz_cli.harness.contract.tool_call import SourceType

QUERY_CHARS = 2_000
CONCLUSION_CHARS = 2_000
SCOPE_CHARS = 1_000
LIMITATION_CHARS = 500
DOCUMENT_ID_CHARS = 160
MAX_LIMITATIONS = 10
MAX_DOCUMENTS = 10
ROUTED_QUERY_CHARS = 200
MAX_ROUTED = 5

_CUT = "…"
_FOOTNOTES = re.compile(r"(?:\s*\[\d{1,3}\])+$")  # numbers of a list that the next Run does not have


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """The last released diagnosis of the session, bounded; `knowledge_documents` are document ids."""

    query: str
    conclusion: str
    checked_scope: str
    limitations: tuple[str, ...] = ()
    knowledge_documents: tuple[str, ...] = ()

    def as_json(self) -> dict[str, JsonValue]:
        """Return what the agent's input holds under `previous_turn`."""
        return {
            "query": self.query,
            "conclusion": self.conclusion,
            "checked_scope": self.checked_scope,
            "limitations": list(self.limitations),
            "knowledge_documents": list(self.knowledge_documents),
        }

    def size_bytes(self) -> int:
        """Return the UTF-8 bytes of its canonical JSON."""
        return utf8_size(canonical_json(self.as_json()))


def previous_turn(
    last_success: RunResult | None,
    *,
    redact: Callable[[str], str],
    max_bytes: int = PayloadLimits().previous_turn_bytes,
) -> PreviousTurn | None:
    """Return the bounded memory of `last_success`, or None if that is no released diagnosis.

    Texts are redacted before they are cut, so that no half of a secret can survive. What does not
    fit into `max_bytes` of JSON is dropped from the least important end; None if nothing fits.
    """
    if last_success is None or last_success.report is None:
        return None
    if (
        last_success.release_outcome is not ReleaseOutcome.SUCCESS
        or last_success.intent is not Intent.DIAGNOSIS
    ):
        return None

    def bounded(text: str, max_chars: int) -> str:
        return cut(redact(text), max_chars)

    report = last_success.report
    limitations = (*report.limitations.missing_info, *report.limitations.caveats)
    turn = PreviousTurn(
        query=bounded(last_success.query, QUERY_CHARS),
        conclusion=bounded(report.conclusion.text, CONCLUSION_CHARS),
        checked_scope=bounded(report.limitations.checked_scope, SCOPE_CHARS),
        limitations=tuple(
            bounded(_FOOTNOTES.sub("", text), LIMITATION_CHARS) for text in limitations[:MAX_LIMITATIONS]
        ),
        knowledge_documents=tuple(
            bounded(document, DOCUMENT_ID_CHARS) for document in documents_of(last_success)[:MAX_DOCUMENTS]
        ),
    )
    return next(
        (smaller for smaller in _smaller_and_smaller(turn) if smaller.size_bytes() <= max_bytes), None
    )


def routing_memory(
    entries: Sequence[RoutingEntry], *, redact: Callable[[str], str]
) -> tuple[RoutingEntry, ...]:
    """Return the last five routed questions (oldest first), each redacted and cut to 200 characters."""
    return tuple(
        RoutingEntry(entry.intent, cut(redact(entry.query), ROUTED_QUERY_CHARS))
        for entry in entries[-MAX_ROUTED:]
    )


def cut(text: str, max_chars: int) -> str:
    """Return `text` on one line and in at most `max_chars` characters; "…" marks what was cut."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else line[: max_chars - len(_CUT)] + _CUT


def documents_of(result: RunResult) -> list[str]:
    """Return the distinct documents that the report cites. A reference's source may name several."""
    named = (
        document.strip()
        for ref in result.evidence
        if ref.source_type is SourceType.KNOWLEDGE
        for document in ref.source.split(",")
    )
    return list(dict.fromkeys(document for document in named if document))


def _smaller_and_smaller(turn: PreviousTurn) -> Iterator[PreviousTurn]:
    """Yield `turn`, then what is left of it when more and more is given up."""
    yield turn
    while turn.limitations:
        turn = replace(turn, limitations=turn.limitations[:-1])
        yield turn
    while turn.knowledge_documents:
        turn = replace(turn, knowledge_documents=turn.knowledge_documents[:-1])
        yield turn
    yield (turn := replace(turn, checked_scope=""))
    while len(turn.query) > len(_CUT) or len(turn.conclusion) > len(_CUT):
        turn = replace(
            turn,
            query=cut(turn.query, max(1, len(turn.query) // 2)),
            conclusion=cut(turn.conclusion, max(1, len(turn.conclusion) // 2)),
        )
        yield turn
