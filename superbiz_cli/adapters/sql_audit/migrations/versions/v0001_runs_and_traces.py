"""Sessions, Runs, their trace events and their detail rows."""

from __future__ import annotations

import sqlalchemy as sa

from superbiz_cli.adapters.sql_audit.column_types import (
    CODE,
    ID,
    LONG_TEXT,
    ROW_ID,
    SHA256,
    UtcDateTime,
    word,
)
from superbiz_cli.adapters.sql_audit.migrations.steps import create_table

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables of the first version."""
    _sessions_and_runs()
    _ledger()
    _tool_invocations()
    _trace_events()


def _sessions_and_runs() -> None:
    create_table(
        "chat_session",
        sa.Column("session_id", ID, primary_key=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("last_run_at", UtcDateTime, nullable=False),
        sa.Column("last_run_id", ID, nullable=False),
        indexes={
            "ix_chat_session_last_run": ["last_run_at", "session_id"],
            "ix_chat_session_owner": ["owner", "last_run_at", "session_id"],
        },
    )
    create_table(
        "diagnosis_run",
        sa.Column("run_id", ID, primary_key=True),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("query", LONG_TEXT, nullable=False),
        sa.Column("model", sa.String(256), nullable=False),
        sa.Column("run_state", CODE, nullable=False),
        sa.Column("intent", CODE),
        sa.Column("release_outcome", CODE),
        sa.Column("fallback_type", CODE),
        sa.Column("failure_code", CODE),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("completed_at", UtcDateTime),
        sa.Column("duration_ms", sa.BigInteger),
        sa.Column("model_calls", sa.BigInteger),
        sa.Column("tool_calls", sa.BigInteger),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("run_bytes", sa.BigInteger),
        sa.Column("result_json", LONG_TEXT),
        sa.Column("recorded_events", sa.BigInteger),
        sa.Column("recorded_model_calls", sa.BigInteger),
        sa.Column("recorded_agent_steps", sa.BigInteger),
        sa.Column("recorded_tool_invocations", sa.BigInteger),
        sa.Column("trace_head", SHA256),
        sa.Column("seal", SHA256),
        indexes={
            "ix_diagnosis_run_started": ["started_at", "run_id"],
            "ix_diagnosis_run_outcome": ["release_outcome", "started_at", "run_id"],
            "ix_diagnosis_run_intent": ["intent", "started_at", "run_id"],
            "ix_diagnosis_run_session": ["session_id", "started_at", "run_id"],
        },
    )


def _ledger() -> None:
    create_table(
        "model_call",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("role", CODE, nullable=False),
        sa.Column("model", sa.String(256), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("request_bytes", sa.BigInteger, nullable=False),
        sa.Column("reply_bytes", sa.BigInteger, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("estimated", sa.Boolean, nullable=False),
        sa.Column("duration_ms", sa.BigInteger, nullable=False),
        sa.Column("failure", CODE),
        sa.Column("finish_reason", sa.String(256)),
        sa.Column("prompt_sha256", SHA256),
        sa.Column("cost_usd", sa.Float),
        sa.Column("created_at", UtcDateTime, nullable=False),
        indexes={"ix_model_call_run": ["run_id", "id"]},
    )
    create_table(
        "agent_step",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("step_no", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(256), nullable=False),
        sa.Column("tool_name", sa.String(256)),
        sa.Column("model_call_id", sa.BigInteger),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        indexes={"ix_agent_step_run": ["run_id", "id"]},
    )
    create_table(
        "agent_reasoning_audit",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("step_no", sa.Integer, nullable=False),
        sa.Column("role", CODE, nullable=False),
        sa.Column("text", LONG_TEXT, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        indexes={"ix_agent_reasoning_audit_run": ["run_id", "id"]},
    )


def _tool_invocations() -> None:
    create_table(
        "tool_invocation",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("run_id", ID),
        sa.Column("step_id", sa.BigInteger),
        sa.Column("tool_name", word(64), nullable=False),
        sa.Column("input_params", sa.JSON, nullable=False),
        sa.Column("output_preview", sa.Text),
        sa.Column("output_length", sa.BigInteger),
        sa.Column("retrieval_layer", word(8)),
        sa.Column("l0_match_count", sa.Integer),
        sa.Column("l1_match_count", sa.Integer),
        sa.Column("is_truncated", sa.Boolean),
        sa.Column("relevance_level", word(20)),
        sa.Column("retrieval_details", sa.JSON),
        sa.Column("duration_ms", sa.BigInteger),
        sa.Column("success", sa.Boolean),
        sa.Column("error_message", sa.Text),
        sa.Column("created_at", UtcDateTime, nullable=False),
        indexes={
            "ix_tool_invocation_session_id": ["session_id"],
            "ix_tool_invocation_run_id": ["run_id", "id"],
            "ix_tool_invocation_tool_name": ["tool_name"],
            "ix_tool_invocation_retrieval_layer": ["retrieval_layer"],
        },
    )


def _trace_events() -> None:
    create_table(
        "diagnosis_trace_event",
        sa.Column("id", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("run_id", ID, nullable=False),
        sa.Column("sequence_no", sa.Integer, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("stage", CODE, nullable=False),
        sa.Column("type", CODE, nullable=False),
        sa.Column("attributes", LONG_TEXT, nullable=False),
        sa.Column("digest", SHA256, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("run_id", "sequence_no", name="uq_diagnosis_trace_event_sequence"),
    )
