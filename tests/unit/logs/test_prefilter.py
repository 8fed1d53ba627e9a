"""The prefilter of large logs: the vector engine and the plain search say the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.adapters.log_files.prefilter import Prefilter, prefilter_for

blocks = st.one_of(st.binary(max_size=200), st.text("aAbBkK\n支.*(", max_size=200).map(str.encode))
terms = st.lists(st.text("abk支.*(\\", min_size=1, max_size=4).map(str.encode), min_size=1, max_size=3)


def plain(ways: Sequence[bytes], monkeypatch: pytest.MonkeyPatch) -> Prefilter:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "hyperscan", None)
        return prefilter_for(ways)


@pytest.fixture(params=["vectorised", "plain"])
def make(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Sequence[bytes]], Prefilter]:
    if request.param == "plain":
        return lambda ways: plain(ways, monkeypatch)
    pytest.importorskip("hyperscan", reason="the extra fast-logs is not installed")
    return prefilter_for


def test_a_term_is_found_in_any_case_and_only_where_it_is(
    make: Callable[[Sequence[bytes]], Prefilter],
) -> None:
    may_match = make([b"timed out"])
    assert may_match(b"10:00 call TIMED Out after 3 s")
    assert not may_match(b"10:00 call timed  out")
    assert not may_match(b"")


def test_any_way_of_writing_counts(make: Callable[[Sequence[bytes]], Prefilter]) -> None:
    may_match = make(["\u00e9tat".encode(), "\u00c9tat".encode()])
    assert may_match("l'\u00c9TAT".encode())
    assert not may_match(b"etat")


def test_characters_of_patterns_are_literal(make: Callable[[Sequence[bytes]], Prefilter]) -> None:
    assert make([b"a.*(b"])(b"A.*(B")
    assert not make([b"a.*(b"])(b"axx(b")


@given(block=blocks, ways=terms)
def test_both_engines_agree(block: bytes, ways: list[bytes]) -> None:
    pytest.importorskip("hyperscan", reason="the extra fast-logs is not installed")
    expected = any(way.lower() in block.lower() for way in ways)
    assert prefilter_for([way.lower() for way in ways])(block) is expected
