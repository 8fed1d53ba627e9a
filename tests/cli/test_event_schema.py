"""`--ndjson` and its published schema agree, line by line and in their order."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from superbiz_cli.cli.ndjson import NdjsonView
from superbiz_cli.cli.streams import Streams
from superbiz_cli.harness.audit.events import RecordedEvent, Scalar, TraceEvent, TraceType
from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.report import RunResult
from superbiz_cli.harness.contract.status import EvidenceStatus, Intent, ReleaseOutcome
from superbiz_cli.harness.contract.tool_call import ToolErrorCode, ToolName
from superbiz_cli.harness.core.run import Run
from tests.support.clock import FakeClock
from tests.support.results import failed_result, fallback_result, result, run_results
from tests.support.schemas import EVENT_SCHEMA, EVENT_VALIDATOR

METADATA = {
    "model": "openai/gpt-5",
    "guard_model": "offline/playbook",
    "query": "payment service times out",
    "window": {"since": None, "until": "2026-11-30T10:15:00+00:00", "timezone": "UTC", "from": "now"},
}

STARTED = TraceEvent(TraceType.RUN_STARTED, {"deadline_s": 300})
ROUTED = TraceEvent(TraceType.ROUTING_DECISION, {"intent": Intent.DIAGNOSIS.value})
CHECKING = TraceEvent(TraceType.EVIDENCE_GUARD_INITIAL, {"references": 1})


def tool_event(**changes: Scalar) -> TraceEvent:
    attributes: dict[str, Scalar] = {
        "tool": "query_logs",
        "tool_call_id": "ev-abcdefgh-1",
        "status": "READY",
        "evidence_status": "EVIDENCE_FOUND",
        "error_code": None,
        "raw_bytes": 18_000,
        "agent_result_bytes": 3100,
        "duration_ms": 60,
        "scope": "query_logs#a91f0312",
        "tool_invocation_id": 7,
    }
    return TraceEvent(TraceType.TOOL_INVOCATION, {**attributes, **changes}, {"scope": '"payment timeout"'})


def rejected(**attributes: Scalar) -> TraceEvent:
    return TraceEvent(TraceType.TOOL_REQUEST_REJECTED, attributes)


def lines_of(events: Sequence[TraceEvent], outcome: RunResult) -> list[dict[str, Any]]:
    written = io.StringIO()
    streams = Streams(stdout=written, stderr=io.StringIO(), environ={})
    run = Run.start(session_id="s1", deadline_s=300, limits=BudgetLimits(), clock=FakeClock(), run_id="run1")
    view = NdjsonView(streams, metadata=METADATA)
    view.started(run)
    for number, event in enumerate(events, start=1):
        view.event(RecordedEvent("run1", number, number * 10, event))
    view.finish(outcome)
    return [json.loads(line) for line in written.getvalue().splitlines()]


def kinds(lines: list[dict[str, Any]]) -> list[str]:
    return [line["event"] for line in lines]


EVENTS = st.one_of(
    st.sampled_from([STARTED, ROUTED, CHECKING, TraceEvent(TraceType.AGENT_MODEL_STEP, {"step_no": 1})]),
    st.builds(
        tool_event,
        tool=st.sampled_from([name.value for name in ToolName]),
        status=st.sampled_from(["READY", "ERROR"]),
        evidence_status=st.sampled_from([status.value for status in EvidenceStatus]),
        error_code=st.none() | st.sampled_from([code.value for code in ToolErrorCode]),
    ),
    st.builds(
        rejected,
        reason=st.just("DUPLICATE"),
        tool=st.none() | st.sampled_from([name.value for name in ToolName]),
        scope=st.none() | st.just("query_logs#a91f0312"),
        same_as=st.none() | st.just("ev-abcdefgh-1"),
    ),
    st.builds(
        rejected,
        tool=st.just("query_mysql"),
        tool_call_id=st.none() | st.just("ev-abcdefgh-2"),
        error_code=st.sampled_from([code.value for code in ToolErrorCode]),
    ),
)


def test_the_schema_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(EVENT_SCHEMA)


@given(st.lists(EVENTS, max_size=5), run_results())
def test_every_line_is_valid_and_numbered(events: list[TraceEvent], outcome: RunResult) -> None:
    lines = lines_of(events, outcome)
    for line in lines:
        EVENT_VALIDATOR.validate(line)
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [
        (result(run_id="run1"), ["content", "done"]),
        (fallback_result(run_id="run1"), ["content", "done"]),
        (failed_result(run_id="run1"), ["failure", "done"]),
        (failed_result(run_id="run1", release_outcome=ReleaseOutcome.CANCELLED), ["failure"]),
    ],
    ids=["success", "fallback", "failed", "cancelled"],
)
def test_lines_come_in_the_documented_order(outcome: RunResult, ending: list[str]) -> None:
    lines = lines_of([STARTED, ROUTED, tool_event(), CHECKING], outcome)
    assert kinds(lines) == ["metadata", "status", "status", "tool", "status", *ending]
    assert [line["status"] for line in lines if line["event"] == "status"] == [
        "ROUTING",
        "DIAGNOSIS_RUNNING",
        "SAFETY_VALIDATING",
    ]


def test_what_is_no_line_of_the_stream_is_invalid() -> None:
    [metadata, content, done] = lines_of([], result(run_id="run1"))
    wrong: list[Any] = [
        {},
        [],
        metadata | {"event": "hello"},
        {key: value for key, value in metadata.items() if key != "schema"},
        content | {"content_type": "fallback"},
        content | {"surprise": 1},
        done | {"outcome": "CANCELLED"},
        done | {"seq": 0},
        {key: value for key, value in done.items() if key != "run_id"},
    ]
    assert [line for line in wrong if EVENT_VALIDATOR.is_valid(line)] == []
