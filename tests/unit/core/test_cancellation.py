from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest

from superbiz_cli.harness.contract.status import CancelReason
from superbiz_cli.harness.core.cancellation import Cancellation
from tests.support.threads import call_together


@pytest.fixture
def cancellation() -> Cancellation:
    return Cancellation()


def test_the_first_reason_stays(cancellation: Cancellation) -> None:
    assert (cancellation.is_cancelled, cancellation.reason) == (False, None)
    assert cancellation.cancel(CancelReason.USER_REQUESTED)
    for reason in CancelReason:
        assert not cancellation.cancel(reason)
    assert (cancellation.is_cancelled, cancellation.reason) == (True, CancelReason.USER_REQUESTED)


def test_every_callback_is_called_once_in_the_order_of_registration(cancellation: Cancellation) -> None:
    called: list[int] = []
    for number in range(3):
        cancellation.on_cancel(partial(called.append, number))
    assert called == []
    cancellation.cancel(CancelReason.USER_REQUESTED)
    cancellation.cancel(CancelReason.DEADLINE_EXCEEDED)
    assert called == [0, 1, 2]


def test_a_callback_sees_the_reason(cancellation: Cancellation) -> None:
    seen: list[CancelReason | None] = []
    cancellation.on_cancel(lambda: seen.append(cancellation.reason))
    cancellation.cancel(CancelReason.BUDGET_EXHAUSTED)
    assert seen == [CancelReason.BUDGET_EXHAUSTED]


def test_a_callback_registered_after_the_fact_fires_at_once_and_once(cancellation: Cancellation) -> None:
    called: list[str] = []
    cancellation.cancel(CancelReason.USER_REQUESTED)
    unregister = cancellation.on_cancel(lambda: called.append("late"))
    assert called == ["late"]
    unregister()
    cancellation.cancel(CancelReason.USER_REQUESTED)
    assert called == ["late"]


def test_an_unregistered_callback_is_never_called(cancellation: Cancellation) -> None:
    called: list[str] = []
    unregister = cancellation.on_cancel(lambda: called.append("gone"))
    cancellation.on_cancel(lambda: called.append("stays"))
    unregister()
    unregister()
    cancellation.cancel(CancelReason.USER_REQUESTED)
    assert called == ["stays"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_failing_callback_stops_neither_the_others_nor_the_caller(
    when: str, cancellation: Cancellation, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OSError("secret text of a library")

    called: list[str] = []
    if when == "after":
        cancellation.cancel(CancelReason.USER_REQUESTED)
    with caplog.at_level(logging.WARNING):
        cancellation.on_cancel(fail)
        cancellation.on_cancel(lambda: called.append("next"))
        cancellation.cancel(CancelReason.USER_REQUESTED)
    assert called == ["next"]
    assert "OSError" in caplog.text
    assert "secret" not in caplog.text


def test_a_callback_may_register_unregister_and_cancel(cancellation: Cancellation) -> None:
    called: list[str] = []

    def busy() -> None:
        called.append("outer")
        unregister()
        cancellation.on_cancel(lambda: called.append("inner"))
        assert not cancellation.cancel(CancelReason.INTERNAL_FAILURE)

    cancellation.on_cancel(busy)
    unregister = cancellation.on_cancel(lambda: called.append("unregistered meanwhile"))
    cancellation.cancel(CancelReason.USER_REQUESTED)
    assert called == ["outer", "inner"]


def test_one_of_many_concurrent_cancels_wins_and_calls_each_callback_once() -> None:
    for _ in range(50):
        cancellation = Cancellation()
        called: list[int] = []
        for number in range(5):
            cancellation.on_cancel(partial(called.append, number))
        reasons = list(CancelReason)
        won = call_together([partial(cancellation.cancel, reason) for reason in reasons])
        assert won.count(True) == 1
        assert cancellation.reason is reasons[won.index(True)]
        assert sorted(called) == [0, 1, 2, 3, 4]


def test_a_callback_registered_while_another_thread_cancels_is_called_exactly_once() -> None:
    for _ in range(50):
        cancellation = Cancellation()
        called: list[int] = []
        calls: list[Callable[[], object]] = [partial(cancellation.cancel, CancelReason.USER_REQUESTED)]
        for number in range(4):
            calls.append(partial(cancellation.on_cancel, partial(called.append, number)))
        call_together(calls)
        assert sorted(called) == [0, 1, 2, 3]


def test_a_cancel_from_a_signal_handler_inside_a_cancel_does_not_lock_up(cancellation: Cancellation) -> None:
    called: list[str] = []

    def handler(_number: int, _frame: FrameType | None) -> None:
        called.append(f"second: {cancellation.cancel(CancelReason.CLIENT_DISCONNECTED)}")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        cancellation.on_cancel(lambda: signal.raise_signal(signal.SIGUSR1))
        cancellation.on_cancel(lambda: called.append("last"))
        assert cancellation.cancel(CancelReason.USER_REQUESTED)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert called == ["second: False", "last"]
    assert cancellation.reason is CancelReason.USER_REQUESTED


@pytest.mark.parametrize("timeout_s", [0.0, -1.0])
def test_waiting_for_no_time_tells_whether_it_is_cancelled(
    timeout_s: float, cancellation: Cancellation
) -> None:
    assert not cancellation.wait(timeout_s)
    cancellation.cancel(CancelReason.USER_REQUESTED)
    assert cancellation.wait(timeout_s)


@pytest.mark.parametrize("timeout_s", [30.0, float("inf")])
def test_a_waiting_thread_is_woken_by_the_cancel(timeout_s: float, cancellation: Cancellation) -> None:
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(cancellation.wait(timeout_s)))
    waiter.start()
    cancellation.cancel(CancelReason.USER_REQUESTED)
    waiter.join(timeout=10)
    assert woken == [True]
