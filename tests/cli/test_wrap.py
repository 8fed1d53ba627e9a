"""Lines by terminal cells: nothing is lost, nothing is too wide, East Asian punctuation stays put."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from superbiz_cli.cli.page import Page
from superbiz_cli.cli.wrap import clip, pad, wrap

_CHARACTERS = st.characters(codec="utf-8", exclude_categories=("C", "Z", "M"))
_TEXT = st.text(st.sampled_from("ab 支付服务超时，。（）[1]x-…é") | _CHARACTERS, max_size=80)


def lines(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    return [line.plain for line in wrap(Text(text), width=width, first=first, rest=rest)]


@given(text=_TEXT, width=st.integers(12, 60), indent=st.integers(0, 4))
def test_no_character_is_lost_and_no_line_is_too_wide(text: str, width: int, indent: int) -> None:
    found = lines(text, width, " " * indent)
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= max(width, indent + 8) for line in found)


def test_words_are_kept_whole_where_they_fit() -> None:
    assert lines("the connection pool is exhausted", 14) == ["the connection", "pool is", "exhausted"]


def test_chinese_text_is_broken_between_characters_and_not_before_punctuation() -> None:
    found = lines("支付服务的连接池已经耗尽，所有请求都在等待。", 16)
    assert all(line[0] not in "，。" for line in found)
    assert found[0] == "支付服务的连接池"


def test_an_opening_bracket_does_not_end_a_line() -> None:
    assert all(
        not line.endswith("（") for width in range(8, 20) for line in lines("连接池（支付服务）耗尽", width)
    )


def test_mixed_text_fills_the_line_instead_of_moving_the_chinese_part_down() -> None:
    assert lines("pool 连接池连接池连接池", 12)[0] == "pool 连接池"


def test_a_long_word_is_cut_and_never_abbreviated() -> None:
    assert lines("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


def test_following_lines_hang_under_the_first() -> None:
    assert lines("one two three four", 11, "  • ") == ["  • one two", "    three", "    four"]


@pytest.mark.parametrize(
    ("text", "width", "clipped"),
    [("short", 9, "short"), ("支付服务超时", 7, "支付服…"), ("abcdef", 4, "abc…")],
)
def test_clipping_counts_cells(text: str, width: int, clipped: str) -> None:
    assert clip(text, width) == clipped
    assert cell_len(clip(text, width)) <= width


def test_columns_line_up_by_cells() -> None:
    page = Page(60)
    page.columns([("支付", "一"), ("ab", "two"), ("x", "three")], indent="")
    tails = zip(page.lines, ("一", "two", "three"), strict=True)
    starts = {cell_len(line.plain[: line.plain.index(tail)]) for line, tail in tails}
    assert starts == {6}


def test_a_long_last_column_wraps_within_itself() -> None:
    page = Page(40)
    page.columns([("key", "支付服务的连接池已经耗尽，所有请求都在等待，没有空闲连接可用")], indent="")
    assert all(cell_len(line.plain) <= 40 for line in page.lines)
    assert all(line.plain.startswith("     ") for line in page.lines[1:])
    assert pad("支", 4) == "支  "
