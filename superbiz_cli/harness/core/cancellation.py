"""Cancellation: the first reason wins, and every registered callback is called exactly once."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable

from superbiz_cli.harness.contract.status import CancelReason

_log = logging.getLogger(__name__)


class Cancellation:
    """A one-way switch that can be awaited by callbacks; see `contract.model.CancelSignal`.

    Signal handling, the deadline watcher and the working thread meet at this switch. It has no lock:
    a signal handler that cancels would wait for ever for one that the thread under it holds. What
    decides are single steps on a dict, each of them atomic
    (https://docs.python.org/3/faq/library.html#what-kinds-of-global-value-mutation-are-thread-safe):
    the first reason is set once, and a callback is called by whoever takes it out. `on_cancel` puts
    its callback in before it looks for a reason, `cancel` sets the reason before it looks for
    callbacks; so at least one of them sees the other, and only one gets the callback.
    """

    def __init__(self) -> None:
        self._reasons: dict[str, tuple[CancelReason]] = {}
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._keys = itertools.count()
        self._set = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` has succeeded."""
        return "first" in self._reasons

    @property
    def reason(self) -> CancelReason | None:
        """The reason of the first `cancel`, or None."""
        first = self._reasons.get("first")
        return None if first is None else first[0]

    def cancel(self, reason: CancelReason) -> bool:
        """Cancel once. Returns False, and does nothing, if that has happened before."""
        mine = (reason,)
        if self._reasons.setdefault("first", mine) is not mine:
            return False
        self._set.set()
        for key in list(self._callbacks):
            self._call(key)
        return True

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` once on cancel, at once if that has happened; returns an unregister."""
        key = next(self._keys)
        self._callbacks[key] = callback
        if self.is_cancelled:
            self._call(key)
        return lambda: self._forget(key)

    def wait(self, timeout_s: float) -> bool:
        """Sleep up to `timeout_s` seconds, less if cancelled; returns whether it is cancelled."""
        return self._set.wait(min(max(0.0, timeout_s), threading.TIMEOUT_MAX))

    def _forget(self, key: int) -> None:
        self._callbacks.pop(key, None)

    def _call(self, key: int) -> None:
        callback = self._callbacks.pop(key, None)
        if callback is None:
            return
        try:
            callback()
        except Exception as error:  # one callback's failure must not keep the others from stopping
            _log.warning("a cancel callback failed: %s", type(error).__name__)
