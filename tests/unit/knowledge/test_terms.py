"""Terms: what a passage says and what a query says must meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.knowledge.identifiers import is_camel, parts_of, spelled_out
from superbiz_cli.knowledge.language import language_of
from superbiz_cli.knowledge.terms import MAX_TERM_CHARS, stem, term_id, terms_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KubePodCrashLooping", "kube pod crash looping"),
        ("pg_xid_wraparound", "pg xid wraparound"),
        ("time-out", "time out"),
        ("connections", "connection"),
        ("stopped", "stopping"),
        ("policies", "policy"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("vm_memory_high_watermark.relative", "vm memory high watermark relative"),
    ],
)
def test_forms_of_one_name_share_their_parts(one: str, other: str) -> None:
    assert set(terms_of(other)) <= set(terms_of(one))


def test_a_name_with_separators_also_gives_one_compound() -> None:
    assert "pgxidwraparound" in terms_of("pg_xid_wraparound")
    assert "kubepodcrashloop" in terms_of("KubePodCrashLooping")


def test_stop_words_and_function_words_are_no_terms() -> None:
    assert terms_of("what is the of and") == []
    assert terms_of("怎么的了吗") == []


def test_chinese_is_cut_into_pairs_between_function_words() -> None:
    assert terms_of("连接池怎么扩容") == ["连接", "接池", "扩容"]


def test_a_single_character_between_function_words_is_a_term() -> None:
    assert terms_of("锁的问题") == ["锁", "问题"]


def test_mixed_text_gives_the_terms_of_both() -> None:
    assert terms_of("Redis变慢 CPU100%") == ["redis", "变慢", "cpu100", "cpu", "100"]


@pytest.mark.parametrize("word", ["bus", "this", "glass", "sing", "bed", "red"])
def test_short_words_and_false_endings_are_left_alone(word: str) -> None:
    assert stem(word) == word


def test_blobs_are_no_terms() -> None:
    assert terms_of("a" * (MAX_TERM_CHARS + 1)) == []
    assert max(map(len, terms_of("https://example.com/" + "/".join(["path"] * 20)))) <= MAX_TERM_CHARS


@given(st.text(max_size=200))
def test_any_text_gives_terms_of_bounded_length(text: str) -> None:
    assert all(0 < len(term) <= MAX_TERM_CHARS for term in terms_of(text))


def test_a_term_has_the_same_place_everywhere() -> None:
    assert term_id("pool") == 2945558918
    assert 0 <= term_id("连接") < 2**32


def test_identifiers_fall_into_their_words() -> None:
    assert parts_of("HTTPServerError500") == ["HTTP", "Server", "Error", "500"]
    assert spelled_out("etcdNoLeader_v2") == "etcd No Leader v 2"
    assert is_camel("KubeHpa")
    assert not is_camel("Kubernetes")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the pool is empty", "en"),
        ("连接池耗尽", "zh"),
        ("KubePodCrashLooping 告警怎么处理", "zh"),
        ("CPUThrottlingHigh", "en"),
        ("", "en"),
        ("a long English sentence that quotes 连接 once only", "en"),
    ],
)
def test_the_language_is_the_one_of_most_words(text: str, language: str) -> None:
    assert language_of(text) == language
