"""A question beside a pipe: combined if something comes, never waited for if nothing does."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from superbiz_cli.cli.question import read_question
from superbiz_cli.errors import ErrorCode, SuperbizError


@contextmanager
def pipe(content: bytes, *, closed: bool = True) -> Iterator[TextIO]:
    """A pipe that holds `content`, and whose writer has gone unless it is not `closed`."""
    reader, writer = os.pipe()
    os.write(writer, content)
    if closed:
        os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        yield stream
    if not closed:
        os.close(writer)


def test_piped_text_is_put_below_the_question() -> None:
    with pipe(b"ERROR one\nERROR two\n") as stdin:
        asked = read_question("what is behind this?", stdin=stdin, max_bytes=100)
    assert asked == "what is behind this?\n\nERROR one\nERROR two"


def test_an_empty_pipe_adds_nothing() -> None:
    with pipe(b"") as stdin:
        assert read_question("why?", stdin=stdin, max_bytes=100) == "why?"


def test_a_pipe_that_a_parent_left_open_is_not_waited_for() -> None:
    began = time.monotonic()
    with pipe(b"", closed=False) as stdin:
        assert read_question("why?", stdin=stdin, max_bytes=100) == "why?"
    assert time.monotonic() - began < 5


def test_both_together_must_fit_the_limit() -> None:
    with pipe(b"x" * 60) as stdin, pytest.raises(SuperbizError) as caught:
        read_question("y" * 60, stdin=stdin, max_bytes=100)
    assert caught.value.code is ErrorCode.QUERY_INVALID
    assert "100 bytes" in caught.value.message


def test_a_pipe_without_end_is_read_only_up_to_the_limit() -> None:
    with open("/dev/zero", encoding="utf-8") as stdin, pytest.raises(SuperbizError, match="larger than 100"):
        read_question("-", stdin=stdin, max_bytes=100)


def test_a_file_is_read_like_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "alert.txt").write_text("支付超时")
    with open(tmp_path / "alert.txt", encoding="utf-8") as stdin:
        assert read_question(None, stdin=stdin, max_bytes=100) == "支付超时"


def test_the_empty_device_is_no_question() -> None:
    with open(os.devnull, encoding="utf-8") as stdin, pytest.raises(SuperbizError, match="empty"):
        read_question(None, stdin=stdin, max_bytes=100)
