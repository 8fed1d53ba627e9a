"""`RunArchive` on SQL: opens the database, and turns each question into one transaction."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import delete

from superbiz_cli.adapters.sql_audit import run_rows, session_rows, trace_rows
from superbiz_cli.adapters.sql_audit.address import parse_address
from superbiz_cli.adapters.sql_audit.case_library import SqlCaseLibrary
from superbiz_cli.adapters.sql_audit.database import Database, make_private_file
from superbiz_cli.adapters.sql_audit.migrate import ensure_schema
from superbiz_cli.adapters.sql_audit.schema import RUN_TABLES, diagnosis_run
from superbiz_cli.adapters.sql_audit.trace_sink import TraceSink
from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.case_library import CaseLibrary
from superbiz_cli.harness.audit.chain import LedgerTotals, StoredEvent
from superbiz_cli.harness.audit.metadata import storable
from superbiz_cli.harness.audit.no_archive import NoArchive
from superbiz_cli.harness.audit.rows import (
    ALL_RUNS,
    FoundRun,
    PruneCount,
    RoutingEntry,
    RowCounts,
    RunDetails,
    RunFilter,
    RunPage,
    RunStart,
    SessionPage,
    SessionSummary,
    StoredReasoning,
    result_from_json,
)
from superbiz_cli.harness.audit.sink import Sink
from superbiz_cli.harness.contract.report import RunResult

RUN_PATIENCE_S = 0.9  # a Run must answer a cancel within 1 s, also while it writes its audit
_PRUNED_AT_ONCE = 200  # so that no other process waits long for the lock
_REDACTION_FAILED = "[redaction failed]"


def open_archive(
    target: Path | str,
    *,
    redact: Callable[[str], str],
    owner: str = "",
    keep_reasoning: bool = True,
    create: bool = True,
    patience_s: float = RUN_PATIENCE_S,
    environ: Mapping[str, str] = os.environ,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> RunArchive:
    """Open the archive at a file path or a database URL, and migrate it if needed.

    `redact` is applied to the question and to model text before they are written. `owner` names
    the user whose sessions `latest_session` looks at. With `create=False` a file that does not
    exist is an empty archive and stays absent. `patience_s` bounds each statement's waiting.

    Raises AuditUnavailable: CORRUPT, NEWER and MISCONFIGURED need a person, the others may pass.
    """
    address = parse_address(target, environ=environ)
    if not create and address.file is not None and not address.file.exists():
        return NoArchive()
    make_private_file(address)
    database = Database(address, patience_s=patience_s)
    try:
        ensure_schema(database)
    except BaseException:
        database.close()
        raise
    return SqlArchive(database, redact=redact, owner=owner, keep_reasoning=keep_reasoning, now=now)


@dataclass(frozen=True, slots=True)
class SqlArchive:
    """See `RunArchive`. Every method raises AuditUnavailable and nothing else."""

    database: Database
    redact: Callable[[str], str]
    owner: str
    keep_reasoning: bool
    now: Callable[[], datetime]

    def start_run(self, start: RunStart) -> None:
        """Register a Run as RUNNING and its session as used."""
        query = self._redacted(start.query)
        with self.database.write() as connection:
            session_rows.touch(connection, start, owner=self.owner)
            run_rows.insert_started(connection, start, query=query)

    def trace_sink(self, *, run_id: str, session_id: str) -> Sink:
        """Return the sink that writes the events and detail rows of one Run."""
        return TraceSink(
            self.database,
            session_id=session_id,
            now=self.now,
            keep_text=self._redacted if self.keep_reasoning else None,
        )

    def finish_run(self, result: RunResult, totals: LedgerTotals) -> None:
        """Keep the outcome, once; register a Run whose start could not be written."""
        query = self._redacted(result.query)
        with self.database.write() as connection:
            run_rows.write_outcome(connection, result, totals, query=query)

    def recent_runs(
        self, which: RunFilter = ALL_RUNS, *, limit: int = 20, before: str | None = None
    ) -> RunPage:
        """Return up to `limit` Runs, newest first."""
        with self.database.read() as connection:
            return run_rows.page(connection, which, limit=limit, before=before)

    def find_run(self, run_id: str) -> FoundRun:
        """Return the Run of this id, or the only one whose id begins with it."""
        with self.database.read() as connection:
            return run_rows.find(connection, run_id)

    def last_success(self, session_id: str) -> RunResult | None:
        """Return the session's last released diagnosis, or None if it cannot be read."""
        with self.database.read() as connection:
            result_json = run_rows.last_success_json(connection, session_id)
        return result_from_json(result_json)

    def routing_history(self, session_id: str, *, limit: int = 5) -> tuple[RoutingEntry, ...]:
        """Return the session's last routed questions, oldest first."""
        with self.database.read() as connection:
            return run_rows.routed(connection, session_id, limit=limit)

    def latest_session(self) -> str | None:
        """Return the session that this user used last."""
        with self.database.read() as connection:
            return session_rows.latest(connection, owner=self.owner)

    def sessions(self, *, limit: int = 20, before: str | None = None) -> SessionPage:
        """Return up to `limit` sessions, the most recently used first."""
        with self.database.read() as connection:
            return session_rows.page(connection, limit=limit, before=before)

    def find_session(self, session_id: str) -> SessionSummary | None:
        """Return the session of exactly this id."""
        with self.database.read() as connection:
            return session_rows.find(connection, session_id)

    def timeline(self, run_id: str, *, limit: int | None = None) -> tuple[StoredEvent, ...]:
        """Return the trace events of a Run in order."""
        with self.database.read() as connection:
            return trace_rows.events(connection, run_id, limit=limit)

    def details(self, run_id: str) -> RunDetails:
        """Return the detail rows of a Run."""
        with self.database.read() as connection:
            return trace_rows.details(connection, run_id)

    def reasoning(self, run_id: str) -> tuple[StoredReasoning, ...]:
        """Return the restricted model texts of a Run."""
        with self.database.read() as connection:
            return trace_rows.reasoning(connection, run_id)

    def row_counts(self, run_id: str) -> RowCounts:
        """Count what is persisted of a Run."""
        with self.database.read() as connection:
            return trace_rows.counts(connection, run_id)

    def prune(self, *, before: datetime, dry_run: bool = False) -> PruneCount:
        """Remove old Runs a few at a time, then the sessions that are left empty."""
        if dry_run:
            with self.database.read() as connection:
                return PruneCount(
                    runs=run_rows.count_started_before(connection, before),
                    sessions=session_rows.count_left_empty(connection, before=before),
                )
        runs = 0
        while removed := self._prune_some(before):
            runs += removed
        with self.database.write() as connection:
            return PruneCount(runs, sessions=session_rows.delete_left_empty(connection, before=before))

    def case_library(self) -> CaseLibrary:
        """Return the cases and the feedback, in the same database."""
        return SqlCaseLibrary(self.database, redact=self._redacted, owner=self.owner)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def _prune_some(self, before: datetime) -> int:
        with self.database.write() as connection:
            run_ids = run_rows.ids_started_before(connection, before, limit=_PRUNED_AT_ONCE)
            for table in (*RUN_TABLES, diagnosis_run):
                connection.execute(delete(table).where(table.c.run_id.in_(run_ids)))
        return len(run_ids)

    def _redacted(self, text: str) -> str:
        try:
            return storable(self.redact(text))
        except Exception:  # a text that cannot be redacted is not kept
            return _REDACTION_FAILED
