"""The null object of the archive: it keeps nothing and knows nothing."""

from __future__ import annotations

from datetime import datetime

from superbiz_cli.harness.audit.case_library import CaseLibrary, NoCases
from superbiz_cli.harness.audit.chain import LedgerTotals, StoredEvent
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
from superbiz_cli.harness.audit.sink import EventListener, Sink
from superbiz_cli.harness.contract.report import RunResult


class NoArchive:
    """Stands in before the first Run, and while no database can be used."""

    def start_run(self, start: RunStart) -> None:
        """Forget the Run."""

    def trace_sink(self, *, run_id: str, session_id: str) -> Sink:
        """Return a sink that keeps nothing."""
        return EventListener("trace", lambda _event: None)

    def finish_run(self, result: RunResult, totals: LedgerTotals) -> None:
        """Forget the outcome."""

    def recent_runs(
        self, which: RunFilter = ALL_RUNS, *, limit: int = 20, before: str | None = None
    ) -> RunPage:
        """Return no Run."""
        return RunPage(())

    def find_run(self, run_id: str) -> FoundRun:
        """Return None."""
        return None

    def last_success(self, session_id: str) -> RunResult | None:
        """Return None."""
        return None

    def routing_history(self, session_id: str, *, limit: int = 5) -> tuple[RoutingEntry, ...]:
        """Return nothing."""
        return ()

    def latest_session(self) -> str | None:
        """Return None."""
        return None

    def sessions(self, *, limit: int = 20, before: str | None = None) -> SessionPage:
        """Return no session."""
        return SessionPage(())

    def find_session(self, session_id: str) -> SessionSummary | None:
        """Return None."""
        return None

    def timeline(self, run_id: str, *, limit: int | None = None) -> tuple[StoredEvent, ...]:
        """Return nothing."""
        return ()

    def details(self, run_id: str) -> RunDetails:
        """Return nothing."""
        return RunDetails()

    def reasoning(self, run_id: str) -> tuple[StoredReasoning, ...]:
        """Return nothing."""
        return ()

    def row_counts(self, run_id: str) -> RowCounts:
        """Return zeros."""
        return RowCounts()

    def prune(self, *, before: datetime, dry_run: bool = False) -> PruneCount:
        """Remove nothing."""
        return PruneCount()

    def case_library(self) -> CaseLibrary:
        """Return a library that keeps nothing."""
        return NoCases()

    def close(self) -> None:
        """Do nothing."""
