"""Cancellation: the first reason wins, and every registered callback is called exactly once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from superbiz_cli.harness.contract.status import CancelReason

_log = logging.getLogger(__name__)


class Cancellation:
    """A one-way switch that can be awaited by callbacks; see `contract.model.CancelSignal`.

    The only lock of the harness lives here: signal handling, the deadline watcher and the working
    thread meet at this switch. It guards the two fields and is never held while a callback runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: CancelReason | None = None
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next_key = 0
        self._set = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` has succeeded."""
        return self._reason is not None

    @property
    def reason(self) -> CancelReason | None:
        """The reason of the first `cancel`, or None."""
        return self._reason

    def cancel(self, reason: CancelReason) -> bool:
        """Cancel once. Returns False, and does nothing, if that has happened before."""
        with self._lock:
            if self._reason is not None:
                return False
            self._reason = reason
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        self._set.set()
        for callback in callbacks:
            _call(callback)
        return True

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` once on cancel, at once if that has happened; returns an unregister."""
        with self._lock:
            if self._reason is None:
                key = self._next_key
                self._next_key += 1
                self._callbacks[key] = callback
                return lambda: self._forget(key)
        _call(callback)
        return lambda: None

    def wait(self, timeout_s: float) -> bool:
        """Sleep up to `timeout_s` seconds, less if cancelled; returns whether it is cancelled."""
        return self._set.wait(max(0.0, timeout_s))

    def _forget(self, key: int) -> None:
        with self._lock:
            self._callbacks.pop(key, None)


def _call(callback: Callable[[], None]) -> None:
    try:
        callback()
    except Exception as error:  # one callback's failure must not keep the others from stopping
        _log.warning("a cancel callback failed: %s", type(error).__name__)
