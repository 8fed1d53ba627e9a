"""One suite over every database that keeps Runs: what the port promises holds on each of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from sqlalchemy import Engine, create_engine, text

from superbiz_cli.adapters.sql_audit import migrate
from superbiz_cli.adapters.sql_audit.address import parse_address
from superbiz_cli.adapters.sql_audit.archive import SqlArchive, open_archive
from superbiz_cli.adapters.sql_audit.database import make_private_file
from superbiz_cli.adapters.sql_audit.migrate import VERSION_TABLE, lock_name
from superbiz_cli.adapters.sql_audit.schema import metadata
from superbiz_cli.harness.audit.archive import AuditUnavailable, RunArchive
from superbiz_cli.harness.audit.chain import (
    ChainBroken,
    ChainFault,
    ChainIncomplete,
    ChainIntact,
    LedgerTotals,
)
from superbiz_cli.harness.audit.events import RecordedEvent, TraceEvent, TraceType
from superbiz_cli.harness.audit.failure import AuditFault
from superbiz_cli.harness.audit.replay import ReplayDepth, replay_run
from superbiz_cli.harness.audit.rows import AmbiguousRun, PruneCount, RunFilter, RunSummary
from superbiz_cli.harness.contract.report import Answer, RunResult, Usage
from superbiz_cli.harness.contract.status import EvidenceStatus, Intent, InvocationStatus, RelevanceLevel
from superbiz_cli.harness.contract.tool_call import ToolErrorCode
from tests.support.audit import BEGAN, invocation, run_start, scratch_database, stored_run, write_run
from tests.support.auditing_process import write_at_once
from tests.support.results import fallback_result, result, run_results
from tests.support.services import mariadb_url

SECRET = "hunter2"


def redact(text: str) -> str:
    return text.replace(SECRET, "[REDACTED]")


@dataclass(frozen=True)
class Subject:
    """An archive under test, and the hand that reaches behind it."""

    url: str
    archive: RunArchive
    engine: Engine

    def another(self, *, owner: str = "ann", keep_reasoning: bool = True) -> RunArchive:
        return open_archive(self.url, redact=redact, owner=owner, keep_reasoning=keep_reasoning)

    def tamper(self, statement: str) -> None:
        with self.engine.begin() as connection:
            assert connection.execute(text(statement)).rowcount

    def rows(self, table: str) -> list[dict[str, object]]:
        with self.engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(text(f"SELECT * FROM {table}"))]


BOTH = ["sqlite", pytest.param("mariadb", marks=pytest.mark.mariadb)]


@pytest.fixture(scope="module")
def mariadb_scratch() -> Iterator[str]:
    with scratch_database(mariadb_url()) as url:
        yield url


@pytest.fixture(params=BOTH)
def fresh_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database that has never been opened."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/home/audit.db"
        return
    with scratch_database(mariadb_url()) as url:
        yield url


@pytest.fixture
def fresh(fresh_url: str) -> Iterator[Subject]:
    """A database that this test alone uses, for tests that change its schema."""
    yield from _opened(fresh_url)


@pytest.fixture(params=BOTH)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    """An empty database; on a server it is shared by the tests of this module, one after another."""
    if request.param == "sqlite":
        yield from _opened(f"sqlite:///{tmp_path}/audit.db")
        return
    for opened in _opened(request.getfixturevalue("mariadb_scratch")):
        yield opened
        with opened.engine.begin() as connection:
            for table in metadata.sorted_tables:
                connection.execute(table.delete())


def _opened(url: str) -> Iterator[Subject]:
    archive = open_archive(url, redact=redact, owner="ann")
    engine = create_engine(url)
    yield Subject(url, archive, engine)
    engine.dispose()
    archive.close()


@pytest.fixture
def archive(subject: Subject) -> RunArchive:
    return subject.archive


# Runs


def test_a_started_run_is_listed_as_running(archive: RunArchive) -> None:
    archive.start_run(run_start("run1", "s1"))
    assert archive.recent_runs().runs == (
        RunSummary(
            run_id="run1",
            session_id="s1",
            query="payment service times out",
            model="openai/gpt-5",
            run_state="RUNNING",
            started_at=BEGAN,
        ),
    )


def test_a_finished_run_keeps_what_the_user_saw(archive: RunArchive) -> None:
    write_run(archive, "run1", outcome=result("run1"))
    kept = stored_run(archive, "run1").result()
    assert kept == result("run1")


def test_times_come_back_as_the_same_moment_in_utc(archive: RunArchive) -> None:
    shanghai = timezone(timedelta(hours=8))
    started = datetime(2026, 11, 30, 18, 15, 22, 123456, tzinfo=shanghai)
    write_run(archive, "run1", started_at=started)
    summary = stored_run(archive, "run1").summary
    assert summary.started_at == started
    assert summary.started_at.tzinfo is UTC
    assert summary.completed_at == started + timedelta(seconds=36)


def test_question_and_stored_result_are_redacted(archive: RunArchive, subject: Subject) -> None:
    write_run(archive, "run1", query=f"login fails with password {SECRET}")
    assert stored_run(archive, "run1").summary.query == "login fails with password [REDACTED]"
    assert SECRET not in str(subject.rows("diagnosis_run"))


def test_a_question_that_cannot_be_redacted_is_not_kept(subject: Subject) -> None:
    def broken(_text: str) -> str:
        raise RuntimeError(SECRET)

    with closing(open_archive(subject.url, redact=broken)) as careless:
        careless.start_run(run_start("run1", query=SECRET))
    assert stored_run(subject.archive, "run1").summary.query == "[redaction failed]"


def test_an_outcome_is_kept_once(archive: RunArchive) -> None:
    write_run(archive, "run1")
    archive.finish_run(fallback_result("run1"), LedgerTotals())
    assert stored_run(archive, "run1").summary.release_outcome == "SUCCESS"


def test_a_run_whose_start_was_not_written_is_registered_by_its_outcome(archive: RunArchive) -> None:
    archive.finish_run(fallback_result("run1", "s9"), LedgerTotals())
    summary = stored_run(archive, "run1").summary
    assert (summary.session_id, summary.release_outcome, summary.fallback_type) == (
        "s9",
        "FALLBACK",
        "INSUFFICIENT_EVIDENCE",
    )
    assert summary.started_at == BEGAN


def test_texts_of_any_script_survive(archive: RunArchive) -> None:
    query = "支付服务超时 🧨 'quoted' \\ \x00 \u2028 ¿"
    write_run(archive, "run1", query=query)
    assert stored_run(archive, "run1").summary.query == query


def test_a_lone_surrogate_does_not_cost_the_record(archive: RunArchive) -> None:
    write_run(archive, "run1", query="bad \ud800 byte")
    assert stored_run(archive, "run1").summary.query == "bad ? byte"


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outcome=run_results())
def test_any_publishable_result_comes_back_equal_and_sealed(subject: Subject, outcome: RunResult) -> None:
    with subject.engine.begin() as connection:
        connection.execute(text("DELETE FROM diagnosis_run"))
    subject.archive.finish_run(outcome, LedgerTotals())
    stored = stored_run(subject.archive, outcome.run_id)
    assert stored.result() == outcome.model_copy(update={"query": redact(outcome.query)})
    assert replay_run(subject.archive, stored).chain == ChainIntact(0, sealed=True)


# Finding and listing


def test_a_run_is_found_by_a_unique_prefix(archive: RunArchive) -> None:
    write_run(archive, "7f3kaaaaaa")
    write_run(archive, "7f4kaaaaaa")
    assert stored_run(archive, "7f3k").summary.run_id == "7f3kaaaaaa"


def test_an_ambiguous_prefix_names_the_candidates(archive: RunArchive) -> None:
    write_run(archive, "7f3kaaaaaa")
    write_run(archive, "7f4kaaaaaa", started_at=BEGAN + timedelta(seconds=1))
    assert archive.find_run("7f") == AmbiguousRun(("7f4kaaaaaa", "7f3kaaaaaa"))


def test_a_whole_id_wins_over_longer_ids_that_begin_with_it(archive: RunArchive) -> None:
    write_run(archive, "7f3k")
    write_run(archive, "7f3kaaaaaa")
    assert stored_run(archive, "7f3k").summary.run_id == "7f3k"


@pytest.mark.parametrize("text", ["", "zzz", "%", "7f_k", "跑", "x" * 65, "' OR 1=1 --"])
def test_what_is_no_prefix_of_an_id_finds_nothing(archive: RunArchive, text: str) -> None:
    write_run(archive, "7f3kaaaaaa")
    assert archive.find_run(text) is None


def test_runs_are_listed_newest_first_in_pages(archive: RunArchive) -> None:
    for number in range(5):
        write_run(archive, f"run{number}", started_at=BEGAN + timedelta(minutes=number // 2))
    listed: list[str] = []
    before, more = None, True
    while more:
        page = archive.recent_runs(limit=2, before=before)
        listed += [run.run_id for run in page.runs]
        before, more = listed[-1], page.more
    assert listed == ["run4", "run3", "run2", "run1", "run0"]


def test_a_page_after_an_unknown_run_is_empty(archive: RunArchive) -> None:
    write_run(archive, "run1")
    assert archive.recent_runs(before="gone").runs == ()


def test_filters_narrow_the_list(archive: RunArchive) -> None:
    write_run(archive, "run1", "s1")
    write_run(
        archive, "run2", "s2", outcome=fallback_result("run2", "s2"), started_at=BEGAN + timedelta(days=1)
    )
    write_run(archive, "run3", "s2", outcome=result("run3", "s2", intent=Intent.SYSTEM_CHAT))

    def ids(which: RunFilter) -> set[str]:
        return {run.run_id for run in archive.recent_runs(which).runs}

    assert ids(RunFilter(session_id="s2")) == {"run2", "run3"}
    assert ids(RunFilter(release_outcome="FALLBACK")) == {"run2"}
    assert ids(RunFilter(intent="DIAGNOSIS")) == {"run1", "run2"}
    assert ids(RunFilter(since=BEGAN + timedelta(hours=1))) == {"run2"}
    assert ids(RunFilter(until=BEGAN + timedelta(hours=1))) == {"run1", "run3"}
    assert ids(RunFilter(until=BEGAN)) == set()


# Sessions and memory


def test_the_last_success_of_a_session_is_its_last_released_diagnosis(archive: RunArchive) -> None:
    def later(minutes: int) -> datetime:
        return BEGAN + timedelta(minutes=minutes)

    write_run(archive, "run1", "s1", started_at=later(0))
    write_run(archive, "run2", "s1", started_at=later(1))
    write_run(archive, "run3", "s1", outcome=fallback_result("run3"), started_at=later(2))
    chat = result("run4", report=None, answer=Answer(statements=()), intent=Intent.SYSTEM_CHAT)
    write_run(archive, "run4", "s1", outcome=chat, started_at=later(3))
    write_run(archive, "run5", "s2", started_at=later(4))
    archive.start_run(run_start("run6", "s1", started_at=later(5)))
    last = archive.last_success("s1")
    assert last is not None
    assert last.run_id == "run2"
    assert archive.last_success("unknown") is None


def test_a_stored_result_that_cannot_be_read_is_no_memory(subject: Subject) -> None:
    write_run(subject.archive, "run1", "s1")
    subject.tamper("UPDATE diagnosis_run SET result_json = '{\"run_id\": 1}'")
    assert subject.archive.last_success("s1") is None
    assert stored_run(subject.archive, "run1").result() is None


def test_routing_history_is_the_last_routed_questions_oldest_first(archive: RunArchive) -> None:
    for number in range(7):
        outcome = result(f"run{number}", intent=None if number == 6 else Intent.DIAGNOSIS)
        write_run(
            archive,
            f"run{number}",
            "s1",
            outcome=outcome,
            query=f"question {number}",
            started_at=BEGAN + timedelta(minutes=number),
        )
    history = archive.routing_history("s1", limit=5)
    assert [entry.query for entry in history] == [f"question {number}" for number in (1, 2, 3, 4, 5)]
    assert {entry.intent for entry in history} == {Intent.DIAGNOSIS}


def test_sessions_are_listed_by_last_use_with_their_last_run(archive: RunArchive) -> None:
    write_run(archive, "run1", "s1")
    write_run(archive, "run2", "s2", started_at=BEGAN + timedelta(minutes=1))
    write_run(archive, "run3", "s1", started_at=BEGAN + timedelta(minutes=2))
    page = archive.sessions(limit=1)
    assert [(s.session_id, s.runs, s.owner, s.created_at) for s in page.sessions] == [("s1", 2, "ann", BEGAN)]
    assert page.sessions[0].last_run is not None
    assert page.sessions[0].last_run.run_id == "run3"
    assert page.more
    rest = archive.sessions(limit=1, before="s1")
    assert [session.session_id for session in rest.sessions] == ["s2"]
    assert not rest.more
    assert archive.sessions(before="gone").sessions == ()


def test_a_session_is_found_by_its_exact_id(archive: RunArchive) -> None:
    write_run(archive, "run1", "Shop-oncall")
    found = archive.find_session("Shop-oncall")
    assert found is not None
    assert found.runs == 1
    assert archive.find_session("shop-oncall") is None


def test_the_latest_session_is_that_of_the_same_user(subject: Subject) -> None:
    assert subject.archive.latest_session() is None
    write_run(subject.archive, "run1", "of-ann")
    with closing(subject.another(owner="bob")) as bobs:
        write_run(bobs, "run2", "of-bob", started_at=BEGAN + timedelta(minutes=1))
        assert bobs.latest_session() == "of-bob"
    assert subject.archive.latest_session() == "of-ann"


# Traces


def test_a_run_replays_in_full_depth(archive: RunArchive) -> None:
    write_run(archive, "run1")
    replay = replay_run(archive, stored_run(archive, "run1"), depth=ReplayDepth.REASONING)
    assert [entry.type for entry in replay.timeline] == [
        "RUN_STARTED",
        "AGENT_MODEL_STEP",
        "TOOL_INVOCATION",
        "SEMANTIC_ATTEMPT",
        "RELEASE_DECISION",
        "RUN_FINISHED",
    ]
    assert replay.details is not None
    [step] = replay.details.agent_steps
    agent_call, judge_call = replay.details.model_calls
    assert (step.model_call_id, judge_call.role) == (agent_call.id, "judge")
    assert replay.timeline[1].attributes == {"step_id": step.id, "model_call_id": agent_call.id}
    assert [text.text for text in replay.reasoning or ()] == ["I look at the logs."]
    assert replay.chain == ChainIntact(6, sealed=True)
    assert replay.tokens.consistent
    assert {count.missing for count in replay.counts} == {0}


def test_model_text_is_kept_only_if_wanted(subject: Subject) -> None:
    with closing(subject.another(keep_reasoning=False)) as silent:
        write_run(silent, "run1")
    assert subject.archive.reasoning("run1") == ()
    assert subject.rows("agent_reasoning_audit") == []


def test_a_tool_invocation_row_has_the_documented_shape(subject: Subject) -> None:
    sink = subject.archive.trace_sink(run_id="run1", session_id="s1")
    failed = invocation(
        "ev-2",
        status=InvocationStatus.ERROR,
        evidence_status=EvidenceStatus.ERROR,
        agent_result_bytes=0,
        error_code=ToolErrorCode.TOOL_EXECUTION_ERROR,
    )
    sink.tool_invocation("run1", invocation("ev-1", relevance_level=RelevanceLevel.PRECISE, step_id=7))
    sink.tool_invocation("run1", failed)
    ready, error = subject.archive.details("run1").tool_invocations
    assert (ready.tool_call_id, ready.step_id, ready.relevance_level, ready.success) == (
        "ev-1",
        7,
        "PRECISE",
        True,
    )
    assert (error.success, error.error_code, error.evidence_status) == (
        False,
        "TOOL_EXECUTION_ERROR",
        "ERROR",
    )
    row = subject.rows("tool_invocation")[0]
    assert (row["session_id"], row["retrieval_layer"], row["output_length"]) == ("s1", "HARNESS", 3100)
    assert row["output_preview"] == "status=READY evidence_status=EVIDENCE_FOUND"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        (
            "UPDATE diagnosis_trace_event SET attributes = '{}' WHERE sequence_no = 3",
            ChainBroken(3, ChainFault.EVENT_ALTERED),
        ),
        (
            "DELETE FROM diagnosis_trace_event WHERE sequence_no = 2",
            ChainBroken(2, ChainFault.EVENT_MISSING),
        ),
        ("DELETE FROM diagnosis_trace_event WHERE sequence_no > 4", ChainIncomplete(4, recorded=6)),
        ("UPDATE diagnosis_run SET recorded_events = 5", ChainBroken(0, ChainFault.RESULT_ALTERED)),
        (
            "UPDATE diagnosis_run SET result_json = REPLACE(result_json, 'exhausted', 'fine')",
            ChainBroken(0, ChainFault.RESULT_ALTERED),
        ),
    ],
)
def test_tampering_is_noticed(
    subject: Subject, statement: str, verdict: ChainBroken | ChainIncomplete
) -> None:
    write_run(subject.archive, "run1")
    subject.tamper(statement)
    assert replay_run(subject.archive, stored_run(subject.archive, "run1")).chain == verdict


def test_rows_that_are_gone_show_as_a_gap(subject: Subject) -> None:
    write_run(subject.archive, "run1")
    subject.tamper("DELETE FROM model_call WHERE role = 'judge'")
    replay = replay_run(subject.archive, stored_run(subject.archive, "run1"))
    assert {count.kind: count.missing for count in replay.counts} == {
        "events": 0,
        "model_calls": 1,
        "agent_steps": 0,
        "tool_invocations": 0,
    }
    assert replay.tokens.consistent is False


def test_a_sequence_number_is_written_once(subject: Subject) -> None:
    write_run(subject.archive, "run1")
    sink = subject.archive.trace_sink(run_id="run1", session_id="s1")
    with pytest.raises(AuditUnavailable) as refused:
        sink.event(RecordedEvent("run1", 1, 0, TraceEvent(TraceType.RUN_STARTED)))
    assert refused.value.fault is AuditFault.REFUSED


def test_the_run_may_write_on_another_thread_than_the_reader(archive: RunArchive) -> None:
    worker = threading.Thread(target=write_run, args=(archive, "run1"))
    worker.start()
    worker.join()
    write_run(archive, "run2")
    assert [stored_run(archive, run_id).result() is not None for run_id in ("run1", "run2")] == [True, True]


# Pruning


def test_pruning_removes_old_runs_with_all_their_rows_and_empty_sessions(subject: Subject) -> None:
    archive = subject.archive
    write_run(archive, "old1", "gone")
    write_run(archive, "old2", "kept")
    write_run(archive, "new1", "kept", started_at=BEGAN + timedelta(days=1))
    cutoff = BEGAN + timedelta(hours=1)
    assert archive.prune(before=cutoff, dry_run=True) == PruneCount(runs=2, sessions=1)
    assert len(archive.recent_runs().runs) == 3
    assert archive.prune(before=cutoff) == PruneCount(runs=2, sessions=1)
    assert [run.run_id for run in archive.recent_runs().runs] == ["new1"]
    assert [session.session_id for session in archive.sessions().sessions] == ["kept"]
    for table in (
        "model_call",
        "agent_step",
        "agent_reasoning_audit",
        "tool_invocation",
        "diagnosis_trace_event",
    ):
        assert {row["run_id"] for row in subject.rows(table)} == {"new1"}
    assert archive.prune(before=cutoff) == PruneCount()


def test_more_runs_than_one_batch_are_pruned(subject: Subject) -> None:
    for number in range(201):
        subject.archive.start_run(run_start(f"run{number}"))
    assert subject.archive.prune(before=BEGAN + timedelta(seconds=1)).runs == 201
    assert subject.archive.recent_runs().runs == ()


# Opening


def test_an_archive_opened_again_has_what_was_written(subject: Subject) -> None:
    write_run(subject.archive, "run1")
    with closing(subject.another()) as second:
        assert second.find_run("run1") == subject.archive.find_run("run1")


def test_the_migrated_tables_are_the_declared_ones(subject: Subject) -> None:
    with subject.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []


def test_a_database_of_a_newer_version_is_refused(fresh: Subject) -> None:
    fresh.tamper("UPDATE superbiz_schema_version SET version_num = '9999'")
    with pytest.raises(AuditUnavailable) as refused:
        fresh.another()
    assert refused.value.fault is AuditFault.NEWER
    assert "newer version" in str(refused.value)


def test_a_migration_that_was_interrupted_is_completed(fresh: Subject) -> None:
    write_run(fresh.archive, "run1")
    with fresh.engine.begin() as connection:
        connection.execute(text("DROP TABLE agent_step"))
        connection.execute(text("DELETE FROM superbiz_schema_version"))
        drop = "DROP INDEX ix_model_call_run" + ("" if "sqlite" in fresh.url else " ON model_call")
        connection.execute(text(drop))
    with closing(fresh.another()) as mended:
        write_run(mended, "run2")
    test_the_migrated_tables_are_the_declared_ones(fresh)
    assert {run.run_id for run in fresh.archive.recent_runs().runs} == {"run1", "run2"}


def test_a_migration_that_another_process_keeps_locked_is_given_up(
    fresh_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "PATIENCE_S", 0.2)
    with migration_locked(fresh_url), pytest.raises(AuditUnavailable) as refused:
        open_archive(fresh_url, redact=str)
    assert refused.value.fault is AuditFault.LOCKED


@contextmanager
def migration_locked(url: str) -> Iterator[None]:
    """Hold what a migrating process holds: the file's write lock, or the server's named lock."""
    address = parse_address(url, environ={})
    make_private_file(address)
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            if address.file:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.execute(text("SELECT GET_LOCK(:name, 0)"), {"name": lock_name(address)})
            yield
    finally:
        engine.dispose()


def test_two_processes_may_open_a_new_home_at_once_and_lose_nothing(fresh_url: str) -> None:
    written = write_at_once(fresh_url, runs=6)
    with closing(open_archive(fresh_url, redact=str)) as archive:
        assert {run.run_id for run in archive.recent_runs(limit=100).runs} == set(written)
        for run_id in written:
            replay = replay_run(archive, stored_run(archive, run_id))
            assert replay.chain == ChainIntact(6, sealed=True)
            assert replay.tokens.consistent
        session = archive.find_session("shared")
    assert session is not None
    assert session.runs == len(written)


# Failing


def test_a_closed_connection_is_opened_again(subject: Subject) -> None:
    assert isinstance(subject.archive, SqlArchive)
    subject.archive.start_run(run_start("run1"))
    subject.archive.close()
    subject.archive.start_run(run_start("run2"))
    assert len(subject.archive.recent_runs().runs) == 2


def test_a_value_that_no_database_can_hold_is_refused_in_our_words(archive: RunArchive) -> None:
    absurd = replace(LedgerTotals(), events=2**70)
    with pytest.raises(AuditUnavailable) as refused:
        archive.finish_run(result("run1", usage=Usage()), absurd)
    assert refused.value.fault is AuditFault.REFUSED
