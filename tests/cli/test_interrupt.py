"""The watch over one Run: results, errors, cancelling, closed pipes, and what is told to whom."""

from __future__ import annotations

import logging
import os
import signal
import threading
from dataclasses import dataclass, field

import pytest

from superbiz_cli import bootstrap
from superbiz_cli.bootstrap.port import RunHandle
from superbiz_cli.cli import interrupt
from superbiz_cli.cli.interrupt import Reports, Watched, exit_code_of_signal, run_interruptibly
from superbiz_cli.cli.log_lines import log_lines
from superbiz_cli.cli.streams import ClosedPipe
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError
from superbiz_cli.harness.audit.events import RecordedEvent, TraceEvent, TraceType
from superbiz_cli.harness.contract.status import CancelReason
from tests.support.fake_bootstrap import FakeRun
from tests.support.run_cli import run_cli

EVENT = RecordedEvent("run", 1, 0, TraceEvent(TraceType.RUN_STARTED))


@dataclass
class Told:
    """A view that remembers what it was told, and may find its pipe closed."""

    tick_s: float = 0.02
    pipe_closed: bool = False
    signal_at_event: int | None = None
    said: list[str] = field(default_factory=list)

    def started(self, run: RunHandle) -> None:
        self.said.append(f"started {run.run_id}")

    def event(self, recorded: RecordedEvent) -> None:
        self.said.append(recorded.event.type.value)
        if self.signal_at_event is not None:
            os.kill(os.getpid(), self.signal_at_event)
        if self.pipe_closed:
            raise ClosedPipe

    def warned(self, text: str) -> None:
        self.said.append(text)

    def tick(self) -> None:
        if self.pipe_closed:
            raise ClosedPipe

    def interrupted(self) -> None:
        self.said.append("interrupted")

    def close(self) -> None:
        self.said.append("closed")


def watch(view: Told, run: FakeRun, *, waits: bool) -> Watched[str]:
    def work(reports: Reports) -> str:
        reports.warned("careful")
        reports.started(run)
        reports.event(EVENT)
        if waits:
            assert run.cancelled.wait(timeout=20)
        return "result"

    return run_interruptibly(work, view)


def test_the_result_comes_back_and_everything_is_told_in_order() -> None:
    view = Told()
    assert watch(view, FakeRun(), waits=False) == Watched("result", None, pipe_closed=False)
    assert view.said == ["careful", "started 7f3k00aaaa", "RUN_STARTED", "closed"]


def test_an_error_of_the_work_is_raised_on_the_main_thread() -> None:
    def work(reports: Reports) -> str:
        raise SuperbizError(ErrorCode.NOT_FOUND, "no such skill")

    view = Told()
    with pytest.raises(SuperbizError, match="no such skill"):
        run_interruptibly(work, view)
    assert view.said == ["closed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_run_once_for_the_user(number: signal.Signals) -> None:
    view, run = Told(signal_at_event=number), FakeRun()
    watched = watch(view, run, waits=True)
    assert run.reasons == [CancelReason.USER_REQUESTED]
    assert watched.signal_number == number
    assert view.said[-2:] == ["interrupted", "closed"]


def test_a_signal_before_the_run_began_cancels_it_when_it_begins() -> None:
    run, arrived = FakeRun(), threading.Event()

    class Early(Told):
        def interrupted(self) -> None:
            arrived.set()

    def work(reports: Reports) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        assert arrived.wait(timeout=20)
        reports.started(run)
        assert run.cancelled.wait(timeout=20)
        return "result"

    assert run_interruptibly(work, Early()).signal_number == signal.SIGINT
    assert run.reasons == [CancelReason.USER_REQUESTED]


def test_a_closed_pipe_cancels_the_run_and_nothing_more_is_written() -> None:
    view, run = Told(pipe_closed=True), FakeRun()
    watched = watch(view, run, waits=True)
    assert watched.pipe_closed
    assert run.reasons == [CancelReason.CLIENT_DISCONNECTED]
    assert view.said.count("RUN_STARTED") <= 1


def test_a_run_that_does_not_stop_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "GRACE_S", 0.05)
    release = threading.Event()

    def work(reports: Reports) -> str:
        reports.started(FakeRun())
        reports.event(EVENT)
        release.wait(timeout=20)
        return "too late"

    with pytest.raises(SuperbizError) as caught:
        run_interruptibly(work, Told(signal_at_event=signal.SIGTERM))
    release.set()
    assert caught.value.exit_code is ExitCode.TERMINATED


def test_the_handlers_of_before_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    watch(Told(), FakeRun(), waits=False)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_each_signal_has_its_exit_code() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None)
    assert [exit_code_of_signal(number) for number in numbers] == [
        ExitCode.INTERRUPTED,
        ExitCode.TERMINATED,
        ExitCode.HUNG_UP,
        ExitCode.CLOSED_PIPE,
    ]


def test_a_hang_up_that_was_ignored_from_the_start_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        view, run = Told(signal_at_event=signal.SIGHUP), FakeRun()
        watched = watch(view, run, waits=False)
        assert watched.signal_number is None
        assert run.reasons == []
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_before_the_run_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_settings: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "prepare_demo", interrupted)
    done = run_cli("demo")
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines()[-1] == "superbiz: cancelled"


def test_an_interrupt_that_an_import_turned_into_an_error_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_settings: object) -> object:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(bootstrap, "prepare_demo", interrupted)
    done = run_cli("demo")
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines()[-1] == "superbiz: cancelled"


def test_what_an_abandoned_thread_says_later_is_written_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    ours = logging.getLogger("superbiz_cli.test")
    with log_lines(said.append, debug=False):
        ours.warning("in time")
    logging.getLogger("superbiz_cli").propagate = False
    try:
        ours.warning("too late")
    finally:
        logging.getLogger("superbiz_cli").propagate = True
    assert said == ["in time"]
    assert "too late" not in capfd.readouterr().err
