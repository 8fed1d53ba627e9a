"""One Run on a worker thread, while the main thread hears signals and draws.

Ctrl-C once cancels the Run and waits for its end; twice leaves at once. SIGTERM and SIGHUP cancel too. A
signal handler only posts a message or ends the process: it never touches a lock.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Generic, Protocol, TypeAlias, TypeVar, assert_never

from superbiz_cli.bootstrap.port import RunHandle
from superbiz_cli.cli.streams import ClosedPipe
from superbiz_cli.errors import ErrorCode, ExitCode, SuperbizError
from superbiz_cli.harness.audit.events import RecordedEvent
from superbiz_cli.harness.contract.status import CancelReason

GRACE_S = 10.0
SHOW_CURSOR = b"\x1b[?25h"

T = TypeVar("T")


class View(Protocol):
    """Who is told, on the main thread, what happens in the Run."""

    @property
    def tick_s(self) -> float:
        """How often `tick` is called while nothing happens, in seconds."""
        ...

    def started(self, run: RunHandle) -> None:
        """The Run has begun. May raise ClosedPipe."""
        ...

    def event(self, recorded: RecordedEvent) -> None:
        """A trace event was recorded. May raise ClosedPipe."""
        ...

    def warned(self, text: str) -> None:
        """Something is worth knowing that does not stop the Run."""
        ...

    def tick(self) -> None:
        """Time has passed. May raise ClosedPipe."""
        ...

    def interrupted(self) -> None:
        """The Run was asked to stop."""
        ...

    def close(self) -> None:
        """Nothing more will come."""
        ...


@dataclass(frozen=True, slots=True)
class _Started:
    run: RunHandle


@dataclass(frozen=True, slots=True)
class _Warned:
    text: str


@dataclass(frozen=True, slots=True)
class _Signalled:
    number: int


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    result: T


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


_Message: TypeAlias = _Started | _Warned | _Signalled | RecordedEvent | _Done[T] | _Failed


class Reports(Protocol):
    """What the work on the worker thread tells; all may be called from that thread."""

    def started(self, run: RunHandle) -> None:
        """Tell that the Run has begun and can be cancelled."""
        ...

    def event(self, recorded: RecordedEvent) -> None:
        """Pass a trace event on."""
        ...

    def warned(self, text: str) -> None:
        """Pass one sentence for the user on."""
        ...


@dataclass(frozen=True, slots=True)
class Watched(Generic[T]):
    """How the work ended. `signal_number` is the signal that asked it to stop, if any."""

    result: T
    signal_number: int | None
    pipe_closed: bool


@dataclass(slots=True)
class _Watch(Generic[T]):
    view: View
    inbox: SimpleQueue[_Message[T]]
    run: RunHandle | None = None
    reason: CancelReason | None = None
    signal_number: int | None = None
    pipe_closed: bool = False
    give_up_at: float | None = None
    _done: list[T] = field(default_factory=list)

    def until_done(self) -> Watched[T]:
        while not self._done:
            self._next()
        return Watched(self._done[0], self.signal_number, self.pipe_closed)

    def _next(self) -> None:
        if self.give_up_at is not None and time.monotonic() > self.give_up_at:
            raise SuperbizError(
                ErrorCode.CANCELLED,
                "the run did not stop in time and was left behind",
                hint="superbiz trace list shows what was recorded of it",
                exit_code=exit_code_of_signal(self.signal_number),
            )
        try:
            message = self.inbox.get(timeout=self._patience_s())
        except Empty:
            self._show(self.view.tick)
            return
        self._take(message)

    def _patience_s(self) -> float:
        return self.view.tick_s if self.give_up_at is None else min(self.view.tick_s, 0.25)

    def _take(self, message: _Message[T]) -> None:
        match message:
            case _Started(run):
                self.run = run
                self._show(partial(self.view.started, run))
                if self.reason is not None:
                    run.cancel(self.reason)
            case RecordedEvent():
                self._show(partial(self.view.event, message))
            case _Warned(text):
                self.view.warned(text)
            case _Signalled(number):
                self.signal_number = number
                self._cancel(CancelReason.USER_REQUESTED)
                self.view.interrupted()
            case _Done(result):
                self._done.append(result)
            case _Failed(error):
                raise error
            case _:
                assert_never(message)

    def _show(self, draw: Callable[[], None]) -> None:
        if self.pipe_closed:
            return
        try:
            draw()
        except ClosedPipe:
            self.pipe_closed = True
            self._cancel(CancelReason.CLIENT_DISCONNECTED)

    def _cancel(self, reason: CancelReason) -> None:
        self.reason = self.reason or reason
        self.give_up_at = time.monotonic() + GRACE_S
        if self.run is not None:
            self.run.cancel(self.reason)


@dataclass(frozen=True, slots=True)
class _Mail(Generic[T]):
    inbox: SimpleQueue[_Message[T]]

    def started(self, run: RunHandle) -> None:
        self.inbox.put(_Started(run))

    def event(self, recorded: RecordedEvent) -> None:
        self.inbox.put(recorded)

    def warned(self, text: str) -> None:
        self.inbox.put(_Warned(text))


def run_interruptibly(work: Callable[[Reports], T], view: View) -> Watched[T]:
    """Do `work` on a worker thread and return its result; its exception is raised here.

    Raises SuperbizError (CANCELLED) if the work does not end within 10 s of being cancelled.
    """
    inbox: SimpleQueue[_Message[T]] = SimpleQueue()

    def body() -> None:
        try:
            inbox.put(_Done(work(_Mail(inbox))))
        except BaseException as error:  # whatever it is, the main thread must hear of it
            inbox.put(_Failed(error))

    with _signals_posted_to(inbox):
        threading.Thread(target=body, name="run", daemon=True).start()
        try:
            return _Watch(view, inbox).until_done()
        finally:
            view.close()


def exit_code_of_signal(number: int | None) -> ExitCode:
    """Return the exit code of a command that a signal ended; without a signal, of a closed pipe."""
    match number:
        case signal.SIGTERM:
            return ExitCode.TERMINATED
        case signal.SIGHUP:
            return ExitCode.HUNG_UP
        case None:
            return ExitCode.CLOSED_PIPE
        case _:
            return ExitCode.INTERRUPTED


@contextmanager
def _signals_posted_to(inbox: SimpleQueue[_Message[T]]) -> Iterator[None]:
    """Post the first SIGINT, SIGTERM or SIGHUP to `inbox`; the second one ends the process.

    A SIGHUP that was ignored from the start (nohup) stays ignored.
    """
    seen: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        if seen:
            with suppress(OSError):
                if os.isatty(2):
                    os.write(2, SHOW_CURSOR + b"\n")
            os._exit(exit_code_of_signal(number))
        seen.append(number)
        inbox.put(_Signalled(number))

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
