"""What may be written down: words of a program, never data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz_cli.harness.audit.events import TraceEvent, TraceType
from superbiz_cli.harness.audit.metadata import WITHHELD, metadata_only, optional_word, storable, word
from superbiz_cli.harness.contract.status import RunState
from superbiz_cli.harness.contract.strict import canonical_json
from superbiz_cli.harness.contract.violation import ViolationCode


@pytest.mark.parametrize(
    "text",
    [
        "",
        "EVIDENCE_FOUND",
        "query_logs#a91f0312",
        "ollama_chat/qwen3:8b",
        "analysis[0].text",
        "2026-11-30T10:15:00+08:00",
        "diagnose-mysql-pool,diagnose-redis",
        "f" * 64,
    ],
)
def test_words_of_a_program_pass(text: str) -> None:
    assert word(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM users WHERE id=1",
        "password=hunter2",
        "Connection is not available, request timed out",
        "支付超时",
        "select(*)from(t)",
        "line\nbreak",
        "x" * 257,
        "\ud800",
    ],
)
def test_data_does_not(text: str) -> None:
    assert word(text) == WITHHELD


def test_nothing_stays_nothing() -> None:
    assert optional_word(None) is None
    assert optional_word("stop") == "stop"


def test_all_violation_codes_of_a_draft_fit_into_one_attribute() -> None:
    codes = ",".join(ViolationCode)
    event = TraceEvent(TraceType.EVIDENCE_GUARD_INITIAL, {"codes": codes, "text": "x" * 1025})
    assert metadata_only(event).attributes == {"codes": codes, "text": WITHHELD}


def test_enum_values_are_kept_as_plain_text() -> None:
    kept = metadata_only(TraceEvent(TraceType.RUN_FINISHED, {"state": RunState.SUCCESS})).attributes
    assert type(kept["state"]) is str
    assert kept == {"state": "SUCCESS"}


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_whatever_is_passed_can_be_stored_and_holds_no_blank(attributes: dict[str, object]) -> None:
    kept = metadata_only(TraceEvent(TraceType.RUN_STARTED, attributes)).attributes  # type: ignore[arg-type]
    canonical_json(dict(kept))
    assert kept.keys() == attributes.keys()
    assert not any(char.isspace() for value in kept.values() if isinstance(value, str) for char in value)


@given(st.text())
def test_storable_text_is_the_same_text_unless_it_is_no_text(text: str) -> None:
    has_surrogate = any("\ud800" <= char <= "\udfff" for char in text)
    assert storable(text).encode("utf-8").decode("utf-8") == storable(text)
    assert (storable(text) == text) != has_surrogate
