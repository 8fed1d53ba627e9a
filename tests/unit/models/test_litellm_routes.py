"""What is decided about a route before litellm is even loaded."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from superbiz_cli.adapters.http_failures import failure_for_status, hint_for_status, retry_after_s
from superbiz_cli.adapters.litellm_model import LitellmModel
from superbiz_cli.adapters.litellm_routes import KEYLESS, ResolvedRoute, RouteProblem, resolve_route
from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
from superbiz_cli.harness.contract.model import (
    Message,
    ModelRequest,
    ModelRole,
    ModelUnavailable,
    RetryFailure,
)
from superbiz_cli.harness.core.cancellation import Cancellation

REQUEST = ModelRequest(role=ModelRole.ROUTER, messages=(Message("user", "x"),))


def resolve(
    route: str,
    *,
    api_base: str | None = None,
    api_key: str | None = None,
    api_key_env: str | None = None,
    environ: dict[str, str] | None = None,
) -> ResolvedRoute | RouteProblem:
    return resolve_route(
        route, api_base=api_base, api_key=api_key, api_key_env=api_key_env, environ=environ or {}
    )


@pytest.mark.parametrize("route", ["gpt-5", "openai/", "", "/m"])
def test_a_route_without_provider_or_model_is_explained(route: str) -> None:
    problem = resolve(route)

    assert isinstance(problem, RouteProblem)
    assert "openai/" in problem.hint


def test_an_unproven_provider_is_refused_with_the_way_out() -> None:
    problem = resolve("bedrock/some-model", api_key="k")

    assert isinstance(problem, RouteProblem)
    assert 'the route "bedrock/" is not supported' in problem.hint
    assert '"openai/some-model" with api_base' in problem.hint


@pytest.mark.parametrize(
    ("route", "variable"), [("openai/m", "OPENAI_API_KEY"), ("anthropic/m", "ANTHROPIC_API_KEY")]
)
def test_a_missing_key_names_its_variable(route: str, variable: str) -> None:
    assert resolve(route) == RouteProblem(f"set {variable}")
    assert resolve(route, api_key_env="MY_KEY") == RouteProblem("set MY_KEY")
    assert isinstance(resolve(route, environ={variable: "from-env"}), ResolvedRoute)


def test_the_usual_key_variable_never_travels_to_another_endpoint() -> None:
    resolved = resolve(
        "openai/m", api_base="http://127.0.0.1:8000/v1", environ={"OPENAI_API_KEY": "sk-secret"}
    )

    assert isinstance(resolved, ResolvedRoute)
    assert resolved.api_key == KEYLESS


def test_a_configured_but_unset_key_variable_is_a_problem_also_for_a_local_endpoint() -> None:
    assert resolve("openai/m", api_base="http://127.0.0.1:8000/v1", api_key_env="MY_KEY") == RouteProblem(
        "set MY_KEY"
    )


def test_a_local_server_needs_no_key() -> None:
    resolved = resolve("ollama_chat/qwen3")

    assert isinstance(resolved, ResolvedRoute)
    assert resolved.api_base == "http://localhost:11434"


def test_a_missing_key_is_reported_without_loading_the_library() -> None:
    def never() -> None:
        raise AssertionError("litellm must not be loaded")

    model = LitellmModel("openai/gpt-5", environ={}, runtime=LitellmRuntime(never))
    model.warm_up()

    with pytest.raises(ModelUnavailable) as caught:
        model.complete(REQUEST, timeout_s=1, cancel=Cancellation())

    assert (caught.value.failure, caught.value.hint) == (RetryFailure.UNKNOWN, "set OPENAI_API_KEY")
    assert model.problem == "set OPENAI_API_KEY"
    assert model.name == "openai/gpt-5"


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (200, RetryFailure.INVALID_OUTPUT),
        (302, RetryFailure.UNKNOWN),
        (400, RetryFailure.UNKNOWN),
        (401, RetryFailure.UNKNOWN),
        (402, RetryFailure.UNKNOWN),
        (403, RetryFailure.UNKNOWN),
        (404, RetryFailure.UNKNOWN),
        (408, RetryFailure.TIMEOUT),
        (422, RetryFailure.UNKNOWN),
        (429, RetryFailure.TRANSPORT),
        (500, RetryFailure.TRANSPORT),
        (503, RetryFailure.TRANSPORT),
        (504, RetryFailure.TIMEOUT),
    ],
)
def test_a_status_has_one_meaning_and_one_sentence(status: int, failure: RetryFailure) -> None:
    assert failure_for_status(status) is failure
    assert hint_for_status(status).startswith("the endpoint ")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("12", 12.0),
        (" 2.5 ", 2.5),
        ("999999999", 86_400.0),
        ("-1", None),
        ("1e9", None),
        ("nan", None),
        ("٣", None),
        ("Mon, 30 Nov 2026 10:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 09:00:00 GMT", 0.0),
        ("Mon, 99 Nov 2026 10:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    now = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)

    assert retry_after_s(header, now=now) == seconds
