"""What people said of Runs, the cases that were made of them, and the index to find similar ones."""

from __future__ import annotations

import sqlalchemy as sa

from superbiz_cli.adapters.sql_audit.column_types import (
    CODE,
    ID,
    LONG_BYTES,
    LONG_TEXT,
    ROW_ID,
    UtcDateTime,
)
from superbiz_cli.adapters.sql_audit.migrations.steps import create_table

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    create_table(
        "run_feedback",
        sa.Column("run_id", ID, primary_key=True),
        sa.Column("verdict", CODE, nullable=False),
        sa.Column("note", LONG_TEXT, nullable=False),
        sa.Column("root_cause", LONG_TEXT, nullable=False),
        sa.Column("solution", LONG_TEXT, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    create_table(
        "diagnosis_case",
        sa.Column("number", ROW_ID, primary_key=True, autoincrement=True),
        sa.Column("case_id", ID, nullable=False),
        sa.Column("run_id", ID),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("symptoms", LONG_TEXT, nullable=False),
        sa.Column("root_cause", LONG_TEXT, nullable=False),
        sa.Column("solution", LONG_TEXT, nullable=False),
        sa.Column("services", LONG_TEXT, nullable=False),
        sa.Column("documents", LONG_TEXT, nullable=False),
        sa.Column("note", LONG_TEXT, nullable=False),
        sa.Column("term_weight", sa.Float, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("case_id", name="uq_diagnosis_case_case_id"),
        indexes={
            "ix_diagnosis_case_run": ["run_id"],
            "ix_diagnosis_case_created": ["created_at", "number"],
        },
        sqlite_autoincrement=True,
    )
    create_table(
        "case_term",
        sa.Column("term", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("occurrences", LONG_BYTES, nullable=False),
    )
