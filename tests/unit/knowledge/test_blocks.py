"""Markdown taken apart: what must not be torn is recognised."""

from __future__ import annotations

import pytest

from superbiz_cli.knowledge.chunk.blocks import Block, BlockKind, parse_blocks, plain_title
from superbiz_cli.knowledge.chunk.sections import sections_of


def kinds(markdown: str) -> list[tuple[BlockKind, str]]:
    return [(block.kind, block.text) for block in parse_blocks(markdown)]


def test_a_fence_is_one_block_with_everything_in_it() -> None:
    fence = "```sh\n# not a heading\n| not | a table |\n| --- | --- |\n\n```"
    assert kinds(f"before\n{fence}\nafter") == [
        (BlockKind.TEXT, "before"),
        (BlockKind.FENCE, fence),
        (BlockKind.TEXT, "after"),
    ]


@pytest.mark.parametrize("mark", ["```", "````", "~~~", "  ```", "- ```", "> ```"])
def test_fences_of_any_mark_and_indentation_are_recognised(mark: str) -> None:
    closing = mark.lstrip("-> ")
    assert [kind for kind, _ in kinds(f"{mark}\n# inside\n{closing}")] == [BlockKind.FENCE]


def test_a_shorter_mark_does_not_close_a_fence() -> None:
    text = "````\n```\n# inside\n````"
    assert kinds(text) == [(BlockKind.FENCE, text)]


def test_a_fence_that_is_never_closed_swallows_nothing() -> None:
    assert kinds("```sh\nls\n\n# Heading\ntext") == [
        (BlockKind.TEXT, "ls"),
        (BlockKind.HEADING, "Heading"),
        (BlockKind.TEXT, "text"),
    ]


def test_code_within_a_line_is_no_fence() -> None:
    assert kinds("```ls -l``` lists\n# Next") == [
        (BlockKind.TEXT, "```ls -l``` lists"),
        (BlockKind.HEADING, "Next"),
    ]


def test_headings_of_both_styles_lose_their_marks() -> None:
    blocks = parse_blocks("# One `two` [three](x) {#anchor}\n\nTitle\n=====\nSub\n---\n## Closed ##")
    assert [(block.text, block.level) for block in blocks] == [
        ("One two three", 1),
        ("Title", 1),
        ("Sub", 2),
        ("Closed", 2),
    ]


def test_a_number_sign_without_a_space_is_text() -> None:
    assert kinds("#hashtag") == [(BlockKind.TEXT, "#hashtag")]


def test_a_table_ends_with_its_last_row() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert kinds(f"{table}\n\nafter") == [(BlockKind.TABLE, table), (BlockKind.TEXT, "after")]


def test_comments_and_rules_say_nothing() -> None:
    assert kinds("a <!-- hidden --> b\n\n---\n\n***\n<!-- all\nof it -->") == [(BlockKind.TEXT, "a  b")]


def test_line_ends_of_windows_are_read() -> None:
    assert kinds("# A\r\ntext\r\n") == [(BlockKind.HEADING, "A"), (BlockKind.TEXT, "text")]


def test_a_plain_title_keeps_underscores_inside_names() -> None:
    assert plain_title("**pg_xid_wraparound** <b>alert</b>") == "pg_xid_wraparound alert"


def test_sections_carry_the_headings_above_them() -> None:
    sections = sections_of(parse_blocks("# T\nintro\n## A\na\n### B\nb\n## C\nc"), title="T")
    assert [(s.path, s.blocks[0].text) for s in sections] == [
        ((), "intro"),
        (("A",), "a"),
        (("A", "B"), "b"),
        (("C",), "c"),
    ]


def test_a_heading_without_text_is_carried_by_the_deeper_one_or_kept_as_text() -> None:
    sections = sections_of(parse_blocks("## A\n### B\nb\n## Question?\n## C\nc"), title="T")
    assert [(s.path, s.blocks[0].text) for s in sections] == [
        (("A", "B"), "b"),
        (("Question?",), "Question?"),
        (("C",), "c"),
    ]


def test_a_document_of_headings_only_keeps_the_last() -> None:
    assert sections_of([Block(BlockKind.HEADING, "A", 1)], title="T")[0].blocks[0].text == "A"
