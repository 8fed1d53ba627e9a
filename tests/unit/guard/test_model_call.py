"""A guarded question: what goes out, what is paid, what is refused, what is asked again."""

from __future__ import annotations

import json

import pytest

from superbiz_cli.harness.contract.limits import BudgetLimits
from superbiz_cli.harness.contract.model import ModelReply, ModelRequest, ModelUnavailable, RetryFailure
from superbiz_cli.harness.contract.status import CancelReason, RunState
from superbiz_cli.harness.core.budget import BudgetExceeded, BudgetKind
from superbiz_cli.harness.core.run import RunAborted
from superbiz_cli.harness.retry.attempts import AttemptFailed, AttemptsExhausted
from superbiz_cli.harness.retry.policy import REPAIR
from tests.support.guarding import QueuedModel, Turn, a_guard_call, a_run, text_reply, tool_reply

QUESTION = {"task": "route", "query": "支付超时"}


def as_is(text: str) -> str:
    return text


def ask(*turns: Turn) -> tuple[str, list[tuple[int, RetryFailure | None]]]:
    seen: list[tuple[int, RetryFailure | None]] = []
    answer = a_guard_call(QueuedModel(turns)).ask(
        QUESTION, as_is, lambda number, failure: seen.append((number, failure))
    )
    return answer, seen


def test_the_question_is_one_json_object_beside_the_system_prompt_and_no_tools() -> None:
    model = QueuedModel([text_reply("{}")])
    a_guard_call(model).ask(QUESTION, as_is)
    (request,) = model.requests
    assert [message.role for message in request.messages] == ["system", "user"]
    assert json.loads(request.messages[1].content) == QUESTION
    assert request.tools == ()


def test_the_first_usable_reply_is_parsed_and_reported() -> None:
    answer, seen = ask(text_reply("fine"))
    assert answer == "fine"
    assert seen == [(1, None)]


@pytest.mark.parametrize(
    "wrapped",
    [
        "\ufeff{}",
        "  {}\n",
        "```json\n{}\n```",
        "<think>hm ```x``` {</think>\n{}",
        "\ufeff<think>a</think>```json\n{}\n```",
    ],
)
def test_the_accepted_wrappers_are_taken_off_before_parsing(wrapped: str) -> None:
    assert ask(text_reply(wrapped))[0] == "{}"


@pytest.mark.parametrize(
    "text", ["Sure: ```json\n{}\n```", "{}\n<think>late</think>", "```json\n{}\n```\nmore", "```\n{}\n```"]
)
def test_any_other_wrapper_stays_for_the_parser_to_refuse(text: str) -> None:
    assert ask(text_reply(text))[0] == text


@pytest.mark.parametrize(
    ("bad", "failure"),
    [
        (text_reply(""), RetryFailure.SCHEMA_INVALID),
        (text_reply(" \n"), RetryFailure.SCHEMA_INVALID),
        (tool_reply(), RetryFailure.SCHEMA_INVALID),
        (text_reply("x" * 10_001), RetryFailure.SCHEMA_INVALID),
        (text_reply("超" * 3_334), RetryFailure.SCHEMA_INVALID),
        (text_reply("{}", finish_reason="length"), RetryFailure.INVALID_OUTPUT),
        (text_reply("", finish_reason="content_filter"), RetryFailure.INVALID_OUTPUT),
        (ModelUnavailable(RetryFailure.TIMEOUT), RetryFailure.TIMEOUT),
        (ModelUnavailable(RetryFailure.TRANSPORT, http_status=500), RetryFailure.TRANSPORT),
    ],
)
def test_an_unusable_reply_is_asked_for_once_more(bad: Turn, failure: RetryFailure) -> None:
    answer, seen = ask(bad, text_reply("good"))
    assert answer == "good"
    assert seen == [(1, failure), (2, None)]


def test_a_second_unusable_reply_ends_the_question() -> None:
    with pytest.raises(AttemptsExhausted) as caught:
        ask(text_reply(""), tool_reply())
    assert (caught.value.failure, caught.value.attempts) == (RetryFailure.SCHEMA_INVALID, 2)


def test_a_parser_that_refuses_makes_the_attempt_fail() -> None:
    def refuse(_text: str) -> str:
        raise AttemptFailed(RetryFailure.PARSE_ERROR)

    model = QueuedModel([text_reply("?"), text_reply("?")])
    with pytest.raises(AttemptsExhausted) as caught:
        a_guard_call(model).ask(QUESTION, refuse)
    assert caught.value.failure is RetryFailure.PARSE_ERROR
    assert len(model.requests) == 2


def test_a_refused_login_is_not_tried_again() -> None:
    with pytest.raises(AttemptsExhausted) as caught:
        ask(ModelUnavailable(RetryFailure.BUSINESS_REJECTION, http_status=401))
    assert caught.value.attempts == 1


def test_a_policy_of_one_attempt_makes_one_request() -> None:
    model = QueuedModel([text_reply("")])
    with pytest.raises(AttemptsExhausted):
        a_guard_call(model, policy=REPAIR).ask(QUESTION, as_is)
    assert len(model.requests) == 1


def test_a_question_that_is_too_large_is_never_sent() -> None:
    model = QueuedModel([])
    with pytest.raises(AttemptsExhausted) as caught:
        a_guard_call(model, max_input_bytes=20).ask(QUESTION, as_is)
    assert (caught.value.failure, caught.value.attempts) == (RetryFailure.BUSINESS_REJECTION, 0)


def test_both_directions_of_every_attempt_are_paid_from_the_run_bytes() -> None:
    run = a_run()
    call = a_guard_call(QueuedModel([text_reply(""), text_reply("four")]), run=run)
    call.ask(QUESTION, as_is)
    assert run.budget.run_bytes == 2 * call.request(QUESTION).size_bytes() + len("four")
    assert run.budget.model_calls == 2


def test_bytes_that_do_not_fit_end_the_run_before_the_request() -> None:
    run = a_run(limits=BudgetLimits(max_run_bytes=10))
    model = QueuedModel([])
    with pytest.raises(BudgetExceeded) as caught:
        a_guard_call(model, run=run).ask(QUESTION, as_is)
    assert caught.value.kind is BudgetKind.RUN_BYTES
    assert run.lifecycle.state is RunState.BUDGET_EXHAUSTED


def test_a_cancelled_run_asks_nothing() -> None:
    run = a_run()
    run.cancel(CancelReason.USER_REQUESTED)
    with pytest.raises(RunAborted):
        a_guard_call(QueuedModel([]), run=run).ask(QUESTION, as_is)


def test_a_cancel_during_the_request_is_not_a_failed_attempt() -> None:
    run = a_run()

    def cancel_first(_request: ModelRequest) -> ModelReply:
        run.cancel(CancelReason.USER_REQUESTED)
        return text_reply("late")

    seen: list[int] = []
    with pytest.raises(RunAborted):
        a_guard_call(QueuedModel([cancel_first]), run=run).ask(
            QUESTION, as_is, lambda number, _failure: seen.append(number)
        )
    assert seen == []
