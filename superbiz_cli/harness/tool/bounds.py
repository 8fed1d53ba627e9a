"""Bounds of what crosses the fact boundary: sizes in UTF-8 bytes, clipping, and fitting a list."""

from __future__ import annotations

from collections.abc import Callable

ELLIPSIS = "…"


def text_bytes(text: str) -> int:
    """Return the size of `text` in UTF-8 bytes. Raises ValueError if it is no text (lone surrogates)."""
    return len(text.encode("utf-8"))


def clip(text: str, max_chars: int) -> str:
    """Return `text`, or as much of its head as fits into `max_chars` >= 1 with an ellipsis."""
    return text if len(text) <= max_chars else text[: max_chars - 1] + ELLIPSIS


def most_that_fit(count: int, fits: Callable[[int], bool]) -> int | None:
    """Return the largest n in 0..count for which `fits(n)` holds, or None if not even 0 does.

    `fits` must be monotone: what fits with n items fits with fewer. It is asked O(log count) times.
    """
    if fits(count):
        return count
    if count == 0 or not fits(0):
        return None
    low, high = 0, count  # fits(low) holds, fits(high) does not
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
