"""Chunks: two limits, closed fences, headed tables, breadcrumbs, overlap; whatever the document is."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.knowledge.chunk.chunks import ChunkLimits, ChunkText, chunk_document
from superbiz_cli.knowledge.enhance import enhanced_text, place_in_words

LIMITS = ChunkLimits(max_chars=300, max_tokens=60, overlap_chars=60, min_chars=80)


def words(text: str) -> int:
    return len(text.split())


def chunks_of(markdown: str, limits: ChunkLimits = LIMITS) -> list[ChunkText]:
    return chunk_document(
        markdown, title="T", limits=limits, count_tokens=words, enhance=lambda chunk: chunk.content
    )


def open_fences(text: str) -> int:
    return len(re.findall(r"^```", text, re.MULTILINE)) % 2


def test_a_small_document_is_one_chunk() -> None:
    assert chunks_of("# T\nhello") == [ChunkText((), "hello")]


def test_long_text_is_cut_at_sentences_and_repeats_the_last_ones() -> None:
    sentences = [f"Sentence number {number} says something of its own." for number in range(30)]
    chunks = chunks_of(" ".join(sentences))
    assert all(len(chunk.content) <= 300 and words(chunk.content) <= 60 for chunk in chunks)
    assert [sentence for sentence in sentences if not any(sentence in c.content for c in chunks)] == []
    paragraphs = chunks_of("\n\n".join(sentences))
    assert paragraphs[1].content.startswith(paragraphs[0].content.rpartition("\n\n")[2]) or (
        "Sentence number" in paragraphs[1].content
    )


def test_text_of_a_cut_section_overlaps() -> None:
    first = " ".join(f"alpha{number}." for number in range(30))
    second = " ".join(f"beta{number}." for number in range(30))
    chunks = chunks_of(f"{first}\n\n{second}")
    assert chunks[1].content.startswith("alpha")
    assert "beta0." in chunks[1].content


def test_a_fence_that_fits_is_never_cut() -> None:
    fence = "```\n" + "\n".join(f"line {number}" for number in range(12)) + "\n```"
    text = "word " * 40
    chunks = chunks_of(f"{text}\n{fence}\n{text}")
    assert any(fence in chunk.content for chunk in chunks)


def test_a_fence_that_is_too_long_is_cut_between_lines_and_each_part_is_closed() -> None:
    lines = [f"kubectl get pods number {number}" for number in range(60)]
    chunks = chunks_of("```sh\n" + "\n".join(lines) + "\n```")
    assert len(chunks) > 1
    assert all(c.content.startswith("```sh\n") and c.content.endswith("\n```") for c in chunks)
    assert [line for c in chunks for line in c.content.split("\n")[1:-1]] == lines


def test_every_part_of_a_long_table_has_its_header() -> None:
    rows = [f"| name{number} | value number {number} |" for number in range(80)]
    chunks = chunks_of("\n".join(["| key | value |", "| --- | --- |", *rows]))
    assert len(chunks) > 1
    assert all(c.content.startswith("| key | value |\n| --- | --- |\n") for c in chunks)
    assert [line for c in chunks for line in c.content.split("\n")[2:]] == rows


def test_a_row_wider_than_a_chunk_is_cut_below_the_header() -> None:
    chunks = chunks_of("| a |\n| --- |\n| " + "x" * 900 + " |")
    assert all(c.content.startswith("| a |\n| --- |\n") and len(c.content) <= 300 for c in chunks)
    assert sum(c.content.count("x") for c in chunks) == 900


def test_a_table_whose_header_is_wider_than_a_chunk_is_read_as_text() -> None:
    chunks = chunks_of("| " + "h" * 400 + " |\n| --- |\n| v |")
    assert all(len(c.content) <= 300 for c in chunks)
    assert "v" in chunks[-1].content


def test_small_neighbours_are_joined_under_both_headings() -> None:
    chunks = chunks_of("## Meaning\nshort\n## Impact\nalso short")
    assert chunks == [ChunkText(("Meaning / Impact",), "short\n\n## Impact\n\nalso short")]


def test_sections_of_different_parents_are_not_joined() -> None:
    chunks = chunks_of("## A\n### A1\nshort\n## B\nshort")
    assert [chunk.breadcrumb for chunk in chunks] == [("A", "A1"), ("B",)]


def test_a_line_without_any_boundary_is_cut_to_the_limit() -> None:
    chunks = chunks_of("字" * 1000)
    assert max(len(chunk.content) for chunk in chunks) <= 300
    assert sum(chunk.content.count("字") for chunk in chunks) == 1000


_TEXT = st.text(alphabet="ab。. \n字`|-#*", max_size=60)
_PART = st.one_of(
    _TEXT,
    st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), st.text("abc", min_size=1, max_size=9)),
    st.builds("```sh\n{}\n```".format, st.text("abc \n", max_size=500)),
    st.builds("| a | b |\n| --- | --- |\n{}".format, st.text("|xy\n ", max_size=500)),
    st.text("word ", min_size=300, max_size=700),
)


@given(st.lists(_PART, max_size=8).map("\n\n".join))
def test_whatever_the_document_every_chunk_keeps_both_limits(markdown: str) -> None:
    for chunk in chunks_of(markdown):
        assert chunk.content.strip()
        assert len(chunk.content) <= LIMITS.max_chars
        assert words(chunk.content) <= LIMITS.max_tokens


@given(
    st.lists(
        st.one_of(
            st.builds("```sh\n{}\n```".format, st.text("abc \n", max_size=600)),
            st.text("abc \n", max_size=400),
        ),
        max_size=6,
    ).map("\n\n".join)
)
def test_whatever_the_document_no_chunk_has_an_open_fence(markdown: str) -> None:
    assert [chunk for chunk in chunks_of(markdown) if open_fences(chunk.content)] == []


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=200))
def test_no_word_of_a_document_is_lost(parts: list[str]) -> None:
    markdown = "\n\n".join(" ".join(parts[start : start + 7]) for start in range(0, len(parts), 7))
    found = {word for chunk in chunks_of(markdown) for word in chunk.content.split()}
    assert set(parts) <= found


def test_the_enhanced_text_names_title_place_and_headings() -> None:
    chunk = ChunkText(("Diagnosis", "Logs"), "look here")
    text = enhanced_text(chunk, title="FAQ", doc_id="zh/nacos/guide/user/faq.md")
    assert text == "FAQ\nguide / user / faq\nDiagnosis > Logs\nlook here"


def test_a_place_spells_identifiers_out() -> None:
    assert place_in_words("prom/KubePodCrashLooping.md") == "prom / Kube Pod Crash Looping"
