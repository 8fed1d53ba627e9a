"""Builders for drafts and for stores that hold what they cite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from superbiz_cli.harness.contract.draft import Draft
from superbiz_cli.harness.contract.tool_call import ToolName
from superbiz_cli.harness.tool.catalog import ToolCatalog
from superbiz_cli.harness.tool.invocation import CanonicalInvocation
from tests.support.fakes import FakeEvidenceTool, InMemoryInvocationStore, Scripted, found, put, ready_record
from tests.support.guarding import RUN_ID

LOG_FACTS = found(
    match_count=37,
    summary="37 events matched",
    excerpt="request timed out after 30000ms",
    events=[
        {
            "timestamp": "2026-11-30T10:02:11+00:00",
            "level": "ERROR",
            "service": "payment-service",
            "message": "Connection is not available, request timed out after 30000ms",
        }
    ],
)


def a_catalog(*names: ToolName) -> ToolCatalog:
    return ToolCatalog([FakeEvidenceTool(name) for name in names or tuple(ToolName)])


def a_store(*records: CanonicalInvocation) -> InMemoryInvocationStore:
    store = InMemoryInvocationStore()
    for record in records:
        put(store, record)
    return store


def logs_record(call_id: str = "ev-1", script: Scripted = LOG_FACTS) -> CanonicalInvocation:
    return ready_record(RUN_ID, call_id, script=script)


def item(
    text: str | None = "37 requests timed out after 30000ms",
    *,
    id_: str | None = "a1",
    kind: str | None = "NORMAL",
    cites: Sequence[str | None] | None = ("ev-1",),
) -> dict[str, Any]:
    return {"analysis_id": id_, "kind": kind, "text": text, "tool_call_ids": cites and [*cites]}


def a_draft(
    *items: dict[str, Any],
    conclusion: str | None = "The connection pool is exhausted",
    based_on: Sequence[str | None] | None = ("a1",),
    **rest: Any,
) -> Draft:
    """A draft; without `items` one that holds over LOG_FACTS. `rest` replaces further fields."""
    fields: dict[str, Any] = {
        "analysis": [*(items or (item(),))],
        "conclusion": None
        if conclusion is None
        else {"text": conclusion, "based_on_analysis_ids": based_on and [*based_on]},
        "limitations": {"checked_scope": "application logs", "missing_info": [], "caveats": []},
        **rest,
    }
    return Draft.model_validate_json(json.dumps(fields))
