"""Statements on the trace events and the detail rows of one Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, func, insert, select

from superbiz_cli.adapters.sql_audit.run_rows import AnyRow
from superbiz_cli.adapters.sql_audit.schema import (
    agent_reasoning_audit,
    agent_step,
    diagnosis_trace_event,
    model_call,
    tool_invocation,
)
from superbiz_cli.harness.audit.chain import StoredEvent, stored_form
from superbiz_cli.harness.audit.events import (
    AgentStepRecord,
    ModelCallRecord,
    ReasoningRecord,
    RecordedEvent,
    ToolInvocationRecord,
)
from superbiz_cli.harness.audit.rows import (
    RowCounts,
    RunDetails,
    StoredAgentStep,
    StoredInvocation,
    StoredModelCall,
    StoredReasoning,
)
from superbiz_cli.harness.contract.status import InvocationStatus

_LAYER = "HARNESS"

RowT = TypeVar("RowT", StoredModelCall, StoredAgentStep, StoredReasoning)


def insert_event(connection: Connection, recorded: RecordedEvent, *, now: datetime) -> None:
    """Write one numbered event."""
    event = stored_form(recorded)
    connection.execute(
        insert(diagnosis_trace_event).values(
            run_id=event.run_id,
            sequence_no=event.sequence_no,
            at_ms=event.at_ms,
            stage=event.stage,
            type=event.type,
            attributes=event.attributes_json,
            digest=event.digest,
            created_at=now,
        )
    )


def insert_model_call(connection: Connection, run_id: str, record: ModelCallRecord, *, now: datetime) -> int:
    """Write one row of the token ledger and return its id."""
    return _insert(
        connection,
        model_call,
        run_id=run_id,
        role=record.role.value,
        model=record.model,
        attempt=record.attempt,
        request_bytes=record.request_bytes,
        reply_bytes=record.reply_bytes,
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        estimated=record.estimated,
        duration_ms=record.duration_ms,
        failure=record.failure.value if record.failure else None,
        finish_reason=record.finish_reason,
        prompt_sha256=record.prompt_sha256,
        cost_usd=record.cost_usd,
        created_at=now,
    )


def insert_agent_step(connection: Connection, run_id: str, record: AgentStepRecord, *, now: datetime) -> int:
    """Write one turn of the agent and return its id."""
    return _insert(
        connection,
        agent_step,
        run_id=run_id,
        step_no=record.step_no,
        kind=record.kind,
        tool_name=record.tool_name,
        model_call_id=record.model_call_id,
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        created_at=now,
    )


def insert_invocation(
    connection: Connection, run_id: str, record: ToolInvocationRecord, *, session_id: str, now: datetime
) -> int:
    """Write the metadata of one tool call and return its id."""
    error_code = record.error_code.value if record.error_code else None
    details: dict[str, str | int] = {
        "tool_call_id": record.tool_call_id,
        "status": record.status.value,
        "evidence_status": record.evidence_status.value,
        "agent_result_bytes": record.agent_result_bytes,
    }
    if error_code is not None:
        details["error_code"] = error_code
    return _insert(
        connection,
        tool_invocation,
        session_id=session_id,
        run_id=run_id,
        step_id=record.step_id,
        tool_name=record.tool_name.value,
        input_params={"tool_call_id": record.tool_call_id, "request_bytes": record.request_bytes},
        output_preview=f"status={record.status.value} evidence_status={record.evidence_status.value}",
        output_length=record.agent_result_bytes,
        retrieval_layer=_LAYER,
        is_truncated=record.truncated,
        relevance_level=record.relevance_level.value if record.relevance_level else None,
        retrieval_details=details,
        duration_ms=record.duration_ms,
        success=record.status is InvocationStatus.READY,
        error_message=error_code,
        created_at=now,
    )


def insert_reasoning(
    connection: Connection, run_id: str, record: ReasoningRecord, *, text: str, now: datetime
) -> None:
    """Write restricted model text, already redacted."""
    connection.execute(
        insert(agent_reasoning_audit).values(
            run_id=run_id, step_no=record.step_no, role=record.role.value, text=text, created_at=now
        )
    )


def events(connection: Connection, run_id: str, *, limit: int | None) -> tuple[StoredEvent, ...]:
    """Return the first `limit` events in order."""
    columns = diagnosis_trace_event.c
    statement = (
        select(diagnosis_trace_event)
        .where(columns.run_id == run_id)
        .order_by(columns.sequence_no)
        .limit(limit)
    )
    return tuple(
        StoredEvent(
            run_id=row.run_id,
            sequence_no=row.sequence_no,
            at_ms=row.at_ms,
            stage=row.stage,
            type=row.type,
            attributes_json=row.attributes,
            digest=row.digest,
        )
        for row in connection.execute(statement)
    )


def details(connection: Connection, run_id: str) -> RunDetails:
    """Return all detail rows in the order of their ids."""
    return RunDetails(
        model_calls=_rows(connection, model_call, run_id, StoredModelCall),
        agent_steps=_rows(connection, agent_step, run_id, StoredAgentStep),
        tool_invocations=tuple(map(_invocation, _select(connection, tool_invocation, run_id))),
    )


def reasoning(connection: Connection, run_id: str) -> tuple[StoredReasoning, ...]:
    """Return the restricted texts in the order in which they were written."""
    return _rows(connection, agent_reasoning_audit, run_id, StoredReasoning)


def counts(connection: Connection, run_id: str) -> RowCounts:
    """Count the rows of one Run."""
    return RowCounts(
        events=_count(connection, diagnosis_trace_event, run_id),
        model_calls=_count(connection, model_call, run_id),
        agent_steps=_count(connection, agent_step, run_id),
        tool_invocations=_count(connection, tool_invocation, run_id),
    )


def _insert(connection: Connection, table: Table, **values: Any) -> int:
    return connection.execute(insert(table).values(**values)).lastrowid


def _select(connection: Connection, table: Table, run_id: str) -> Sequence[AnyRow]:
    statement = select(table).where(table.c.run_id == run_id).order_by(table.c.id)
    return connection.execute(statement).all()


def _rows(connection: Connection, table: Table, run_id: str, kind: type[RowT]) -> tuple[RowT, ...]:
    names = [field.name for field in fields(kind)]
    return tuple(
        kind(**{name: row._mapping[name] for name in names}) for row in _select(connection, table, run_id)
    )


def _invocation(row: AnyRow) -> StoredInvocation:
    outcome: Mapping[str, Any] = row.retrieval_details or {}
    return StoredInvocation(
        id=row.id,
        tool_name=row.tool_name,
        tool_call_id=str(row.input_params.get("tool_call_id", "")),
        step_id=row.step_id,
        status=str(outcome.get("status", "")),
        evidence_status=str(outcome.get("evidence_status", "")),
        request_bytes=int(row.input_params.get("request_bytes", 0)),
        agent_result_bytes=row.output_length or 0,
        truncated=bool(row.is_truncated),
        relevance_level=row.relevance_level,
        duration_ms=row.duration_ms or 0,
        success=bool(row.success),
        error_code=row.error_message,
    )


def _count(connection: Connection, table: Table, run_id: str) -> int:
    statement = select(func.count()).select_from(table).where(table.c.run_id == run_id)
    return connection.execute(statement).scalar_one()
