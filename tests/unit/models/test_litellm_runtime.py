"""Loading in the background: nobody waits longer than they must."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest

from superbiz_cli.adapters.litellm_model import LitellmModel
from superbiz_cli.adapters.litellm_runtime import LitellmRuntime
from superbiz_cli.harness.contract.model import (
    Message,
    ModelRequest,
    ModelRole,
    ModelUnavailable,
    RetryFailure,
)
from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.cancellation import Cancellation

REQUEST = ModelRequest(role=ModelRole.ROUTER, messages=(Message("user", "x"),))


def local_model(runtime: LitellmRuntime) -> LitellmModel:
    return LitellmModel("openai/m", api_base="http://127.0.0.1:9/v1", runtime=runtime)


def test_warming_up_loads_once_and_returns_at_once() -> None:
    gate, loads = threading.Event(), []

    def load() -> object:
        loads.append(1)
        gate.wait(10)
        return SimpleNamespace()

    runtime = LitellmRuntime(load)
    local_model(runtime).warm_up()
    local_model(runtime).warm_up()
    gate.set()

    assert runtime.wait(timeout_s=10, cancel=Cancellation()) is not None
    assert loads == [1]


def test_a_caller_can_wait_for_the_import_before_the_clock_of_a_request_starts() -> None:
    model = local_model(LitellmRuntime(SimpleNamespace))
    broken = local_model(LitellmRuntime(lambda: None))
    keyless = LitellmModel("openai/m", environ={}, runtime=LitellmRuntime(SimpleNamespace))

    assert model.wait_until_loaded(timeout_s=10, cancel=Cancellation())
    assert not broken.wait_until_loaded(timeout_s=10, cancel=Cancellation())
    assert not keyless.wait_until_loaded(timeout_s=10, cancel=Cancellation())


def test_a_cancel_does_not_wait_for_the_import() -> None:
    started, gate, cancellation = threading.Event(), threading.Event(), Cancellation()

    def load() -> None:
        started.set()
        gate.wait(10)

    def cancel_when_loading() -> None:
        started.wait(10)
        cancellation.cancel(CancelReason.USER_REQUESTED)

    canceller = threading.Thread(target=cancel_when_loading)
    canceller.start()
    with pytest.raises(ModelUnavailable) as caught:
        local_model(LitellmRuntime(load)).complete(REQUEST, timeout_s=10, cancel=cancellation)

    assert caught.value.failure is RetryFailure.CANCELLED
    gate.set()
    canceller.join()


def test_a_slow_import_counts_against_the_time_limit() -> None:
    gate = threading.Event()
    runtime = LitellmRuntime(lambda: gate.wait(10))

    with pytest.raises(ModelUnavailable) as caught:
        local_model(runtime).complete(REQUEST, timeout_s=0.05, cancel=Cancellation())

    assert caught.value.failure is RetryFailure.TIMEOUT
    gate.set()


def test_a_library_that_cannot_be_loaded_is_explained(caplog: pytest.LogCaptureFixture) -> None:
    def load() -> None:
        raise ImportError("/secret/path")

    runtime = LitellmRuntime(load)
    with pytest.raises(ModelUnavailable) as caught:
        local_model(runtime).complete(REQUEST, timeout_s=5, cancel=Cancellation())

    assert caught.value.failure is RetryFailure.UNKNOWN
    assert caught.value.hint == "litellm cannot be loaded: reinstall superbiz"
    assert "secret" not in caplog.text


def test_closing_cancels_what_still_runs_and_a_closed_runtime_starts_again() -> None:
    runtime = LitellmRuntime(lambda: None)

    async def forever() -> None:
        await asyncio.Event().wait()

    async def answer() -> int:
        return 42

    hanging = runtime.submit(forever())
    runtime.close()
    assert hanging.cancelled()
    assert runtime.submit(answer()).result(5) == 42
    runtime.close()
    runtime.close()
