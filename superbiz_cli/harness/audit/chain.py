"""The hash chain over the trace events of one Run: what was written cannot be changed unnoticed.

digest(n) = SHA-256 of digest(n - 1), in hexadecimal, followed by the canonical JSON of event n;
digest(0) is 64 zeros. The chain detects changed, removed, added and reordered events; the seal of a
finished Run covers the last digest, the counts and the published result. There is no key: whoever
can rewrite the whole database can also compute a new chain (docs/adr/0001-hash-chain-over-trace-events.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from superbiz_cli.harness.audit.events import RecordedEvent
from superbiz_cli.harness.contract.strict import canonical_json

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One trace event exactly as it is stored. `attributes_json` is text: its bytes are hashed.

    `stage` and `type` are plain text, so that a row that nobody could have written is shown, too.
    """

    run_id: str
    sequence_no: int
    at_ms: int
    stage: str
    type: str
    attributes_json: str
    digest: str


@dataclass(frozen=True, slots=True)
class LedgerTotals:
    """What the ledger of one Run has numbered and passed on, and the last digest of its chain."""

    events: int = 0
    model_calls: int = 0
    agent_steps: int = 0
    tool_invocations: int = 0
    head: str = GENESIS


class ChainFault(StrEnum):
    """What is wrong with a chain."""

    EVENT_ALTERED = "EVENT_ALTERED"
    EVENT_MISSING = "EVENT_MISSING"
    HEAD_DIFFERS = "HEAD_DIFFERS"
    RESULT_ALTERED = "RESULT_ALTERED"


@dataclass(frozen=True, slots=True)
class ChainIntact:
    """Every event is the one that was written. `sealed` tells whether the Run's end is covered."""

    events: int
    sealed: bool


@dataclass(frozen=True, slots=True)
class ChainIncomplete:
    """What is there is intact, but the ledger wrote `recorded` events and `events` are left."""

    events: int
    recorded: int


@dataclass(frozen=True, slots=True)
class ChainBroken:
    """Something was changed after it was written, at `sequence_no` (0: the Run's own row)."""

    sequence_no: int
    fault: ChainFault


ChainVerdict: TypeAlias = ChainIntact | ChainIncomplete | ChainBroken


def stored_form(recorded: RecordedEvent) -> StoredEvent:
    """Return the event as it is stored. Its display texts are left behind."""
    event = recorded.event
    return StoredEvent(
        run_id=recorded.run_id,
        sequence_no=recorded.sequence_no,
        at_ms=recorded.at_ms,
        stage=event.stage.value,
        type=event.type.value,
        attributes_json=canonical_json(dict(event.attributes)),
        digest=recorded.digest,
    )


def digest_of(event: StoredEvent, *, previous: str) -> str:
    """Return the digest that `event` must have after `previous`. Its own digest is not read."""
    link = {
        "run_id": event.run_id,
        "sequence_no": event.sequence_no,
        "at_ms": event.at_ms,
        "stage": event.stage,
        "type": event.type,
        "attributes": event.attributes_json,
    }
    return _sha256(previous + canonical_json(link))


def seal_of(totals: LedgerTotals, *, result_json: str) -> str:
    """Return the seal of a finished Run: over its chain's head, its counts and its stored result."""
    recorded = [totals.events, totals.model_calls, totals.agent_steps, totals.tool_invocations]
    return _sha256(canonical_json({"head": totals.head, "recorded": recorded, "result": result_json}))


def verify_chain(
    events: Sequence[StoredEvent],
    *,
    totals: LedgerTotals | None = None,
    result_json: str | None = None,
    seal: str | None = None,
) -> ChainVerdict:
    """Check the events of one Run, in order of their numbers, against each other and the seal.

    Without `totals` (the Run has not finished) only the events themselves can be checked.
    """
    previous = GENESIS
    for expected_no, event in enumerate(events, start=1):
        if event.sequence_no != expected_no:
            return ChainBroken(expected_no, ChainFault.EVENT_MISSING)
        if event.digest != digest_of(event, previous=previous):
            return ChainBroken(expected_no, ChainFault.EVENT_ALTERED)
        previous = event.digest
    if totals is None:
        return ChainIntact(len(events), sealed=False)
    if seal != seal_of(totals, result_json=result_json or ""):
        return ChainBroken(0, ChainFault.RESULT_ALTERED)
    if len(events) < totals.events:
        return ChainIncomplete(len(events), recorded=totals.events)
    if previous != totals.head:
        return ChainBroken(len(events), ChainFault.HEAD_DIFFERS)
    return ChainIntact(len(events), sealed=True)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
