"""Mistyped words are read as what was meant, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.application.spelling import corrected, known_words

KNOWN = known_words(["connection expired broker exhausted certificate Deadlock"])


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("conection exausted", "connection exhausted"),
        ("the certficate has expird", "the certificate has expired"),
        ("a conneciton", "a connection"),
        ("a dexdlock", "a deadlock"),
        ("DEADLOK", "deadlock"),
        ("it is broken", "it is broken"),
        ("connections expires", "connections expires"),
        ("xonnection", "xonnection"),
        ("id conection7", "id conection7"),
        ("连接 conection 满", "连接 connection 满"),
    ],
)
def test_one_edit_inside_a_long_word_is_mended(text: str, meant: str) -> None:
    assert corrected(text, KNOWN) == meant


def test_a_word_between_two_known_ones_is_left_alone() -> None:
    assert corrected("relaxsed", known_words(["relapsed", "relaxed"])) == "relaxsed"


@given(st.text(), st.text())
def test_known_words_stay_as_they_are(one: str, other: str) -> None:
    text = f"{one} {other}"
    assert corrected(text, known_words([text])) == text
