from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from superbiz_cli.harness.tool.bounds import clip, most_that_fit, text_bytes


def test_sizes_are_utf_8_bytes() -> None:
    assert text_bytes("aé支💥") == 1 + 2 + 3 + 4


def test_what_is_no_text_has_no_size() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        text_bytes("\udc80")


@given(st.text(max_size=20), st.integers(min_value=1, max_value=20))
def test_a_clipped_text_fits_and_shows_that_it_was_clipped(text: str, max_chars: int) -> None:
    clipped = clip(text, max_chars)
    assert len(clipped) <= max_chars
    if len(text) <= max_chars:
        assert clipped == text
    else:
        assert clipped[-1] == "…"
        assert text.startswith(clipped[:-1])


@example(5, -1)
@example(0, -1)
@given(st.integers(min_value=0, max_value=300), st.integers(min_value=-1, max_value=301))
def test_as_many_items_are_kept_as_fit(count: int, room: int) -> None:
    asked: list[int] = []

    def fits(number: int) -> bool:
        asked.append(number)
        return number <= room

    assert most_that_fit(count, fits) == (None if room < 0 else min(count, room))
    assert len(asked) <= 12
