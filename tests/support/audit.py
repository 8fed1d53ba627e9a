"""Runs in an archive: whole ones, written the way a Run writes them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from superbiz_cli.harness.audit.archive import RunArchive
from superbiz_cli.harness.audit.chain import LedgerTotals
from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    ToolInvocationRecord,
    TraceEvent,
    TraceType,
)
from superbiz_cli.harness.audit.ledger import Ledger
from superbiz_cli.harness.audit.rows import RunStart, StoredRun
from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.status import EvidenceStatus, InvocationStatus
from superbiz_cli.harness.contract.tool_call import ToolName
from tests.support.clock import FakeClock
from tests.support.results import result

BEGAN = datetime(2026, 11, 30, 10, 15, 22, tzinfo=UTC)


def run_start(run_id: str = "run0000001", session_id: str = "s1", **changes: Any) -> RunStart:
    """The start of a Run, with `changes`."""
    fields: dict[str, Any] = {
        "query": "payment service times out",
        "model": "openai/gpt-5",
        "started_at": BEGAN,
    }
    return RunStart(run_id, session_id, **{**fields, **changes})


def model_call(role: ModelRole = ModelRole.AGENT, **changes: Any) -> ModelCallRecord:
    """A model call of 170 tokens and 4.1 s, with `changes`."""
    fields: dict[str, Any] = {
        "model": "openai/gpt-5",
        "attempt": 1,
        "request_bytes": 600,
        "reply_bytes": 90,
        "input_tokens": 150,
        "output_tokens": 20,
        "estimated": False,
        "duration_ms": 4100,
    }
    return ModelCallRecord(role, **{**fields, **changes})


def invocation(tool_call_id: str = "ev-abcdefgh-1", **changes: Any) -> ToolInvocationRecord:
    """A log query that found something in 60 ms, with `changes`."""
    fields: dict[str, Any] = {
        "tool_name": ToolName.QUERY_LOGS,
        "status": InvocationStatus.READY,
        "evidence_status": EvidenceStatus.EVIDENCE_FOUND,
        "request_bytes": 120,
        "raw_bytes": 18_000,
        "agent_result_bytes": 3100,
        "duration_ms": 60,
        "truncated": False,
    }
    return ToolInvocationRecord(tool_call_id=tool_call_id, **{**fields, **changes})


def write_run(
    archive: RunArchive,
    run_id: str = "run0000001",
    session_id: str = "s1",
    *,
    outcome: RunResult | None = None,
    query: str = "payment service times out",
    started_at: datetime = BEGAN,
) -> LedgerTotals:
    """Write a Run of six events, two model calls, one step and one tool call, from start to end."""
    archive.start_run(run_start(run_id, session_id, query=query, started_at=started_at))
    ledger = Ledger(run_id, FakeClock(), [archive.trace_sink(run_id=run_id, session_id=session_id)])
    ledger.emit(TraceEvent(TraceType.RUN_STARTED, {"deadline_s": 300}))
    call_id = ledger.model_call(model_call())
    step_id = ledger.agent_step(AgentStepRecord(1, "TOOL_REQUEST", "query_logs", call_id, 150, 20))
    ledger.reasoning(ReasoningRecord(1, ModelRole.AGENT, "I look at the logs."))
    ledger.emit(TraceEvent(TraceType.AGENT_MODEL_STEP, {"step_id": step_id, "model_call_id": call_id}))
    ledger.tool_invocation(invocation(step_id=step_id))
    ledger.emit(TraceEvent(TraceType.TOOL_INVOCATION, {"scope": "query_logs#a91f0312"}, {"query": "hidden"}))
    judge_id = ledger.model_call(model_call(ModelRole.JUDGE, duration_ms=2600))
    ledger.emit(TraceEvent(TraceType.SEMANTIC_ATTEMPT, {"model_call_id": judge_id}))
    ledger.emit(TraceEvent(TraceType.RELEASE_DECISION, {"outcome": "SUCCESS"}))
    ledger.emit(TraceEvent(TraceType.RUN_FINISHED, {"state": "SUCCESS"}))
    finished = outcome or result(run_id, session_id)
    ended = started_at + timedelta(seconds=36)
    times = {"started_at": started_at.isoformat(), "completed_at": ended.isoformat()}
    archive.finish_run(finished.model_copy(update={"query": query, **times}), ledger.totals)
    return ledger.totals


def stored_run(archive: RunArchive, run_id: str = "run0000001") -> StoredRun:
    """The Run of exactly this id, which must be there."""
    found = archive.find_run(run_id)
    assert isinstance(found, StoredRun)
    return found


@contextmanager
def scratch_database(server_url: str) -> Iterator[str]:
    """Create an empty database on the server, yield its URL, and drop it."""
    name = f"superbiz_test_{uuid.uuid4().hex[:12]}"
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name}"))
    finally:
        engine.dispose()
