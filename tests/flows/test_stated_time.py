"""The time in the question: what was understood is used, what was not is said where the result is read."""

from __future__ import annotations

import json

import pytest

from tests.support.flow_turns import diagnosis, draft
from tests.support.flow_world import World

WINDOW = "2026-11-30 09:45 → 10:15 +08:00"


@pytest.fixture(autouse=True)
def shanghai(world: World) -> None:
    world.settings["ui"] = {"timezone": "Asia/Shanghai"}


def test_a_time_that_is_not_understood_is_named_in_the_limits_of_a_report(world: World) -> None:
    flow = world.ask(diagnosis(), "--json", query="payment service times out since the deploy")
    assert flow.code == 0
    note = flow.document["report"]["limitations"]["caveats"][0]
    assert '"since the deploy", was not understood' in note
    assert WINDOW in note
    assert 'not understood: "since the deploy"' in flow.err


def test_a_time_that_is_not_understood_is_named_in_the_limits_of_a_fallback(world: World) -> None:
    flow = world.ask(diagnosis(draft(conclusion=None)), "--json", query="支付超时，几分钟前开始")
    assert flow.code == 3
    note = flow.document["fallback"]["limitations"][0]
    assert "没有看懂问题里的时间 “几分钟前”" in note
    assert WINDOW in note


@pytest.mark.parametrize(
    ("question", "since"),
    [
        ("payment times out since 20 minutes", "2026-11-30T09:55:00+08:00"),
        ("支付超时，从20分钟前开始", "2026-11-30T09:55:00+08:00"),
        ("昨晚11点以后支付超时", "2026-11-29T23:00:00+08:00"),
    ],
)
def test_a_time_that_is_understood_is_the_window_and_needs_no_word(
    world: World, question: str, since: str
) -> None:
    flow = world.ask(diagnosis(), "--ndjson", query=question)
    metadata, *_, content, _done = map(json.loads, flow.out.splitlines())
    assert metadata["window"]["since"] == since
    assert "understood" not in json.dumps(content)
