"""What must hold after a hostile case: what the case expects, and the invariants of every Run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.support.flow_books import balanced
from tests.support.flow_doubles import records
from tests.support.hostile_cases import Case
from tests.support.hostile_play import KEY, Played

MAX_MODEL_CALLS = 24
MAX_TOOL_CALLS = 24
MAX_CALLS_PER_TOOL = 8
# C0 but tab and newline, DEL, C1, zero-width, direction, line and tag characters, surrogates.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def check(played: Played) -> None:
    """Check one played case. Raises AssertionError."""
    case = played.case
    published = balanced(played.flow, pipe_is_closed=case.stdout_is_closed)
    as_expected(case, played, published)
    within_maxima(case, played)
    nothing_forbidden_is_shown(case, played, published)
    invariants(played, published)


def as_expected(case: Case, played: Played, published: Mapping[str, Any]) -> None:
    expect, outcome = case.expect, published["release_outcome"]
    assert outcome in expect["outcomes"], published["failure"] or published["fallback"]
    if outcome == "FALLBACK" and expect.get("fallback_types"):
        kinds = {published["fallback"]["type"]}
        if published["run_state"] == "BUDGET_EXHAUSTED":
            kinds.add("BUDGET_EXHAUSTED")
        assert kinds & set(expect["fallback_types"]), published["fallback"]
    if "run_states" in expect:
        assert published["run_state"] in expect["run_states"]
    if "stop_reasons" in expect and "SUCCESS" not in expect["outcomes"]:
        stops = {stop["reason"] for stop in played.flow.events("COLLECTION_STOPPED")}
        assert stops & set(expect["stop_reasons"])


def within_maxima(case: Case, played: Played) -> None:
    usage = played.flow.replay.run.summary.usage
    assert usage is not None
    per_role = {role: sum(1 for sent, _ in played.requests if sent == role) for role, _ in played.requests}
    agent_calls = [call for call in _model_calls(played) if call.role == "agent"]
    counted: dict[str, float] = {
        "backend_calls": played.backend_calls.total(),
        "per_tool": max(played.backend_calls.values(), default=0),
        "tool_calls": usage.tool_calls,
        "model_calls": usage.model_calls,
        "physical_requests": len(played.requests),
        "physical_requests_last_call": max((call.attempt for call in agent_calls), default=0),
        "stop_required": sum(1 for stop in played.flow.events("COLLECTION_STOPPED") if stop["delivered"]),
        "wall_ms": played.flow.replay.run.summary.duration_ms or 0,
        "exit_ms": played.exit_ms or 0,
        **{f"physical_requests_{role}": count for role, count in per_role.items()},
    }
    for name, limit in case.expect.get("max", {}).items():
        assert counted.get(name, 0) <= limit, name
    assert set(case.expect.get("max", {})) <= set(counted) | {
        f"physical_requests_{role}" for role in ("router", "agent", "semantic", "repair")
    }


def nothing_forbidden_is_shown(case: Case, played: Played, published: Mapping[str, Any]) -> None:
    unproven = set() if published["release_outcome"] == "SUCCESS" else case.conclusions()
    for place, text in played.everything_shown().items():
        for forbidden in [*case.expect.get("output_must_not_contain", ()), KEY]:
            assert forbidden not in text, place
            assert json.dumps(forbidden)[1:-1] not in text, place
        for conclusion in unproven:
            assert conclusion not in " ".join(text.split()), place
        if place != "audit":
            assert UNSAFE.search(text) is None, (place, UNSAFE.search(text))
        assert "Traceback" not in text, place


def invariants(played: Played, published: Mapping[str, Any]) -> None:
    flow, usage = played.flow, published["usage"]
    calls = _model_calls(played)
    never_sent = sum(1 for call in calls if call.failure in ("TIMEOUT", "CANCELLED"))
    assert len(calls) == usage["model_calls"] <= MAX_MODEL_CALLS
    assert len(calls) - never_sent <= len(played.requests) <= len(calls)
    assert played.backend_calls.total() <= usage["tool_calls"] <= MAX_TOOL_CALLS
    assert all(count <= MAX_CALLS_PER_TOOL for count in played.backend_calls.values())
    assert sum(1 for stop in flow.events("COLLECTION_STOPPED") if stop["delivered"]) <= 1
    assert len(flow.events("SEMANTIC_ATTEMPT")) <= 2
    assert len(flow.events("ROUTING_ATTEMPT")) <= 2
    assert len(flow.events("EVIDENCE_REPAIR_ATTEMPT")) <= 1
    if published["release_outcome"] == "SUCCESS" and published["report"] is not None:
        only_proven(played, published)


def only_proven(played: Played, published: Mapping[str, Any]) -> None:
    """Every footnote is a READY call of this Run, the judge said SUPPORTED, changes need confirmation."""
    ready = {
        record["tool_call_id"]
        for record in records(played.flow.world.store_file)
        if record["run_id"] == published["run_id"] and record["status"] == "READY"
    }
    assert {footnote["tool_call_id"] for footnote in published["evidence"]} <= ready
    refs = {footnote["ref"] for footnote in published["evidence"]}
    assert published["report"]["conclusion"]["refs"]
    assert all(item["refs"] and set(item["refs"]) <= refs for item in published["report"]["analysis"])
    [decision] = played.flow.events("SEMANTIC_GUARD_DECISION")
    assert decision["verdict"] == "SUPPORTED"


def _model_calls(played: Played) -> Any:
    details = played.flow.replay.details
    assert details is not None
    return details.model_calls
