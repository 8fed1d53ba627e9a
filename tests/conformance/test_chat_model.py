"""What every chat model promises, whatever is behind it."""

from __future__ import annotations

import gc
import json
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from superbiz_cli.adapters.litellm_model import LitellmModel
from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
from superbiz_cli.adapters.script_macros import read_script
from superbiz_cli.adapters.scripted_model import ScriptedModel
from superbiz_cli.harness.contract.model import (
    ChatModel,
    Message,
    ModelRequest,
    ModelRole,
    ModelUnavailable,
    RetryFailure,
    ToolSpec,
)
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.cancellation import Cancellation
from tests.support.model_server import Answer, ModelServer, failing, tool_call

pytestmark = pytest.mark.filterwarnings("ignore")

REQUEST = ModelRequest(
    role=ModelRole.AGENT,
    messages=(Message("system", "s"), Message("user", "u")),
    tools=(ToolSpec("query_logs", "d", {"type": "object", "properties": {}}),),
)
SITUATIONS: dict[str, tuple[Answer, dict[str, Any]]] = {
    "text": (
        Answer(content="hello", usage=(11, 7)),
        {"content": "hello", "usage": {"prompt_tokens": 11, "completion_tokens": 7}},
    ),
    "call": (
        Answer(content=None, tool_calls=[tool_call("query_logs", '{"a": 1}')]),
        {"tool_calls": [{"id": "call_1", "name": "query_logs", "arguments": '{"a": 1}'}]},
    ),
    "hang": (Answer(mode="hang"), {"hang_ms": 600_000}),
    "unauthorised": (failing(401), {"error": "HTTP", "status": 401}),
    "busy": (failing(429, retry_after="3"), {"error": "HTTP", "status": 429, "retry_after_s": 3.0}),
}

Build = Callable[[str], ChatModel]


@pytest.fixture(scope="module")
def runtime() -> Iterator[LitellmRuntime]:
    shared = LitellmRuntime()
    assert shared.wait(timeout_s=100, cancel=Cancellation()) is not None  # seconds; minutes on a busy machine
    yield shared
    shared.close()
    with warnings.catch_warnings():  # litellm leaves coroutines of cancelled calls behind
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.fixture(params=["scripted", "openai/m", "anthropic/m", "ollama_chat/m"])
def build(request: pytest.FixtureRequest, runtime: LitellmRuntime) -> Iterator[Build]:
    if request.param == "scripted":
        yield _scripted
        return
    with ModelServer() as server:

        def litellm(situation: str) -> ChatModel:
            model = LitellmModel(request.param, api_base=server.url, api_key="k", runtime=runtime)
            model.complete(REQUEST, timeout_s=60, cancel=Cancellation())
            server.script(SITUATIONS[situation][0])
            return model

        yield litellm


def _scripted(situation: str) -> ChatModel:
    return ScriptedModel(read_script(json.dumps({"agent": [SITUATIONS[situation][1]]})))


def test_text_and_usage_come_back(build: Build) -> None:
    reply = build("text").complete(REQUEST, timeout_s=30, cancel=Cancellation())

    assert reply.content == "hello"
    assert reply.tool_calls == ()
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)


def test_a_tool_call_comes_back_as_text(build: Build) -> None:
    (call,) = build("call").complete(REQUEST, timeout_s=30, cancel=Cancellation()).tool_calls

    assert (call.name, json.loads(call.arguments)) == ("query_logs", {"a": 1})


def test_the_time_limit_is_kept(build: Build) -> None:
    model, began = build("hang"), time.monotonic()

    with pytest.raises(ModelUnavailable) as caught:
        model.complete(REQUEST, timeout_s=0.2, cancel=Cancellation())

    assert caught.value.failure is RetryFailure.TIMEOUT
    assert time.monotonic() - began < 1


def test_a_cancel_is_heard_within_50_ms(build: Build) -> None:
    model, cancellation, cancelled_at = build("hang"), Cancellation(), [0.0]

    def cancel() -> None:
        cancelled_at[0] = time.monotonic()
        cancellation.cancel(CancelReason.USER_REQUESTED)

    timer = threading.Timer(0.1, cancel)
    timer.start()
    with pytest.raises(ModelUnavailable) as caught:
        model.complete(REQUEST, timeout_s=30, cancel=cancellation)

    assert caught.value.failure is RetryFailure.CANCELLED
    assert time.monotonic() - cancelled_at[0] < 0.05
    timer.join()


def test_a_cancelled_run_asks_nothing(build: Build) -> None:
    model, cancellation = build("text"), Cancellation()
    cancellation.cancel(CancelReason.USER_REQUESTED)

    with pytest.raises(ModelUnavailable) as caught:
        model.complete(REQUEST, timeout_s=30, cancel=cancellation)

    assert caught.value.failure is RetryFailure.CANCELLED


@pytest.mark.parametrize(
    ("situation", "failure", "retry_after"),
    [("unauthorised", RetryFailure.UNKNOWN, None), ("busy", RetryFailure.TRANSPORT, 3.0)],
)
def test_failures_have_the_same_names(
    situation: str, failure: RetryFailure, retry_after: float | None, build: Build
) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        build(situation).complete(REQUEST, timeout_s=30, cancel=Cancellation())

    assert (caught.value.failure, caught.value.retry_after_s) == (failure, retry_after)
    assert caught.value.hint is not None
