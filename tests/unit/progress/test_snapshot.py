from __future__ import annotations

import dataclasses

from superbiz_cli.harness.contract.evidence import EvidenceSnapshot
from superbiz_cli.harness.contract.status import EvidenceStatus
from superbiz_cli.harness.contract.strict import JsonValue
from superbiz_cli.harness.contract.tool_call import SourceType, ToolName
from superbiz_cli.harness.progress import snapshot
from superbiz_cli.harness.progress.snapshot import take_snapshot
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import CanonicalInvocation, StoreFault
from tests.support.fakes import (
    FakeEvidenceTool,
    InMemoryInvocationStore,
    Scripted,
    found,
    nothing,
    put,
    ready_record,
)

RUN_ID = "run-1"
LOGS = ToolName.QUERY_LOGS


class Seen:
    """A store with completed calls of query_logs, and the snapshot of them."""

    def __init__(self) -> None:
        self.store = InMemoryInvocationStore()
        self.catalog = ToolCatalog([FakeEvidenceTool(LOGS)])
        self.calls: list[tuple[str, ToolName]] = []

    def call(self, script: Scripted, **summary: JsonValue) -> str:
        payload = {**script.payload, **summary}
        call_id = f"ev-{len(self.calls) + 1}"
        return self.record(ready_record(RUN_ID, call_id, script=dataclasses.replace(script, payload=payload)))

    def record(self, record: CanonicalInvocation, called: str | None = None) -> str:
        put(self.store, record)
        self.calls.append((called or record.tool_call_id, LOGS))
        return record.tool_call_id

    def snapshot(self) -> EvidenceSnapshot:
        return take_snapshot(self.calls, run_id=RUN_ID, store=self.store, catalog=self.catalog)


def test_no_calls_make_an_empty_snapshot() -> None:
    assert Seen().snapshot() == EvidenceSnapshot()


def test_a_completed_call_becomes_a_fact_in_the_words_of_its_tool() -> None:
    seen = Seen()
    call_id = seen.call(found(source="app logs", summary="37 timeouts", excerpt="timed out after 30000ms"))
    (fact,) = seen.snapshot().facts
    assert (fact.tool_call_id, fact.tool_name, fact.source_type) == (call_id, LOGS, SourceType.LOGS)
    assert fact.evidence_status is EvidenceStatus.EVIDENCE_FOUND
    assert (fact.source, fact.summary, fact.excerpt) == (
        "app logs",
        "37 timeouts",
        "timed out after 30000ms",
    )


def test_an_empty_query_is_a_fact_too() -> None:
    seen = Seen()
    seen.call(nothing(summary="nothing matched"))
    (fact,) = seen.snapshot().facts
    assert fact.evidence_status is EvidenceStatus.NO_EVIDENCE


def test_texts_are_clipped_to_their_bounds() -> None:
    seen = Seen()
    seen.call(found(source="s" * 500, summary="m" * 500, excerpt="e" * 500, scope="c" * 500))
    (fact,) = seen.snapshot().facts
    assert len(fact.source) == snapshot.MAX_SOURCE_CHARS
    assert len(fact.summary) == snapshot.MAX_SUMMARY_CHARS
    assert len(fact.scope) == snapshot.MAX_SCOPE_CHARS
    assert len(fact.excerpt) == snapshot.MAX_EXCERPT_CHARS


def test_facts_that_say_the_same_are_listed_once() -> None:
    seen = Seen()
    first = seen.call(found(summary="37 timeouts"))
    seen.call(found(summary="37 timeouts"))
    facts = seen.snapshot().facts
    assert [fact.tool_call_id for fact in facts] == [first]


def test_at_most_twelve_facts_are_kept_and_the_rest_is_admitted() -> None:
    seen = Seen()
    for number in range(15):
        seen.call(found(summary=f"fact {number}"))
    taken = seen.snapshot()
    assert [fact.summary for fact in taken.facts] == [f"fact {number}" for number in range(12)]
    assert taken.limitations == (snapshot.NOT_LISTED.format(count=3),)


def test_empty_results_stand_behind_findings_and_give_way_to_them() -> None:
    seen = Seen()
    for number in range(8):
        seen.call(nothing(scope=f"scope {number}", summary=f"nothing {number}"))
        seen.call(found(summary=f"fact {number}"))
    taken = seen.snapshot()
    assert [fact.summary for fact in taken.facts] == [
        *(f"fact {number}" for number in range(8)),
        *(f"nothing {number}" for number in range(4)),
    ]
    assert len(taken.calls) == 16
    assert taken.limitations == (snapshot.NOT_LISTED.format(count=4),)


def test_every_verified_call_is_kept_for_who_may_cite_it() -> None:
    seen = Seen()
    ids = [seen.call(found(summary="37 timeouts")), seen.call(found(summary="37 timeouts"))]
    taken = seen.snapshot()
    assert [fact.tool_call_id for fact in taken.calls] == ids
    assert len(taken.facts) == 1


def test_what_a_source_could_not_read_is_remarked_once() -> None:
    seen = Seen()
    seen.call(found(limitations=["app: core.bin: binary file", 7], summary="a"))
    seen.call(found(limitations=["app: core.bin: binary file"], summary="b"))
    seen.call(found(limitations="none", summary="c"))
    assert seen.snapshot().remarks == ("app: core.bin: binary file",)


def test_a_record_that_expired_becomes_a_limitation() -> None:
    seen = Seen()
    seen.store.forget(RUN_ID, seen.call(found()))
    assert seen.snapshot() == EvidenceSnapshot(limitations=(snapshot.RECORD_GONE.format(tool="query_logs"),))


def test_a_store_that_fails_becomes_one_limitation_for_all_its_calls() -> None:
    seen = Seen()
    seen.call(found())
    seen.call(nothing())
    seen.store.faults["find"] = StoreFault.UNAVAILABLE
    limitation = snapshot.STORE_UNREADABLE.format(tool="query_logs")
    assert seen.snapshot() == EvidenceSnapshot(limitations=(limitation,))


def test_a_call_that_never_completed_is_no_fact() -> None:
    seen = Seen()
    seen.record(ready_record(RUN_ID, "ev-1").as_begun())
    assert seen.snapshot().limitations == (snapshot.RECORD_UNUSABLE.format(tool="query_logs"),)


def test_a_record_of_another_tool_is_no_fact() -> None:
    seen = Seen()
    seen.record(ready_record(RUN_ID, "ev-1", tool=ToolName.QUERY_MYSQL))
    assert seen.snapshot().limitations == (snapshot.RECORD_UNUSABLE.format(tool="query_logs"),)


def test_a_record_under_the_wrong_key_is_no_fact() -> None:
    seen = Seen()
    stray = ready_record(RUN_ID, "ev-2")

    class MixedUp(InMemoryInvocationStore):
        def find(self, run_id: str, tool_call_id: str) -> CanonicalInvocation | None:
            return stray

    seen.store = MixedUp()
    seen.calls.append(("ev-1", LOGS))
    assert seen.snapshot().limitations == (snapshot.RECORD_UNUSABLE.format(tool="query_logs"),)


def test_a_result_of_another_call_in_the_record_is_no_fact() -> None:
    seen = Seen()
    other = ready_record(RUN_ID, "ev-2").agent_result
    seen.record(ready_record(RUN_ID, "ev-1", agent_result=other))
    assert seen.snapshot().limitations == (snapshot.RESULT_UNREADABLE.format(tool="query_logs"),)


def test_a_result_that_contradicts_the_status_of_its_record_is_no_fact() -> None:
    seen = Seen()
    empty = ready_record(RUN_ID, "ev-1", script=nothing()).agent_result
    seen.record(ready_record(RUN_ID, "ev-1", script=found(), agent_result=empty))
    assert seen.snapshot().limitations == (snapshot.RESULT_UNREADABLE.format(tool="query_logs"),)


def test_a_result_of_a_tool_that_is_not_configured_any_more_is_no_fact() -> None:
    seen = Seen()
    seen.call(found())
    seen.catalog = ToolCatalog([])
    assert seen.snapshot().limitations == (snapshot.RESULT_UNREADABLE.format(tool="query_logs"),)


def test_what_is_verified_stands_beside_what_is_not() -> None:
    seen = Seen()
    seen.call(found(summary="37 timeouts"))
    seen.store.forget(RUN_ID, seen.call(found(summary="lost")))
    taken = seen.snapshot()
    assert [fact.summary for fact in taken.facts] == ["37 timeouts"]
    assert len(taken.limitations) == 1
