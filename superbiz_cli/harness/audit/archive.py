"""The port behind which Runs, sessions and traces are kept: see `adapters.sql_audit`."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from superbiz_cli.harness.audit.case_library import CaseLibrary
from superbiz_cli.harness.audit.chain import LedgerTotals, StoredEvent
from superbiz_cli.harness.audit.failure import AuditUnavailable
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
)
from superbiz_cli.harness.audit.sink import Sink
from superbiz_cli.harness.contract.report import RunResult

__all__ = ["AuditUnavailable", "RunArchive"]


class RunArchive(Protocol):
    """Keeps Runs, sessions and traces. Every method raises AuditUnavailable and nothing else."""

    def start_run(self, start: RunStart) -> None:
        """Register a Run as RUNNING and its session as used."""
        ...

    def trace_sink(self, *, run_id: str, session_id: str) -> Sink:
        """Return the sink that writes the events and detail rows of one Run."""
        ...

    def finish_run(self, result: RunResult, totals: LedgerTotals) -> None:
        """Keep the outcome, once: a Run that has an outcome keeps it. Registers an unknown Run."""
        ...

    def recent_runs(
        self, which: RunFilter = ALL_RUNS, *, limit: int = 20, before: str | None = None
    ) -> RunPage:
        """Return up to `limit` Runs, newest first, older than the Run `before` if it is given."""
        ...

    def find_run(self, run_id: str) -> FoundRun:
        """Return the Run of this id, or the only one whose id begins with it."""
        ...

    def last_success(self, session_id: str) -> RunResult | None:
        """Return the last diagnosis of the session that was released and not called wrong since."""
        ...

    def routing_history(self, session_id: str, *, limit: int = 5) -> tuple[RoutingEntry, ...]:
        """Return the last routed questions of the session, oldest first."""
        ...

    def latest_session(self) -> str | None:
        """Return the session that this user used last."""
        ...

    def sessions(self, *, limit: int = 20, before: str | None = None) -> SessionPage:
        """Return up to `limit` sessions, the most recently used first, after session `before`."""
        ...

    def find_session(self, session_id: str) -> SessionSummary | None:
        """Return the session of exactly this id."""
        ...

    def timeline(self, run_id: str, *, limit: int | None = None) -> tuple[StoredEvent, ...]:
        """Return the (first `limit`) trace events of a Run in order."""
        ...

    def details(self, run_id: str) -> RunDetails:
        """Return the detail rows of a Run."""
        ...

    def reasoning(self, run_id: str) -> tuple[StoredReasoning, ...]:
        """Return the restricted model texts of a Run, if any were kept."""
        ...

    def row_counts(self, run_id: str) -> RowCounts:
        """Count what is persisted of a Run."""
        ...

    def prune(self, *, before: datetime, dry_run: bool = False) -> PruneCount:
        """Remove Runs that started before `before`, with all their rows, and sessions left empty."""
        ...

    def case_library(self) -> CaseLibrary:
        """Return the cases and the feedback that are kept beside the Runs."""
        ...

    def close(self) -> None:
        """Release connections and files."""
        ...
