"""Where litellm runs: a background import and one event loop in a daemon thread.

An interpreter that exits while a daemon thread is importing can dead-lock. The process skin must
therefore flush its streams and leave by `os._exit` after a Run that used a litellm model.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from superbiz_cli.adapters.litellm_setup import import_litellm
from superbiz_cli.harness.contract.model import CancelSignal

CLOSING_S = 0.5

ResultT = TypeVar("ResultT")


class LitellmRuntime:
    """Imports the library once, in a daemon thread, and owns the one event loop that it runs on.

    Shared by all models of a process. Waiting for the import ends with a cancel too.
    """

    def __init__(self, load: Callable[[], Any] = import_litellm) -> None:
        self._load = load
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._settled = False
        self._module: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin the import unless that has happened. Returns at once."""
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="litellm-import", daemon=True)
                self._thread.start()

    def wait(self, *, timeout_s: float, cancel: CancelSignal) -> Any | None:
        """Return the module, or None: not loaded in `timeout_s` seconds, cancelled, or not loadable."""
        self.start()
        unregister = cancel.on_cancel(self._notify)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._settled or cancel.is_cancelled, timeout_s)
        finally:
            unregister()
        return self._module

    @property
    def has_failed(self) -> bool:
        """Whether the import has ended without a module."""
        return self._settled and self._module is None

    def submit(self, call: Coroutine[Any, Any, ResultT]) -> concurrent.futures.Future[ResultT]:
        """Run `call` on the loop thread. Cancelling the future wakes its waiter at once."""
        with self._changed:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop_thread = threading.Thread(
                    target=_run_loop, args=(self._loop,), name="litellm-loop", daemon=True
                )
                self._loop_thread.start()
            loop = self._loop
        return asyncio.run_coroutine_threadsafe(call, loop)

    def close(self) -> None:
        """Stop the loop and wait for it, shortly. A running import is left alone: nothing stops it."""
        with self._changed:
            loop, thread = self._loop, self._loop_thread
            self._loop = self._loop_thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(CLOSING_S)

    def _run(self) -> None:
        try:
            self._module = self._load()
        except Exception as error:  # the first call reports it as a failure of the model
            logging.getLogger(__name__).warning("litellm cannot be imported: %s", type(error).__name__)
        finally:
            self._settled = True
            self._notify()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        leftovers = asyncio.all_tasks(loop)
        for task in leftovers:
            task.cancel()
        if leftovers:
            loop.run_until_complete(asyncio.wait(leftovers, timeout=CLOSING_S))
    finally:
        loop.close()
