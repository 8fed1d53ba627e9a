"""EVIDENCE_VALIDATION_FAILED: the canonical record is damaged or gone between the call and the release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from superbiz_cli.harness.contract.model import ModelRole
from superbiz_cli.harness.contract.violation import ViolationCode
from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_doubles import (
    before_call,
    change_agent_result,
    change_records,
    expire_records,
    rewrite_records,
)
from tests.support.flow_turns import CONCLUSION, diagnosis
from tests.support.flow_world import World

Damage = Callable[[Path], None]

PROJECTING: dict[str, Any] = {
    "status": "PROJECTING",
    "evidence_status": None,
    "raw_response": None,
    "agent_result": None,
    "completed_at": None,
}
DAMAGES: list[tuple[str, ViolationCode, Damage]] = [
    ("expired", ViolationCode.INVOCATION_NOT_FOUND, expire_records),
    (
        "not JSON",
        ViolationCode.INVOCATION_UNREADABLE,
        lambda store: rewrite_records(store, lambda record: record[:-7]),
    ),
    (
        "an illegal combination of fields",
        ViolationCode.INVOCATION_UNREADABLE,
        lambda store: change_records(store, evidence_status="ERROR"),
    ),
    (
        "of another call",
        ViolationCode.INVOCATION_ID_MISMATCH,
        lambda store: change_records(store, tool_call_id="ev-other-1"),
    ),
    (
        "of another run",
        ViolationCode.INVOCATION_ID_MISMATCH,
        lambda store: change_records(store, run_id="other"),
    ),
    (
        "never completed",
        ViolationCode.INVOCATION_NOT_REFERENCABLE,
        lambda store: change_records(store, **PROJECTING),
    ),
    (
        "with a blank result",
        ViolationCode.INVOCATION_NOT_REFERENCABLE,
        lambda store: change_records(store, agent_result=" "),
    ),
    (
        "of a tool that is not configured",
        ViolationCode.TOOL_UNSUPPORTED,
        lambda store: change_records(store, tool_name="query_mysql"),
    ),
    (
        "whose result names another call",
        ViolationCode.PROJECTION_INVALID,
        lambda store: change_agent_result(store, tool_call_id="ev-other-1"),
    ),
    (
        "whose result counts wrongly",
        ViolationCode.PROJECTION_INVALID,
        lambda store: change_agent_result(store, returned_count=9),
    ),
    (
        "whose result has a field more",
        ViolationCode.PROJECTION_INVALID,
        lambda store: change_agent_result(store, verdict="SUPPORTED"),
    ),
    (
        "whose result is no JSON",
        ViolationCode.PROJECTION_INVALID,
        lambda store: change_records(store, agent_result="{"),
    ),
    (
        "of another evidence status",
        ViolationCode.KIND_EVIDENCE_MISMATCH,
        lambda store: change_records(store, evidence_status="NO_EVIDENCE"),
    ),
]


@pytest.mark.parametrize(("code", "damage"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGES])
def test_a_record_that_is_not_what_was_seen_supports_nothing(
    world: World, code: ViolationCode, damage: Damage
) -> None:
    with before_call(ModelRole.AGENT, 2, lambda: damage(world.store_file)):
        flow = world.ask(diagnosis(), "--json")
    assert flow.code == 3
    published = balanced(flow)
    same_as_stored(flow)
    fallback = published["fallback"]
    assert fallback["type"] == "EVIDENCE_VALIDATION_FAILED"
    assert code.value in {issue["code"] for issue in fallback["validation_issues"]}
    assert fallback["observed_facts"] == []
    assert fallback["limitations"] != []
    assert published["evidence"] == []
    assert CONCLUSION not in flow.out


def test_a_record_that_expires_while_the_judge_decides_supports_nothing(world: World) -> None:
    """Released is only what can be read again at that moment; what the judge saw is not enough."""
    with before_call(ModelRole.JUDGE, 1, lambda: expire_records(world.store_file)):
        flow = world.ask(diagnosis(), "--json")
    published = balanced(flow)
    same_as_stored(flow)
    assert published["fallback"]["type"] == "EVIDENCE_VALIDATION_FAILED"
    assert [issue["code"] for issue in published["fallback"]["validation_issues"]] == ["INVOCATION_NOT_FOUND"]
    assert CONCLUSION not in flow.out
    assert [event["codes"] for event in flow.events("EVIDENCE_GUARD_RECHECK")] == ["INVOCATION_NOT_FOUND"]
