"""Control and invisible characters are written out, nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.tool.sanitize import sanitize


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\rb", r"a\x0db"),
        ("\x7f\x9b", r"\x7f\x9b"),
        ("\u202eabc", r"\u202eabc"),
        ("pay\u200bment", r"pay\u200bment"),
        ("\U000e0041\U000e0042", r"\U000e0041\U000e0042"),
        ("\ud800", r"\ud800"),
        ("\ufe00", r"\ufe00"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, visible: str) -> None:
    assert sanitize(text) == visible


@pytest.mark.parametrize("text", ["tab\tand\nnewline", "支付服务 超时", "⚠️ héllo", "\ufffd"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert sanitize(text) == text


@given(st.text())
def test_nothing_is_left_to_sanitise(text: str) -> None:
    assert sanitize(sanitize(text)) == sanitize(text)
