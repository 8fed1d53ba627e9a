"""Callers that all start at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def call_together(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Call each in a thread of its own, released by one barrier; returns the results in order."""
    barrier = threading.Barrier(len(calls))
    results: dict[int, T] = {}

    def caller(number: int) -> None:
        barrier.wait(timeout=10)
        results[number] = calls[number]()

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    return [results[number] for number in range(len(calls))]
