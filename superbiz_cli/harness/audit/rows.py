"""What is kept of Runs and sessions, as the archive hands it out.

States and codes of stored rows are plain text, so that a listing does not fail because of one row
that this version could not have written. Times are aware, in UTC; queries are redacted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from superbiz_cli.harness.audit.chain import LedgerTotals
from superbiz_cli.harness.contract.report import RunResult, Usage
from superbiz_cli.harness.contract.status import Intent


@dataclass(frozen=True, slots=True)
class RunStart:
    """What is known of a Run when it begins. `query` is redacted by the archive."""

    run_id: str
    session_id: str
    query: str
    model: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One Run as lists show it. Times are aware, in UTC; the query is redacted.

    A Run without `completed_at` is still working, or its process was killed.
    """

    run_id: str
    session_id: str
    query: str
    model: str
    run_state: str
    started_at: datetime
    completed_at: datetime | None = None
    duration_ms: int | None = None
    intent: str | None = None
    release_outcome: str | None = None
    fallback_type: str | None = None
    failure_code: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One Run with what was published, as JSON text of a `RunResult` with a redacted query."""

    summary: RunSummary
    result_json: str | None = None
    totals: LedgerTotals | None = None
    seal: str | None = None

    def result(self) -> RunResult | None:
        """Return what the user saw, or None while the Run works or if it cannot be read."""
        return result_from_json(self.result_json)


def result_from_json(result_json: str | None) -> RunResult | None:
    """Read a stored result; None if there is none or if this version cannot read it."""
    if result_json is None:
        return None
    try:
        return RunResult.model_validate_json(result_json)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class AmbiguousRun:
    """More than one Run begins with the given text; `run_ids` are the newest few."""

    run_ids: tuple[str, ...]


FoundRun: TypeAlias = StoredRun | AmbiguousRun | None


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which Runs a listing shows; None matches all. `since` <= started_at < `until`."""

    session_id: str | None = None
    release_outcome: str | None = None
    intent: str | None = None
    since: datetime | None = None
    until: datetime | None = None


ALL_RUNS = RunFilter()


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, newest first; `more` tells that older ones match, too: ask `before` the last run id."""

    runs: tuple[RunSummary, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session with its newest Run. `last_run` is None when that Run was pruned or never began."""

    session_id: str
    owner: str
    created_at: datetime
    last_run_at: datetime
    runs: int
    last_run: RunSummary | None = None


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Sessions, the most recently used first; `more` as in `RunPage`."""

    sessions: tuple[SessionSummary, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class RoutingEntry:
    """How an earlier question of the session (redacted) was routed."""

    intent: Intent
    query: str


@dataclass(frozen=True, slots=True)
class StoredModelCall:
    """One row of the token ledger."""

    id: int
    role: str
    model: str
    attempt: int
    request_bytes: int
    reply_bytes: int
    input_tokens: int
    output_tokens: int
    estimated: bool
    duration_ms: int
    failure: str | None
    finish_reason: str | None
    prompt_sha256: str | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class StoredAgentStep:
    """One turn of the agent."""

    id: int
    step_no: int
    kind: str
    tool_name: str | None
    model_call_id: int | None
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class StoredInvocation:
    """One tool call: identity, status and sizes."""

    id: int
    tool_name: str
    tool_call_id: str
    step_id: int | None
    status: str
    evidence_status: str
    request_bytes: int
    agent_result_bytes: int
    truncated: bool
    relevance_level: str | None
    duration_ms: int
    success: bool
    error_code: str | None


@dataclass(frozen=True, slots=True)
class StoredReasoning:
    """Restricted: text that the model wrote, redacted."""

    step_no: int
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class RunDetails:
    """The detail rows of one Run, each in the order in which they were written."""

    model_calls: tuple[StoredModelCall, ...] = ()
    agent_steps: tuple[StoredAgentStep, ...] = ()
    tool_invocations: tuple[StoredInvocation, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows of one Run the database holds."""

    events: int = 0
    model_calls: int = 0
    agent_steps: int = 0
    tool_invocations: int = 0


@dataclass(frozen=True, slots=True)
class PruneCount:
    """What a pruning removed, or would remove."""

    runs: int = 0
    sessions: int = 0
