"""The progress projector: what a collection really saw, read again from the canonical store.

Nothing of the model's words goes in. What cannot be verified any more becomes a limitation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from superbiz_cli.harness.contract.evidence import EvidenceSnapshot, ObservedFact, ReadResult
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.tool_call import SOURCE_TYPE_OF, ToolName
from superbiz_cli.harness.progress.log_facts import (
    log_patterns,
    log_search,
    source_remarks,
    telling_facts,
    with_patterns,
)
from superbiz_cli.harness.tool.bounds import clip
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, InvocationStore, StoreError
from superbiz_cli.harness.tool.port import ProjectionFailed

MAX_FACTS = 12
MAX_SUMMARY_CHARS = 320
MAX_SCOPE_CHARS = 320
MAX_EXCERPT_CHARS = 320
MAX_SOURCE_CHARS = 160
MAX_REMARKS = 8

STORE_UNREADABLE: Final = "A result of {tool} could not be read again from the store."
RECORD_GONE: Final = "A result of {tool} is no longer in the store."
RECORD_UNUSABLE: Final = "A result of {tool} in the store cannot be used as evidence."
RESULT_UNREADABLE: Final = "A result of {tool} could not be verified."
NOT_LISTED: Final = "{count} more verified results are not listed."


class _Unverified(Exception):
    """A completed call that the store does not confirm. Carries the limitation to publish."""

    def __init__(self, limitation: str) -> None:
        super().__init__(limitation)
        self.limitation = limitation


def take_snapshot(
    calls: Sequence[tuple[str, ToolName]], *, run_id: str, store: InvocationStore, catalog: ToolCatalog
) -> EvidenceSnapshot:
    """Return at most 12 distinct facts from the completed `calls`, and what could not be verified.

    Of logs each pattern worth telling is a fact, errors and what is new first; then what other tools
    found, then the empty results, which give way first. Within that the order is that of the calls.
    """
    verified: list[ObservedFact] = []
    told: list[ObservedFact] = []
    limitations: dict[str, None] = {}
    remarks: dict[str, None] = {}
    for tool_call_id, tool_name in calls:
        try:
            read = _verified(tool_call_id, tool_name, run_id=run_id, store=store, catalog=catalog)
        except _Unverified as unverified:
            limitations.setdefault(unverified.limitation)
            continue
        fact = _fact(read, tool_name)
        verified.append(fact)
        told += with_patterns(fact, log_patterns(read.payload) if fact.search else ())
        remarks |= dict.fromkeys(source_remarks(read.payload))
    facts = _distinct(told)
    if len(facts) > MAX_FACTS:
        limitations.setdefault(NOT_LISTED.format(count=len(facts) - MAX_FACTS))
    return EvidenceSnapshot(
        facts=facts[:MAX_FACTS],
        limitations=tuple(limitations),
        calls=tuple(verified),
        remarks=tuple(remarks)[:MAX_REMARKS],
    )


def _distinct(facts: Sequence[ObservedFact]) -> tuple[ObservedFact, ...]:
    """Order the facts for the reader; the same find of two searches is one fact, two empty scopes are two."""
    others = [fact for fact in facts if fact.pattern is None]
    found = [fact for fact in others if fact.evidence_status is EvidenceStatus.EVIDENCE_FOUND]
    empty = [fact for fact in others if fact.evidence_status is not EvidenceStatus.EVIDENCE_FOUND]
    distinct: dict[tuple[str, ...], ObservedFact] = {}
    for fact in (*found, *empty):
        is_found = fact.evidence_status is EvidenceStatus.EVIDENCE_FOUND
        identity = (fact.source_type, fact.source, "" if is_found else fact.scope, fact.summary)
        distinct.setdefault(identity, fact)
    return (*telling_facts(facts), *distinct.values())


def _fact(read: ReadResult, tool_name: ToolName) -> ObservedFact:
    return ObservedFact(
        tool_call_id=read.tool_call_id,
        tool_name=tool_name,
        source_type=SOURCE_TYPE_OF[tool_name],
        evidence_status=read.control.evidence_status,
        source=clip(read.source, MAX_SOURCE_CHARS),
        scope=clip(read.scope, MAX_SCOPE_CHARS),
        summary=clip(read.summary, MAX_SUMMARY_CHARS),
        excerpt=clip(read.excerpt, MAX_EXCERPT_CHARS),
        search=log_search(read.payload) if tool_name is ToolName.QUERY_LOGS else None,
    )


def _verified(
    tool_call_id: str, tool_name: ToolName, *, run_id: str, store: InvocationStore, catalog: ToolCatalog
) -> ReadResult:
    record = _record_of(tool_call_id, tool_name, run_id=run_id, store=store)
    return _read_again(record, tool_call_id, catalog)


def _record_of(
    tool_call_id: str, tool_name: ToolName, *, run_id: str, store: InvocationStore
) -> CanonicalInvocation:
    try:
        record = store.find(run_id, tool_call_id)
    except StoreError as error:
        raise _Unverified(STORE_UNREADABLE.format(tool=tool_name.value)) from error
    if record is None:
        raise _Unverified(RECORD_GONE.format(tool=tool_name.value))
    is_the_call = record.tool_call_id == tool_call_id and record.tool_name is tool_name
    if not is_the_call or not record.is_referencable_by(run_id):
        raise _Unverified(RECORD_UNUSABLE.format(tool=tool_name.value))
    return record


def _read_again(record: CanonicalInvocation, tool_call_id: str, catalog: ToolCatalog) -> ReadResult:
    unverified = _Unverified(RESULT_UNREADABLE.format(tool=record.tool_name.value))
    tool = catalog.get(record.tool_name.value)
    if tool is None:
        raise unverified
    try:
        read = tool.read(record.agent_result or "", tool_call_id=tool_call_id)
    except ProjectionFailed:
        raise unverified from None
    if read.tool_call_id != tool_call_id or read.control.evidence_status is not record.evidence_status:
        raise unverified
    return read
