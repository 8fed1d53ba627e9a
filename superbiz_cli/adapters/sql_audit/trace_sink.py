"""The ledger's sink into the database: each event and each row in a transaction of its own.

A Run may be killed at any time; what had happened until then must be readable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from superbiz_cli.adapters.sql_audit import trace_rows
from superbiz_cli.adapters.sql_audit.database import Database
from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    RecordedEvent,
    ToolInvocationRecord,
)


@dataclass(frozen=True, slots=True)
class TraceSink:
    """Writes what one Run's ledger passes on. Raises AuditUnavailable, and the ledger drops it.

    `keep_text` turns model text into what may be kept of it, or is None to keep none.
    """

    database: Database
    session_id: str
    now: Callable[[], datetime]
    keep_text: Callable[[str], str] | None

    @property
    def name(self) -> str:
        """What a warning calls this sink."""
        return "audit database"

    def event(self, recorded: RecordedEvent) -> None:
        """Write one numbered event."""
        with self.database.write() as connection:
            trace_rows.insert_event(connection, recorded, now=self.now())

    def model_call(self, run_id: str, record: ModelCallRecord) -> int | None:
        """Write one row of the token ledger."""
        with self.database.write() as connection:
            return trace_rows.insert_model_call(connection, run_id, record, now=self.now())

    def agent_step(self, run_id: str, record: AgentStepRecord) -> int | None:
        """Write one turn of the agent."""
        with self.database.write() as connection:
            return trace_rows.insert_agent_step(connection, run_id, record, now=self.now())

    def tool_invocation(self, run_id: str, record: ToolInvocationRecord) -> int | None:
        """Write the metadata of one tool call."""
        with self.database.write() as connection:
            return trace_rows.insert_invocation(
                connection, run_id, record, session_id=self.session_id, now=self.now()
            )

    def reasoning(self, run_id: str, record: ReasoningRecord) -> None:
        """Write model text, if any is kept."""
        if self.keep_text is None:
            return
        with self.database.write() as connection:
            trace_rows.insert_reasoning(
                connection, run_id, record, text=self.keep_text(record.text), now=self.now()
            )
