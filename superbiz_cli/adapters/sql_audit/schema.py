"""The tables. A change here needs a migration in `migrations/versions`; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from superbiz_cli.adapters.sql_audit.column_types import (
    CODE,
    ID,
    LONG_BYTES,
    LONG_TEXT,
    ROW_ID,
    SERVER_TABLE,
    SHA256,
    UtcDateTime,
    word,
)

metadata = MetaData()

chat_session = Table(
    "chat_session",
    metadata,
    Column("session_id", ID, primary_key=True),
    Column("owner", String(128), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_run_at", UtcDateTime, nullable=False),
    Column("last_run_id", ID, nullable=False),
    Index("ix_chat_session_last_run", "last_run_at", "session_id"),
    Index("ix_chat_session_owner", "owner", "last_run_at", "session_id"),
    **SERVER_TABLE,
)

diagnosis_run = Table(
    "diagnosis_run",
    metadata,
    Column("run_id", ID, primary_key=True),
    Column("session_id", ID, nullable=False),
    Column("query", LONG_TEXT, nullable=False),
    Column("model", String(256), nullable=False),
    Column("run_state", CODE, nullable=False),
    Column("intent", CODE),
    Column("release_outcome", CODE),
    Column("fallback_type", CODE),
    Column("failure_code", CODE),
    Column("started_at", UtcDateTime, nullable=False),
    Column("completed_at", UtcDateTime),
    Column("duration_ms", BigInteger),
    Column("model_calls", BigInteger),
    Column("tool_calls", BigInteger),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("run_bytes", BigInteger),
    Column("result_json", LONG_TEXT),
    Column("recorded_events", BigInteger),
    Column("recorded_model_calls", BigInteger),
    Column("recorded_agent_steps", BigInteger),
    Column("recorded_tool_invocations", BigInteger),
    Column("trace_head", SHA256),
    Column("seal", SHA256),
    Index("ix_diagnosis_run_started", "started_at", "run_id"),
    Index("ix_diagnosis_run_outcome", "release_outcome", "started_at", "run_id"),
    Index("ix_diagnosis_run_intent", "intent", "started_at", "run_id"),
    Index("ix_diagnosis_run_session", "session_id", "started_at", "run_id"),
    **SERVER_TABLE,
)

model_call = Table(
    "model_call",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("run_id", ID, nullable=False),
    Column("role", CODE, nullable=False),
    Column("model", String(256), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("request_bytes", BigInteger, nullable=False),
    Column("reply_bytes", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("estimated", Boolean, nullable=False),
    Column("duration_ms", BigInteger, nullable=False),
    Column("failure", CODE),
    Column("finish_reason", String(256)),
    Column("prompt_sha256", SHA256),
    Column("cost_usd", Float),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_model_call_run", "run_id", "id"),
    **SERVER_TABLE,
)

agent_step = Table(
    "agent_step",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("run_id", ID, nullable=False),
    Column("step_no", Integer, nullable=False),
    Column("kind", String(256), nullable=False),
    Column("tool_name", String(256)),
    Column("model_call_id", BigInteger),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_agent_step_run", "run_id", "id"),
    **SERVER_TABLE,
)

agent_reasoning_audit = Table(
    "agent_reasoning_audit",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("run_id", ID, nullable=False),
    Column("step_no", Integer, nullable=False),
    Column("role", CODE, nullable=False),
    Column("text", LONG_TEXT, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_agent_reasoning_audit_run", "run_id", "id"),
    **SERVER_TABLE,
)

tool_invocation = Table(
    "tool_invocation",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", ID, nullable=False),
    Column("run_id", ID),
    Column("step_id", BigInteger),
    Column("tool_name", word(64), nullable=False),
    Column("input_params", JSON, nullable=False),
    Column("output_preview", Text),
    Column("output_length", BigInteger),
    Column("retrieval_layer", word(8)),
    Column("l0_match_count", Integer),
    Column("l1_match_count", Integer),
    Column("is_truncated", Boolean),
    Column("relevance_level", word(20)),
    Column("retrieval_details", JSON),
    Column("duration_ms", BigInteger),
    Column("success", Boolean),
    Column("error_message", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_tool_invocation_session_id", "session_id"),
    Index("ix_tool_invocation_run_id", "run_id", "id"),
    Index("ix_tool_invocation_tool_name", "tool_name"),
    Index("ix_tool_invocation_retrieval_layer", "retrieval_layer"),
    **SERVER_TABLE,
)

diagnosis_trace_event = Table(
    "diagnosis_trace_event",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("run_id", ID, nullable=False),
    Column("sequence_no", Integer, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("stage", CODE, nullable=False),
    Column("type", CODE, nullable=False),
    Column("attributes", LONG_TEXT, nullable=False),
    Column("digest", SHA256, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("run_id", "sequence_no", name="uq_diagnosis_trace_event_sequence"),
    **SERVER_TABLE,
)

run_feedback = Table(
    "run_feedback",
    metadata,
    Column("run_id", ID, primary_key=True),
    Column("verdict", CODE, nullable=False),
    Column("note", LONG_TEXT, nullable=False),
    Column("root_cause", LONG_TEXT, nullable=False),
    Column("solution", LONG_TEXT, nullable=False),
    Column("owner", String(128), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    **SERVER_TABLE,
)

diagnosis_case = Table(
    "diagnosis_case",
    metadata,
    Column("number", ROW_ID, primary_key=True, autoincrement=True),
    Column("case_id", ID, nullable=False),
    Column("run_id", ID),
    Column("owner", String(128), nullable=False),
    Column("symptoms", LONG_TEXT, nullable=False),
    Column("root_cause", LONG_TEXT, nullable=False),
    Column("solution", LONG_TEXT, nullable=False),
    Column("services", LONG_TEXT, nullable=False),
    Column("documents", LONG_TEXT, nullable=False),
    Column("note", LONG_TEXT, nullable=False),
    Column("term_weight", Float, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("case_id", name="uq_diagnosis_case_case_id"),
    Index("ix_diagnosis_case_run", "run_id"),
    Index("ix_diagnosis_case_created", "created_at", "number"),
    sqlite_autoincrement=True,  # a number is never used again: `case_term` keeps those of removed cases
    **SERVER_TABLE,
)

case_term = Table(
    "case_term",
    metadata,
    Column("term", BigInteger, primary_key=True, autoincrement=False),
    Column("occurrences", LONG_BYTES, nullable=False),
    **SERVER_TABLE,
)

RUN_TABLES = (
    model_call,
    agent_step,
    agent_reasoning_audit,
    tool_invocation,
    diagnosis_trace_event,
    run_feedback,
)
