"""The litellm adapter on real sockets: one request a call, on every kind of route and failure."""

from __future__ import annotations

import gc
import threading
import time
import warnings
from collections.abc import Iterator

import pytest

from superbiz_cli.adapters.litellm_model import LitellmModel
from superbiz_cli.adapters.litellm_routes import ROUTES
from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
from superbiz_cli.harness.contract.model import (
    Message,
    ModelReply,
    ModelRequest,
    ModelRole,
    ModelToolCall,
    ModelUnavailable,
    RetryFailure,
    ToolSpec,
)
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.cancellation import Cancellation
from tests.support.model_server import Answer, ModelServer, failing, raw, tool_call

pytestmark = pytest.mark.filterwarnings(
    "ignore"
)  # litellm and its dependencies warn; ours are tested elsewhere

SECRET = "sk-test-0123456789"
CORE_ROUTES = ("openai/some-model", "anthropic/some-model", "ollama_chat/some-model")
LOOKUP = ToolSpec(
    "query_logs", "Searches logs.", {"type": "object", "properties": {"input": {"type": "object"}}}
)


@pytest.fixture(scope="module")
def runtime() -> Iterator[LitellmRuntime]:
    shared = LitellmRuntime()
    assert shared.wait(timeout_s=100, cancel=Cancellation()) is not None  # seconds; minutes on a busy machine
    yield shared
    shared.close()
    with warnings.catch_warnings():  # litellm leaves coroutines of cancelled calls behind
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.fixture(params=CORE_ROUTES)
def route(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def model_for(route: str, server: ModelServer, runtime: LitellmRuntime, **options: object) -> LitellmModel:
    provider = route.partition("/")[0]
    suffix = "" if provider in ("anthropic", "ollama_chat") else "/v1"
    base = f"{server.url}{suffix}"
    return LitellmModel(route, api_base=base, api_key=SECRET, runtime=runtime, **options)  # type: ignore[arg-type]


def question(*, tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    messages = (Message("system", "You are careful."), Message("user", "why does payment time out?"))
    return ModelRequest(role=ModelRole.AGENT, messages=messages, tools=tools)


def ask(model: LitellmModel, request: ModelRequest | None = None, *, timeout_s: float = 30.0) -> ModelReply:
    return model.complete(request or question(), timeout_s=timeout_s, cancel=Cancellation())


def failure_of(model: LitellmModel, *, timeout_s: float = 30.0) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        ask(model, timeout_s=timeout_s)
    return caught.value


def test_a_reply_carries_text_usage_and_the_served_model(
    route: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    reply = ask(model_for(route, server, runtime))

    assert reply.content == "ok"
    assert reply.finish_reason == "stop"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    assert reply.model is not None
    assert "-model" in reply.model
    assert len(server.requests) == 1


def test_tool_calls_travel_in_both_directions(
    route: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(content=None, tool_calls=[tool_call("query_logs", '{"input":{"query":"x"}}')]))
    history = (
        *question().messages,
        Message("assistant", "", tool_calls=(ModelToolCall("ev-abc-1", "query_logs", '{"input":{}}'),)),
        Message("tool", '{"observation":"RESULT"}', tool_call_id="ev-abc-1"),
    )
    request = ModelRequest(role=ModelRole.AGENT, messages=history, tools=(LOOKUP,))

    reply = ask(model_for(route, server, runtime), request)

    (call,) = reply.tool_calls
    assert call.name == "query_logs"
    assert call.arguments.replace(" ", "") == '{"input":{"query":"x"}}'
    sent = server.requests[0]
    assert len(server.requests) == 1
    assert "Searches logs." in sent.text
    assert "RESULT" in sent.text


ODD_ARGUMENTS = {
    "cut off": '{"input":{"query":',
    "an integer of 5,000 digits": f'{{"input":{"9" * 5_000}}}',
    "nested 20,000 deep": "[" * 20_000 + "]" * 20_000,
    "a number": "7",
    "prose": "query_logs(payment)",
}


@pytest.mark.parametrize("name", ["query_logs", "multi_tool_use.parallel", "no such tool!"])
@pytest.mark.parametrize("kind", ODD_ARGUMENTS)
def test_arguments_of_any_form_come_back_as_the_text_that_the_model_wrote(
    kind: str, name: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    arguments = ODD_ARGUMENTS[kind]
    server.script(Answer(content=None, tool_calls=[tool_call(name, arguments, id=None)]))
    reply = ask(model_for("openai/some-model", server, runtime))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [(name, arguments)]


@pytest.mark.parametrize("usage", [("x", 1), (-5, 2), (1.5, None), ([], {}), (10**30, 0)])
def test_odd_usage_costs_no_reply(
    route: str, usage: tuple[object, object], server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(usage=usage))
    reply = ask(model_for(route, server, runtime))
    assert reply.content == "ok"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == usage


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504])
def test_a_failing_endpoint_is_asked_once_and_named_by_its_status(
    route: str, status: int, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(failing(status))

    error = failure_of(model_for(route, server, runtime))

    expected = {408: RetryFailure.TIMEOUT, 504: RetryFailure.TIMEOUT, 429: RetryFailure.TRANSPORT}
    default = RetryFailure.TRANSPORT if status >= 500 else RetryFailure.UNKNOWN
    assert error.failure is expected.get(status, default)
    assert error.http_status == status
    assert len(server.requests) == 1
    assert "LEAKME" not in repr(vars(error)) + repr(error.args)
    assert error.__cause__ is None


def test_a_400_that_invites_a_changed_resend_is_not_resent(
    route: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(failing(400, '{"error":{"message":"Last message must have role user"}}'))

    assert failure_of(model_for(route, server, runtime)).failure is RetryFailure.UNKNOWN
    assert len(server.requests) == 1


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("1.5", 1.5), ("soon", None), ("-3", None)])
def test_retry_after_is_kept_as_a_number(
    header: str, seconds: float | None, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(failing(429, retry_after=header))

    assert failure_of(model_for("openai/m", server, runtime)).retry_after_s == seconds


def test_a_redirect_is_not_followed(route: str, server: ModelServer, runtime: LitellmRuntime) -> None:
    with ModelServer() as elsewhere:
        server.script(failing(307, location=f"{elsewhere.url}/v1/chat/completions"))

        error = failure_of(model_for(route, server, runtime))

        assert error.failure is RetryFailure.UNKNOWN
        assert error.hint == "the endpoint redirects elsewhere (307): set api_base to its final address"
        assert (len(server.requests), elsewhere.requests) == (1, [])


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(raw(b"<html>login</html>", content_type="text/html"), id="html"),
        pytest.param(raw(b'{"error":{"message":"sk-LEAKME"}}'), id="an error object"),
        pytest.param(raw(b'{"id":"c","object":"chat.completion"'), id="broken JSON"),
        pytest.param(raw(b""), id="nothing"),
        pytest.param(raw(b"[]"), id="a list"),
        pytest.param(raw(b" " * 2_000_000), id="more bytes than allowed"),
        pytest.param(raw(b"{}", content_encoding="gzip"), id="compressed"),
    ],
)
def test_a_body_that_is_no_completion_is_invalid_output(
    route: str, answer: Answer, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(answer)

    error = failure_of(model_for(route, server, runtime))

    assert error.failure is RetryFailure.INVALID_OUTPUT
    assert len(server.requests) == 1
    assert "LEAKME" not in repr(vars(error))


@pytest.mark.parametrize("choices", [0, 2])
def test_no_choice_and_several_choices_are_invalid_output(
    choices: int, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(choices=choices))

    assert failure_of(model_for("openai/m", server, runtime)).failure is RetryFailure.INVALID_OUTPUT


def test_a_lone_surrogate_is_invalid_output(route: str, server: ModelServer, runtime: LitellmRuntime) -> None:
    server.script(Answer(content="broken \ud800 text"))

    assert failure_of(model_for(route, server, runtime)).failure is RetryFailure.INVALID_OUTPUT


@pytest.mark.parametrize("mode", ["reset", "partial"])
def test_a_broken_connection_is_a_transport_failure_and_not_retried(
    route: str, mode: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(mode=mode))  # type: ignore[arg-type]

    error = failure_of(model_for(route, server, runtime))

    assert error.failure is RetryFailure.TRANSPORT
    assert error.hint == f"127.0.0.1:{server.port} broke the connection off"
    assert len(server.requests) == 1


@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_why_the_model_stopped_is_passed_on(
    finish_reason: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(finish_reason=finish_reason))

    assert ask(model_for("openai/m", server, runtime)).finish_reason == finish_reason


@pytest.mark.parametrize("usage", [(-90_000, -90_000), (10**18, 1), (0, 0)])
def test_odd_usage_reports_pass_unchanged_for_the_budget_to_judge(
    usage: tuple[int, int], server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(usage=usage))

    reply = ask(model_for("openai/m", server, runtime))

    assert (reply.usage.input_tokens, reply.usage.output_tokens) == usage


@pytest.mark.parametrize("call_id", [None, "", 7, "call_1"])
def test_a_tool_call_with_an_odd_id_is_read(
    call_id: object, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(Answer(content=None, tool_calls=[tool_call("query_logs", "{}", id=call_id)]))

    (call,) = ask(model_for("openai/m", server, runtime), question(tools=(LOOKUP,))).tool_calls

    assert call.name == "query_logs"


@pytest.mark.parametrize("mode", ["hang", "drip"])
def test_the_time_limit_is_a_total(
    route: str, mode: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    ask(model_for(route, server, runtime))  # the first call of a route loads more of the library
    server.script(Answer(mode=mode))  # type: ignore[arg-type]
    began = time.monotonic()

    error = failure_of(model_for(route, server, runtime), timeout_s=0.5)

    assert error.failure is RetryFailure.TIMEOUT
    assert time.monotonic() - began < 1.0
    assert server.client_left.wait(2.0)


@pytest.mark.parametrize("mode", ["hang", "drip"])
def test_a_cancel_ends_the_call_within_50_ms_and_closes_the_connection(
    route: str, mode: str, server: ModelServer, runtime: LitellmRuntime
) -> None:
    ask(model_for(route, server, runtime))  # the first call of a route loads more of the library
    server.script(Answer(mode=mode))  # type: ignore[arg-type]
    cancellation, cancelled_at = Cancellation(), 0.0

    def cancel_on_arrival() -> None:
        nonlocal cancelled_at
        server.arrived.wait(20)
        cancelled_at = time.monotonic()
        cancellation.cancel(CancelReason.USER_REQUESTED)

    canceller = threading.Thread(target=cancel_on_arrival)
    canceller.start()
    model = model_for(route, server, runtime)
    with pytest.raises(ModelUnavailable) as caught:
        model.complete(question(), timeout_s=30, cancel=cancellation)
    took_s = time.monotonic() - cancelled_at
    canceller.join()

    assert caught.value.failure is RetryFailure.CANCELLED
    assert took_s < 0.05
    assert server.client_left.wait(2.0)


def test_a_cancelled_run_sends_nothing(server: ModelServer, runtime: LitellmRuntime) -> None:
    cancellation = Cancellation()
    cancellation.cancel(CancelReason.USER_REQUESTED)

    with pytest.raises(ModelUnavailable) as caught:
        model_for("openai/m", server, runtime).complete(question(), timeout_s=5, cancel=cancellation)

    assert caught.value.failure is RetryFailure.CANCELLED
    assert server.requests == []


def test_proxy_variables_of_the_environment_are_ignored(
    route: str, server: ModelServer, runtime: LitellmRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert ask(model_for(route, server, runtime)).content == "ok"


def test_a_configured_proxy_is_used(server: ModelServer, runtime: LitellmRuntime) -> None:
    model = LitellmModel(
        "openai/m", api_base="http://model.invalid/v1", api_key=SECRET, proxy=server.url, runtime=runtime
    )

    assert ask(model).content == "ok"
    assert server.requests[0].path == "http://model.invalid/v1/chat/completions"


def test_a_refused_connection_says_where_and_what_to_check(runtime: LitellmRuntime) -> None:
    model = LitellmModel("openai/m", api_base="http://127.0.0.1:9/v1", api_key=SECRET, runtime=runtime)

    error = failure_of(model)

    assert error.failure is RetryFailure.TRANSPORT
    assert error.hint == "connection refused at 127.0.0.1:9: is the model server running?"


def test_an_endpoint_without_tls_or_name_is_explained(server: ModelServer, runtime: LitellmRuntime) -> None:
    plain = LitellmModel(
        "openai/m", api_base=f"https://127.0.0.1:{server.port}/v1", api_key=SECRET, runtime=runtime
    )
    nameless = LitellmModel("openai/m", api_base="http://model.invalid/v1", api_key=SECRET, runtime=runtime)

    for model, words in (
        (plain, "no trusted TLS connection to"),
        (nameless, "model.invalid:80 cannot be found"),
    ):
        error = failure_of(model)
        assert error.failure is RetryFailure.TRANSPORT
        assert error.hint is not None
        assert words in error.hint


def test_a_request_that_is_too_long_for_the_model_says_so(
    server: ModelServer, runtime: LitellmRuntime
) -> None:
    body = (
        '{"error":{"message":"This model\'s maximum context length is 8 tokens",'
        '"code":"context_length_exceeded","type":"invalid_request_error"}}'
    )
    server.script(failing(400, body))

    error = failure_of(model_for("openai/m", server, runtime))

    assert error.failure is RetryFailure.UNKNOWN
    assert error.hint == "the request is longer than the model's context (400)"


def test_only_wanted_parameters_are_sent(server: ModelServer, runtime: LitellmRuntime) -> None:
    ask(model_for("openai/m", server, runtime), question(tools=(LOOKUP,)))
    assert set(server.requests[0].body) <= {"model", "messages", "tools", "stream"}

    server.script(Answer())
    ask(model_for("openai/m", server, runtime, temperature=0.0, max_output_tokens=77))
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"]) == (0.0, 77)


def test_a_parameter_that_the_model_refuses_is_named_before_anything_is_sent(
    server: ModelServer, runtime: LitellmRuntime
) -> None:
    error = failure_of(model_for("openai/gpt-5", server, runtime, temperature=0.0))

    assert error.failure is RetryFailure.UNKNOWN
    assert error.hint is not None
    assert "remove temperature" in error.hint
    assert server.requests == []


def test_an_ollama_server_is_not_asked_about_the_model(server: ModelServer, runtime: LitellmRuntime) -> None:
    ask(model_for("ollama_chat/some-model:7b", server, runtime), question(tools=(LOOKUP,)))

    assert [received.path for received in server.requests] == ["/api/chat"]
    assert server.requests[0].body["tools"]


@pytest.mark.parametrize("provider", sorted(set(ROUTES) - {"openai", "anthropic", "ollama_chat"}))
@pytest.mark.parametrize("answer", [Answer(), failing(500)], ids=["200", "500"])
def test_every_listed_route_sends_its_one_request_through_our_client(
    provider: str, answer: Answer, server: ModelServer, runtime: LitellmRuntime
) -> None:
    server.script(answer)
    model = model_for(f"{provider}/some-model", server, runtime)

    if answer.status == 200:
        assert ask(model).content == "ok"
    else:
        assert failure_of(model).http_status == 500
    assert len(server.requests) == 1


def test_two_models_can_be_used_side_by_side(server: ModelServer, runtime: LitellmRuntime) -> None:
    first, second = model_for("openai/a", server, runtime), model_for("anthropic/b", server, runtime)

    for model in (first, second, first):
        assert model.complete(question(), timeout_s=30, cancel=Cancellation()).content == "ok"
    assert len(server.requests) == 3


def test_nothing_is_printed(
    route: str, server: ModelServer, runtime: LitellmRuntime, capfd: pytest.CaptureFixture[str]
) -> None:
    server.script(failing(500), failing(401), Answer())
    for _ in range(2):
        failure_of(model_for(route, server, runtime))
    ask(model_for(route, server, runtime))

    assert capfd.readouterr() == ("", "")
