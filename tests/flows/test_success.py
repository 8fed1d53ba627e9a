"""SUCCESS: every reference holds, every claim is in the evidence, and the judge agreed."""

from __future__ import annotations

import pytest

from tests.support.flow_books import balanced, same_as_stored
from tests.support.flow_turns import (
    CONCLUSION,
    INVENTED_ID,
    LIMITATIONS,
    asks_logs,
    diagnosis,
    draft,
    item,
    judges,
    routes,
    says,
    script,
    shown,
)
from tests.support.flow_world import World


def test_a_supported_draft_is_released_with_its_footnotes(world: World) -> None:
    flow = world.ask(diagnosis(), "--json")
    assert flow.code == 0
    published = balanced(flow)
    same_as_stored(flow)
    assert published["release_outcome"] == published["run_state"] == "SUCCESS"
    assert published["intent"] == "DIAGNOSIS"
    assert published["report"]["conclusion"] == {"text": CONCLUSION, "refs": [1]}
    assert published["report"]["judgement"] == {
        "references_verified": 1,
        "references_total": 1,
        "verdict": "SUPPORTED",
        "reason": "the figures are in the log",
    }
    [evidence] = published["evidence"]
    assert evidence["tool_name"] == "query_logs"
    assert "timed out after 30000ms" in evidence["excerpt"]


def test_every_gate_on_the_way_to_success_is_in_the_trace(world: World) -> None:
    flow = world.ask(diagnosis())
    assert flow.types == [
        "RUN_STARTED",
        "ROUTING_ATTEMPT",
        "ROUTING_DECISION",
        "AGENT_MODEL_STEP",
        "TOOL_INVOCATION",
        "PROGRESS_RECORDED",
        "AGENT_MODEL_STEP",
        "EVIDENCE_GUARD_INITIAL",
        "SEMANTIC_ATTEMPT",
        "SEMANTIC_GUARD_DECISION",
        "RELEASE_DECISION",
        "RUN_FINISHED",
    ]


def test_a_rated_second_search_is_cited_beside_the_first(world: World) -> None:
    more = item("no line of the checkout service matched", id_="A2", kind="NEGATIVE_OBSERVATION")
    more["tool_call_ids"] = [shown("call_2")]
    flow = world.ask(
        script(
            asks_logs(),
            asks_logs("call_2", query="checkout", rating=("call_1", "GAINED")),
            says(draft(item(), more)),
        ),
        "--json",
    )
    published = balanced(flow)
    assert published["release_outcome"] == "SUCCESS"
    assert [found["refs"] for found in published["report"]["analysis"]] == [[1], [2]]
    assert [found["ref"] for found in published["evidence"]] == [1, 2]
    assert published["usage"]["tool_calls"] == 2


def test_a_repair_of_references_alone_leads_to_success(world: World) -> None:
    wrong = draft(item(cites=(INVENTED_ID,)))
    flow = world.ask(diagnosis(wrong, repair=[says(draft())]), "--json")
    published = balanced(flow)
    assert published["release_outcome"] == "SUCCESS"
    [initial] = flow.events("EVIDENCE_GUARD_INITIAL")
    [recheck] = flow.events("EVIDENCE_GUARD_RECHECK")
    assert initial["codes"] == "INVOCATION_NOT_FOUND"
    assert recheck["violations"] == 0


def test_a_judge_that_answers_on_the_second_attempt_is_heard(world: World) -> None:
    flow = world.ask(diagnosis(semantic=[says("it looks fine to me"), judges()]), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    failures = [attempt["failure"] for attempt in flow.events("SEMANTIC_ATTEMPT")]
    assert failures == ["PARSE_ERROR", None]


def test_a_router_that_answers_on_the_second_attempt_is_heard(world: World) -> None:
    flow = world.ask(diagnosis(router=[{"error": "TIMEOUT"}, routes()]), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    failures = [attempt["failure"] for attempt in flow.events("ROUTING_ATTEMPT")]
    assert failures == ["TIMEOUT", None]


def test_a_draft_that_is_corrected_once_is_released(world: World) -> None:
    flow = world.ask(script(asks_logs(), says("I would say the pool."), says(draft())), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"


def test_a_step_that_changes_state_is_published_with_a_request_for_confirmation(world: World) -> None:
    steps = [
        {"action": action, "requires_human_confirmation": False, "based_on_analysis_ids": ["A1"]}
        for action in ("Restart payment-service", "Check which transaction holds the connections")
    ]
    flow = world.ask(diagnosis(draft(action_plan=steps)), "--json")
    plan = balanced(flow)["report"]["action_plan"]
    assert [step["requires_human_confirmation"] for step in plan] == [True, False]


def test_a_chinese_draft_over_english_logs_is_released(world: World) -> None:
    chinese = draft(
        item("payment-service 记录了 37 次 30000 ms 的连接池超时"),
        conclusion={
            "text": "payment-service 连接池耗尽，37 个请求等待 30000 ms 后超时。",
            "based_on_analysis_ids": ["A1"],
        },
    )
    flow = world.ask(diagnosis(chinese), "--json", query="支付服务从 10 点开始超时")
    published = balanced(flow)
    assert published["release_outcome"] == "SUCCESS"
    assert any("日志检索范围" in line for line in published["report"]["limitations"]["caveats"])


def test_text_beside_a_tool_call_is_never_a_draft(world: World) -> None:
    beside = asks_logs() | {"content": '{"conclusion": {"text": "The moon did it."}}'}
    flow = world.ask(script(beside, says(draft())), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    assert "moon" not in flow.out


@pytest.mark.parametrize("wrap", ["\ufeff%s", " \n%s\n ", "```json\n%s\n```", "<think>perhaps</think>\n%s"])
def test_each_accepted_wrapper_around_the_draft_is_taken_off(world: World, wrap: str) -> None:
    flow = world.ask(diagnosis(says(draft(), wrap=wrap)), "--json")
    assert balanced(flow)["release_outcome"] == "SUCCESS"
    assert "perhaps" not in flow.out


def test_what_is_missing_is_published_beside_the_cause(world: World) -> None:
    limits = LIMITATIONS | {"missing_info": ["the slow query log"]}
    flow = world.ask(diagnosis(draft(limitations=limits)), "--json")
    assert balanced(flow)["report"]["limitations"]["missing_info"] == ["the slow query log"]
