from __future__ import annotations

import pytest

from superbiz_cli.harness.contract.limits import (
    BudgetLimits,
    PayloadLimits,
    ProgressLimits,
    TimeLimits,
    utf8_size,
)
from superbiz_cli.harness.contract.model import Message, ModelReply, ModelRequest, ModelRole, ModelToolCall

CALL = ModelToolCall(id="call-1", name="query_logs", arguments='{"é":1}')


def test_a_requests_size_is_that_of_its_texts_and_arguments_in_utf_8() -> None:
    request = ModelRequest(
        role=ModelRole.AGENT,
        messages=(
            Message("system", "支付"),
            Message("assistant", "", tool_calls=(CALL, CALL)),
            Message("tool", "ok", tool_call_id="call-1"),
        ),
    )
    assert request.size_bytes() == 6 + 8 + 8 + 2


def test_a_replys_size_is_that_of_its_text_and_arguments() -> None:
    assert ModelReply("é", (CALL,)).size_bytes() == 2 + 8
    assert ModelReply("").size_bytes() == 0


@pytest.mark.parametrize("broken", ["\ud800", "a\udfffb"])
def test_text_that_is_no_unicode_still_has_a_size(broken: str) -> None:
    assert ModelReply(broken).size_bytes() == len(broken)
    assert utf8_size(broken) == len(broken) + 2
    request = ModelRequest(role=ModelRole.JUDGE, messages=(Message("user", broken),))
    assert request.size_bytes() == len(broken)


def test_the_default_limits_are_those_that_the_documentation_names() -> None:
    assert BudgetLimits() == BudgetLimits(24, 24, 8, 100_000, 100_000, 200_000, 1_000_000)
    assert PayloadLimits() == PayloadLimits(
        query_bytes=16_384,
        previous_turn_bytes=16_384,
        agent_input_bytes=49_152,
        draft_bytes=49_152,
        judge_input_bytes=100_000,
        judge_output_bytes=10_000,
        repair_input_bytes=100_000,
        repair_output_bytes=48_000,
        canonical_record_bytes=1_048_576,
        agent_result_bytes=65_536,
    )
    times = TimeLimits()
    assert (times.router.attempt_s, times.router.total_s) == (10, 25)
    assert (times.judge.attempt_s, times.judge.total_s) == (20, 45)
    assert (times.repair.attempt_s, times.repair.total_s) == (45, 45)
    assert ProgressLimits() == ProgressLimits(2, 2)
